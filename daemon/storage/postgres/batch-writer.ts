import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { errorText } from "../../../shared/error-text.ts";
import {
  IdempotencyKeyUsed,
  OutcomeUnknown,
  StorageAway,
  StorageFailed,
} from "../../ledger/transaction/commit-errors.ts";
import type { Line, Transaction } from "../../ledger/transaction/transaction.ts";
import { moneyReads } from "../book/money-reads.ts";
import { mayWait } from "../may-wait.ts";
import { LineRefused } from "../storage-errors.ts";
import { addAppend, LOCK_HEAD } from "./append.ts";
import type { Connection } from "./connection.ts";
import { type Database, inTransaction } from "./database.ts";
import { DaemonFenced, isRowRefused, isLockError } from "./database-errors.ts";
import { freeLeftOver, isKeyUsed } from "./last-guards.ts";
import { type PreparedLine, prepareLine } from "./line-rows.ts";
import type { LineNews } from "./line-news.ts";
import { isFullPage, UNSEEN } from "./log-reader.ts";
import type { Months } from "./months.ts";
import type { LineRow, Replica } from "./replica.ts";
import { StatementList } from "./statement-list.ts";

/** The head is held while a batch is decided and written. */
const MAX_BATCH_LINES = 1_024;
const MAX_BATCH_LENGTH = 4 * 1_024 * 1_024;
/** Between two tries to reach a database that is away. */
const AGAIN_MS = [20, 50, 100, 250, 500, 1_000] as const;

export interface BatchWriterParts {
  readonly database: Database;
  readonly replica: Replica;
  readonly months: Months;
  readonly news: Pick<LineNews, "channel" | "isDue" | "wrote" | "noteRead">;
  /** Checked in each commit; absent for tools, which nobody fences. */
  readonly daemonId?: string | undefined;
  readonly onCommitted?: ((lines: readonly Line[], ms: number) => void) | undefined;
  /** Nothing more is written by this process. */
  readonly onFatal: (error: StorageFailed) => void;
  /** The database was reached, or could not be, for this reason. */
  readonly onReached: (away?: StorageAway) => void;
}

interface Waiting {
  readonly transaction: Transaction;
  /** Of a line that is known already; others are made when they are decided. */
  readonly prepared: PreparedLine | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface TakenBatch {
  readonly id: string;
  readonly waiting: readonly Waiting[];
  readonly lines: readonly PreparedLine[];
  readonly accepted: readonly number[];
}

/**
 * Writes lines in batches, one at a time: while the database works on one, the next one gathers. A batch holds the head of
 * the lines, so it is decided after everything that any daemon wrote before. While the database is away, what may wait is
 * refused, and the rest is written when it is back: once, even where the answer to a commit was lost. docs/storage.md, "In PostgreSQL".
 */
export class BatchWriter {
  readonly #parts: BatchWriterParts;
  #queue: Waiting[] = [];
  /** A batch of which it is not known whether it was committed. */
  #unknown: { readonly batch: TakenBatch; readonly first: number; readonly month: number } | undefined;
  #connection: Connection | undefined;
  #working: Promise<void> | undefined;
  #failure: StorageFailed | undefined;
  #isClosed = false;
  #waitsEnded = false;
  /** After a check of the database refused a batch, so many transactions are written alone, to find which it was. */
  #alone = 0;
  readonly #closing = new AbortController();

  constructor(parts: BatchWriterParts) {
    this.#parts = parts;
  }

