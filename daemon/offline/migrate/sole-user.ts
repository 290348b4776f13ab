import type { RunRecord } from "../../ledger/run-record.ts";
import { createIdSource } from "../../base/new-id.ts";
import { Lease } from "../../storage/postgres/cluster/lease.ts";
import type { Database } from "../../storage/postgres/database.ts";

const LEASE_MS = 15_000;

/** Daemons work on the database, or another move does. */
export class DatabaseInUse extends Error {
  override readonly name = "DatabaseInUse";

  constructor(shown: string) {
    super(
      `The database ${shown} is in use: a daemon or another move works on it. Stop every daemon first; one that was killed ` +
        "is gone when its lease is over, in half a minute",
    );
  }
}

/** A move's own row among the daemons, so that a second move sees the first. */
export interface SoleUser extends AsyncDisposable {
  /** Leaves open runs to the daemon that starts next. May be called again after a move that was interrupted. */
  leave(runs: readonly RunRecord[]): Promise<void>;
}

/** A daemon that starts meanwhile is not refused; what it writes is found when both sides are compared. Rejects with `DatabaseInUse`. */
export async function beSoleUser(database: Database, shown: string): Promise<SoleUser> {
  const id = createIdSource()();
  const lease = new Lease(database, id, LEASE_MS);
  await lease.begin();
  const others = await database.query(
    "select 1 from daemons where id <> $1 and not fenced and lease_until > clock_timestamp()",
    [id],
  );
  if (others.length > 0) {
    await lease.end();
    throw new DatabaseInUse(shown);
  }
  // A renewal that fails is tried again; if the lease is lost, what others write is found by the comparison.
  const renewing = setInterval(() => void lease.renew().catch(() => undefined), LEASE_MS / 5).unref();
  return {
    async leave(runs) {
      await database.query(
        "insert into run_owners (run_id, owner) select unnest($1::text[]), $2 on conflict (run_id) do nothing",
        [runs.map(({ runId }) => runId), id],
      );
    },
    async [Symbol.asyncDispose]() {
      clearInterval(renewing);
      // Otherwise its row is removed from the living when its lease is over.
      await lease.end().catch(() => undefined);
    },
  };
}
