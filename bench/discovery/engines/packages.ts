/*
 * The engines that ours is held against are installed in the folder of the benchmarks alone, and the project is checked
 * without them: here is what of them is used, as their documentation has it.
 */

/** better-sqlite3 12. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  pragma(source: string, options: { readonly simple: true }): unknown;
  close(): void;
}

export interface SqliteStatement {
  run(...values: readonly (string | number)[]): unknown;
  all(...values: readonly (string | number)[]): readonly Readonly<Record<string, unknown>>[];
}

/** MiniSearch 7. */
export interface MiniSearchIndex {
  add(document: Readonly<Record<string, string | number>>): void;
  search(query: string): readonly { readonly id: number }[];
}

export interface MiniSearchOptions {
  readonly fields: readonly string[];
  readonly tokenize?: (text: string) => string[];
  readonly processTerm?: (term: string) => string | false;
  readonly searchOptions?: { readonly boost?: Readonly<Record<string, number>> };
}

/** Orama 3. */
export interface Orama {
  create(options: { readonly schema: Readonly<Record<string, "string">> }): unknown;
  insertMultiple(database: unknown, documents: readonly object[]): Promise<unknown>;
  search(
    database: unknown,
    query: { readonly term: string; readonly limit: number },
  ): Promise<OramaAnswer> | OramaAnswer;
}

export interface OramaAnswer {
  readonly hits: readonly { readonly id: string }[];
}

export async function loadSqlite(): Promise<new (file: string) => SqliteDatabase> {
  const { default: Database }: { default: new (file: string) => SqliteDatabase } = await load("better-sqlite3");
  return Database;
}

export async function loadMiniSearch(): Promise<new (options: MiniSearchOptions) => MiniSearchIndex> {
  const { default: MiniSearch }: { default: new (options: MiniSearchOptions) => MiniSearchIndex } =
    await load("minisearch");
  return MiniSearch;
}

export async function loadOrama(): Promise<Orama> {
  return await load("@orama/orama");
}

// A name that is a value is not looked up by the compiler.
async function load(name: string) {
  return await import(name);
}
