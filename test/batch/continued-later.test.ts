import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { microDollars } from "../controls/control-market.ts";
import { type BatchMarket, itemsJsonl, openBatchMarket, sortedResults } from "./batch-market.ts";

/** A batch that is continued when others have begun, or a day has passed. docs/command-line.md, "Batches". */

let market: BatchMarket;
let rows: string;
beforeEach(async () => {
  market = await openBatchMarket();
  rows = market.write("rows.jsonl", itemsJsonl(6));
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

const twoDaysMs = 2 * 86_400_000;
/** As if all that the record says had been two days ago. */
function ageRecord(): void {
  const folder = join(market.home.configDir, "batches");
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const older = (time: string) => new Date(Date.parse(time) - twoDaysMs).toISOString();
    writeFileSync(path, readFileSync(path, "utf8").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, older));
  }
}
function ageFile(path: string): void {
  const then = (Date.now() - twoDaysMs) / 1000;
  utimesSync(path, then, then);
}
/** As if a version of mkt that reads rows otherwise had begun it. */
function countRowsOtherwise(count: number): void {
  const folder = join(market.home.configDir, "batches");
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), rows: count }));
  }
}
const interrupted = async (...words: string[]) => await market.batch([rows, "--max-total", "0.03", ...words]);
const continued = async (...words: string[]) => await market.batch([rows, "--resume", ...words]);
const ASKED = { exitCode: 2, stderr: expect.stringContaining("may be charged again") };

const outputs: [string, string, string[]][] = [
  ["lines", "out.jsonl", []],
  ["a table in a file", "out.csv", []],
  ["a database", "out.sqlite", []],
  ["a table of a database", "out.db", ["--table", "prices"]],
  ["a sheet", "out.xlsx", ["--table", "prices"]],
];
const partsOf = (name: string) => readdirSync(market.home.path).filter((file) => file.startsWith(name));

test.each(outputs)(
  "after a day its keys may be forgotten: it is continued only with --yes (%s)",
  async (_, name, words) => {
    await interrupted("-o", market.path(name), ...words);
    ageRecord();
    for (const part of partsOf(name)) ageFile(market.path(part));

    const asked = await continued("-o", market.path(name), ...words);
    const agreed = await continued("-o", market.path(name), ...words, "--yes");

    expect(asked).toMatchObject(ASKED);
    expect(agreed.exitCode).toBe(0);
  },
);

test.each(outputs)(
  "what was written within a day is continued without a word, whenever it began (%s)",
  async (_, name, words) => {
    const out = ["-o", market.path(name), ...words];
    await interrupted(...out);
    ageRecord();

    expect(await continued(...out)).toMatchObject({ exitCode: 0 });
  },
);

test.each(outputs.slice(2))(
  "so it is where only its lines were written before it was killed (%s)",
  async (_, name, words) => {
    const out = ["-o", market.path(name), ...words];
    await interrupted(...out);
    rmSync(market.path(name));
    ageRecord();

    expect(await continued(...out)).toMatchObject({ exitCode: 0 });
  },
);

test("a row that was left without a result a day ago is asked about, though others were written since", async () => {
  const { body } = await market.daemon.request("POST", "/v1/api-keys", { label: "rows", role: "member" });
  await market.daemon.request("POST", "/v1/controls/approval-rules", { limitAmount: microDollars(0.005) });
  const surroundings = { env: { MKT_API_KEY: body.key } };
  const words = [rows, "-o", market.path("out.jsonl")];
  await market.batch(words, surroundings);
  ageRecord();

  expect(await market.batch([...words, "--resume"], surroundings)).toMatchObject(ASKED);
});

test("a row of an earlier interruption is asked about, though it was continued within the day", async () => {
  const out = ["-o", market.path("out.jsonl")];
  await interrupted(...out);
  await continued(...out, "--max-total", "0.05");
  ageRecord();

  expect(await continued(...out)).toMatchObject(ASKED);
});

test("written elsewhere, every row counts from when the batch began", async () => {
  await interrupted("-o", market.path("out.jsonl"));
  ageRecord();

  expect(await continued("-o", market.path("other.jsonl"))).toMatchObject(ASKED);
});

test("what another batch has written to its file since is not taken for its own", async () => {
  const out = market.path("out.jsonl");
  const otherRows = market.write(
    "other.jsonl",
    itemsJsonl(6).replaceAll("item", "other").replaceAll('other"', 'item"'),
  );
  await interrupted("-o", out);
  rmSync(out);
  const other = await market.batch([otherRows, "-o", out]);

  const refused = await continued("-o", out);
  const elsewhere = await continued("-o", market.path("mine.jsonl"));

  expect(other.exitCode).toBe(0);
  expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("exists already") });
  expect(elsewhere.exitCode).toBe(0);
  const items = sortedResults(readFileSync(market.path("mine.jsonl"), "utf8")).map(({ input }) => input);
  expect(items).toEqual(Array.from({ length: 6 }, (_, at) => ({ item: `item${at}` })));
  expect([...market.callsByItem().values()]).toEqual(Array(12).fill(1));
});

test("it is not continued where another number of rows is read than when it began, and nothing is sent", async () => {
  const out = ["-o", market.path("out.jsonl")];
  await interrupted(...out);
  const sent = market.vendor.calls.length;
  countRowsOtherwise(7);

  const refused = await continued(...out);
  countRowsOtherwise(6);
  const before = market.vendor.calls.length;
  const again = await continued(...out);

  expect(refused).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining("This batch began with 7 rows, and 6 are read now by another version of mkt"),
  });
  expect([sent, before]).toEqual([3, 3]);
  expect(again.exitCode).toBe(0);
  expect([...market.callsByItem().values()]).toEqual(Array(6).fill(1));
});
