import { setTimeout as delay } from "node:timers/promises";
import { StorageAway } from "../../../ledger/transaction/commit-errors.ts";
import { LOCK_HEAD } from "../append.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../database.ts";
import { DaemonFenced } from "../database-errors.ts";

/** A lease that ends this soon is asked about before anything is done outside of the database. */
const MARGIN_MS = 500;
const AGAIN_MS = 200;
/** Parts of a lease: after so long it is renewed, */
const RENEW_AFTER = 0.25;
/** a renewal without an answer is given up, */
const HANGS_AFTER = 0.4;
/** and when no daemon was heard of for so long, the database was away for all of them, as far as anybody can tell. */
const OUTAGE_AFTER = 0.5;
/** Rows of fenced daemons are kept for people who look what happened. */
const KEPT = "1 day";

export interface LeaseListeners {
  /** Others have its runs; nothing is renewed any more. */
  readonly onFenced: (error: DaemonFenced) => void;
  /** A renewal failed; it is tried again. */
  readonly onProblem: (error: unknown) => void;
}

/**
 * The right of this daemon to drive its runs: a row that it renews, and that others take from it when it does not. It has a
 * connection of its own, so that no other work makes a renewal wait.
 */
export class Lease {
  readonly #database: Database;
  readonly #daemonId: string;
  readonly #ms: number;
  /** By the clock of the process: when the renewal that succeeded last was sent. The lease holds for this long after it. */
  #sentAtMs = -Infinity;
  #connection: Connection | undefined;
  #renewing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, daemonId: string, ms: number) {
    this.#database = database;
    this.#daemonId = daemonId;
    this.#ms = ms;
  }

  /** Before the first line of this daemon. From now on it is renewed until its end. */
  async begin({ onFenced, onProblem }: LeaseListeners): Promise<void> {
    const sentAtMs = performance.now();
    await this.#database.query(BEGIN, [this.#daemonId, this.#ms]);
    this.#sentAtMs = sentAtMs;
    const renew = async () => {
      try {
        await this.#renew();
      } catch (error) {
        if (error instanceof DaemonFenced) {
          clearInterval(this.#timer);
          onFenced(error);
        } else if (this.#timer !== undefined) onProblem(error);
      }
    };
    this.#timer = setInterval(() => void renew(), this.#ms * RENEW_AFTER).unref();
  }

  /** How long it certainly still holds. */
  leftMs(): number {
    return Math.max(0, this.#sentAtMs + this.#ms - performance.now());
  }

  /** Resolves when it certainly holds, as soon as the database says so. Rejects with `DaemonFenced`. */
  async confirm(): Promise<void> {
    while (performance.now() > this.#sentAtMs + this.#ms - MARGIN_MS) {
      try {
        await this.#renew();
      } catch (error) {
        if (!(error instanceof StorageAway)) throw error;
        await delay(AGAIN_MS);
      }
    }
  }

  /**
   * Fences the daemons whose leases are over, so that they write nothing more. After an outage of the database not before a
   * whole lease has passed once more: the others may need as long to reach it again.
   */
  async fenceSilent(): Promise<readonly string[]> {
    const values = [this.#daemonId, this.#ms];
    const found = await this.#database.query(`select id from daemons where ${IS_SILENT}`, values);
    if (found.length === 0) return [];
    return await this.#database.transaction(async (queries) => {
      await queries.query(LOCK_HEAD);
      const fenced = await queries.query<{ id: string }>(
        `update daemons set fenced = true where ${IS_SILENT} returning id`,
        values,
      );
      await queries.query(FORGET_FENCED);
      return fenced.map(({ id }) => id);
    });
  }

  /** Gives it back, so that others have this daemon's runs at once. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#renewing?.catch(() => undefined);
    this.#connection?.close();
    await this.#database.query("delete from daemons where id = $1", [this.#daemonId]);
  }

  /** Whoever asks while a renewal is under way shares it. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#connection?.isBroken !== false) this.#connection = await this.#database.connect();
    const connection = this.#connection;
    // A host that went away without a word would be waited for until the lease is over.
    const hangs = setTimeout(() => connection.close(), this.#ms * HANGS_AFTER);
    try {
      const sentAtMs = performance.now();
      const renewed = await connection.query(RENEW, [this.#daemonId, this.#ms]);
      if (renewed.length === 0) throw new DaemonFenced(this.#daemonId);
      this.#sentAtMs = sentAtMs;
    } finally {
      clearTimeout(hangs);
    }
  }
}

const LEASE_END = "clock_timestamp() + $2::float8 * interval '1 millisecond'";

const NOTE_REACHED = `
update reached set
  since = case when last < clock_timestamp() - $2::float8 * ${OUTAGE_AFTER} * interval '1 millisecond' then clock_timestamp() else since end,
  last = clock_timestamp()`;

const BEGIN = `with reached as (${NOTE_REACHED}) insert into daemons (id, lease_until) values ($1, ${LEASE_END})`;

const RENEW = `
with renewed as (
  update daemons set lease_until = ${LEASE_END} where id = $1 and not fenced returning id
), noted as (
  ${NOTE_REACHED} where exists (select from renewed)
)
select id from renewed`;

const FORGET_FENCED = `
delete from daemons where fenced and lease_until < clock_timestamp() - interval '${KEPT}'
and not exists (select from run_owners where owner = daemons.id)`;

const IS_SILENT = `
not fenced and lease_until < clock_timestamp() and id <> $1
and (select since from reached) + $2::float8 * interval '1 millisecond' < clock_timestamp()`;
