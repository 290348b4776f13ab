import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { inEnglish } from "../../../daemon/text/languages/in-english.ts";
import { allLanguages } from "../../../daemon/text/languages/lexicon.ts";
import { QUERY_LANGUAGES } from "../../../daemon/text/languages/query-languages.ts";
import {
  loadAsksInOtherLanguages,
  loadAsksInOtherWords,
  loadJudgedAsks,
  loadLackingAsks,
  loadOffTopicAsks,
} from "../../discovery/asks/ask-collection.ts";

const nameOf = new Map([
  ["de", "German"],
  ["fr", "French"],
  ["es", "Spanish"],
  ["pt", "Portuguese"],
  ["it", "Italian"],
  ["nl", "Dutch"],
]);

describe("a query of another language in English", () => {
  test.each([
    ["German", "wetter in berlin", "weather in Berlin"],
    ["French", "quel temps à Paris demain", "weather in Paris tomorrow"],
    ["Spanish", "días festivos en México 2026", "public holidays in Mexico 2026"],
    ["Portuguese", "qualidade do ar em São Paulo", "air quality in Sao Paulo"],
    ["Italian", "tasso di cambio euro sterlina", "exchange rate euro pound sterling"],
    ["Dutch", "hoe laat gaat de zon onder in Groningen", "what time sunset in Groningen"],
  ])("%s: %s", (language, q, english) => {
    expect(inEnglish(q)).toMatchObject({ language, text: english });
  });

  test.each([
    ["werden wir am Samstag nass", "get wet rain"],
    ["traducimi questa frase", "translate"],
    ["hay festivo en Lugo", "holiday"],
    ["où recharger ma voiture", "charging station"],
  ])("knows everyday ways to say it: %s", (q, english) => {
    expect(inEnglish(q)?.text).toContain(english);
  });

  test.each([
    ["Zugverbindungen nach Genf", "train connection to Geneva"],
    ["Wasserqualität", "water quality"],
    ["Geburtenzahl Österreich", "birth number Austria"],
    ["vliegtuigongeluk luchthavenkaart", "vliegtuigongeluk airport map"],
  ])("takes the compounds of German and Dutch apart: %s", (q, english) => {
    expect(inEnglish(q)?.text).toBe(english);
  });

  test("finds plurals and cases of the words it knows", () => {
    expect(inEnglish("die Preise der Aktien")?.text).toBe("the price the stock");
    expect(inEnglish("precios de los vuelos")?.text).toBe("price of the flight");
  });

  test("umlauts and accents may be left out, and umlauts written as two letters", () => {
    expect(inEnglish("wetter in muenchen")?.text).toBe("weather in Munich");
    expect(inEnglish("meteo a geneve demain")?.text).toBe("weather in Geneva tomorrow");
  });

  test("numbers, addresses and unknown names stay as they are written", () => {
    expect(inEnglish("wetter bei 52.52, 13.41")?.text).toBe("weather at 52.52, 13.41");
    expect(inEnglish("prüfe die e-mail anna@example.com")?.text).toContain("anna@example.com");
    expect(inEnglish("canciones de Rosalía")?.text).toBe("song of Rosalía");
  });

  test("tells which words were translated, and from what", () => {
    const translation = inEnglish("wechselkurs von heute");

    expect(translation?.translated.get("exchang")).toBe("wechselkurs");
    expect(translation?.originals).toEqual(["wechselkurs", "heute"]);
  });

  test("names of countries, languages and currencies come from Node", () => {
    expect(inEnglish("bandera de Japón")?.text).toBe("flag of Japan");
    expect(inEnglish("übersetze das ins Japanische oder Koreanisch")?.text).toContain("Korean");
    expect(inEnglish("cours de la couronne suédoise")?.text).toContain("Swedish");
  });
});

describe("which language a query is in", () => {
  test("is told for all judged asks in other languages", () => {
    const told = loadAsksInOtherLanguages().map(({ id, q }) => [q, nameOf.get(id.slice(0, 2)), inEnglish(q)?.language]);

    expect(told.filter(([, written, found]) => written !== found)).toEqual([]);
  });

  test("is never another one for the English asks", () => {
    const english = [
      ...loadJudgedAsks(),
      ...loadAsksInOtherWords(),
      ...loadLackingAsks(),
      ...loadOffTopicAsks().filter(({ kind }) => kind !== "language"),
    ];

    expect(english.filter(({ q }) => inEnglish(q) !== undefined).map(({ q }) => q)).toEqual([]);
  });

  test.each([
    "die",
    "chat",
    "pain",
    "gift",
    "temps",
    "art",
    "tempo",
    "film",
    "rock",
    "plan",
    "restaurant",
    "sale",
    "data",
  ])("stays English for a word that is English too: %s", (word) => {
    expect(inEnglish(word)).toBeUndefined();
  });

  test.each([
    "wo ist the nearest airport to the Louvre",
    "free bikes near Gare du Nord",
    "what does Wetter mean in German",
  ])("stays English for words of another one among English ones: %s", (q) => {
    expect(inEnglish(q)).toBeUndefined();
  });

  test.each(["天気予報 東京", "погода в Москве", "asdkjh qwoeiu zmxn", "", "???", "x"])("is not guessed: %j", (q) => {
    expect(inEnglish(q)).toBeUndefined();
  });

  test("a word that the caller knows to be English is not taken apart", () => {
    expect(inEnglish("waldkarte")?.language).toBe("German");
    expect(inEnglish("waldkarte", () => true)).toBeUndefined();
  });

  test("no text makes it fail", () => {
    assert(property(string({ unit: "grapheme", maxLength: 200 }), (q) => inEnglish(q) === undefined || true));
  });
});

test("every language has the words of every subject", () => {
  const subjects = ["weather", "stock price", "earthquake", "public holidays", "book", "translate", "exchange rate"];
  const samples: Record<string, readonly string[]> = {
    German: ["wetter", "aktienkurs", "erdbeben", "feiertage", "buch", "übersetzen", "wechselkurs"],
    French: ["météo", "cours de l'action", "séisme", "jours fériés", "livre", "traduire", "taux de change"],
    Spanish: ["clima", "cotización", "terremoto", "días festivos", "libro", "traducir", "tipo de cambio"],
    Portuguese: ["clima", "cotação", "terremoto", "feriados", "livro", "traduzir", "taxa de câmbio"],
    Italian: ["meteo", "quotazione", "terremoto", "giorni festivi", "libro", "tradurre", "tasso di cambio"],
    Dutch: ["weer", "aandelenkoers", "aardbeving", "feestdagen", "boek", "vertalen", "wisselkoers"],
  };

  expect(allLanguages().lexicons.map(({ language }) => language)).toEqual([...QUERY_LANGUAGES]);
  for (const lexicon of allLanguages().lexicons) {
    const words = (samples[lexicon.language] ?? []).map((phrase) => phrase.match(/[\p{L}]+/gu) ?? []);
    const folded = words.map((each) => each.map((word) => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()));
    expect(folded.map((phrase) => lexicon.find(phrase)?.english)).toEqual(subjects);
  }
});
