import { createReadStream } from "node:fs";
import { copyFile, open, realpath, rename, rm, rmdir, stat, unlink } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Database as SqliteDatabase, JSValue, Statement } from "node-sqlite3-wasm";
import { errorText } from "../../../shared/error-text.ts";
import { refusedInput } from "../../core/cli-error.ts";
import type { RowResult } from "../row-result.ts";
import { openJsonlResults } from "./jsonl-results.ts";
import { DoneRows, type Results } from "./results.ts";
import { type Cell, type TableFile, tableResults } from "./table-results.ts";

export interface SqlitePlace {
  readonly path: string;
  readonly table: string;
  /** The columns of the rows. */
  readonly columns: readonly string[];
  /** How many rows the batch has. */
  readonly rows: number;
}

/**
 * Results as a table of a SQLite database, which may have other tables. While the batch runs they are lines of JSON beside
 * it, which a kill cannot damage; each end of the batch, also an early one, makes the table of them in a copy that then
 * takes the database's place. The lines go when every row has its result.
 */
export async function openSqliteResults(place: SqlitePlace): Promise<Results> {
  const lines = linesBeside(place.path);
  const results = await openJsonlResults(lines);
  let written = 0;
  return {
    done: results.done,
    lostItsReader: false,
    async write(result) {
      await results.write(result);
      written += 1;
    },
    async close() {
      await results.close();
      await buildDatabase(place, lines);
      if (results.done.count + written === place.rows) await unlink(lines);
    },
  };
}

/** Rejects with refused input where the file is no database, or has the table, or lines of another batch are there. */
export async function checkSqlitePlace({ path, table }: Pick<SqlitePlace, "path" | "table">): Promise<void> {
  const lines = linesBeside(path);
  if (await isThere(lines)) {
    throw refusedInput(`${lines} is of another batch that was interrupted: continue that one, or choose another name.`);
  }
  if (table === "" || /^sqlite_/i.test(table)) {
    throw refusedInput(`SQLite takes no table ${JSON.stringify(table)}: choose another name with --table.`);
  }
  if (!(await isThere(path))) return;
  await refuseInUse(path);
  const database = await openDatabase(path);
  let taken: Readonly<Record<string, unknown>> | null;
  try {
    taken = database.get("SELECT type FROM sqlite_master WHERE lower(name) = lower(?)", [table]);
  } finally {
    database.close();
  }
  if (taken === null) return;
  throw refusedInput(
    `${path} already has ${taken["type"] === "index" ? "an" : "a"} ${String(taken["type"])} ${table}, which is not of an interrupted batch of these rows: choose another name with --table.`,
  );
}

/**
 * Rejects with refused input while another program writes to the database: what it has not finished yet would not be in the
 * copy, and would be lost with the file that the copy replaces.
 */
async function refuseInUse(path: string): Promise<void> {
  for (const beside of [`${path}-journal`, `${path}-wal`]) {
    if (!(await isThere(beside))) continue;
    throw refusedInput(`${path} is being written by another program (${beside} is there): close it, then try again.`);
  }
}

function linesBeside(path: string): string {
  return `${path}.rows.jsonl`;
}

async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.isFile() && found.size > 0;
}

async function buildDatabase({ path: named, table, columns }: SqlitePlace, lines: string): Promise<void> {
  // A link goes on leading to the database.
  const path = await realpath(named).catch(() => named);
  await refuseInUse(path);
  const copy = `${path}.new`;
  await rm(copy, { force: true });
  // What a process left that was killed here.
  await rmdir(`${copy}.lock`).catch(() => undefined);
  if (await isThere(path)) await copyFile(path, copy);
  const database = await openDatabase(copy);
  // A copy that is not finished is thrown away.
  database.exec("PRAGMA journal_mode = OFF");
  database.exec("PRAGMA synchronous = OFF");
  database.exec("BEGIN");
  database.exec(`DROP TABLE IF EXISTS ${quoted(table)}`);
  const rows = tableResults(new SqliteTable(database, table), columns);
  try {
    for await (const line of createInterface({ input: createReadStream(lines), crlfDelay: Infinity })) {
      await rows.write(JSON.parse(line) as RowResult);
    }
  } finally {
    await rows.close();
  }
  await flush(copy);
  await rename(copy, path);
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function openDatabase(path: string): Promise<SqliteDatabase> {
  const { default: sqlite } = await import("node-sqlite3-wasm");
  let database: SqliteDatabase | undefined;
  try {
    database = new sqlite.Database(path);
    database.get("SELECT count(*) FROM sqlite_master");
    return database;
  } catch (error) {
    database?.close();
    throw refusedInput(`${path} cannot be used as a SQLite database: ${errorText(error)}.`);
  }
}

/** A table that is made within one transaction, which `close` ends. */
class SqliteTable implements TableFile {
  readonly done = new DoneRows();
  readonly columns = undefined;
  readonly #database: SqliteDatabase;
  readonly #table: string;
  #insert: Statement | undefined;

  constructor(database: SqliteDatabase, table: string) {
    this.#database = database;
    this.#table = table;
  }

  async begin(columns: readonly string[]): Promise<void> {
    const [, ...others] = distinct(columns);
    const declared = [`"index" INTEGER PRIMARY KEY`, ...others.map(quoted)].join(", ");
    this.#database.exec(`CREATE TABLE ${quoted(this.#table)} (${declared})`);
    const places = columns.map(() => "?").join(", ");
    this.#insert = this.#database.prepare(`INSERT OR REPLACE INTO ${quoted(this.#table)} VALUES (${places})`);
  }

  async add(rows: readonly (readonly Cell[])[]): Promise<void> {
    for (const row of rows) this.#insert?.run(row.map((value): JSValue => value ?? null));
  }

  async close(): Promise<void> {
    try {
      this.#insert?.finalize();
      this.#database.exec("COMMIT");
    } finally {
      this.#database.close();
    }
  }
}

/** SQLite takes names that differ in case only for one. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let number = 2; taken.has(own.toLowerCase()); number += 1) own = `${name} ${number}`;
    taken.add(own.toLowerCase());
    return own;
  });
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
