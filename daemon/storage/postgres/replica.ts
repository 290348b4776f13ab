import type { RunId } from "../../base/ids.ts";
import { errorText } from "../../../shared/error-text.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import { knownLine } from "../journal/segments/line-shape.ts";
import { StoreState } from "../store-state.ts";
import { DatabaseCorrupt, DatabaseWentBack } from "./database-errors.ts";
import type { FoundSnapshot, Seen } from "./snapshots.ts";

/** A line as it is read. The line that was seen last comes first, without its text, so that it can be compared. */
export interface LineRow {
  readonly n: number;
  readonly month: number;
  readonly batch: string;
  readonly body: string | null;
}

/** Called with every line that was settled, in their order. `isOwn`: this daemon wrote it. */
export type LineListener = (line: Line, isOwn: boolean, n: number) => void;

/** Lines of this daemon that were taken, and of which it is not known yet whether the database has them. */
interface Pending {
  readonly id: string;
  readonly month: number;
  readonly first: number;
  readonly lines: readonly Line[];
}

/** Ids of runs that have ended, which nobody may begin again; older ones are not used again anyhow. */
const ENDED_KEPT = 50_000;

/**
 * The state that all lines up to one make, of whichever daemons. It is fed in the order of the lines: by what is read, and by
 * what this daemon wrote itself.
 */
export class Replica {
  readonly state: StoreState;
  readonly #shown: string;
  readonly #listeners: LineListener[] = [];
  readonly #ended = new Set<string>();
  #seen: Seen;
  #pending: Pending | undefined;

  /** `shown` names the database in messages. */
  constructor(shown: string, snapshot?: FoundSnapshot) {
    this.#shown = shown;
    this.#seen = snapshot?.seen ?? { n: 0, month: 0, batch: "" };
    this.state = new StoreState((runId) => this.#ended.has(runId), snapshot?.before, { isShared: true });
  }

  get seen(): Seen {
    return this.#seen;
  }

  /** Number of the newest line that is settled here, or that this daemon is about to settle. */
  get expected(): number {
    const pending = this.#pending;
    return pending === undefined ? this.#seen.n : pending.first + pending.lines.length - 1;
  }

  watch(listener: LineListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Settles what was read after `asked`, the line that was seen when it was asked for. Throws `DatabaseWentBack` and
   * `DatabaseCorrupt`, which are final.
   */
  settleRead(rows: readonly LineRow[], asked: Seen): void {
    let known = rows;
    if (asked.n > 0) {
      const [last, ...rest] = rows;
      if (last?.n !== asked.n || last.batch !== asked.batch) throw new DatabaseWentBack(this.#shown, asked.n);
      known = rest;
    }
    for (const row of known) {
      if (row.n <= this.#seen.n) continue;
      if (row.n !== this.#seen.n + 1) throw this.#corrupt(`line ${this.#seen.n + 1} is missing`);
      this.#settleRow(row);
    }
  }

  /** The lines were taken, and go to the database as the next ones. */
  expect(pending: Pending): void {
    this.#pending = pending;
  }

  /** The batch is in the database. */
  settleOwn(id: string): void {
    const pending = this.#pending;
    // What was read may have settled it before the answer came.
    if (pending?.id !== id) return;
    for (const [i, line] of pending.lines.entries()) {
      const n = pending.first + i;
      if (n > this.#seen.n) this.#settle(line, { n, month: pending.month, batch: id }, true);
    }
    this.#pending = undefined;
  }

  /** The batch is not in the database, and never will be. */
  dropOwn(id: string): void {
    if (this.#pending?.id === id) this.dropTaken();
  }

  /** What was taken and is not durable is as if it had never been. */
  dropTaken(): void {
    this.#pending = undefined;
    this.state.retake([]);
  }

  #settleRow(row: LineRow): void {
    const pending = this.#pending;
    if (pending !== undefined && row.batch === pending.id) {
      const line = pending.lines[row.n - pending.first];
      if (line === undefined) throw this.#corrupt(`batch ${row.batch} has another line ${row.n} than was written`);
      this.#settle(line, row, true);
      if (row.n === pending.first + pending.lines.length - 1) this.#pending = undefined;
      return;
    }
    // Another daemon has these numbers: what this one sent with them was rolled back.
    if (pending !== undefined) this.dropTaken();
    let line: Line;
    try {
      line = knownLine(JSON.parse(row.body ?? "") as Record<string, unknown>);
      this.state.take({ line });
    } catch (error) {
      throw this.#corrupt(`line ${row.n} cannot be read: ${errorText(error)}`, error);
    }
    this.#settle(line, row, false);
  }

  #settle(line: Line, { n, month, batch }: Seen, isOwn: boolean): void {
    this.state.settle(line, n);
    this.#seen = { n, month, batch };
    if (line.t === "run.done") this.#noteEnded(line.run);
    for (const listener of this.#listeners) listener(line, isOwn, n);
  }

  #noteEnded(runId: RunId): void {
    this.#ended.add(runId);
    if (this.#ended.size <= ENDED_KEPT) return;
    const [oldest] = this.#ended;
    if (oldest !== undefined) this.#ended.delete(oldest);
  }

  #corrupt(why: string, cause?: unknown): DatabaseCorrupt {
    return new DatabaseCorrupt(this.#shown, why, cause);
  }
}
