import { Socket } from "node:net";
import type { Client, ClientConfig, Query, QueryResult, QueryResultRow } from "pg";
import { errorText } from "../../../shared/error-text.ts";
import { StorageAway } from "../../ledger/transaction/commit-errors.ts";
import { isAway } from "./database-errors.ts";
import type { DatabaseAddress, DatabaseHost } from "./database-url.ts";
import type { StatementList } from "./statement-list.ts";

/** No statement of a daemon takes this long, except where it says so. */
const QUERY_TIMEOUT_MS = 60_000;
const INT8 = 20;

/*
 * A role, a database or a server may have other defaults than those that commits rely on: a statement sees what the lock before
 * it waited for, a wait ends by our own measure, and an acknowledged line is on the disk. docs/storage.md, P1.
 */
const SETTINGS = `
select current_setting('transaction_read_only') as ro,
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', '0', false),
  set_config('lock_timeout', '0', false),
  set_config('standard_conforming_strings', 'on', false),
  case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end`;

export type Row = QueryResultRow;

/** What can be asked, inside or outside of a transaction. */
export interface Queries {
  /** `values` are named $1, $2, … Rejects with `StorageAway` when the connection is gone. Numbers of 8 bytes are numbers. */
  query<Found extends Row = Row>(text: string, values?: readonly unknown[]): Promise<Found[]>;
}

export interface ConnectionOptions {
  /** What is asked before an answer came is sent at once, and answered in order. Each statement fails for itself. */
  readonly isPipelined?: boolean;
  /** How long a statement may take; absent: the usual time. */
  readonly mostMs?: number;
}

/** One session. After an error of the connection it is broken and answers nothing more. */
export class Connection implements Queries {
  readonly #client: Client;
  readonly #Query: typeof Query;
  /** Statements of lists that the session knows by name. */
  readonly #planned = new Set<string>();
  readonly #shown: string;
  #broken: Error | undefined;
  #underWay = 0;

  /**
   * A session that stands still in a transaction for `idleMs` is ended by the server, with its locks. Rejects with `StorageAway` if
   * the host cannot be reached, or takes no writes where it should.
   */
  static async open(
    address: DatabaseAddress,
    host: DatabaseHost,
    { idleMs, isPipelined = false, mostMs = QUERY_TIMEOUT_MS }: ConnectionOptions & { readonly idleMs: number },
  ): Promise<Connection> {
    const { default: pg } = await import("pg");
    const client = new pg.Client({
      ...configOf(address, host, pg.types.getTypeParser),
      idle_in_transaction_session_timeout: idleMs,
      pipeline: isPipelined,
      query_timeout: mostMs,
    });
    const connection = new Connection(client, pg.Query, address.shown);
    try {
      await client.connect();
      const [settings] = await connection.query<{ ro: string }>(SETTINGS);
      if (address.isWritable && settings?.ro === "on")
        throw new StorageAway(`${host.host}:${host.port} takes no writes`);
      return connection;
    } catch (error) {
      connection.close();
      throw connection.#told(error);
    }
  }

  private constructor(client: Client, query: typeof Query, shown: string) {
    this.#client = client;
    this.#Query = query;
    this.#shown = shown;
    client.on("error", (error) => this.#break(error));
    client.on("end", () => this.#break(new Error("Connection terminated")));
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  async query<Found extends Row = Row>(text: string, values?: readonly unknown[]): Promise<Found[]> {
    const [rows = []] = await this.queryEach<Found>(text, values);
    return rows;
  }

  /** The rows of each statement of a text; only a text without values may have several. */
  async queryEach<Found extends Row = Row>(text: string, values?: readonly unknown[]): Promise<Found[][]> {
    const result: QueryResult<Found> | QueryResult<Found>[] = await this.#ask(() =>
      this.#client.query<Found>(text, values === undefined ? undefined : [...values]),
    );
    return (Array.isArray(result) ? result : [result]).map(({ rows }) => rows);
  }

  /** The same text is parsed and planned once for this connection. */
  async queryNamed<Found extends Row = Row>(name: string, text: string, values: readonly unknown[]): Promise<Found[]> {
    return (await this.#ask(() => this.#client.query<Found>({ name, text, values: [...values] }))).rows;
  }

  /** Resolves when all of them are done, and rejects with the error of the first one that failed. */
  async askTogether(statements: StatementList): Promise<void> {
    let added: readonly string[] = [];
    await this.#ask(
      () =>
        new Promise<void>((resolve, reject) => {
          const query = new this.#Query({ text: "" }, (error) => (error ? reject(error) : resolve()));
          added = statements.sendWith(query, this.#planned);
          this.#client.query(query);
        }),
    );
    for (const name of added) this.#planned.add(name);
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on("notification", ({ channel, payload = "" }) => listener(channel, payload));
  }

  /** Calls `listener` once, when the connection is gone. */
  onBroken(listener: () => void): void {
    this.#client.once("end", listener);
  }

  /** Ends it at once, whatever is under way. */
  close(): void {
    this.#broken ??= new Error("Connection terminated");
    this.#leave();
    // One that sends ahead would wait for its answers first.
    if (this.#underWay > 0) this.#client.connection.stream.destroy();
  }

  async #ask<Result>(send: () => Promise<Result>): Promise<Result> {
    if (this.#broken !== undefined) throw this.#told(this.#broken);
    this.#underWay += 1;
    try {
      return await send();
    } catch (error) {
      if (isAway(error)) this.#break(error);
      throw this.#told(error);
    } finally {
      this.#underWay -= 1;
    }
  }

  #break(error: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = error instanceof Error ? error : new Error(errorText(error));
    this.#leave();
  }

  /** A server that went away without a word never answers the goodbye: the process must not wait for that. */
  #leave(): void {
    this.#client.end().catch(() => undefined);
    const { stream } = this.#client.connection;
    if (stream instanceof Socket) stream.unref();
  }

  #told(error: unknown): unknown {
    if (error instanceof StorageAway || !isAway(error)) return error;
    return new StorageAway(`The database ${this.#shown} cannot be used now: ${errorText(error)}`, { cause: error });
  }
}

function configOf(
  address: DatabaseAddress,
  { host, port }: DatabaseHost,
  parserOf: (oid: number, format?: "text") => unknown,
): ClientConfig {
  const { user, password, database, tls, applicationName, connectTimeoutMs, options } = address;
  return {
    host,
    port,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ssl: tls ?? false,
    application_name: applicationName,
    ...(options !== undefined && { options }),
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format?: "text") => (oid === INT8 ? Number : parserOf(oid, format))) as NonNullable<
        ClientConfig["types"]
      >["getTypeParser"],
    },
  };
}
