import type { Database } from "./database.ts";
import type { LineRow, Replica } from "./replica.ts";

/** Lines that are read at once. */
const PAGE = 5_000;

/** The line that was seen last comes too: it tells a database that lost lines from one that has none to add. */
export const UNSEEN = `
select n, month, batch, case when n > $1 then body end as body
from lines where month >= $2 and n >= $1 order by n limit ${PAGE}`;

/** True when there may be more lines after these. */
export function isFullPage(rows: readonly LineRow[]): boolean {
  return rows.length === PAGE;
}

/** Reads what other daemons wrote. One question serves all who ask before it is sent. */
export class LogReader {
  readonly #database: Database;
  readonly #replica: Replica;
  #asking: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(database: Database, replica: Replica) {
    this.#database = database;
    this.#replica = replica;
  }

  /** Resolves when every line that was acknowledged before the call is settled here. */
  refresh(): Promise<void> {
    this.#next ??= this.#ask(this.#asking ?? Promise.resolve());
    return this.#next;
  }

  async #ask(before: Promise<void>): Promise<void> {
    // Lets those who ask in the same turn join.
    await before.catch(() => undefined);
    this.#asking = this.#next;
    this.#next = undefined;
    for (;;) {
      const asked = this.#replica.seen;
      const rows = await this.#database.queryNamed<LineRow & Record<string, unknown>>("unseen", UNSEEN, [
        asked.n,
        asked.month,
      ]);
      this.#replica.settleRead(rows, asked);
      if (!isFullPage(rows)) return;
    }
  }
}
