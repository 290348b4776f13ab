import { randomUUID } from "node:crypto";
import { ApiError } from "../../../../shared/errors.ts";
import type { RunId } from "../../../base/ids.ts";
import type { OrderOutcome, RunOrder } from "../../../cluster/cluster.ts";
import type { PostgresStore } from "../postgres-store.ts";

const CHANNEL = "mkt_orders";
/** What was told and lost is found by looking. */
const LOOK_EVERY_MS = 250;

export const ASK = `with asked as (insert into run_orders (id, run_id, body) values ($1, $2, $3)) select pg_notify('${CHANNEL}', '')`;
export const FORGET = "delete from run_orders where id = $1 and outcome is not null";
/** Those for runs of this daemon, without those that it is carrying out. */
export const TAKE = `
update run_orders set taken_by = $1 from run_owners
where run_owners.run_id = run_orders.run_id and owner = $1 and outcome is null and id <> all($2::uuid[])
returning id, run_orders.run_id, body`;
export const TELL = `with told as (update run_orders set outcome = $2 where id = $1) select pg_notify('${CHANNEL}', '')`;
export const READ = `
select id, outcome, exists (select from run_owners where run_owners.run_id = run_orders.run_id) as is_open
from run_orders where id = any($1::uuid[])`;
export const TAKE_BACK = "delete from run_orders where id = $1 and taken_by is null returning id";

export type CarryOut = (runId: RunId, order: RunOrder) => Promise<OrderOutcome>;

interface Asked {
  readonly resolve: (outcome: OrderOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Carries what is asked of a run to the daemon that drives it, and its outcome back. */
export class Orders {
  readonly #store: PostgresStore;
  readonly #daemonId: string;
  readonly #patienceMs: number;
  readonly #onProblem: (error: unknown) => void;
  readonly #asked = new Map<string, Asked>();
  readonly #carrying = new Set<string>();
  #carryOut: CarryOut | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #timer: NodeJS.Timeout | undefined;

  /** `patienceMs`: how long an order waits for a daemon that may be dead and for the one that takes over. */
  constructor(store: PostgresStore, daemonId: string, patienceMs: number, onProblem: (error: unknown) => void) {
    this.#store = store;
    this.#daemonId = daemonId;
    this.#patienceMs = patienceMs;
    this.#onProblem = onProblem;
    store.listen(CHANNEL, () => this.look());
  }

  serve(carryOut: CarryOut): void {
    this.#carryOut = carryOut;
  }

  async ask(runId: RunId, order: RunOrder): Promise<OrderOutcome> {
    const id = randomUUID();
    const answered = new Promise<OrderOutcome>((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    const timeUp = setTimeout(() => void this.#giveUp(id), this.#patienceMs);
    try {
      await this.#store.database.query(ASK, [id, runId, JSON.stringify(order)]);
      this.#wind();
      return await answered;
    } finally {
      clearTimeout(timeUp);
      this.#asked.delete(id);
      this.#store.database.query(FORGET, [id]).catch(() => undefined);
    }
  }

  /** Looks for orders for this daemon's runs, and for outcomes of its own; those who ask meanwhile share the next look. */
  look(): void {
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#lookNow()
      .catch(this.#onProblem)
      .finally(() => {
        this.#looking = undefined;
        if (this.#lookAgain) {
          this.#lookAgain = false;
          this.look();
        }
      });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #lookNow(): Promise<void> {
    await this.#readOutcomes();
    if (this.#carryOut === undefined) return;
    const taken = await this.#store.database.query<{ id: string; run_id: string; body: RunOrder }>(TAKE, [
      this.#daemonId,
      [...this.#carrying],
    ]);
    for (const { id, run_id, body } of taken) {
      this.#carrying.add(id);
      void this.#carry(id, run_id, body, this.#carryOut);
    }
  }

  async #carry(id: string, runId: RunId, order: RunOrder, carryOut: CarryOut): Promise<void> {
    try {
      const outcome = await carryOut(runId, order);
      await this.#store.database.query(TELL, [id, JSON.stringify(outcome)]);
    } catch (error) {
      this.#onProblem(error);
    } finally {
      this.#carrying.delete(id);
    }
  }

  /** An order for a run that nobody drives any more fits it no more. */
  async #readOutcomes(): Promise<void> {
    if (this.#asked.size === 0) return;
    const found = await this.#store.database.query<{ id: string; outcome: OrderOutcome | null; is_open: boolean }>(
      READ,
      [[...this.#asked.keys()]],
    );
    for (const { id, outcome, is_open: isOpen } of found) {
      if (outcome !== null) this.#asked.get(id)?.resolve(outcome);
      else if (!isOpen) this.#asked.get(id)?.resolve({ kind: "unfit" });
    }
  }

  async #giveUp(id: string): Promise<void> {
    const asked = this.#asked.get(id);
    try {
      const gone = await this.#store.database.query(TAKE_BACK, [id]);
      asked?.reject(gone.length > 0 ? takenBack() : unknown());
    } catch {
      asked?.reject(unknown());
    }
  }

  /** Looks again and again while somebody waits. */
  #wind(): void {
    this.#timer ??= setInterval(() => {
      if (this.#asked.size > 0) {
        this.look();
        return;
      }
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, LOOK_EVERY_MS).unref();
  }
}

function takenBack(): ApiError {
  const message = "The daemon that drives the run did not answer, and nothing was done; try again in a moment";
  return new ApiError("unavailable", message, { retryAfterSeconds: 2 });
}

function unknown(): ApiError {
  const message = "The daemon that drives the run has not answered yet; read the run to see what came of it";
  return new ApiError("unavailable", message, { retryAfterSeconds: 2 });
}
