import { beforeAll, describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import { loadFolders } from "../../../daemon/catalog/reading/catalog-loader.ts";
import { OFF_TOPIC_PROBES } from "../../../daemon/discovery/ranking/confidence/off-topic-probes.ts";
import { starterCatalogDir } from "../../support/bundled-catalog.ts";
import {
  endpointName,
  judgementsOf,
  loadAsksInOtherLanguages,
  loadAsksInOtherWords,
  loadJudgedAsks,
  loadLackingAsks,
  loadLackingInOtherLanguages,
  loadOffTopicAsks,
} from "./ask-collection.ts";
import { FORTY_ASKS, fortyAsksTable } from "./forty-asks.ts";
import { compareWithCommitted, fallen, isShown } from "./committed-figures.ts";
import { type AskReport, isMiss, measureAsks, type Outcome, wordFigures } from "./measure-asks.ts";
import { startStarterDaemon } from "./starter-daemon.ts";

const asks = loadJudgedAsks();
const offTopic = loadOffTopicAsks();
const otherWords = loadAsksInOtherWords();
const lacking = loadLackingAsks();
const otherLanguages = loadAsksInOtherLanguages();
const lackingInOtherLanguages = loadLackingInOtherLanguages();

/** What makes two asks the same ask. */
const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

let entries: readonly CatalogEntry[];

beforeAll(async () => {
  const { providers } = await loadFolders([{ dir: starterCatalogDir(), bundled: true, trusted: true }]);
  entries = providers.flatMap((provider) => provider.entries);
});

describe("the collection of everyday asks", () => {
  test("has at least 150 asks, and 40 that nothing in the starter catalog can serve, none of them twice", () => {
    const all = [...asks, ...offTopic, ...otherWords, ...lacking, ...otherLanguages, ...lackingInOtherLanguages];

    expect(asks.length).toBeGreaterThanOrEqual(150);
    expect(offTopic.length).toBeGreaterThanOrEqual(40);
    expect(new Set(all.map(({ q }) => plain(q))).size).toBe(all.length);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  test("judges endpoints that the starter catalog has, each once, and some of every provider", () => {
    const served = entries.map(({ provider, path }) => ({
      provider: provider.provider,
      endpoint: path,
    }));
    const names = new Set(served.map(endpointName));
    const judged = [...asks, ...otherWords, ...otherLanguages];
    const right = judged.flatMap((ask) => ask.right);

    expect(right.map(endpointName).filter((name) => !names.has(name))).toEqual([]);
    expect(judged.filter((ask) => judgementsOf(ask).size < ask.right.length).map(({ id }) => id)).toEqual([]);
    expect(new Set(right.map(({ provider }) => provider))).toEqual(new Set(served.map(({ provider }) => provider)));
  });

  test("has ten asks in each of six other languages", () => {
    for (const code of ["de", "fr", "es", "pt", "it", "nl"]) {
      expect(otherLanguages.filter(({ id }) => id.startsWith(code)).length, code).toBeGreaterThanOrEqual(10);
    }
  });

  test("has no off-topic ask that discovery itself uses to see what chance matches look like", () => {
    const probes = new Set(OFF_TOPIC_PROBES.map(plain));

    expect(
      [...offTopic, ...lacking, ...lackingInOtherLanguages].filter(({ q }) => probes.has(plain(q))).map(({ q }) => q),
    ).toEqual([]);
  });

  test("has no ask that a manifest has word for word", () => {
    const written = new Set(entries.flatMap((entry) => entry.asks.map(plain)));

    expect(
      [...asks, ...otherWords, ...otherLanguages].filter(({ q }) => written.has(plain(q))).map(({ q }) => q),
    ).toEqual([]);
  });
});

test("the forty asks of the documentation are forty asks of the collection", () => {
  const known = new Set([...asks, ...offTopic].map(({ q }) => q));

  expect(FORTY_ASKS.filter((q) => !known.has(q))).toEqual([]);
  expect(new Set(FORTY_ASKS).size).toBe(40);
});

describe("everyday asks to a daemon with the starter catalog", () => {
  test("are answered no worse than the committed figures say", async () => {
    await using daemon = await startStarterDaemon();

    const report = await measureAsks(daemon.request, asks, offTopic);
    const inOtherWords = await measureAsks(daemon.request, otherWords, lacking);
    const inOtherLanguages = await measureAsks(daemon.request, otherLanguages, lackingInOtherLanguages);

    if (isShown()) {
      console.log(`${toText(report)}\n\n${fortyAsksTable(report.outcomes, providersWithKey(entries))}`);
      console.log(`in other words: ${toText(inOtherWords)}`);
      console.log(`in other languages: ${toText(inOtherLanguages)}`);
    }
    const words = wordFigures([...report.outcomes, ...inOtherWords.outcomes]);
    if (isShown()) console.table(words);
    expect(words[0]).toMatchObject({ word: "strong" });
    expect(words[0]?.right).toBeGreaterThanOrEqual(0.9);
    const figures = {
      asks: { ...report.figures },
      otherWords: { ...inOtherWords.figures },
      otherLanguages: { ...inOtherLanguages.figures },
    };
    expect(compareWithCommitted("figures.json", figures)).toEqual([]);
  }, 180_000);
});

describe("comparing figures", () => {
  test.each([
    ["the same", { a: 0.8 }, []],
    ["higher", { a: 0.9 }, []],
    ["lower by as much as is allowed", { a: 0.79 }, []],
    ["lower by more", { a: 0.78 }, ["g a: committed 0.8000, now 0.7800"]],
    ["no longer measured", {}, ["g a: committed 0.8000, now none"]],
    ["one more", { a: 0.8, b: 1 }, ["g b: committed none, now 1.0000"]],
    ["not a number", { a: Number.NaN }, ["g a: committed 0.8000, now NaN"]],
  ])("%s", (_, measured, told) => {
    expect(fallen({ g: { a: 0.8 } }, { g: measured })).toEqual(told);
  });
});

function toText({ figures, outcomes }: AskReport): string {
  const shares = Object.entries(figures).map(([name, share]) => `${name} ${(100 * share).toFixed(1)}`);
  return [shares.join(", "), ...outcomes.filter(isMiss).map(missText)].join("\n");
}

function missText({ ask, place, total, first }: Outcome): string {
  const found = `first right ${place ?? "nowhere"}${place !== undefined && place > total ? ", below the floor" : ""}`;
  return `${ask.id} ${ask.q}: ${"right" in ask ? found : "answered"}; ${first.slice(0, 3).join(", ")}`;
}

/** Providers that cannot be called before an operator has set a secret. */
function providersWithKey(all: readonly CatalogEntry[]): Set<string> {
  const withKey = all.filter(({ provider }) => Object.values(provider.secrets).some(({ optional }) => !optional));
  return new Set(withKey.map(({ provider }) => provider.provider));
}
