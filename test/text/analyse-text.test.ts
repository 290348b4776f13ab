import { assert, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { analyseQuery, analyseText, readQuery } from "../../daemon/text/analyse-text.ts";
import { stemWord } from "../../daemon/text/stem-word.ts";
import { anyText } from "../support/any-text.ts";

describe("words out of text", () => {
  test.each([
    ["an identifier in camel case gives its parts and the whole", "getUserName", ["getusernam", "get", "user", "name"]],
    ["a run of capitals ends before the next word", "parseHTTPBody", ["parsehttpbodi", "pars", "http", "bodi"]],
    ["snake case, hyphens and slashes separate", "/v2/time_zones/by-city", ["v2", "v", "2", "time", "zone", "citi"]],
    ["digits are split off, and the whole is kept", "iso3166", ["iso3166", "iso", "3166"]],
    ["accents and letter case do not matter", "Café ÉLAN Łódź", ["cafe", "elan", "łodz"]],
    ["full-width letters are letters", "ＡＰＩ ｔｉｄｅ", ["api", "tide"]],
    ["a possessive is the word itself", "today's Germany’s", ["todai", "germani"]],
    ["scripts without spaces are cut into pairs", "天気予報", ["天気", "気予", "予報"]],
    ["Latin letters beside them stay words", "GPS座標", ["gp", "座標"]],
    ["Hindi keeps its vowel signs", "मौसम", ["मौसम"]],
    ["stop words are left out", "what is the time in the city", ["time", "citi"]],
    ["there may be no word at all", "😀 !!! ()[]{}", []],
  ])("%s", (_, text, stems) => {
    expect(analyseText(text)).toEqual(stems);
  });

  test.each([
    ["countries", "country"],
    ["conversions", "conversion"],
    ["converted", "converting"],
    ["currencies", "currency"],
    ["calculation", "calculate"],
    ["translations", "translate"],
    ["distances", "distance"],
    ["running", "run"],
    ["sunrises", "sunrise"],
  ])("%s and %s have one stem", (one, other) => {
    expect(stemWord(one)).toBe(stemWord(other));
  });

  test("any text is analysed without an error, and the same way twice", () => {
    assert(
      property(anyText({ maxLength: 1000 }), (text) => {
        expect(analyseText(text)).toEqual(analyseText(text));
        expect(readQuery(text).words.flatMap(({ stems }) => stems)).toEqual(analyseText(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe("words of a query", () => {
  test("a word that is asked for twice, in whatever form, counts once", () => {
    const words = analyseQuery("city cities City");

    expect(words).toHaveLength(1);
  });

  test("what begins with a capital inside a sentence is a name, unless it is also written small", () => {
    const names = (text: string) => analyseQuery(text).flatMap(({ text: word, isName }) => (isName ? word : []));

    expect(names("Sunrise in Lisbon. Weather there, too")).toEqual(["lisbon"]);
    expect(names("a Turkey recipe with turkey, from Ankara")).toEqual(["ankara"]);
  });

  test("a query of stop words asks for nothing", () => {
    expect(analyseQuery("to be or not to be")).toEqual([]);
  });

  test.each([
    ["Where is the Louvre", "where is"],
    ["who was Ada Lovelace", "who was"],
    ["is there a way to travel", "is there"],
    ["how is it", "how is it"],
    ["Where Lisbon", ""],
    ["the Louvre", ""],
    ["Lisbon is where", ""],
    ["", ""],
  ])("%s begins with stop words, two or more without articles: %s", (text, opening) => {
    expect(readQuery(text).opening).toBe(opening);
  });
});
