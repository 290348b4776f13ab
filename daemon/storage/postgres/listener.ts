import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";

/** `payload` is undefined after the connection was lost: what was told meanwhile was missed, so look. */
export type ChannelListener = (payload: string | undefined) => void;

const AGAIN_MS = 1_000;

/** One connection that hears what daemons tell each other. It is opened again when it is lost. */
export class Listener implements AsyncDisposable {
  readonly #database: Database;
  readonly #channels = new Map<string, ChannelListener[]>();
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Rejects with `StorageAway`. */
  async start(): Promise<void> {
    const connection = await this.#database.connect();
    if (this.#isClosed) {
      connection.close();
      return;
    }
    this.#connection = connection;
    connection.onNotification((channel, payload) => {
      for (const listener of this.#channels.get(channel) ?? []) listener(payload);
    });
    connection.onBroken(() => {
      if (this.#connection === connection) this.#again();
    });
    for (const channel of this.#channels.keys()) await connection.query(`listen "${channel}"`);
  }

  /** Names of channels are plain words. */
  listen(channel: string, listener: ChannelListener): void {
    const known = this.#channels.get(channel);
    if (known !== undefined) {
      known.push(listener);
      return;
    }
    this.#channels.set(channel, [listener]);
    this.#connection?.query(`listen "${channel}"`).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#connection?.close();
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#connection?.close();
    this.#connection = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.start().then(
        () => {
          for (const listeners of this.#channels.values()) for (const listener of listeners) listener(undefined);
        },
        () => this.#again(),
      );
    }, AGAIN_MS).unref();
  }
}
