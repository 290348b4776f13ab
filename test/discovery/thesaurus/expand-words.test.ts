import { describe, expect, test } from "vitest";
import type { ThesaurusRelation } from "../../../daemon/catalog/thesaurus/thesaurus-file.ts";
import {
  compileThesaurus,
  createThesaurus,
  NO_THESAURUS,
} from "../../../daemon/discovery/thesaurus/compile-thesaurus.ts";
import { expandWords } from "../../../daemon/discovery/thesaurus/expand-words.ts";
import { analyseQuery } from "../../../daemon/text/analyse-text.ts";

function directed(asked: readonly string[], called: readonly string[], weight = 0.5): ThesaurusRelation {
  return { domain: "test", asked, called, weight };
}

const mutual = (...terms: string[]) => directed(terms, terms, 0.8);

function expand(query: string, ...relations: ThesaurusRelation[]) {
  return expandWords(analyseQuery(query), compileThesaurus(relations));
}

const inWords = (query: string, ...relations: ThesaurusRelation[]) =>
  expand(query, ...relations).map(({ from, text }) => `${from} → ${text}`);

describe("a word of a query", () => {
  test("leads to what APIs call it, and not back", () => {
    const rain = directed(["rain"], ["precipitation"]);

    expect(inWords("will it rain", rain)).toEqual(["rain → precipitation"]);
    expect(inWords("precipitation", rain)).toEqual([]);
  });

  test("leads to all others that are the same, and each of them back", () => {
    const zip = mutual("zip code", "postcode");

    expect(inWords("zip code of Boston", zip)).toEqual(["zip code → postcode"]);
    expect(inWords("postcode of Boston", zip)).toEqual(["postcode → zip code"]);
  });

  test.each([
    ["another form of it", "umbrellas", "umbrella"],
    ["accents and capitals", "CAFÉ", "cafe"],
    ["digits in it", "any PM10 today", "pm10"],
    ["an identifier that holds it", "getUmbrellaCount", "umbrella"],
    ["a name at the beginning of a word", "price of Bitcoin", "bitcoin"],
  ])("is known by %s", (_, query, asked) => {
    expect(expand(query, directed([asked], ["something"])).length).toBe(0);
    expect(expand(query, directed([asked], ["weather"])).map(({ text }) => text)).toEqual(["weather"]);
  });

  test("that every request has is nothing by itself, whatever has the same stem", () => {
    const news = directed(["news"], ["headlines"]);

    expect(inWords("weather of New York", news)).toEqual([]);
    expect(inWords("news of York", news)).toEqual(["news → headlines"]);
  });

  test("that the query has already is not added", () => {
    const money = directed(["dollars"], ["currency", "exchange rate"]);

    expect(inWords("which currencies are dollars", money)).toEqual(["dollars → exchange rate"]);
    expect(inWords("exchange rates of dollars", money)).toEqual(["dollars → currency"]);
  });
});

describe("a phrase", () => {
  const stock = directed(["stock"], ["equity"]);
  const photo = directed(["stock photo"], ["images"]);

  test("is found across stop words and carries its places in the query", () => {
    const people = directed(["how many people live"], ["population"], 0.6);

    expect(expand("tell how many of the people live in Lisbon", people)).toEqual([
      { from: "many people live", words: [1, 2, 3], text: "population", stems: ["popul"], weight: 0.6 },
    ]);
  });

  test("takes the place of the words in it", () => {
    expect(inWords("a stock photo", stock, photo)).toEqual(["stock photo → images"]);
    expect(inWords("a photo of the stock", stock, photo)).toEqual(["stock → equity"]);
  });

  test("is found in an identifier, as a whole and by its parts", () => {
    const zip = directed(["zip code"], ["postcode"]);
    const whole = directed(["zipcode"], ["postcode"]);

    expect(inWords("zipCode", zip)).toEqual(["zipcode → postcode"]);
    expect(inWords("zipCode", whole)).toEqual(["zipcode → postcode"]);
    expect(inWords("lookup zipCode", directed(["code lookup"], ["postcode"]))).toEqual([]);
    expect(inWords("zipCode lookup", directed(["code lookup"], ["postcode"]))).toEqual(["zipcode lookup → postcode"]);
    expect(inWords("zipCode lookup", directed(["zipcode lookup"], ["postcode"]))).toEqual([
      "zipcode lookup → postcode",
    ]);
  });

  test("may be what is added: an endpoint has it when it has all its stems", () => {
    const [expansion] = expand("yen", directed(["yen"], ["exchange rate data"]));

    expect(expansion?.stems).toEqual(["exchang", "rate"]);
  });
});

