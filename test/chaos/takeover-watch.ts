type Query = (text: string) => Promise<Record<string, unknown>[]>;

/*
 * The database writes down when a run gets another owner, in the transaction that does it, with what was known then: until when the
 * lease of the old owner went, and since when daemons had reached the database. So nothing that this process waits for counts.
 */
const WATCH = `
create table watched_takeovers (
  at timestamptz not null,
  lease_until timestamptz,
  reached_since timestamptz not null,
  started timestamptz not null
);
create function watch_takeover() returns trigger language plpgsql as $$
begin
  insert into watched_takeovers
  select clock_timestamp(), (select lease_until from daemons where id = old.owner), since, pg_postmaster_start_time() from reached;
  return null;
end $$;
create trigger watch_takeover after update of owner on run_owners
for each row when (old.owner is distinct from new.owner) execute function watch_takeover()`;

/** Nobody takes over before the lease is over, in the first lease after an outage, or while there is no database. */
const late = (leaseSeconds: number) => `
select count(*)::int as runs,
  coalesce(max(extract(epoch from at - greatest(lease_until, reached_since + interval '${leaseSeconds} seconds', started))), 0)::float8 as late,
  coalesce(min(extract(epoch from at - lease_until)), 0)::float8 as soonest
from watched_takeovers where lease_until is not null`;

/** Shows by the database's clock how long runs stay with a daemon whose lease is over. */
export class TakeoverWatch {
  readonly #query: Query;
  readonly #leaseSeconds: number;

  /** When the tables are there. */
  static async begin(query: Query, leaseSeconds: number): Promise<TakeoverWatch> {
    await query(WATCH);
    return new TakeoverWatch(query, leaseSeconds);
  }

  private constructor(query: Query, leaseSeconds: number) {
    this.#query = query;
    this.#leaseSeconds = leaseSeconds;
  }

  /**
   * Of runs whose daemon did not leave by itself. In seconds from the end of a lease to the takeover: the longest, `late`, not
   * counting what nobody may do anything in, and the shortest, `soonest`, which is not below 0.
   */
  async end(): Promise<{ readonly runs: number; readonly late: number; readonly soonest: number }> {
    const [row] = await this.#query(late(this.#leaseSeconds));
    return { runs: Number(row?.["runs"]), late: Number(row?.["late"]), soonest: Number(row?.["soonest"]) };
  }
}
