import { setImmediate as turnEnd } from "node:timers/promises";
import type { Database } from "./database.ts";
import type { LineRow, Replica } from "./replica.ts";

/** Lines that are read at once. */
const PAGE = 5_000;

/** The line that was seen last comes too: it tells a database that lost lines from one that has none to add. */
const unseen = (columns: string): string => `
select ${columns}, case when n > $1 then body end as body
from lines where month >= $2 and n >= $1 order by n limit ${PAGE}`;

export const UNSEEN = unseen("n, month, batch");

/** With each line, the number of the newest change of a document: whoever asks for what is new asks once for both. */
export const UNSEEN_OF_BOTH = unseen("n, month, batch, (select n from document_head) as documents");

interface ReadRow extends LineRow, Record<string, unknown> {
  readonly documents: number;
}

/** True when there may be more lines after these. */
export function isFullPage(rows: readonly LineRow[]): boolean {
  return rows.length === PAGE;
}

/** Reads what other daemons wrote. One question serves all who ask before it is sent. */
export class LogReader {
  readonly #database: Database;
  readonly #replica: Replica;
  #documents: number | undefined;
  #asking: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(database: Database, replica: Replica) {
    this.#database = database;
    this.#replica = replica;
  }

  /** Number of the newest change of a document at the last refresh; undefined in an empty log. */
  get documents(): number | undefined {
    return this.#documents;
  }

  /** Resolves when every line that was acknowledged before the call is settled here. */
  refresh(): Promise<void> {
    this.#next ??= this.#ask(this.#asking ?? Promise.resolve());
    return this.#next;
  }

  async #ask(before: Promise<void>): Promise<void> {
    await before.catch(() => undefined);
    // Lets those who ask in the same turn of the event loop join: under load, all requests that it has read.
    await turnEnd();
    this.#asking = this.#next;
    this.#next = undefined;
    for (;;) {
      const asked = this.#replica.seen;
      const rows = await this.#database.queryNamed<ReadRow>("unseen", UNSEEN_OF_BOTH, [asked.n, asked.month]);
      this.#documents = rows[0]?.documents ?? this.#documents;
      this.#replica.settleRead(rows, asked);
      if (!isFullPage(rows)) return;
    }
  }
}
