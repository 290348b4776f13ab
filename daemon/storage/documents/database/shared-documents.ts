import type { Queries } from "../../postgres/connection.ts";

/** What shared documents need of a database. */
export interface DocumentTables extends Queries {
  /** Does `work` in one transaction; again after a deadlock. */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
}

/** Told with the number of the newest change. */
export const DOCUMENTS_CHANNEL = "mkt_documents";

/** As `MAX_DOCUMENT_BYTES` of files. */
const MAX_BYTES = 5_000_000;

interface DocumentRow {
  readonly name: string;
  /** Null: it was removed. */
  readonly body: string | null;
  readonly changed: number;
}

/** What is known of a document. The object is another one after each change. */
export interface KnownDocument {
  readonly body: string;
}

/**
 * Texts by name that several daemons change and read. Each change has the next number, and is committed before the one after
 * it is decided, so whoever has seen a number has seen all before it. docs/postgres.md, "Documents".
 */
export class SharedDocuments {
  readonly #tables: DocumentTables;
  readonly #known = new Map<string, KnownDocument>();
  #seen = 0;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** Rejects with `StorageAway`. */
  static async open(tables: DocumentTables): Promise<SharedDocuments> {
    const documents = new SharedDocuments(tables);
    await documents.refresh();
    return documents;
  }

  private constructor(tables: DocumentTables) {
    this.#tables = tables;
  }

  /** Number of the newest change that is seen. */
  get seen(): number {
    return this.#seen;
  }

  get(name: string): KnownDocument | undefined {
    return this.#known.get(name);
  }

  /** In the order of their names. */
  names(prefix: string): string[] {
    return [...this.#known.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  /** Resolves when every change that was acknowledged before the call is seen. One query serves all who ask meanwhile. */
  refresh(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#read().finally(() => (this.#reading = undefined));
      return this.#reading;
    }
    // The query under way may have begun before a change that the caller knows of.
    this.#next ??= this.#reading
      .catch(() => undefined)
      .then(async () => {
        this.#next = undefined;
        await this.refresh();
      });
    return this.#next;
  }

  /**
   * Reads the document, has `change` decide what it shall be (null: gone; undefined: as it is), and resolves with the result
   * when it is durable. Nobody else changes a document meanwhile. What `change` throws is passed on, and nothing is changed.
   */
  async change(
    name: string,
    change: (body: string | undefined) => string | null | undefined,
  ): Promise<string | undefined> {
    const row = await this.#tables.transaction(async (queries) => {
      const [head] = await queries.query<{ n: number }>("select n from document_head for update");
      const [before] = await queries.query<{ body: string | null }>("select body from documents where name = $1", [
        name,
      ]);
      const known = before?.body ?? undefined;
      const body = change(known);
      if (body === undefined) return { name, body: known ?? null, changed: 0 };
      if (body !== null && Buffer.byteLength(body) > MAX_BYTES) {
        throw new Error(`${name} would have more than the ${MAX_BYTES} bytes that a document may have`);
      }
      const changed = (head?.n ?? 0) + 1;
      await queries.query(
        "insert into documents (name, body, changed) values ($1, $2, $3) on conflict (name) do update set body = $2, changed = $3",
        [name, body, changed],
      );
      await queries.query("update document_head set n = $1", [changed]);
      await queries.query("select pg_notify($1, $2)", [DOCUMENTS_CHANNEL, String(changed)]);
      return { name, body, changed };
    });
    // What others changed before is read too, so that this is seen in its order.
    if (row.changed > this.#seen) await this.refresh();
    return row.body ?? undefined;
  }

  async #read(): Promise<void> {
    const rows = await this.#tables.query<{ name: string; body: string | null; changed: number }>(
      "select name, body, changed from documents where changed > $1 order by changed",
      [this.#seen],
    );
    for (const row of rows) this.#take(row);
  }

  #take({ name, body, changed }: DocumentRow): void {
    if (changed <= this.#seen) return;
    if (body === null) this.#known.delete(name);
    else this.#known.set(name, { body });
    this.#seen = changed;
  }
}
