import type { RunId } from "../base/ids.ts";
import type { ApprovalDecision } from "../ledger/records/approval-records.ts";
import type { Guard } from "../ledger/transaction/commit-errors.ts";
import type { SharedLines } from "./shared-lines.ts";

/**
 * The daemons that work on one store, as one of them sees it. Each open run has one daemon that drives it and that alone
 * writes its lines; the others read them. docs/decisions/2026-11-23-cluster.md says what the log decides and what has tables.
 */
export interface Cluster extends SharedLines {
  readonly daemonId: string;
  /** How long a daemon may be silent. */
  readonly leaseMs: number;
  /**
   * Resolves when it is certain that this daemon's runs are its own: at once, unless it was paused or cut off for about as long
   * as its lease; then the database is asked. Rejects with a `StorageFailed`. Await it before an effect outside of the store; what
   * is written is checked by the store.
   */
  confirmLease(): Promise<void>;
  /** `take` gets runs of daemons that died, in blocks, as soon as they are this daemon's. Call once. */
  takeOver(take: (runIds: readonly RunId[]) => Promise<void>): Promise<void>;
  /**
   * Has the daemon that drives the run carry out an order, and resolves with what came of it. An order that nobody answered in
   * time is taken back and rejects with `unavailable`: it is then certain that it is not carried out later.
   */
  ask(runId: RunId, order: RunOrder): Promise<OrderOutcome>;
  /** `carryOut` gets the orders for runs that this daemon drives. Call once. */
  serveOrders(carryOut: (runId: RunId, order: RunOrder) => Promise<OrderOutcome>): void;
  /** Calls `start` once, when this daemon becomes the one that does what only one may do; at the latest when the other died. */
  whenLeading(start: () => Promise<void>): void;
  /** What others may know of this daemon, beside what it has told before. Values are JSON. */
  tell(facts: Readonly<Record<string, unknown>>): Promise<void>;
  /** The other daemons that are not fenced, and what they told. */
  listOthers(): Promise<readonly OtherDaemon[]>;
}

export interface OtherDaemon {
  readonly daemonId: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What a person asks of a run, at whichever daemon. */
export type RunOrder =
  | { readonly kind: "stop" }
  | {
      readonly kind: "decide";
      readonly type: "approved" | "denied";
      readonly at: string;
      readonly decision: ApprovalDecision;
      readonly keys: readonly string[];
    };

export type OrderOutcome =
  | { readonly kind: "done" }
  /** The order does not fit the run, as its record says. */
  | { readonly kind: "unfit" }
  | { readonly kind: "guardFailed"; readonly guard: Guard }
  /** As an `ApiError`. */
  | {
      readonly kind: "refused";
      readonly error: {
        readonly kind: string;
        readonly message: string;
        readonly extra?: Readonly<Record<string, unknown>>;
      };
    };