  /** Resolves when the line is durable. */
  commit(transaction: Transaction): Promise<void> {
    if (this.#failure !== undefined) throw new StorageFailed("The store has failed", { cause: this.#failure });
    if (this.#isClosed) throw new StorageFailed("The store is closed");
    // Of the caller's own line, which it may change as soon as it has asked; and a large output is not made text under the lock.
    const prepared = "line" in transaction ? prepareLine(transaction.line) : undefined;
    const own = prepared === undefined ? transaction : { ...transaction, line: prepared.line };
    return new Promise((resolve, reject) => {
      this.#queue.push({ transaction: own, prepared, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** Nothing more is taken; what waits is refused. */
  fail(failure: StorageFailed): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#closing.abort();
    for (const { reject } of this.#queue.splice(0)) reject(failure);
    this.#connection?.close();
    this.#parts.onFatal(failure);
  }

  /** What waits for a database that is away is tried once more, and refused. */
  endWaits(): void {
    this.#waitsEnded = true;
    this.#closing.abort();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    this.#connection?.close();
  }

  async #work(): Promise<void> {
    let misses = 0;
    // Those who commit in the same turn share a batch.
    await Promise.resolve();
    while (this.#queue.length > 0 && this.#failure === undefined) {
      try {
        await this.#writeNext();
        misses = 0;
        this.#parts.onReached();
      } catch (error) {
        if (error instanceof StorageFailed) this.fail(error);
        else if (error instanceof StorageAway) await this.#waitForDatabase(error, misses++);
        else if (isLockError(error)) await this.#connection?.query("rollback").catch(() => undefined);
        else {
          const why = `The database ${this.#parts.database.address.shown} cannot be written: ${errorText(error)}`;
          this.fail(new StorageFailed(why, { cause: error }));
        }
      }
    }
    this.#working = undefined;
  }

  async #writeNext(): Promise<void> {
    const connection = await this.#connected();
    if (this.#unknown !== undefined && !(await this.#learnOutcome(connection, this.#unknown))) return;
    const began = performance.now();
    const month = await this.#lockHead(connection);
    if (!this.#parts.months.has(month)) {
      await connection.query("rollback");
      await this.#parts.months.add(month);
      return;
    }
    const batch = this.#take();
    if (batch.lines.length === 0) {
      await connection.query("rollback");
      return;
    }
    if (!(await this.#commit(connection, batch, month))) return;
    this.#end(batch);
    this.#parts.onCommitted?.(
      batch.lines.map(({ line }) => line),
      performance.now() - began,
    );
  }

  async #connected(): Promise<Connection> {
    if (this.#connection?.isBroken === false) return this.#connection;
    const connection = await this.#parts.database.connect({ isPipelined: true });
    try {
      await connection.query(PREPARE);
    } catch (error) {
      connection.close();
      throw error;
    }
    if (this.#failure !== undefined) {
      connection.close();
      throw this.#failure;
    }
    this.#connection = connection;
    return connection;
  }

  /** Begins a transaction that holds the head, settles what is new, and returns the month that lines are written in. */
  async #lockHead(connection: Connection): Promise<number> {
    const { replica, news, daemonId } = this.#parts;
    const asked = replica.seen;
    // Each of these statements sees what was committed before it began: the second and third, all that the lock waited for.
    const [, head, unseen, alive] = await connection.queryEach<Record<string, unknown>>(
      `begin; execute lock_head; ${unseenAfter(asked.n, asked.month)}${daemonId === undefined ? "" : `; ${aliveOf(daemonId)}`}`,
    );
    if (daemonId !== undefined && alive?.length !== 1) throw new DaemonFenced(daemonId);
    let rows = (unseen ?? []) as unknown as LineRow[];
    replica.settleRead(rows, asked);
    while (isFullPage(rows)) {
      const { n, month, ...rest } = replica.seen;
      rows = (await connection.query(unseenAfter(n, month))) as LineRow[];
      replica.settleRead(rows, { n, month, ...rest });
    }
    news.noteRead();
    const [{ month } = { month: 0 }] = (head ?? []) as { month: number }[];
    return month;
  }

  /** Takes as many of those that wait as fit into a batch; what is refused is told so. */
  #take(): TakenBatch {
    const { state, seen } = this.#parts.replica;
    const most = this.#alone > 0 ? 1 : MAX_BATCH_LINES;
    const waiting: Waiting[] = [];
    const lines: PreparedLine[] = [];
    const accepted: number[] = [];
    const refused = new Set<Waiting>();
    let length = 0;
    for (const one of this.#queue) {
      if (lines.length === most || length > MAX_BATCH_LENGTH) break;
      const admitted: PreparedLine[] = [];
      try {
        state.take(one.transaction, (line) => {
          state.checkKey(line);
          admitted.push(one.prepared ?? prepareLine(line));
        });
      } catch (error) {
        refused.add(one);
        one.reject(error);
        continue;
      }
      const [prepared] = admitted;
      if (prepared === undefined) throw new Error("a line was taken that was not prepared");
      const n = seen.n + lines.length + 1;
      accepted.push(state.runs.number(prepared.line, n) ?? n);
      lines.push(prepared);
      waiting.push(one);
      length += prepared.body.length + (prepared.output?.length ?? 0);
    }
    this.#queue = this.#queue.filter((one) => !refused.has(one));
    this.#alone = Math.max(0, this.#alone - waiting.length - refused.size);
    return { id: randomUUID(), waiting, lines, accepted };
  }

  /** True when the batch is durable. Otherwise nothing of it is taken, or `#unknown` says that nobody knows. */
  async #commit(connection: Connection, batch: TakenBatch, month: number): Promise<boolean> {
    const { replica, news, daemonId } = this.#parts;
    const { id, lines, accepted } = batch;
    const after = replica.seen.n;
    replica.expect({ id, month, first: after + 1, lines: lines.map(({ line }) => line) });
    // Sent together: the head is held no longer than the database works. When the lines fail, there is no commit.
    const isTold = news.isDue();
    const statements = new StatementList();
    const toldOn = isTold ? news.channel : undefined;
    addAppend(statements, { id, after, month, lines, accepted, owner: daemonId, toldOn });
    statements.queryNamed("commit", "commit");
    try {
      await connection.askTogether(statements);
    } catch (error) {
      if (error instanceof StorageAway) {
        this.#unknown = { batch, first: after + 1, month };
        throw error;
      }
      replica.dropOwn(id);
      if (!isRowRefused(error)) throw error;
      // The server said no, so nothing is committed, whether or not this is answered.
      await connection.query("rollback");
      await this.#blame(connection, batch, error);
      return false;
    }
    news.wrote(after + lines.length, { isTold });
    return true;
  }

  /** A check of the database refused a batch: which line it was shows when each is written alone. */
  async #blame(connection: Connection, { waiting, lines }: TakenBatch, error: unknown): Promise<void> {
    const [only, ...others] = waiting;
    const [prepared] = lines;
    if (only === undefined || prepared === undefined) return;
    if (others.length > 0) {
      this.#alone = waiting.length;
      return;
    }
    const isFree = await inTransaction(connection, async (queries) => {
      await queries.query(LOCK_HEAD);
      return await freeLeftOver(queries, error, prepared.line);
    });
    if (isFree) return;
    this.#queue = this.#queue.filter((one) => one !== only);
    if (isKeyUsed(error)) only.reject(new IdempotencyKeyUsed());
    else only.reject(new LineRefused(`the database refused the line: ${errorText(error)}`, { cause: error }));
  }

  /** Returns false when a batch whose answer was lost turned out to be durable and nothing is left to write. */
  async #learnOutcome(
    connection: Connection,
    { batch, first, month }: { readonly batch: TakenBatch; readonly first: number; readonly month: number },
  ): Promise<boolean> {
    // The session that was lost may still be at its commit. It holds the head until that has ended, one way or the other.
    const [, , found] = await connection.queryEach<Record<string, unknown>>(
      `begin; ${LOCK_HEAD}; select batch from lines where month = ${month} and n = ${first}; commit`,
    );
    this.#unknown = undefined;
    if (found?.[0]?.["batch"] === batch.id) {
      this.#end(batch);
      // Whether the word of its commit reached the others, nobody knows either.
      this.#parts.news.wrote(first + batch.lines.length - 1, { isTold: false });
    } else this.#parts.replica.dropOwn(batch.id);
    return this.#queue.length > 0;
  }

