import type { RunId } from "../../../base/ids.ts";
import { withinTime } from "../../../base/within-time.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import { StorageAway, StorageFailed } from "../../../ledger/transaction/commit-errors.ts";
import type { PostgresStore } from "../postgres-store.ts";
import { Lease } from "./lease.ts";
import { Orders } from "./orders.ts";

/** How long a daemon may be silent before others take over its runs. */
const LEASE_MS = 10_000;
/** How often it is looked for what others left. A takeover is complete within the lease and two seconds. */
const LOOK_EVERY_MS = 500;
/** Runs that are taken over at once, so that several survivors share what a dead daemon left. */
const BLOCK = 200;
/** So long a close waits for what is under way, and then for the end of its lease. */
const WORK_GRACE_MS = 1_000;
const LEASE_GRACE_MS = 1_000;
/** An order waits for a takeover, and for some work of the daemon that takes over. */
const ORDER_SLACK_MS = 5_000;

export interface PostgresClusterOptions {
  /** Opened with the id of this daemon. */
  readonly store: PostgresStore;
  readonly leaseMs?: number | undefined;
  /** Another daemon has fenced this one: it writes nothing more, and the process should end. */
  readonly onFatal: (error: StorageFailed) => void;
  /** Something failed that is tried again. */
  readonly onProblem: (error: unknown) => void;
  /** Daemons were fenced by this one, or runs of fenced ones became this one's. */
  readonly onTakeover?: (what: { readonly fenced: readonly string[]; readonly runIds: readonly RunId[] }) => void;
  readonly onLeading?: () => void;
}

export interface PostgresCluster extends Cluster {
  /** For metrics. `leaseLeftMs` is by the clock of the process, and 0 when the lease is over. */
  facts(): { readonly leaseLeftMs: number; readonly isLeading: boolean };
  /** When its runs are left: others have them at once. Before the store is closed. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Joins the daemons that work on the database of the store; before the first line is written. */
export async function openPostgresCluster(options: PostgresClusterOptions): Promise<PostgresCluster> {
  const { daemonId } = options.store;
  if (daemonId === undefined) throw new Error("the store was opened without the id of a daemon");
  const member = new Member(options, daemonId);
  await member.join();
  return member;
}

class Member implements PostgresCluster {
  readonly daemonId: string;
  readonly leaseMs: number;
  readonly #options: PostgresClusterOptions;
  readonly #store: PostgresStore;
  readonly #lease: Lease;
  readonly #orders: Orders;
  #take: ((runIds: readonly RunId[]) => Promise<void>) | undefined;
  /** Runs may be this daemon's that it has not taken up: it failed in between, or an answer of the database was lost. */
  #mayOwnMore = false;
  #starts: (() => Promise<void>)[] = [];
  #isLeading = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresClusterOptions, daemonId: string) {
    const { store, leaseMs = LEASE_MS } = options;
    this.daemonId = daemonId;
    this.leaseMs = leaseMs;
    this.#options = options;
    this.#store = store;
    this.#lease = new Lease(store.database, daemonId, leaseMs);
    this.#orders = new Orders(store, daemonId, leaseMs + ORDER_SLACK_MS, (error) => this.#tellProblem(error));
  }

