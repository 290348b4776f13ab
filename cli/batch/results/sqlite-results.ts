import { createReadStream } from "node:fs";
import { copyFile, rm, rmdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Database as SqliteDatabase, JSValue, Statement } from "node-sqlite3-wasm";
import { errorText } from "../../../shared/error-text.ts";
import { refusedInput } from "../../core/cli-error.ts";
import type { RowResult } from "../row-result.ts";
import { type Building, checkNoLines, isThere, openBuiltResults } from "./built-results.ts";
import { DoneRows, type Results } from "./results.ts";
import { type Cell, ownColumns, type TableFile, tableResults } from "./table-results.ts";

/** SQLITE_MAX_COLUMN, as the package was built. */
const MOST_COLUMNS = 2_000;

export interface SqlitePlace {
  readonly path: string;
  readonly batchId: string;
  readonly table: string;
  /** The columns of the rows. */
  readonly columns: readonly string[];
  /** How many rows the batch has. */
  readonly rows: number;
}

/** Results as a table of a SQLite database, which may have other tables: a copy with the table takes the database's place. */
export async function openSqliteResults(place: SqlitePlace): Promise<Results> {
  return await openBuiltResults(place, async (building) => await buildDatabase(place, building));
}

/** Rejects with refused input where the file is no database, or has the table, or cannot take the columns. */
export async function checkSqlitePlace({
  path,
  table,
  columns,
}: Pick<SqlitePlace, "path" | "table" | "columns">): Promise<void> {
  await checkNoLines(path);
  if (ownColumns.length + columns.length + 2 > MOST_COLUMNS) {
    throw refusedInput(
      `A table takes ${MOST_COLUMNS} columns, and the rows have ${columns.length}: choose -o results.jsonl.`,
    );
  }
  if (table === "" || /^sqlite_/i.test(table)) {
    throw refusedInput(`SQLite takes no table ${JSON.stringify(table)}: choose another name with --table.`);
  }
  if (!(await isThere(path))) return;
  await refuseInUse(path);
  const database = await openDatabase(path).catch((error: unknown) => {
    throw refusedInput(`${path} cannot be used as a SQLite database: ${errorText(error)}.`);
  });
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

async function buildDatabase({ table, columns }: SqlitePlace, { lines, before, copy }: Building): Promise<boolean> {
  await refuseInUse(before);
  await rm(copy, { force: true });
  // What a process left that was killed here.
  await rmdir(`${copy}.lock`).catch(() => undefined);
  if (await isThere(before)) await copyFile(before, copy);
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
  return true;
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
    throw error;
  }
}

/** A table that is made within one transaction, which `close` ends. */
class SqliteTable implements TableFile {
  readonly done = new DoneRows();
  readonly columns = undefined;
  readonly mostColumns = MOST_COLUMNS;
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
    for (const row of rows) this.#insert?.run(row.map(sqliteValue));
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

/** SQLite has no booleans: they are words, as in JSON. */
function sqliteValue(value: Cell): JSValue {
  return typeof value === "boolean" ? String(value) : (value ?? null);
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
