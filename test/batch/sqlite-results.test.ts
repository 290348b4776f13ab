import { existsSync, lstatSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import sqlite from "node-sqlite3-wasm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkSqlitePlace, openSqliteResults } from "../../cli/batch/results/sqlite-results.ts";
import { type BatchMarket, itemsCsv, itemsJsonl, openBatchMarket } from "./batch-market.ts";
import { rowsOfTable } from "./rows-of-table.ts";

/** `mkt batch … -o results.sqlite`. docs/command-line.md, "Batches". */

let market: BatchMarket;
beforeEach(async () => {
  market = await openBatchMarket();
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

test("results go into a table, with a column for each column of the rows and each member of the output", async () => {
  const rows = market.write("rows.csv", itemsCsv(3));

  const { exitCode } = await market.batch([rows, "--map", "item", "-o", market.path("out.sqlite")]);

  expect(exitCode).toBe(0);
  expect(rowsOfTable(market.path("out.sqlite"))).toEqual(
    [0, 1, 2].map((index) => ({
      index,
      runId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      status: "COMPLETED",
      cost: 0.01,
      error: null,
      item: `item${index}`,
      note: 'a, "b"',
      "output.item": `item${index}`,
      "output.price": 12.5,
      "output.others": null,
    })),
  );
});

test("columns whose names differ in case only are both there, and a text of SQL is a text", async () => {
  const rows = market.write(
    "rows.jsonl",
    `${JSON.stringify({ item: "'); DROP TABLE results; --", 'a"b': 1, A: 2, a: 3 })}\n`,
  );

  await market.batch([rows, "--map", "item", "-o", market.path("out.db")]);

  expect(rowsOfTable(market.path("out.db"))).toMatchObject([
    { item: "'); DROP TABLE results; --", 'a"b': 1, A: 2, "a 2": 3 },
  ]);
});

test("a database with other tables takes one more, and a table that is there is left alone", async () => {
  const rows = market.write("rows.jsonl", itemsJsonl(2));
  const path = market.path("mine.sqlite3");
  const database = new sqlite.Database(path);
  database.exec("CREATE TABLE results (mine); INSERT INTO results VALUES (1)");
  database.close();

  const refused = await market.batch([rows, "-o", path]);
  const other = await market.batch([rows, "-o", path, "--table", "prices"]);

  expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("already has a table results") });
  expect(other.exitCode).toBe(0);
  expect(rowsOfTable(path, "prices")).toHaveLength(2);
  const again = new sqlite.Database(path);
  expect(again.all("SELECT * FROM results")).toEqual([{ mine: 1 }]);
  again.close();
});

test("an interrupted batch leaves a table of what it has, and is continued in it", async () => {
  const rows = market.write("rows.jsonl", itemsJsonl(6));
  const out = market.path("out.sqlite");

  const first = await market.batch([rows, "-o", out, "--max-total", "0.03"]);
  const before = rowsOfTable(out).length;
  const second = await market.batch([rows, "-o", out, "--max-total", "0.1", "--resume"]);

  expect([first.exitCode, before, second.exitCode]).toEqual([13, 3, 0]);
  expect(existsSync(`${out}.rows.jsonl`)).toBe(false);
  expect(rowsOfTable(out).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  expect([...market.callsByItem().values()]).toEqual([1, 1, 1, 1, 1, 1]);
});

test("what is no database, and a table without one, is refused before anything is paid", async () => {
  const rows = market.write("rows.jsonl", itemsJsonl(1));
  writeFileSync(
    market.path("text.sqlite"),
    "this is a letter and no database, long enough to be read as a header ".repeat(20),
  );

  const noDatabase = await market.batch([rows, "-o", market.path("text.sqlite")]);
  const noFile = await market.batch([rows, "--table", "prices"]);
  const badName = await market.batch([rows, "-o", market.path("out.db"), "--table", "a b"]);

  expect(noDatabase).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining("cannot be used as a SQLite database"),
  });
  expect([noFile.exitCode, badName.exitCode]).toEqual([2, 2]);
  expect(market.vendor.calls).toEqual([]);
});

test.each([
  ["results", /already has an index results/],
  ["Sqlite_rows", /SQLite takes no table "Sqlite_rows"/],
  ["", /SQLite takes no table ""/],
])("a table %j that could not be made at the end is refused before anything is paid", async (table, message) => {
  const path = market.path("mine.db");
  const database = new sqlite.Database(path);
  database.exec("CREATE TABLE mine (x); CREATE INDEX results ON mine (x)");
  database.close();

  await expect(checkSqlitePlace({ path, table, columns: [] })).rejects.toThrow(message);
});

test("a database that another program is writing is left as it is, and the results are kept until it has finished", async () => {
  const path = market.path("mine.db");
  const database = new sqlite.Database(path);
  database.exec("CREATE TABLE mine (x)");
  database.close();
  const results = await openSqliteResults({ path, batchId: "b", table: "results", columns: [], rows: 1 });
  await results.write({ index: 0, status: "COMPLETED", cost: 0.01, input: {}, output: { price: 1 } });
  writeFileSync(`${path}-journal`, "of a transaction that is under way");

  await expect(checkSqlitePlace({ path, table: "other", columns: [] })).rejects.toThrow(
    /has the results of another batch/,
  );
  await expect(results.close()).rejects.toThrow(/is being written by another program/);
  expect(existsSync(`${path}.rows.jsonl`)).toBe(true);
  rmSync(`${path}-journal`);
  await (await openSqliteResults({ path, batchId: "b", table: "results", columns: [], rows: 1 })).close();
  expect(rowsOfTable(path)).toMatchObject([{ index: 0, "output.price": 1 }]);
});

test("a link to a database stays one", async () => {
  const rows = market.write("rows.jsonl", itemsJsonl(1));
  const path = market.path("there.db");
  new sqlite.Database(path).close();
  symlinkSync(path, market.path("link.db"));

  const { exitCode } = await market.batch([rows, "-o", market.path("link.db")]);

  expect(exitCode).toBe(0);
  expect(lstatSync(market.path("link.db")).isSymbolicLink()).toBe(true);
  expect(rowsOfTable(path)).toHaveLength(1);
});
