import { errorText } from "../../../shared/error-text.ts";
import type { Queries } from "./connection.ts";
import type { Database } from "./database.ts";
import { sqlStateOf, SchemaUnknown } from "./database-errors.ts";
import { type Migration, schemaOf } from "./migrations/migration.ts";

/** Any number that no other program takes as its advisory lock in the same database. */
const LOCK = 7_241_107_001;
/** A change may read all lines, and a daemon that starts meanwhile waits for it. */
const MOST_MS = 3_600_000;
/** So many schema versions more than a daemon knows, it serves: while daemons are replaced one after the other. */
const SCHEMAS_AHEAD = 1;

/** SQLSTATE: no right to make tables, no schema for them, or a table of the same name that is another program's. */
const NOT_OURS: ReadonlySet<string> = new Set(["42501", "3F000", "42703", "42P07"]);

const VERSIONS = `
create table if not exists migrations (
  number integer primary key,
  title text not null,
  at timestamptz not null default clock_timestamp()
)`;

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** False: a schema that is older is refused, for a role that may not change tables. */
  readonly mayChange: boolean;
}

/**
 * Brings the tables to the version of this daemon, in one transaction; of many daemons that start at once, one does it.
 * Rejects with `SchemaUnknown` when the database is of a newer version, or of an older one that must not or cannot be changed.
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<void> {
  try {
    await checkEncoding(database);
    await bringUpToDate(database, options);
  } catch (error) {
    throw NOT_OURS.has(sqlStateOf(error)) ? noRoom(database.address.shown, error) : error;
  }
}

async function bringUpToDate(database: Database, { migrations, mayChange }: MigrateOptions): Promise<void> {
  const { shown } = database.address;
  if (missingOf(migrations, await database.transaction((queries) => applied(queries)), shown).length === 0) return;
  const change = async (queries: Queries) => {
    await queries.query("select pg_advisory_xact_lock($1)", [LOCK]);
    const missing = missingOf(migrations, await applied(queries), shown);
    if (missing.length === 0) return;
    if (!mayChange) throw tooOld(shown, missing);
    await queries.query(VERSIONS);
    for (const { number, title, sql } of missing) {
      await queries.query(sql);
      await queries.query("insert into migrations (number, title) values ($1, $2)", [number, title]);
    }
  };
  await database.transaction(change, { mostMs: MOST_MS });
}

/** A text of any language must come back as it was written. */
async function checkEncoding(database: Database): Promise<void> {
  const [row] = await database.query<{ encoding: string }>("select current_setting('server_encoding') as encoding");
  if (row?.encoding === "UTF8") return;
  throw new SchemaUnknown(
    `The database ${database.address.shown} has the encoding ${row?.encoding}, which cannot hold every text. Make one for mkt: create database mkt encoding 'UTF8' template template0`,
  );
}

/** Rejects with `SchemaUnknown` when a newer daemon has changed the tables beyond what this one can serve. */
export async function checkSchema(database: Database, migrations: readonly Migration[]): Promise<void> {
  await missingChanges(database, migrations);
}

/** Changes that the tables have not had; all of them in an empty database. Rejects with `SchemaUnknown`, as `checkSchema`. */
export async function missingChanges(
  database: Database,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  return missingOf(migrations, await database.transaction((queries) => applied(queries)), database.address.shown);
}

/** Numbers; none in an empty database. */
async function applied(queries: Queries): Promise<number[]> {
  // `to_regclass` may answer from before the lock was waited for.
  const tables = await queries.query(
    "select from pg_tables where schemaname = any(current_schemas(false)) and tablename = 'migrations'",
  );
  if (tables.length === 0) return [];
  const rows = await queries.query<{ number: number }>("select number from migrations order by number");
  return rows.map(({ number }) => number);
}

function missingOf(migrations: readonly Migration[], done: readonly number[], shown: string): Migration[] {
  const known = new Set(migrations.map(({ number }) => number));
  const unknown = done.filter((number) => !known.has(number));
  const newest = Math.max(...migrations.map(({ number }) => schemaOf(number)));
  if (unknown.some((number) => schemaOf(number) > newest + SCHEMAS_AHEAD)) throw tooNew(shown, unknown);
  const missing = migrations.filter(({ number }) => !done.includes(number));
  // A change that this daemon knows would be applied to tables that it does not know.
  if (unknown.length > 0 && missing.length > 0) throw tooNew(shown, unknown);
  return missing;
}

function noRoom(shown: string, error: unknown): SchemaUnknown {
  return new SchemaUnknown(
    `There is no place for the tables of mkt in ${shown}: ${errorText(error)}. Give its role a schema of its own: create schema mkt authorization ROLE; alter role ROLE in database NAME set search_path = mkt`,
    { cause: error },
  );
}

function tooNew(shown: string, unknown: readonly number[]): SchemaUnknown {
  return new SchemaUnknown(
    `The tables in ${shown} are of a newer version of mkt: it made changes (${unknown.join(", ")}) that this one does not know. Run the version of mkt that the other daemons run.`,
  );
}

function tooOld(shown: string, missing: readonly Migration[]): SchemaUnknown {
  const changes = missing.map(({ number, title }) => `${number} (${title})`).join(", ");
  return new SchemaUnknown(
    `The tables in ${shown} are of an older version of mkt, without the changes ${changes}, and this daemon was told not to change them. Start a daemon once as the owner of the schema.`,
  );
}