describe("all together", () => {
  test("each thing is added once, with its greatest weight, and the greatest weights come first", () => {
    const relations = [directed(["dollars"], ["currency"], 0.4), directed(["yen"], ["currency", "fx"], 0.6)];

    expect(expand("dollars to yen", ...relations)).toMatchObject([
      { from: "yen", text: "currency", weight: 0.6 },
      { from: "yen", text: "fx", weight: 0.6 },
    ]);
  });

  test("what is said last of two words holds, and a weight of 0 takes back what was said", () => {
    const said = directed(["rain", "snow"], ["weather"], 0.5);

    expect(expand("rain", said, directed(["raining"], ["weather"], 0.9))).toMatchObject([{ weight: 0.9 }]);
    expect(expand("rain", said, directed(["rain"], ["weather"], 0))).toEqual([]);
    expect(expand("snow", said, directed(["rain"], ["weather"], 0))).toHaveLength(1);
  });

  test("no query gets more than 32, and no phrase leads to more than 16, the best", () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${"abcdefghij"[index % 10]}${index}`);
    const many = directed(words.slice(0, 3), words.slice(3), 0.5);
    const best = directed(words.slice(0, 1), ["zebra"], 0.9);

    expect(expand(words[0] ?? "", many, best)).toHaveLength(16);
    expect(expand(words[0] ?? "", many, best)[0]).toMatchObject({ text: "zebra" });
    const queries = ["a1", "b2", "c3"].map((word, index) => directed([word], words.slice(index * 13, index * 13 + 13)));
    expect(expand("a1 b2 c3", ...queries)).toHaveLength(32);
  });

  test.each([
    ["without a word", ""],
    ["of stop words", "how is it that the"],
    ["of a thousand characters", "umbrella ".repeat(111)],
    ["in other scripts", "天気 מזג погода 🌧 طقس"],
  ])("a query %s gets an ordinary answer", (_, query) => {
    const expansions = expand(query, directed(["umbrella"], ["weather"]));

    expect(expansions.length).toBe(query.startsWith("umbrella") ? 1 : 0);
  });

  test("without a thesaurus nothing is added", () => {
    expect(expandWords(analyseQuery("rain in Porto"), NO_THESAURUS)).toEqual([]);
  });
});

describe("the thesaurus of now", () => {
  test("is compiled anew when what is written changed, and only then", () => {
    let written: readonly ThesaurusRelation[] = [directed(["rain"], ["weather"])];
    const thesaurus = createThesaurus(() => written);
    const first = thesaurus.current();

    expect(thesaurus.current()).toBe(first);
    written = [directed(["rain"], ["forecast"])];
    expect(expandWords(analyseQuery("rain"), thesaurus.current())).toMatchObject([{ text: "forecast" }]);
  });

  test("is prepared while other work goes on, and whoever asks meanwhile gets all of it, as written then", async () => {
    const terms = Array.from({ length: 400 }, (_, index) => `term${index}`);
    let written = terms.map((term) => directed([term], ["weather"]));
    const thesaurus = createThesaurus(() => written);
    const preparing = thesaurus.prepare();

    expect(thesaurus.current().size).toBe(400);
    written = written.slice(0, 300);
    expect(thesaurus.current().size).toBe(300);
    await preparing;
    expect(thesaurus.current().size).toBe(300);
  });
});
