import { setTimeout as delay } from "node:timers/promises";
import { StorageAway } from "../../../ledger/commit-errors.ts";
import { LOCK_HEAD } from "../append.ts";
import type { Database } from "../database.ts";
import { DaemonFenced } from "../database-errors.ts";

/** A lease that ends this soon is asked about before anything is done outside of the database. */
const MARGIN_MS = 500;
const AGAIN_MS = 200;

/** The right of this daemon to drive its runs: a row that it renews, and that others take from it when it does not. */
export class Lease {
  readonly #database: Database;
  readonly #daemonId: string;
  readonly #ms: number;
  /** By the clock of the process: when the renewal that succeeded last was sent. The lease holds for this long after it. */
  #sentAtMs = -Infinity;
  /** By the clock of the process: until then no other daemon is fenced by this one. */
  #patientUntilMs: number;

  constructor(database: Database, daemonId: string, ms: number) {
    this.#database = database;
    this.#daemonId = daemonId;
    this.#ms = ms;
    // The others may have been cut off from the database together with this one.
    this.#patientUntilMs = performance.now() + ms;
  }

  /** Before the first line of this daemon. */
  async begin(): Promise<void> {
    const sentAtMs = performance.now();
    await this.#database.query(`insert into daemons (id, lease_until) values ($1, ${LEASE_END})`, [
      this.#daemonId,
      this.#ms,
    ]);
    this.#sentAtMs = sentAtMs;
  }

  /** Renews it when a third of it is over. Rejects with `DaemonFenced`, or `StorageAway`. */
  async renew(): Promise<void> {
    if (performance.now() - this.#sentAtMs >= this.#ms / 3) await this.#renewNow();
  }

  /** Resolves when it certainly holds, as soon as the database says so. Rejects with `DaemonFenced`. */
  async confirm(): Promise<void> {
    while (performance.now() > this.#sentAtMs + this.#ms - MARGIN_MS) {
      try {
        await this.#renewNow();
      } catch (error) {
        if (!(error instanceof StorageAway)) throw error;
        await delay(AGAIN_MS);
      }
    }
  }

  /**
   * Fences the daemons whose leases are over, so that they write nothing more. Not before a whole lease has passed since this
   * daemon itself reached the database again: the others may need as long.
   */
  async fenceSilent(): Promise<readonly string[]> {
    if (performance.now() < this.#patientUntilMs) return [];
    const silent = `not fenced and lease_until < clock_timestamp() and id <> $1`;
    const found = await this.#database.query(`select id from daemons where ${silent}`, [this.#daemonId]);
    if (found.length === 0) return [];
    return await this.#database.transaction(async (queries) => {
      await queries.query(LOCK_HEAD);
      const fenced = await queries.query<{ id: string }>(
        `update daemons set fenced = true where ${silent} returning id`,
        [this.#daemonId],
      );
      return fenced.map(({ id }) => id);
    });
  }

  /** Gives it back, so that others have this daemon's runs at once. */
  async end(): Promise<void> {
    await this.#database.query("delete from daemons where id = $1", [this.#daemonId]);
  }

  async #renewNow(): Promise<void> {
    const sentAtMs = performance.now();
    const renewed = await this.#database.query(
      `update daemons set lease_until = ${LEASE_END} where id = $1 and not fenced returning id`,
      [this.#daemonId, this.#ms],
    );
    if (renewed.length === 0) throw new DaemonFenced(this.#daemonId);
    if (sentAtMs - this.#sentAtMs > this.#ms * 0.75) this.#patientUntilMs = performance.now() + this.#ms;
    this.#sentAtMs = sentAtMs;
  }
}

const LEASE_END = "clock_timestamp() + $2::float8 * interval '1 millisecond'";
