import { describe, expect, test } from "vitest";
import { openAtlas } from "../support/open-atlas.ts";

describe("text", () => {
  test("words come without the marks between them", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.post("/text/segments", { text: "Olá, mundo! Tudo bem?", locale: "pt" });

    expect(body).toMatchObject({ segments: ["Olá", "mundo", "Tudo", "bem"], count: 4, characters: 21 });
  });

  test("sentences put together are the text", async () => {
    await using atlas = await openAtlas();
    const text = "One. Two! Three?";

    const { body } = await atlas.post("/text/segments", { text, granularity: "sentence" });

    expect(body.count).toBe(3);
    expect(body.segments.join("")).toBe(text);
  });

  test("a family is one character to people and several to computers", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.post("/text/segments", { text: "👨‍👩‍👧", granularity: "grapheme" });

    expect(body).toMatchObject({ count: 1, characters: 5 });
  });

  test("text at the limit is taken, astral characters counted once, and one more is refused", async () => {
    await using atlas = await openAtlas();

    const most = await atlas.post("/text/segments", { text: "😀".repeat(10_000) });
    const more = await atlas.post("/text/segments", { text: "😀".repeat(10_001) });

    expect(most.body.characters).toBe(10_000);
    expect(more.status).toBe(422);
  });

  test("Swedish sorts ä after z, and German does not", async () => {
    await using atlas = await openAtlas();

    const swedish = await atlas.post("/text/sort", { items: ["z", "ä", "a"], locale: "sv" });
    const german = await atlas.post("/text/sort", { items: ["z", "ä", "a"], locale: "de" });

    expect(swedish.body.items).toEqual(["a", "z", "ä"]);
    expect(german.body.items).toEqual(["a", "ä", "z"]);
  });

  test("numbers in names sort by their value when asked to", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.post("/text/sort", { items: ["run 10", "run 9"], numeric: true });

    expect(body.items).toEqual(["run 9", "run 10"]);
  });
});

describe("numbers", () => {
  test("euros are written the German way", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/numbers/format", {
      value: 1234.5,
      locale: "de",
      style: "currency",
      currency: "EUR",
    });

    expect(body.text).toMatch(/^1\.234,50\s€$/);
  });

  test("decimals can be cut, also those of a currency", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/numbers/format", {
      value: 1234.5,
      style: "currency",
      currency: "EUR",
      maximumDecimals: 0,
    });

    expect(body.text).toMatch(/^€1,23[45]$/);
  });

  test("Polish has its own plural for 22", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/numbers/format", { value: 22, locale: "pl" });

    expect(body.pluralCategory).toBe("few");
  });

  test("speed is a unit over another", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/numbers/format", { value: 50, style: "unit", unit: "kilometer-per-hour" });

    expect(body.text).toBe("50 km/h");
  });

  test.each([
    ["currency", {}],
    ["currency", { currency: "Euro" }],
    ["unit", { unit: "smoot" }],
    ["unit", { unit: "meter-per-second-per-second" }],
  ])("style %s with %o is refused and says what to send", async (style, more) => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get("/numbers/format", { value: 1, style, ...more });

    expect(status).toBe(422);
    expect(body.error.message).toContain("send");
  });
});
