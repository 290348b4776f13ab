import { setTimeout as delay } from "node:timers/promises";
import type { RunId } from "../../base/ids.ts";
import { withinTime } from "../../base/within-time.ts";
import { StorageAway, StorageFailed } from "../../ledger/transaction/commit-errors.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import { keyLabelsOf } from "../book/identity-book.ts";
import { History } from "../history.ts";
import { storeReads } from "../store-reads.ts";
import type { Store } from "../store.ts";
import { BatchWriter } from "./batch-writer.ts";
import { SchemaUnknown } from "./database-errors.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { DatabasePart } from "./database-part.ts";
import { holdEarlier, keepKeysSwept } from "./last-guards.ts";
import { EARLIER_CHANNEL, LineNews, linesChannel } from "./line-news.ts";
import { type ChannelListener, Listener } from "./listener.ts";
import { LogReader } from "./log-reader.ts";
import { checkSchema, migrate } from "./migrate.ts";
import { migrations as allMigrations } from "./migrations/all.ts";
import type { Migration } from "./migrations/migration.ts";
import { Months } from "./months.ts";
import { Outputs, type RemovedOutputs } from "./outputs.ts";
import { type LineListener, Replica } from "./replica.ts";
import { encodeState, newestSnapshot, readSnapshot, writeSnapshot } from "./snapshots.ts";

/** What was told and lost is found by looking. */
const LOOK_EVERY_MS = 3_000;
/** So often the parts of the next month are made, if they are not there. */
const MONTHS_EVERY_MS = 3_600_000;
/** The same after it failed, which is told each time. */
const MONTHS_AGAIN_MS = 600_000;
/** A snapshot is taken after so many lines. */
const SNAPSHOT_EVERY = 20_000;
/** At its end, a daemon leaves one when a start would have to read more lines than this. */
const SNAPSHOT_AT_END = 1_000;
/** So long a close waits for a database that is away. */
const CLOSE_GRACE_MS = 5_000;
/** So long it waits for what need not be done: removing what is old, and a last word to daemons that look anyway. */
const SILENT_GRACE_MS = 1_000;
/** And for a last snapshot. With the leave of the cluster before it, a close ends within the limit of a stop. */
const SNAPSHOT_GRACE_MS = 2_000;

export interface PostgresStoreOptions extends DatabaseOptions {
  /** The row of this daemon in `daemons`, checked in each commit; absent for tools, which nobody fences. */
  readonly daemonId?: string | undefined;
  /**
   * Called once when nothing more can be acknowledged: `DaemonFenced`, `DatabaseWentBack`, `DatabaseCorrupt` or another error
   * that does not go away. The process should end.
   */
  readonly onFatal: (error: StorageFailed) => void;
  /** Background work failed; nothing is lost, and it is tried again. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
  /** Called once when the database cannot be used any more, with the reason, and once without when it is back. */
  readonly onReached?: ((away?: StorageAway) => void) | undefined;
  /** Lines became durable with one commit, which took this many milliseconds. */
  readonly onCommitted?: ((lines: readonly Line[], ms: number) => void) | undefined;
  /** False: tables of an older version are refused instead of changed. */
  readonly mayChangeSchema?: boolean | undefined;
  /** Only tests pass other ones. */
  readonly migrations?: readonly Migration[] | undefined;
  readonly snapshotEvery?: number | undefined;
}

/** A store that any number of daemons share. */
export interface PostgresStore extends Store {
  readonly database: Database;
  readonly daemonId: string | undefined;
  /** Resolves when every line that any daemon acknowledged before the call is seen here. Rejects with `StorageAway`. */
  refresh(): Promise<void>;
  /** Number of the newest change of a document, as the last `refresh` found it; undefined: ask the documents. */
  newestDocument(): number | undefined;
  /** A run that has not ended, whichever daemon drives it. */
  findOpenRun(runId: RunId): RunRecord | undefined;
  /** Calls `listener` with every line that is settled from now on, of all daemons, before the next one is taken. */
  watchLines(listener: LineListener): void;
  /** Hears what is told with NOTIFY. Undefined: something may have been missed. */
  listen(channel: string, listener: ChannelListener): void;
  /** As `OutputCleaner.removeOutputs`. */
  removeOutputs(times: { readonly before: string; readonly at: string }): Promise<RemovedOutputs>;
  /** Time of the newest line at the start, ISO 8601; undefined in an empty database. */
  readonly lastLineAt: string | undefined;
  /** Its number; 0 in an empty database. */
  readonly lastNumber: number;
  /** Since when the database cannot be used, ISO 8601; undefined while it can. */
  awaySince(): string | undefined;
  /** The process ends: what waits for the database is tried once more, and fails. */
  endWaits(): void;
}

