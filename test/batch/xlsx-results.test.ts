import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import readWorkbook from "read-excel-file/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkXlsxPlace, openXlsxResults } from "../../cli/batch/results/xlsx-results.ts";
import { type BatchMarket, itemsCsv, itemsJsonl, openBatchMarket } from "./batch-market.ts";
import { sheetCells } from "./sheet-cells.ts";

/** `mkt batch … -o results.xlsx`, read by programs that are not ours. docs/command-line.md, "Batches". */

let market: BatchMarket;
beforeEach(async () => {
  market = await openBatchMarket();
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

const HEAD = ["index", "runId", "status", "cost", "error"];

describe("a spreadsheet", () => {
  test("has a row for each row of the file in their order, whatever the order of their ends", async () => {
    market.answer(({ query }) => ({
      json: { item: query.get("item"), price: 12.5, isOpen: true, tags: ["a"] },
      delayMs: query.get("item") === "item0" ? 150 : 0,
    }));
    const rows = market.write("rows.csv", itemsCsv(3));
    const out = market.path("out.xlsx");

    const { exitCode } = await market.batch([rows, "--map", "item", "-o", out, "--table", "Prices of today"]);

    expect(exitCode).toBe(0);
    const [sheet, ...others] = await readWorkbook(out);
    expect(others).toEqual([]);
    expect(sheet).toEqual({
      sheet: "Prices of today",
      data: [
        [...HEAD, "item", "note", "output.item", "output.price", "output.isOpen", "output.tags", "output.others"],
        ...[0, 1, 2].map((index) => [
          index,
          expect.stringMatching(/^[0-9A-Z]{26}$/),
          "COMPLETED",
          0.01,
          null,
          `item${index}`,
          'a, "b"',
          `item${index}`,
          12.5,
          true,
          '["a"]',
          null,
        ]),
      ],
    });
    expect(existsSync(`${out}.rows.jsonl`)).toBe(false);
  });

  test("of an interrupted batch has what there is, and is made again when it is continued", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(6));
    const out = market.path("out.xlsx");

    const first = await market.batch([rows, "-o", out, "--max-total", "0.03"]);
    const before = await indexesIn(out);
    const second = await market.batch([rows, "-o", out, "--max-total", "0.1", "--resume"]);

    expect([first.exitCode, before.length, second.exitCode]).toEqual([13, 3, 0]);
    expect(await indexesIn(out)).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...market.callsByItem().values()]).toEqual([1, 1, 1, 1, 1, 1]);
    expect(existsSync(`${out}.rows.jsonl`)).toBe(false);
  });

  test("that is there already is refused before anything is paid, and so is a name that no sheet can have", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(1));
    writeFileSync(market.path("mine.xlsx"), "a year's work");

    const there = await market.batch([rows, "-o", market.path("mine.xlsx")]);
    const names = [];
    for (const name of ["a/b", "History", "'quoted'", " ", "x".repeat(32)]) {
      names.push(await market.batch([rows, "-o", market.path("new.xlsx"), "--table", name]));
    }

    expect(there).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("exists already") });
    expect(readFileSync(market.path("mine.xlsx"), "utf8")).toBe("a year's work");
    for (const { exitCode, stderr } of names) expect([exitCode, stderr]).toEqual([2, expect.stringContaining("sheet")]);
    expect(market.vendor.calls).toEqual([]);
  });

  test.each([
    ["rows", { rows: 1_048_576, columns: [] }, /takes 1048575 rows, and the batch has 1048576/],
    ["columns", { rows: 1, columns: Array<string>(16_380).fill("a") }, /takes 16384 columns, and the rows have 16380/],
  ])("with more %s than a sheet can have is refused before anything is paid", async (_, place, message) => {
    await expect(checkXlsxPlace({ path: market.path("big.xlsx"), ...place })).rejects.toThrow(message);
  });

  test("with as many rows as a sheet can have is no error", async () => {
    await checkXlsxPlace({ path: market.path("big.xlsx"), rows: 1_048_575, columns: [] });
  });

  test("whose disk is full fails and does not hang, and the lines of its results stay", async () => {
    const out = market.path("full.xlsx");
    const place = { path: out, batchId: "b", sheet: "results", columns: [], rows: 1, note: async () => {} };
    const results = await openXlsxResults(place);
    await results.write({ index: 0, status: "COMPLETED", cost: 0, input: {}, output: 1 });
    symlinkSync("/dev/full", `${out}.b.new`);

    await expect(results.close()).rejects.toThrow(/ENOSPC/);

    expect(statSync(`${out}.rows.jsonl`).size).toBeGreaterThan(0);
    expect(existsSync(out)).toBe(false);
  });
});

