import { describe, expect, test } from "vitest";
import { buildShard } from "../../../../daemon/discovery/index/shard/build-shard.ts";
import { viewOf } from "../../../../daemon/discovery/index/index-view.ts";
import { createAskReading, type Expand } from "../../../../daemon/discovery/ranking/query/ask.ts";
import { expansionsOf } from "../../../../daemon/discovery/ranking/query/expansions.ts";
import { mendSpelling } from "../../../../daemon/discovery/ranking/query/spelling.ts";
import { compileThesaurus } from "../../../../daemon/discovery/thesaurus/compile-thesaurus.ts";
import { readQuery } from "../../../../daemon/text/analyse-text.ts";
import { stemWord } from "../../../../daemon/text/stem-word.ts";

/** What documents have. */
const FREQUENT = ["weather", "temperature", "forecast", "address", "storm", "price", "calendar", "port", "weathers"];
/** Words of the language that no document has. */
const ELSEWHERE = ["store", "sorcerer"];

const inCatalog = new Map(FREQUENT.map((word, place) => [stemWord(word), FREQUENT.length - place]));
const isWord = (stem: string) => inCatalog.has(stem) || ELSEWHERE.map(stemWord).includes(stem);

function mend(q: string): string {
  const isUnknown = (stem: string) => !isWord(stem);
  return mendSpelling(q, { isUnknown, documentsWith: (stem) => inCatalog.get(stem) ?? 0 })?.text ?? q;
}

describe("a word that nobody knows is taken for a slip", () => {
  test.each([
    ["with a letter left out", "whats the wether in bangkok", "whats the weather in bangkok"],
    ["with one too many", "a good forrecast", "a good forecast"],
    ["with two exchanged", "the tempreature now", "the temperatur now"],
    ["with a wrong one, if it is long", "put it on my calender", "put it on my calendar"],
    ["at the beginning of a sentence", "Wether tomorrow", "weather tomorrow"],
    ["in any form that it has", "forcasts of tomorrow", "forecast of tomorrow"],
  ])("%s: %s", (_, q, mended) => {
    expect(mend(q)).toBe(mended);
  });

  test.each([
    ["a word of the language", "a sorcerer in a store"],
    ["a name", "the time in Wether"],
    ["a short word", "the prce of it"],
    ["a short word with a wrong letter", "a stork in the garden"],
    ["a word with another first letter", "the ddress"],
    ["a word with digits", "wether1 and 1wether"],
    ["a part of an address", "mail to wether@example.com, look at https://example.com/wether or wether.com"],
    ["a part of an identifier", "call get_wether or wether-api or getWether"],
    ["a word that is two slips away", "the wther in bangkok"],
    ["a word that would become too short", "the time in porto"],
    ["the fifth word that nobody knows", "qwrtzu plmokn zgbvfr wsxcde wether"],
  ])("but never %s: %s", (_, q) => {
    expect(mend(q)).toBe(q);
  });

  test("for the word that most endpoints have, of several that it may be", () => {
    const among = (documents: Readonly<Record<string, number>>) =>
      mendSpelling("contat", { isUnknown: () => true, documentsWith: (stem) => documents[stem] ?? 0 })?.text;

    expect(among({ contact: 9, contant: 2 })).toBe("contact");
    expect(among({ contact: 2, contant: 9 })).toBe("contant");
  });
});

describe("a query in the terms of a catalog", () => {
  test("has a slip as the word that was meant, for less than the word itself", () => {
    const { words, unknown } = read("the wether in bangkok");

    expect(words).toMatchObject([{ stem: "weather", written: "wether", by: "spelling" }]);
    expect(words[0]?.weight).toBeLessThan(1);
    expect(unknown).toEqual(["bangkok"]);
  });

  test("has names and numbers for less than what is asked for, but for names of providers", () => {
    const weights = Object.fromEntries(
      read("forecast of 7 days in Lisbon by Nimbus").words.map(({ stem, weight }) => [stem, weight]),
    );

    expect(weights).toMatchObject({ forecast: 1, nimbus: 1 });
    expect(weights["7"]).toBeLessThan(1);
    expect(weights["lisbon"]).toBeLessThan(1);
  });

  test("has the words of another language in English, at less than full weight", () => {
    const { words, english } = read("wetter in lissabon");

    expect(english).toBe("weather in Lisbon");
    expect(words).toContainEqual(
      expect.objectContaining({ stem: "weather", written: "wetter", by: "German", weight: 0.9 }),
    );
    expect(read("weather in Lisbon").english).toBeUndefined();
  });

  test("has no unknown name and no unknown number: they are asked about, not asked for", () => {
    expect(read("weather of 1848 in Ouagadougou with frobnication").unknown).toEqual(["frobnic"]);
  });

  test.each([
    ["a name that nobody has", "where is Ouagadougou"],
    ["a name that an endpoint has", "where is the Lisbon"],
    ["a name that is written small", "where is ouagadougou"],
  ])("has what its beginning asks for, where nothing but %s comes after it", (_, q) => {
    expect(read(q).words).toContainEqual(
      expect.objectContaining({ stem: "geocod", written: "where is", by: "opening" }),
    );
  });

  test.each([
    ["a wish comes after it", "where is the forecast of Lisbon"],
    ["nothing comes after it", "where is it"],
    ["there are other words before it", "tell me where is Lisbon"],
  ])("has nothing of its beginning where %s", (_, q) => {
    expect(read(q).words.filter(({ by }) => by === "opening")).toEqual([]);
  });

  test.each([
    ["an article", "the"],
    ["one stop word", "where"],
    ["punctuation", "???"],
  ])("has nothing of a thesaurus that was asked for %s alone", (_, asked) => {
    const thesaurus = compileThesaurus([{ domain: "places", asked: [asked], called: ["geocoding"], weight: 0.5 }]);

    for (const q of ["Lisbon", "the Lisbon", "where Lisbon"]) expect(expansionsOf(readQuery(q), thesaurus)).toEqual([]);
  });

  test("has a word as itself where it is also written with a slip", () => {
    const { words } = read("weather, the wether of tomorrow");

    expect(words).toMatchObject([{ stem: "weather", written: "weather", weight: 1, times: 2 }]);
    expect(words[0]?.by).toBeUndefined();
  });

  test("has what several words in a row lead to for more than what one of them leads to", () => {
    const weightOf = (q: string) => read(q).words.find(({ stem }) => stem === "geocod")?.weight ?? 0;

    expect(weightOf("position of a house")).toBeGreaterThan(0);
    expect(weightOf("exact position of a house")).toBeGreaterThan(weightOf("position of a house"));
  });
});

function read(q: string) {
  const fields = { path: "", tags: "", categories: "", parameters: "" };
  const view = viewOf(
    buildShard([
      document("nimbus", "Weather forecast of 7 days", "How is the weather in Lisbon, the city"),
      document("atlas", "Geocoding", "The place of a house"),
    ]),
  );
  const thesaurus = compileThesaurus([
    { domain: "places", asked: ["where is", "position", "exact position"], called: ["geocoding"], weight: 0.5 },
  ]);
  const expand: Expand = (query) => expansionsOf(query, thesaurus);
  return createAskReading(view, { expand, isWord: (stem) => isWord(stem) || stem === "geocod" })(q);

  function document(provider: string, name: string, description: string) {
    return { provider, path: `/${provider}`, fields: { ...fields, name, description, asks: "", provider } };
  }
}
