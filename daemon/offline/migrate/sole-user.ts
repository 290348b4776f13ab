import type { RunRecord } from "../../ledger/records/run-record.ts";
import { createIdSource } from "../../base/new-id.ts";
import { Lease } from "../../storage/postgres/cluster/lease.ts";
import { type MoveState, readMoveMark, removeMoveMark, writeMoveMark } from "../../storage/postgres/move-mark.ts";
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

export interface SoleUse {
  /** Names the database in messages. */
  readonly shown: string;
  /** What daemons that start from now on are told, and refuse to start. It outlives the move until that is complete. */
  readonly state: MoveState;
  readonly place: string;
}

/** Rejects with `DatabaseInUse`, and then leaves the mark as it was. */
export async function beSoleUser(database: Database, { shown, state, place }: SoleUse): Promise<SoleUser> {
  const id = createIdSource()();
  const lease = new Lease(database, id, LEASE_MS);
  // A renewal that fails is tried again; if the lease is lost, what others write is found by the comparison.
  await lease.begin({ onFenced: () => {}, onProblem: () => {} });
  const before = await readMoveMark(database);
  // Before the look for others: a daemon that starts writes its row first and looks for the mark then, so one of both sees the other.
  await writeMoveMark(database, state, place);
  const others = await database.query(
    "select 1 from daemons where id <> $1 and not fenced and lease_until > clock_timestamp()",
    [id],
  );
  if (others.length > 0) {
    if (before === undefined) await removeMoveMark(database);
    else await writeMoveMark(database, before.state, before.place);
    await lease.end();
    throw new DatabaseInUse(shown);
  }
  return {
    async leave(runs) {
      await database.query(
        "insert into run_owners (run_id, owner) select unnest($1::text[]), $2 on conflict (run_id) do nothing",
        [runs.map(({ runId }) => runId), id],
      );
    },
    async [Symbol.asyncDispose]() {
      // Otherwise its row is removed from the living when its lease is over.
      await lease.end().catch(() => undefined);
    },
  };
}