  #end({ id, waiting }: TakenBatch): void {
    this.#parts.replica.settleOwn(id);
    const done = new Set(waiting);
    this.#queue = this.#queue.filter((one) => !done.has(one));
    for (const { resolve } of waiting) resolve();
  }

  /** What may wait is refused. Of what may have been committed nobody knows, so it waits too. */
  async #waitForDatabase(error: StorageAway, misses: number): Promise<void> {
    this.#parts.onReached(error);
    const unknown = new Set(this.#unknown?.batch.waiting);
    const isRefused = (one: Waiting) => this.#waitsEnded || (!unknown.has(one) && this.#mayRefuse(one.transaction));
    // The first miss may be a connection that was cut; a database that is there writes all of it at once.
    if (misses > 0 || this.#waitsEnded) {
      const refused = new Set(this.#queue.filter(isRefused));
      this.#queue = this.#queue.filter((one) => !refused.has(one));
      for (const one of refused) {
        one.reject(unknown.has(one) ? new OutcomeUnknown(error.message, { cause: error }) : error);
      }
    }
    const ms = AGAIN_MS[Math.min(misses, AGAIN_MS.length - 1)];
    await delay(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  /** What a line that follows from the money would be, is asked of what is known now. */
  #mayRefuse(transaction: Transaction): boolean {
    if ("line" in transaction) return mayWait(transaction.line);
    try {
      return mayWait(transaction.write(moneyReads(this.#parts.replica.state.book, transaction.of)));
    } catch {
      return true;
    }
  }
}

/**
 * What each batch asks first, planned once for the session. Whatever the tables are like when a plan is made, it goes by an
 * index: they grow. The month is that of the database's clock, and never goes back.
 */
const PREPARE = `
set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off;
prepare lock_head as
select n, greatest(month, to_char(clock_timestamp() at time zone 'UTC', 'YYYYMM')::integer) as month from head for update;
prepare unseen (bigint, integer) as ${UNSEEN};
prepare alive (text) as select 1 from daemons where id = $1 and not fenced`;

function unseenAfter(n: number, month: number): string {
  return `execute unseen (${n}, ${month})`;
}

function aliveOf(daemonId: string): string {
  return `execute alive ('${daemonId.replaceAll("'", "''")}')`;
}