  async join(): Promise<void> {
    await this.#lease.begin({
      onFenced: (error) => this.#fail(error),
      onProblem: (error) => this.#tellProblem(error),
    });
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  watchLines: Cluster["watchLines"] = (listener) => this.#store.watchLines(listener);
  refresh: Cluster["refresh"] = async () => await this.#store.refresh();
  ask: Cluster["ask"] = async (runId, order) => await this.#orders.ask(runId, order);

  confirmLease: Cluster["confirmLease"] = async () => {
    try {
      await this.#lease.confirm();
    } catch (error) {
      if (error instanceof StorageFailed) this.#options.onFatal(error);
      throw error;
    }
  };

  serveOrders: Cluster["serveOrders"] = (carryOut) => {
    this.#orders.serve(carryOut);
    this.#orders.look();
  };

  takeOver: Cluster["takeOver"] = async (take) => {
    this.#take = take;
    await this.#look();
  };

  whenLeading: Cluster["whenLeading"] = (start) => {
    // Started by a look, after all that the leader before has written was read.
    this.#starts.push(start);
    if (this.#isLeading) void this.#look();
  };

  facts: PostgresCluster["facts"] = () => ({ leaseLeftMs: this.#lease.leftMs(), isLeading: this.#isLeading });

  tell: Cluster["tell"] = async (facts) => {
    await this.#store.database.query("update daemons set facts = facts || $2::jsonb where id = $1", [
      this.daemonId,
      JSON.stringify(facts),
    ]);
  };

  listOthers: Cluster["listOthers"] = async () => {
    const rows = await this.#store.database.query<OtherRow>(OTHERS, [this.daemonId]);
    return rows.map(({ id, facts }) => ({ daemonId: id, facts }));
  };

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    await withinTime(Promise.all([this.#looking, this.#orders.close()]), WORK_GRACE_MS);
    // If it fails or takes too long, the others wait for the end of the lease.
    await withinTime(
      this.#lease.end().catch((error: unknown) => this.#tellProblem(error)),
      LEASE_GRACE_MS,
    );
  }

  /** One look at a time. */
  async #look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  async #lookNow(): Promise<void> {
    try {
      const fenced = await this.#lease.fenceSilent();
      if (fenced.length > 0) this.#options.onTakeover?.({ fenced, runIds: [] });
      await this.#takeLeft();
      await this.#lead();
      this.#orders.look();
    } catch (error) {
      if (error instanceof StorageFailed) this.#fail(error);
      else this.#tellProblem(error);
    }
  }

  #fail(error: StorageFailed): void {
    clearInterval(this.#timer);
    // Of a look that outlived the close.
    if (this.#closing !== undefined) return;
    this.#options.onFatal(error);
  }

  /** Several survivors share what is left: each takes what no other is taking. */
  async #takeLeft(): Promise<void> {
    const take = this.#take;
    if (take === undefined) return;
    for (let taken = BLOCK; taken === BLOCK;) {
      const isAgain = this.#mayOwnMore;
      this.#mayOwnMore = true;
      const rows = await this.#store.database.query<OwnerRow>(TAKE_LEFT, [this.daemonId, BLOCK]);
      taken = rows.length;
      const own = isAgain ? await this.#store.database.query<OwnerRow>(OWNED, [this.daemonId]) : rows;
      if (own.length > 0) {
        // Nothing can follow the last line of a fenced daemon, and all of its lines are read now.
        await this.#store.refresh();
        // What is its own by now is another's when the lease has ended.
        if (this.#closing !== undefined) return;
        if (taken > 0) this.#options.onTakeover?.({ fenced: [], runIds: rows.map(idOf) });
        await take(own.map(idOf));
      }
      this.#mayOwnMore = false;
    }
  }

  async #lead(): Promise<void> {
    if (!this.#isLeading) {
      const won = await this.#store.database.query(LEAD, [this.daemonId]);
      if (won.length === 0) return;
      this.#isLeading = true;
      this.#options.onLeading?.();
    }
    if (this.#starts.length === 0) return;
    // All that the leader before it has written. When the database goes away here, they are started at a later look.
    await this.#store.refresh();
    if (this.#closing !== undefined) return;
    for (const start of this.#starts.splice(0)) await this.#start(start);
  }

  async #start(start: () => Promise<void>): Promise<void> {
    await start().catch((error: unknown) => this.#tellProblem(error));
  }

  #tellProblem(error: unknown): void {
    if (this.#closing === undefined && !(error instanceof StorageAway)) this.#options.onProblem(error);
  }
}

interface OwnerRow extends Record<string, unknown> {
  readonly run_id: RunId;
}

interface OtherRow extends Record<string, unknown> {
  readonly id: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const OTHERS = "select id, facts from daemons where id <> $1 and not fenced order by id";

const idOf = ({ run_id: runId }: OwnerRow): RunId => runId;

const IS_DEAD = "not exists (select from daemons where daemons.id = NAME and not fenced)";

/** From one owner to the next by the index, since runs are many and their owners few; then the runs of those that are gone. */
export const TAKE_LEFT = `
with recursive owners (owner) as (
  (select owner from run_owners order by owner limit 1)
  union all
  select (select run_owners.owner from run_owners where run_owners.owner > owners.owner order by run_owners.owner limit 1)
  from owners where owners.owner is not null
), gone as (
  select owner from owners where owner is not null and ${IS_DEAD.replace("NAME", "owners.owner")}
), lost as (
  select run_id from run_owners where owner = any(array(select owner from gone)) limit $2 for update skip locked
)
update run_owners set owner = $1 from lost
where lost.run_id = run_owners.run_id and exists (select from daemons where id = $1 and not fenced)
returning run_owners.run_id`;

export const OWNED = "select run_id from run_owners where owner = $1";

/** Whoever leads does so until its lease is lost; it asks again when the first answer was lost. */
const LEAD = `
update chores set leader = $1
where (leader is null or leader = $1 or ${IS_DEAD.replace("NAME", "chores.leader")})
  and exists (select from daemons where id = $1 and not fenced)
returning leader`;
