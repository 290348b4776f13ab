import { errorText } from "../../../shared/error-text.ts";
import { withinTime } from "../../base/within-time.ts";
import { StorageAway } from "../../ledger/transaction/commit-errors.ts";
import { Connection, type ConnectionOptions, type Queries, type Row } from "./connection.ts";
import { isFull, isLockError } from "./database-errors.ts";
import { type DatabaseAddress, parseDatabaseUrl } from "./database-url.ts";
import { DatabaseRefused, loginRefusal } from "./login-refused.ts";

const CONNECTIONS = 8;
/** A paused daemon stops no other for longer. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** So long a close waits for answers. */
const CLOSE_GRACE_MS = 1_000;
const MAX_TRIES = 5;

export interface DatabaseOptions {
  /** postgres://user:password@host:5432/name; several hosts for a failover. Never logged. */
  readonly url: string;
  /** Certificates in PEM that are trusted instead of the system's. */
  readonly ca?: string | undefined;
  /** Connections for reads and small writes, beside one for commits and one that listens. */
  readonly connections?: number | undefined;
  /** The server ends a session that stands still in a transaction for so long: 5,000, and with a short lease half of it. */
  readonly leaseMs?: number | undefined;
}

/** Connections to one database, on whichever of its hosts takes writes. */
export class Database implements AsyncDisposable {
  readonly address: DatabaseAddress;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #idle: Connection[] = [];
  /** Of the pool, each with what is under way on it. */
  readonly #busy = new Map<Connection, Promise<unknown>>();
  readonly #waiting: ((connection: Connection | undefined) => void)[] = [];
  #open = 0;
  /** Index of the host that was reached last. */
  #host = 0;
  #wasReached = false;
  #isClosed = false;

  /** Throws `DatabaseUrlInvalid`. Connects when it is first asked. */
  constructor({ url, ca, connections = CONNECTIONS, leaseMs = Infinity }: DatabaseOptions) {
    this.address = parseDatabaseUrl(url, ca);
    this.#most = connections;
    this.#idleMs = Math.min(IDLE_IN_TRANSACTION_MS, leaseMs / 2);
  }

  /** For metrics: connections of the pool in all, those that do nothing, and callers that wait for one. */
  get pool(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.#open, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /** One statement of its own. Rejects with `StorageAway` while the database cannot be reached. */
  query<Found extends Row = Row>(text: string, values?: readonly unknown[]): Promise<Found[]> {
    return this.#with((connection) => connection.query<Found>(text, values));
  }

  /** As `query`; the text is planned once for each connection. */
  queryNamed<Found extends Row = Row>(name: string, text: string, values: readonly unknown[]): Promise<Found[]> {
    return this.#with((connection) => connection.queryNamed<Found>(name, text, values));
  }

  /**
   * Does `work` in one transaction, which ends with a rollback when it throws. It is done again after a deadlock. When the
   * connection is lost while it ends, it may have been done, although this rejects with `StorageAway`. With `mostMs`, one of its
   * statements may take that long.
   */
  async transaction<Result>(
    work: (queries: Queries) => Promise<Result>,
    { mostMs }: Pick<ConnectionOptions, "mostMs"> = {},
  ): Promise<Result> {
    const doWork = (connection: Connection) => inTransaction(connection, work);
    for (let tries = 1; ; tries += 1) {
      try {
        return await (mostMs === undefined ? this.#with(doWork) : this.#alone({ mostMs }, doWork));
      } catch (error) {
        if (!isLockError(error) || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** A connection of its own, outside of the pool; the caller closes it. Rejects with `StorageAway` or `DatabaseRefused`. */
  async connect(options: ConnectionOptions = {}): Promise<Connection> {
    const { hosts } = this.address;
    let failure: unknown;
    for (let tries = 0; tries < hosts.length; tries += 1) {
      const index = (this.#host + tries) % hosts.length;
      const host = hosts[index];
      if (host === undefined) break;
      this.#refuseIfClosed();
      try {
        const connection = await Connection.open(this.address, host, { ...options, idleMs: this.#idleMs });
        this.#refuseIfClosed(connection);
        this.#host = index;
        this.#wasReached = true;
        return connection;
      } catch (error) {
        if (!(error instanceof StorageAway)) throw this.#refused(error);
        failure = error;
      }
    }
    throw failure;
  }

  /** Waits a moment for what is under way in the pool, and ends it then: a server that fell silent would never answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.close();
    await withinTime(Promise.allSettled(this.#busy.values()), CLOSE_GRACE_MS);
    for (const connection of this.#busy.keys()) connection.close();
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }

  /** Also one that was opened while the others were closed: nobody would close it. */
  #refuseIfClosed(opened?: Connection): void {
    if (!this.#isClosed) return;
    opened?.close();
    throw new StorageAway(`The connections to ${this.address.shown} are closed`);
  }

  /** A login or a certificate that served before may do so again: what must not be lost waits for whoever mends it. */
  #refused(error: unknown): unknown {
    const why = loginRefusal(error);
    const refused = `The database ${this.address.shown} does not let mkt in`;
    if (this.#wasReached) return new StorageAway(`${refused} any more: ${why ?? errorText(error)}`, { cause: error });
    return why === undefined ? error : new DatabaseRefused(`${refused}: ${why}`, { cause: error });
  }

  async #with<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take();
    this.#refuseIfClosed(connection);
    const working = work(connection);
    this.#busy.set(connection, working);
    try {
      return await working;
    } finally {
      this.#busy.delete(connection);
      this.#giveBack(connection);
    }
  }

  async #alone<Result>(options: ConnectionOptions, work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.connect(options);
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  }

  async #take(): Promise<Connection> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined) {
        if (!idle.isBroken) return idle;
        this.#open -= 1;
        continue;
      }
      if (this.#open < this.#most) {
        this.#open += 1;
        try {
          return await this.connect();
        } catch (error) {
          this.#open -= 1;
          // The server has no room for one more, and this daemon has some that will be free.
          if (!isFull(error) || this.#open === 0) {
            this.#waiting.shift()?.(undefined);
            throw error;
          }
        }
      }
      const given = await new Promise<Connection | undefined>((resolve) => this.#waiting.push(resolve));
      if (given !== undefined) return given;
    }
  }

  #giveBack(connection: Connection): void {
    const next = this.#waiting.shift();
    if (connection.isBroken || this.#isClosed) {
      connection.close();
      this.#open -= 1;
      next?.(undefined);
    } else if (next !== undefined) next(connection);
    else this.#idle.push(connection);
  }
}

export async function inTransaction<Result>(
  connection: Connection,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  await connection.query("begin");
  let result: Result;
  try {
    result = await work(connection);
  } catch (error) {
    await connection.query("rollback").catch(() => undefined);
    throw error;
  }
  await connection.query("commit");
  return result;
}
