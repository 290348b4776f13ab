import { DamagedOnDisk } from "../../ledger/stores/damaged-on-disk.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import { hasOutput } from "../line-index.ts";
import type { HistoryOutputs } from "../history.ts";
import type { Database } from "./database.ts";
import { isLockError } from "./database-errors.ts";
import { digestOf, type LinePlace, type OutputReference } from "./line-rows.ts";
import { partOf } from "./months.ts";

type RunDone = Extract<Line, { t: "run.done" }>;

/**
 * Whoever reads or writes an output waits as long as a part is waited for, five times at most: a backup of the database may
 * hold it for hours. Milliseconds.
 */
const LOCK_MS = 100;
/** So many outputs are removed in one statement. */
const REMOVED_AT_ONCE = 10_000;

export const READ_OUTPUT = "select body from outputs where month = $1 and n = $2 order by piece";

/**
 * The parts that there are. A month is over once the head is beyond it: no commit writes into it any more, since each takes a
 * month that is not before the head's, and holds the head.
 */
export const PARTS = `
select month, month < (select month from head) as over
from (
  select substring(relname from '[0-9]+$')::integer as month
  from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'outputs'::regclass
) as parts order by month`;

/** Of one month's part: whether it has outputs that ended before a time, and others. */
export function agesIn(part: string): string {
  return `select min(ended_at) < $1 as old, max(ended_at) >= $1 as young from ${part}`;
}

/** Removes the first of those that ended before a time. */
export function removeFrom(part: string): string {
  return `
delete from ${part} where (n, piece) in (
  select n, piece from ${part} where ended_at < $1 order by ended_at limit ${REMOVED_AT_ONCE}
) returning piece`;
}

interface Removal {
  readonly before: string;
  readonly at: string;
}

export interface RemovedOutputs {
  /** Of so many runs, one by one. */
  readonly runs: number;
  /** Months of which all were removed at once. */
  readonly months: readonly number[];
}

/** Outputs of runs, each in pieces, and which of them were removed. docs/storage.md, "In PostgreSQL". */
export class Outputs implements HistoryOutputs {
  readonly #database: Database;
  readonly #lockMs: number;
  /** By the reference in a line that was read: where its output is. */
  readonly #places = new WeakMap<OutputReference, LinePlace>();
  /** In the order of their times. */
  #removals: readonly Removal[] = [];

  /** Only tests wait for a part longer or shorter. */
  constructor(database: Database, { lockMs = LOCK_MS }: { readonly lockMs?: number } = {}) {
    this.#database = database;
    this.#lockMs = lockMs;
  }

  /** Another daemon may have removed outputs since. */
  async readRemovals(): Promise<void> {
    this.#removals = await this.#database.query<Removal & Record<string, string>>(
      "select before, at from removals order by before",
    );
  }

  /** The line as a reader sees it: without the reference to an output that was removed. */
  placed(line: Line, place: LinePlace): Line {
    if (line.t !== "run.done" || line.out === undefined) return line;
    const removal = this.#removalOf(line);
    if (removal !== undefined) {
      const { out: _removed, ...rest } = line;
      return { ...rest, rec: { ...line.rec, outputRemovedAt: removal.at } };
    }
    this.#places.set(line.out, place);
    return line;
  }

  async read(reference: OutputReference): Promise<unknown> {
    const place = this.#places.get(reference);
    if (place === undefined) throw new Error("an output is asked for by a line that was not read here");
    const pieces = await this.#database.queryNamed<{ body: string }>("output", READ_OUTPUT, [place.month, place.n]);
    const text = pieces.map(({ body }) => body).join("");
    if (pieces.length === 0) {
      // If it was removed, whoever asks reads the line again, which says so.
      await this.readRemovals();
      throw this.#damaged(place, "is missing");
    }
    if (Buffer.byteLength(text) !== reference.bytes || digestOf(text) !== reference.sha256) {
      throw this.#damaged(place, "is not what was written");
    }
    return JSON.parse(text) as unknown;
  }

  /**
   * Removes the outputs of runs that ended before a time; each says so from now on. May be interrupted anywhere and be asked
   * for again. A part of the table of which all is old is dropped as a whole, and its outputs are not counted: that would read
   * all of it. Rejects when a part could not be cleaned, after the others were.
   */
  async remove({ before, at }: Removal): Promise<RemovedOutputs> {
    await this.#database.query("insert into removals (before, at) values ($1, $2) on conflict do nothing", [
      before,
      at,
    ]);
    await this.readRemovals();
    const parts = await this.#database.query<{ month: number; over: boolean }>(PARTS);
    let runs = 0;
    const months: number[] = [];
    const failures: unknown[] = [];
    for (const { month, over } of parts) {
      try {
        const removed = over ? await this.#removeMonth(month, before) : await this.#removeRows(month, before);
        if (removed === "dropped") months.push(month);
        else runs += removed;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return { runs, months };
  }

  /** Of a month that is over. */
  async #removeMonth(month: number, before: string): Promise<number | "dropped"> {
    const part = partOf("outputs", month);
    const [state] = await this.#database.query<{ old: boolean | null; young: boolean | null }>(agesIn(part), [before]);
    if (state?.young === true) return state.old === true ? await this.#removeRows(month, before) : 0;
    return (await this.#drop(part, before)) ? "dropped" : await this.#removeRows(month, before);
  }

  /** False if the part has an output that stays after all, or is being read for long. */
  async #drop(part: string, before: string): Promise<boolean> {
    try {
      return await this.#database.transaction(async (queries) => {
        await queries.query(`set local lock_timeout = ${this.#lockMs}`);
        // In the order in which readers lock them.
        await queries.query("lock table only outputs in access exclusive mode");
        await queries.query(`lock table ${part} in access exclusive mode`);
        const [state] = await queries.query<{ young: boolean | null }>(agesIn(part), [before]);
        if (state?.young === true) return false;
        await queries.query(`drop table ${part}`);
        return true;
      });
    } catch (error) {
      if (isLockError(error)) return false;
      throw error;
    }
  }

  async #removeRows(month: number, before: string): Promise<number> {
    const part = partOf("outputs", month);
    let removed = 0;
    for (;;) {
      const rows = await this.#database.query<{ piece: number }>(removeFrom(part), [before]);
      removed += rows.filter(({ piece }) => piece === 0).length;
      if (rows.length < REMOVED_AT_ONCE) return removed;
    }
  }

  #removalOf(line: RunDone): Removal | undefined {
    if (!hasOutput(line)) return undefined;
    const endedAt = line.rec.completedAt ?? line.at;
    return this.#removals.find(({ before }) => before > endedAt);
  }

  #damaged({ n }: LinePlace, how: string): DamagedOnDisk {
    return new DamagedOnDisk(
      `The output of the run that line ${n} of the database ${this.#database.address.shown} ended ${how}. Restore the database from a backup.`,
    );
  }
}