/**
 * Opens the store in a PostgreSQL database, and brings its tables to this version. Rejects with `DatabaseUrlInvalid`,
 * `SchemaUnknown`, `StorageAway` or an error of the database.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { mayChangeSchema = true, migrations = allMigrations } = options;
  const database = new Database(options);
  try {
    await migrate(database, { migrations, mayChange: mayChangeSchema });
    const replica = new Replica(database.address.shown, await readSnapshot(database));
    const reader = new LogReader(database, replica);
    await reader.refresh();
    const outputs = new Outputs(database);
    await outputs.readRemovals();
    if (options.daemonId !== undefined) await holdEarlier(database, replica.state.book);
    const channel = await linesChannel(database);
    return await PostgresBackEnd.start(options, { database, replica, reader, outputs, migrations, channel });
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

interface BackEndParts {
  readonly database: Database;
  readonly replica: Replica;
  readonly reader: LogReader;
  readonly outputs: Outputs;
  readonly migrations: readonly Migration[];
  /** On which daemons tell of new lines. */
  readonly channel: string;
}

class PostgresBackEnd {
  readonly #options: PostgresStoreOptions;
  readonly #parts: BackEndParts;
  readonly #writer: BatchWriter;
  readonly #listener: Listener;
  readonly #news: LineNews;
  readonly #look: NodeJS.Timeout;
  readonly #months: Months;
  readonly #sweeping: AsyncDisposable | undefined;
  /** When the next month is looked for, by the clock of the process. */
  #monthsDueMs = -Infinity;
  #awaySince: string | undefined;
  #snapshotAt: number;
  #snapshotting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  static async start(options: PostgresStoreOptions, parts: BackEndParts): Promise<PostgresStore> {
    const { database, replica } = parts;
    const lastLineAt = await readLastLineAt(database, replica);
    const backEnd = new PostgresBackEnd(options, parts, await newestSnapshot(database));
    await backEnd.#listener.start();
    return backEnd.#store(lastLineAt);
  }

  private constructor(options: PostgresStoreOptions, parts: BackEndParts, snapshotAt: number) {
    this.#options = options;
    this.#parts = parts;
    this.#snapshotAt = snapshotAt;
    const { database, replica, channel } = parts;
    this.#months = new Months(database);
    this.#news = new LineNews({ channel, database, replica, look: () => this.#refresh() });
    this.#writer = new BatchWriter({
      database,
      replica,
      news: this.#news,
      months: this.#months,
      daemonId: options.daemonId,
      onCommitted: (lines, ms) => this.#committed(lines, ms),
      onFatal: options.onFatal,
      onReached: (away) => this.#noteReached(away),
    });
    this.#listener = new Listener(database);
    this.#listener.listen(channel, (payload) => this.#news.hear(payload));
    this.#listener.listen(EARLIER_CHANNEL, (payload) => this.#news.hearEarlier(payload));
    if (options.daemonId !== undefined) this.#sweeping = keepKeysSwept(database, (error) => this.#tellProblem(error));
    this.#look = setInterval(() => void this.#lookAgain(), LOOK_EVERY_MS).unref();
  }

  #store(lastLineAt: string | undefined): PostgresStore {
    const { database, replica, outputs } = this.#parts;
    const { state } = replica;
    const part = new DatabasePart(database, outputs);
    const history = new History(state.runs, part, outputs, keyLabelsOf(state.book.identity));
    return {
      commit: async (transaction) => await this.#writer.commit(transaction),
      ...storeReads(state, history),
      hasRoom: () => true,
      database,
      daemonId: this.#options.daemonId,
      refresh: () => this.#refresh(),
      newestDocument: () => this.#parts.reader.documents,
      findOpenRun: (runId) => state.runs.find(runId),
      watchLines: (listener) => replica.watch(listener),
      listen: (channel, listener) => this.#listener.listen(channel, listener),
      removeOutputs: (times) => outputs.remove(times),
      lastLineAt,
      lastNumber: replica.seen.n,
      awaySince: () => this.#awaySince,
      endWaits: () => this.#writer.endWaits(),
      close: () => this.#close(),
      [Symbol.asyncDispose]: () => this.#close(),
    };
  }

  async #refresh(): Promise<void> {
    try {
      await this.#parts.reader.refresh();
      this.#news.noteRead();
      this.#noteReached();
    } catch (error) {
      if (error instanceof StorageFailed) this.#writer.fail(error);
      if (error instanceof StorageAway) this.#noteReached(error);
      throw error;
    }
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#refresh();
      await this.#parts.outputs.readRemovals();
      await checkSchema(this.#parts.database, this.#parts.migrations);
      await this.#prepareMonths();
    } catch (error) {
      if (this.#closing !== undefined) return;
      // What it would write might not be what the tables mean by now.
      if (error instanceof SchemaUnknown) this.#writer.fail(new StorageFailed(error.message, { cause: error }));
      this.#tellProblem(error);
    }
  }

  #tellProblem(error: unknown): void {
    if (this.#closing === undefined && !(error instanceof StorageAway)) this.#options.onProblem?.(error);
  }

  async #prepareMonths(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs < this.#monthsDueMs) return;
    this.#monthsDueMs = nowMs + MONTHS_AGAIN_MS;
    await this.#months.addNext();
    this.#monthsDueMs = nowMs + MONTHS_EVERY_MS;
  }

  #noteReached(away?: StorageAway): void {
    const wasAway = this.#awaySince !== undefined;
    if (away === undefined) this.#awaySince = undefined;
    else this.#awaySince ??= new Date().toISOString();
    if (wasAway === (away !== undefined) || this.#closing !== undefined) return;
    this.#options.onReached?.(away);
  }

  #committed(lines: readonly Line[], ms: number): void {
    this.#options.onCommitted?.(lines, ms);
    const { snapshotEvery = SNAPSHOT_EVERY } = this.#options;
    if (this.#parts.replica.seen.n >= this.#snapshotAt + snapshotEvery) this.#snapshotting ??= this.#snapshot();
  }

  async #snapshot(): Promise<void> {
    const { database, replica } = this.#parts;
    const { seen, state } = replica;
    try {
      this.#snapshotAt = await newestSnapshot(database);
      const { snapshotEvery = SNAPSHOT_EVERY } = this.#options;
      // Another daemon may have taken one.
      if (seen.n < this.#snapshotAt + Math.min(snapshotEvery, SNAPSHOT_AT_END)) return;
      const [n, body] = [replica.seen.n, encodeState(state, replica.seen)];
      await writeSnapshot(database, n, body);
      this.#snapshotAt = n;
    } catch (error) {
      // It may fail again, and makes everybody wait: not at the next line, but after as many as before.
      this.#snapshotAt = seen.n;
      this.#tellProblem(error);
    } finally {
      this.#snapshotting = undefined;
    }
  }

  #close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    clearInterval(this.#look);
    const closed = new AbortController();
    delay(CLOSE_GRACE_MS, undefined, { signal: closed.signal, ref: false }).then(
      () => this.#writer.endWaits(),
      () => undefined,
    );
    if (this.#sweeping !== undefined) await withinTime(this.#sweeping[Symbol.asyncDispose](), SILENT_GRACE_MS);
    await this.#writer.close();
    closed.abort();
    await withinTime(this.#leaveSnapshot(), SNAPSHOT_GRACE_MS);
    if (this.#awaySince === undefined) await withinTime(this.#news[Symbol.asyncDispose](), SILENT_GRACE_MS);
    await this.#listener[Symbol.asyncDispose]();
    await this.#parts.database[Symbol.asyncDispose]();
  }

  /** A start without it reads more lines: nothing that a close must wait for. */
  async #leaveSnapshot(): Promise<void> {
    await this.#snapshotting;
    const isWorthOne = this.#parts.replica.seen.n >= this.#snapshotAt + SNAPSHOT_AT_END;
    if (isWorthOne && this.#awaySince === undefined) await this.#snapshot();
  }
}

async function readLastLineAt(database: Database, { seen }: Replica): Promise<string | undefined> {
  const [row] = await database.query<{ body: string }>("select body from lines where month = $1 and n = $2", [
    seen.month,
    seen.n,
  ]);
  return row === undefined ? undefined : (JSON.parse(row.body) as Line).at;
}
