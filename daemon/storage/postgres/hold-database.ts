import type { Connection } from "./connection.ts";
import { Database, type DatabaseOptions } from "./database.ts";

/** Any number that nothing else takes as its advisory lock in the same database. */
const LOCK = 7_241_107_020;
const AGAIN_MS = 1_000;

/** Another daemon works on the database. */
export class DatabaseInUse extends Error {
  override readonly name = "DatabaseInUse";

  constructor(shown: string) {
    super(
      `The database ${shown} is in use by another daemon. One daemon at a time works on a database in this version; stop the other one first`,
    );
  }
}

/**
 * Holds the database for one daemon, until it is disposed of: two would drive the same runs. When the session is lost it is
 * taken again; `onLost` is called when another daemon was faster. Rejects with `DatabaseInUse` or `StorageAway`.
 */
export async function holdDatabase(options: DatabaseOptions, onLost: () => void): Promise<AsyncDisposable> {
  const database = new Database({ ...options, connections: 1 });
  const hold = new Hold(database, onLost);
  try {
    if (!(await hold.take())) throw new DatabaseInUse(database.address.shown);
    return hold;
  } catch (error) {
    await hold[Symbol.asyncDispose]();
    throw error;
  }
}

class Hold implements AsyncDisposable {
  readonly #database: Database;
  readonly #onLost: () => void;
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: Database, onLost: () => void) {
    this.#database = database;
    this.#onLost = onLost;
  }

  /** False: another session holds it. */
  async take(): Promise<boolean> {
    const connection = await this.#database.connect();
    const [row] = await connection.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [LOCK]);
    if (row?.taken !== true) {
      connection.close();
      return false;
    }
    this.#connection = connection;
    connection.onBroken(() => this.#again());
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#connection?.close();
    await this.#database[Symbol.asyncDispose]();
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.take().then(
        (isTaken) => {
          if (!isTaken && !this.#isClosed) this.#onLost();
        },
        () => this.#again(),
      );
    }, AGAIN_MS).unref();
  }
}
