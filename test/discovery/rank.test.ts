import { describe, expect, test } from "vitest";
import { analyseQuery } from "../../daemon/text/analyse-text.ts";
import { MAX_SCORE, rank } from "../../daemon/discovery/rank.ts";
import { type SearchDocument, searchFields } from "../../daemon/discovery/search-document.ts";
import { SearchIndex } from "../../daemon/discovery/search-index.ts";

const FLOOR = 0.2;

function documentOf(members: Partial<SearchDocument>): SearchDocument {
  const empty = Object.fromEntries(searchFields.map((field) => [field, ""])) as SearchDocument;
  return { ...empty, ...members };
}

function filler(count: number): SearchDocument[] {
  return Array.from({ length: count }, (_, i) =>
    documentOf({ name: `Gadget ${i}`, description: `Widget number ${i} of the shelf with its colour and its price` }),
  );
}

function search(documents: readonly SearchDocument[], q: string, limit = 10) {
  return rank(SearchIndex.build(documents), analyseQuery(q), { limit });
}

describe("the order of matches", () => {
  const weather = documentOf({ name: "Weather forecast", description: "Wind and rain of the next days" });
  const mention = documentOf({ name: "Plan a trip", description: "Picks hotels by price, distance and weather" });

  test("what an endpoint is called counts more than what it mentions", () => {
    const ranked = search([mention, weather, ...filler(20)], "weather");

    expect(ranked.map(({ document }) => document)).toEqual([1, 0]);
  });

  test("an endpoint that meets the whole wish is before one that meets a part of it", () => {
    const tide = documentOf({ name: "Tide forecast", description: "High and low water" });

    const [first, second] = search([tide, weather, ...filler(20)], "weather forecast");

    expect(first?.document).toBe(1);
    expect(second?.score).toBeLessThan(first?.score ?? 0);
  });

  test("a rare word counts more than a common one", () => {
    const common = Array.from({ length: 10 }, () => documentOf({ name: "List of cities" }));
    const rare = documentOf({ name: "List of volcanoes" });

    const [first] = search([...common, rare], "cities volcanoes");

    expect(first?.document).toBe(10);
  });

  test("near duplicates are all found, with the same score, in the order of the catalog", () => {
    const twins = [weather, weather, weather];

    const ranked = search([...twins, ...filler(20)], "weather forecast");

    expect(ranked.map(({ document }) => document)).toEqual([0, 1, 2]);
    expect(new Set(ranked.map(({ score }) => score)).size).toBe(1);
  });

  test("words that are written together are found apart", () => {
    const zones = documentOf({ name: "List time zones" });

    const [first] = search([...filler(20), zones], "timezones");

    expect(first?.document).toBe(20);
    expect(first?.score).toBeGreaterThan(FLOOR);
  });

  test("an identifier is found by its parts and as a whole", () => {
    const video = documentOf({ name: "YouTube captions", path: "/getVideoCaptions" });

    expect(search([video, ...filler(20)], "youtube captions")[0]?.document).toBe(0);
    expect(search([video, ...filler(20)], "video captions")[0]?.document).toBe(0);
    expect(search([video, ...filler(20)], "getVideoCaptions")[0]?.document).toBe(0);
  });
});

describe("the score", () => {
  const weather = documentOf({
    name: "Weather forecast",
    asks: "Will it rain tomorrow?",
    description: "Temperature, wind and rain for the coming days in a city",
  });

  test.each([1, 10, 100, 1_000])(
    "an endpoint that fits is above the floor among %i others, by about as much",
    (others) => {
      const [best] = search([weather, ...filler(others)], "weather forecast for the coming days");

      expect(best?.document).toBe(0);
      expect(best?.score).toBeGreaterThan(0.5);
      expect(best?.score).toBeLessThan(MAX_SCORE);
    },
  );

  test.each([0, 10, 100, 1_000])("one word shared by chance stays below the floor among %i others", (others) => {
    const [best] = search([weather, ...filler(others)], "my grandmother baked a wonderful cake in this city");

    expect(best?.score ?? 0).toBeLessThan(FLOOR);
  });

  test("a long story is not held against the wish inside it", () => {
    const story =
      "My brother and I are going camping with the children in the mountains next week and my mother is worried. " +
      "Could you check the weather forecast, above all wind and rain, so that we know which jackets to pack?";

    const [best] = search([weather, ...filler(100)], story);

    expect(best?.score).toBeGreaterThan(FLOOR);
  });

  test.each(["asdf qwerty zxcv", "aaaa bbbb cccc", "x".repeat(1000), "?!*+.()[]{}|\\^$", "'; DROP TABLE runs; --"])(
    "%s finds nothing",
    (q) => {
      expect(search([weather, ...filler(100)], q)).toEqual([]);
    },
  );

  test("an endpoint that repeats its words does not beat one that says what is asked for", () => {
    const stuffed = documentOf({ name: "Deals", description: "weather ".repeat(300) });

    const [best] = search([stuffed, weather, ...filler(20)], "weather forecast");

    expect(best?.document).toBe(1);
  });

  test("no more than the limit are given, the best, and none that is not accepted", () => {
    const index = SearchIndex.build(Array.from({ length: 50 }, () => weather));

    const ranked = rank(index, analyseQuery("weather"), { limit: 3, accept: (number) => number >= 10 });

    expect(ranked.map(({ document }) => document)).toEqual([10, 11, 12]);
  });
});
