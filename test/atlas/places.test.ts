import { expect, describe, test } from "vitest";
import { openAtlas } from "../support/open-atlas.ts";

describe("countries", () => {
  test("all of them are listed, each once, with a name and a flag", async () => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get("/countries", { limit: 300 });

    const codes: string[] = body.countries.map((country: { code: string }) => country.code);
    expect(status).toBe(200);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes).toHaveLength(body.total);
    expect(codes).toEqual(expect.arrayContaining(["PT", "JP", "BR", "NG", "NZ", "US"]));
    expect(codes.length).toBeGreaterThan(240);
    expect(body.countries.every((country: { name: string; flag: string }) => country.name && country.flag)).toBe(true);
  });

  test("groupings, withdrawn codes and placeholders are not countries", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/countries", { limit: 300 });

    const codes: string[] = body.countries.map((country: { code: string }) => country.code);
    for (const code of ["EU", "UN", "ZZ", "XA", "DD", "SU", "UK"]) expect(codes).not.toContain(code);
  });

  test("names come in the language asked for", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/country/DE", { locale: "pt" });

    expect(body.name).toBe("Alemanha");
    expect(body.nativeName).toBe("Deutschland");
  });

  test("a search finds by the English name and by the local one", async () => {
    await using atlas = await openAtlas();

    const english = await atlas.get("/countries", { search: "germany", locale: "pt" });
    const local = await atlas.get("/countries", { search: "alemanha", locale: "pt" });

    expect(english.body.countries.map((country: { code: string }) => country.code)).toEqual(["DE"]);
    expect(local.body).toEqual(english.body);
  });

  test("no more than the limit is listed, and the total says how many there are", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/countries", { limit: 3 });

    expect(body.countries).toHaveLength(3);
    expect(body.total).toBeGreaterThan(240);
  });

  test("a country has its time zones and its week", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/country/PT");

    expect(body.timeZones).toEqual(expect.arrayContaining(["Europe/Lisbon", "Atlantic/Azores"]));
    expect(body.weekend).toEqual(["Saturday", "Sunday"]);
    expect(body.flag).toBe("🇵🇹");
  });

  test("a code in lower case is understood", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/country/pt");

    expect(body.code).toBe("PT");
  });

  test.each([
    ["a name in place of a code", "Portugal", "PT"],
    ["a code of three letters", "PRT", "PT"],
    ["a code that stands for another", "UK", "GB"],
    ["a misspelt name", "Portugla", "PT"],
  ])("%s is answered with the code that was meant", async (_, given, meant) => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get(`/country/${given}`);

    expect(status).toBe(404);
    expect(body.error.suggestions).toContain(meant);
    expect(body.error.message).toContain(meant);
  });

  test("what is no language tag is refused, and a language without data is not found", async () => {
    await using atlas = await openAtlas();

    const wrong = await atlas.get("/countries", { locale: "not a tag" });
    const unknown = await atlas.get("/countries", { locale: "tlh" });

    expect(wrong.status).toBe(422);
    expect(unknown.status).toBe(404);
  });
});

describe("languages and currencies", () => {
  test("Arabic is written from right to left and has its own name", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/languages", { search: "ar" });

    expect(body.languages).toContainEqual(
      expect.objectContaining({ code: "ar", name: "Arabic", direction: "rtl", script: "Arab", nativeName: "العربية" }),
    );
  });

  test("there are languages of two letters and of three, and no aliases", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/languages", { limit: 1000 });

    const codes: string[] = body.languages.map((language: { code: string }) => language.code);
    expect(codes).toEqual(expect.arrayContaining(["pt", "ja", "haw", "yue"]));
    expect(codes).not.toContain("iw");
    expect(codes).toHaveLength(body.total);
  });

  test("the yen has no decimals and the euro two", async () => {
    await using atlas = await openAtlas();

    const yen = await atlas.get("/currencies", { search: "JPY" });
    const euro = await atlas.get("/currencies", { search: "EUR", locale: "de" });

    expect(yen.body.currencies).toEqual([expect.objectContaining({ code: "JPY", decimals: 0, symbol: "¥" })]);
    expect(euro.body.currencies).toContainEqual(expect.objectContaining({ code: "EUR", decimals: 2, symbol: "€" }));
  });

  test("every currency that Node knows is listed", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/currencies", { limit: 500 });

    expect(body.currencies.map((currency: { code: string }) => currency.code)).toEqual(
      Intl.supportedValuesOf("currency"),
    );
  });
});
