import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCatalogIndex } from "../../daemon/discovery/catalog-index.ts";
import { createDiscovery } from "../../daemon/discovery/discover.ts";
import { type SearchDocument, searchFields } from "../../daemon/discovery/search-document.ts";
import { SearchIndex } from "../../daemon/discovery/search-index.ts";
import { analyseText } from "../../daemon/text/analyse-text.ts";
import { catalogFolder, endpoint } from "../catalog/catalog-folder.ts";
import { found } from "./indexed-market.ts";

const VOCABULARY = [
  "rain",
  "raining",
  "weather",
  "getWeather",
  "Tokyo",
  "price",
  "prices",
  "oauth2",
  "the",
  "Köln",
  "a-b",
];
const text = fc.array(fc.constantFrom(...VOCABULARY), { maxLength: 8 }).map((words) => words.join(" "));
const document = fc.record(
  Object.fromEntries(searchFields.map((field) => [field, text])),
) as fc.Arbitrary<SearchDocument>;

/** As the formula at the top of `search-index.ts` says it, without an index. */
function plainMatches(documents: readonly SearchDocument[], word: string): [number, number][] {
  const boosts = {
    name: 3,
    asks: 2,
    path: 1.5,
    tags: 1,
    categories: 0.8,
    description: 1.2,
    provider: 1,
    parameters: 0.35,
  };
  const bs = {
    name: 0.5,
    asks: 0.5,
    path: 0.5,
    tags: 0.3,
    categories: 0.3,
    description: 0.7,
    provider: 0.3,
    parameters: 0.8,
  };
  return documents.flatMap((one, number): [number, number][] => {
    let weight = 0;
    for (const field of searchFields) {
      const lengths = documents.map((other) => analyseText(other[field]).length);
      const mean = lengths.reduce((sum, length) => sum + length, 0) / documents.length || 1;
      const count = analyseText(one[field]).filter((each) => each === word).length;
      weight += (boosts[field] * count) / (1 - bs[field] + (bs[field] * (lengths[number] ?? 0)) / mean);
    }
    return weight === 0 ? [] : [[number, weight / (1.4 + weight)]];
  });
}

describe("a search index", () => {
  test("is built in short steps although its documents are long", () => {
    const none = Object.fromEntries(searchFields.map((field) => [field, ""])) as SearchDocument;
    const long = { ...none, description: "rain ".repeat(25_000) };

    const steps = [...SearchIndex.buildInSteps(Array.from({ length: 8 }, () => long))];

    expect(steps.length).toBeGreaterThanOrEqual(8);
  });

  test("finds for every word the documents, ascending, and the matches that its formula gives", () => {
    fc.assert(
      fc.property(fc.array(document, { maxLength: 12 }), (documents) => {
        const index = SearchIndex.build(documents);
        const words = new Set(documents.flatMap((each) => searchFields.flatMap((field) => analyseText(each[field]))));

        expect(index.size).toBe(documents.length);
        for (const word of words) {
          const { documents: numbers, matches } = index.lookUp({ text: word, stems: [word] });
          const plain = plainMatches(documents, word);
          expect([...numbers]).toEqual(plain.map(([number]) => number));
          plain.forEach(([, match], place) => expect(matches[place]).toBeCloseTo(match, 5));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a large catalog whose index is still that of a moment ago", () => {
  const provider = (slug: string, endpoints: object) => ({
    mkt: 1,
    provider: slug,
    http: { baseUrl: `https://${slug}.example`, auth: { type: "none" } },
    endpoints,
  });
  const oceans = (many: number) =>
    Object.fromEntries(
      Array.from({ length: many }, (_, number) => [
        `/tide/${number}`,
        { request: { method: "GET" }, description: "Tide tables of a harbour.", price: { type: "FREE" } },
      ]),
    );

  test("is searched without what was taken out, with prices as they are now, and whole once it is prepared", async () => {
    using folder = catalogFolder();
    const lookout = endpoint({ description: "Glaciers seen by a lookout." });
    folder.write("oceans", provider("oceans", oceans(2_001)));
    folder.write("glaciers", provider("glaciers", { "/items/{id}": lookout, "/gone/{id}": lookout }));
    folder.write("lookouts", provider("lookouts", { "/items/{id}": lookout }));
    const catalog = await folder.load({ trusted: true });
    const index = createCatalogIndex(() => catalog.entries());
    const health = { metrics: () => ({ status: "unknown" as const }) };
    const settings = () => ({ discoverPool: 200, discoverFloor: 0 });
    const discovery = createDiscovery({ catalog, index, health, settings });
    await index.prepare();
    expect(found(discovery.discover({ q: "glaciers" }))).toHaveLength(3);

    rmSync(join(folder.path, "lookouts.json"));
    folder.write("glaciers", provider("glaciers", { "/items/{id}": { ...lookout, price: { type: "FREE" } } }));
    folder.write("rivers", provider("rivers", { "/items/{id}": lookout }));
    await catalog.reload();
    const meanwhile = discovery.discover({ q: "glaciers", includeUnavailable: true });

    expect(found(meanwhile)).toEqual(["glaciers/items/{id}"]);
    expect(meanwhile[0]?.entry).toBe(catalog.find("glaciers", "/items/{id}"));
    expect(found(discovery.discover({ q: "glaciers" }))).toEqual(found(meanwhile));
    await index.prepare();
    expect(found(discovery.discover({ q: "glaciers" })).sort()).toEqual(["glaciers/items/{id}", "rivers/items/{id}"]);
  });
});
