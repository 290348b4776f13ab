import { beforeAll, describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import { type LoadedFolders, loadFolders } from "../../daemon/catalog/reading/catalog-loader.ts";
import { rehearseCatalog } from "../../daemon/rehearsal/rehearse-catalog.ts";
import { bundledCatalogDir, starterCatalogDir } from "../support/bundled-catalog.ts";

const bundled = { dir: bundledCatalogDir, bundled: true, trusted: true };
const nameOf = (entry: CatalogEntry) => `${entry.provider.provider}${entry.path}`;

describe("the catalog that comes with the program", () => {
  let loaded: LoadedFolders;
  let entries: readonly CatalogEntry[];

  beforeAll(async () => {
    loaded = await loadFolders([bundled]);
    entries = loaded.providers.flatMap((provider) => provider.entries);
  });

  test("has nothing wrong in it", () => {
    expect(loaded.problems).toEqual([]);
  });

  test("has at least 40 providers and 200 endpoints, and 25 providers that need no key", () => {
    const needsNoKey = loaded.providers.filter(({ provider }) =>
      Object.values(provider.secrets).every(({ optional }) => optional),
    );

    expect(loaded.providers.length).toBeGreaterThanOrEqual(40);
    expect(entries.length).toBeGreaterThanOrEqual(200);
    expect(needsNoKey.length).toBeGreaterThanOrEqual(25);
  });

  test("says of every provider with secrets which free call proves them, or why there is none", () => {
    const silent = loaded.providers.filter(
      ({ provider }) => Object.keys(provider.secrets).length > 0 && provider.verify === undefined,
    );

    expect(silent.map(({ provider }) => provider.provider)).toEqual([]);
  });

  test("describes every endpoint for those who look for it", () => {
    const poor = entries.filter(
      ({ description, categories, asks, docUrl }) =>
        description.length < 40 || categories.length === 0 || asks.length === 0 || docUrl === undefined,
    );

    expect(poor.map(nameOf)).toEqual([]);
  });

  test("says of every field that a caller may fill what it is", () => {
    const silent = entries.flatMap((entry) =>
      Object.values(entry.input).flatMap((section) =>
        Object.entries((section as { properties?: Record<string, { description?: string }> }).properties ?? {})
          .filter(([, property]) => (property.description ?? "") === "")
          .map(([name]) => `${nameOf(entry)} ${name}`),
      ),
    );

    expect(silent).toEqual([]);
  });

  test("calls nothing free that its provider bills, and says where its prices are from", () => {
    const keyed = entries.filter(({ provider }) => Object.values(provider.secrets).some(({ optional }) => !optional));
    const isFree = ({ price }: CatalogEntry) =>
      price.type === "PER_CALL" && Number(price.amount) === 0 && price.billedByVendor === undefined;
    const freeAmongBilled = keyed.filter(isFree).filter((entry) => entry.notes[0]?.startsWith("Billed by") === true);
    const billed = keyed.filter(({ price }) => price.type === "PER_CALL" && price.billedByVendor === true);
    const priced = keyed.filter((entry) => !isFree(entry) && !billed.includes(entry));

    // What these list or count is not among what their provider bills.
    expect(freeAmongBilled.map(nameOf).sort()).toEqual([
      "apify/actors",
      "deepl/glossary-language-pairs",
      "deepl/languages",
      "deepl/usage",
    ]);
    expect(billed.map(({ provider }) => provider.provider)).toContain("google-maps");
    expect(priced.filter(({ priceSource }) => priceSource === undefined).map(nameOf)).toEqual([]);
    expect([...new Set(priced.map(({ provider }) => provider.provider))]).toEqual(["brave-search", "tavily"]);
  });

  test("asks whole questions and notes whole sentences, which a comma in a list would cut in two", () => {
    const cut = entries.flatMap(({ provider, path, asks, notes }) =>
      [
        ...asks.filter((ask) => ask.split(" ").length < 3),
        ...notes.filter((note) => !/[.!?)]$|https?:/.test(note)),
      ].map((text) => `${provider.provider}${path}: ${text}`),
    );

    expect(cut).toEqual([]);
  });

  test("has an example for every endpoint, and says of every recorded answer where it is from", () => {
    const remote = entries.filter(({ provider }) => provider.provider !== "atlas");
    const isAnswered = ({ response, responses }: CatalogEntry["examples"][number]) =>
      response !== undefined || responses !== undefined;

    const unanswered = remote.filter(({ examples }) => !examples.some(isAnswered));
    const withoutSource = remote.filter(({ examples }) =>
      examples.some((example) => isAnswered(example) && example.source === undefined),
    );

    expect(entries.filter(({ examples }) => examples.length === 0).map(nameOf)).toEqual([]);
    expect(unanswered.map(nameOf)).toEqual([]);
    expect(withoutSource.map(nameOf)).toEqual([]);
  });

  test("does not claim of any endpoint of another's service that it was tried, unless it was", () => {
    const claimed = entries.filter(
      ({ verified, provider, examples }) =>
        verified && provider.provider !== "atlas" && !examples.some(({ source }) => source?.startsWith("live")),
    );

    expect(claimed.map(nameOf)).toEqual([]);
  });
});

test("every example of the catalog is replayed as recorded", async () => {
  const report = await rehearseCatalog({ paths: [starterCatalogDir()], defaults: [], bundledDir: starterCatalogDir() });

  expect(report.examples.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  expect(report.examples.filter(({ outcome }) => outcome === "passed").length).toBeGreaterThanOrEqual(200);
  expect(report.exitCode).toBe(0);
}, 120_000);