describe("a cell", () => {
  test.each([
    ["a number", 12.25, { value: "12.25" }],
    ["a long fraction", 0.1 + 0.2, { value: "0.30000000000000004" }],
    ["an integer of 15 digits", 999_999_999_999_999, { value: "999999999999999" }],
    ["an integer of 16 digits is a text", 1_234_567_890_123_456, { text: "1234567890123456" }],
    ["a number too small for a spreadsheet is a text", 5e-324, { text: "5e-324" }],
    ["a boolean", true, { value: "1", type: "b" }],
    ["digits in a text", "00123", { text: "00123" }],
    ["a formula is a text", "=1+1", { text: "=1+1" }],
    ["a command is a text", "@SUM(1+1)*cmd|' /C calc'!A0", { text: "@SUM(1+1)*cmd|' /C calc'!A0" }],
    ["a tab and a formula are a text", "\t=1", { text: "\t=1" }],
    ["markup is a text", "<b>&amp;</b>]]>", { text: "<b>&amp;</b>]]>" }],
    ["spaces and lines stay", " a\nb ", { text: " a\nb " }],
    ["control characters are escaped", "a\u0000\u0007\rb", { text: "a_x0000__x0007__x000D_b" }],
    ["a text that looks so is itself", "_x0041_", { text: "_x005F_x0041_" }],
    ["half of a pair is no character", "a\uD83Db😀", { text: "a\uFFFDb😀" }],
    ["a day is a date", "2026-11-23", { value: "46349", format: "yyyy\\-mm\\-dd" }],
    ["a moment is one", "2026-11-23T12:00:00Z", { value: "46349.5", format: "yyyy\\-mm\\-dd\\Thh:mm:ss\\Z" }],
    ["also to the minute", "2026-11-23T06:00", { value: "46349.25", format: "yyyy\\-mm\\-dd\\Thh:mm" }],
    [
      "also to the millisecond",
      "2026-11-23T18:00:00.000",
      { value: "46349.75", format: "yyyy\\-mm\\-dd\\Thh:mm:ss.000" },
    ],
    ["one with an offset is a text", "2026-11-23T12:00:00+01:00", { text: "2026-11-23T12:00:00+01:00" }],
    ["a day that is none is a text", "2026-02-30", { text: "2026-02-30" }],
    ["24 o'clock is a text", "2026-11-23T24:00:00Z", { text: "2026-11-23T24:00:00Z" }],
    ["a day before Excel's calendar is a text", "1900-02-28", { text: "1900-02-28" }],
  ])("%s", async (_, output, cell) => {
    const out = market.path("cells.xlsx");

    await writeOutput(out, output);

    expect(sheetCells(out).get("F2")).toEqual(cell);
  });

  test("a text is marked as one, so that it stays one when a person edits it", async () => {
    const out = market.path("cells.xlsx");

    await writeOutput(out, "=1+1");

    expect(sheetCells(out, { withQuotes: true }).get("F2")).toEqual({ text: "=1+1", isQuoted: true });
  });

  test("a text of more than 32,767 characters is cut, said, and whole in the lines that stay", async () => {
    const out = market.path("long.xlsx");
    const text = "😀".repeat(20_000);

    const notes = await writeOutput(out, text);

    const cell = sheetCells(out).get("F2")?.text ?? "";
    expect(cell.length).toBeLessThanOrEqual(32_767);
    expect(cell).toMatch(/^(😀)+ … \(cut\)$/u);
    expect(notes).toEqual([
      `1 text of more than 32767 characters, which no cell of a spreadsheet can have, ended with "(cut)". The whole ones are in ${out}.rows.jsonl.`,
    ]);
    expect(JSON.parse(readFileSync(`${out}.rows.jsonl`, "utf8"))).toMatchObject({ output: text });
  });

  test("a text of exactly 32,767 characters is whole", async () => {
    const out = market.path("long.xlsx");

    const notes = await writeOutput(out, "x".repeat(32_767));

    expect(sheetCells(out).get("F2")?.text).toHaveLength(32_767);
    expect(notes).toEqual([]);
  });
});

test("members for which a sheet has no column are in the last one", async () => {
  const out = market.path("wide.xlsx");
  const output = Object.fromEntries(Array.from({ length: 17_000 }, (_, at) => [`m${at}`, at]));

  await writeOutput(out, output);

  const cells = sheetCells(out);
  expect(cells.get("XFC1")).toEqual({ text: "output.m16377" });
  expect(cells.get("XFD1")).toEqual({ text: "output.others" });
  expect(JSON.parse(cells.get("XFD2")?.text ?? "")).toHaveProperty("m16378", 16_378);
});

test("rows whose lines are far from each other, and lines longer than what is read at once, are all there", async () => {
  const out = market.path("far.xlsx");
  const place = { path: out, batchId: "b", sheet: "results", columns: [], rows: 40, note: async () => {} };
  const results = await openXlsxResults(place);
  const order = Array.from({ length: 40 }, (_, at) => (at * 7) % 40);
  for (const index of order) {
    const output = { index, padding: Array<string>(30).fill("ä".repeat(index === 7 ? 20_000 : 400)) };
    await results.write({ index, status: "COMPLETED", cost: 0, input: {}, output });
  }

  await results.close();

  expect(await indexesIn(out)).toEqual(Array.from({ length: 40 }, (_, at) => at));
});

/** Writes a batch of one row, and returns what a person is told. */
async function writeOutput(path: string, output: unknown): Promise<string[]> {
  const notes: string[] = [];
  const note = async (text: string) => void notes.push(text);
  const results = await openXlsxResults({ path, batchId: "b", sheet: "results", columns: [], rows: 1, note });
  await results.write({ index: 0, status: "COMPLETED", cost: 0.01, input: {}, output });
  await results.close();
  return notes;
}

async function indexesIn(path: string): Promise<unknown[]> {
  const [sheet] = await readWorkbook(path);
  return (sheet?.data ?? []).slice(1).map(([index]) => index);
}
