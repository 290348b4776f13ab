import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { RunEvent } from "../lifecycle/run-lifecycle.ts";

/** What a person says about a run that waits for approval. */
export type Decided = Extract<RunEvent, { type: "approved" | "denied" }>;

/** A run that this process works on. */
export interface LiveRun {
  /** The last durable state, with the provider's newest progress. */
  current(): RunRecord;
  /** Resolves when the end is durable, or when this process gives the run up; never rejects. */
  readonly ended: Promise<void>;
  /** Resolves when the stop request is durable; throws `IllegalRunEvent` when the run cannot be stopped. */
  askStop(): Promise<RunRecord>;
  /**
   * Resolves when the decision is durable; throws `IllegalRunEvent` when the run does not wait for one. `approved`: what the
   * run then calls, and the members of a route behind it.
   */
  decide(decision: Decided, approved?: readonly CatalogEntry[]): Promise<RunRecord>;
  /** Resolves when every event of the run so far is durable or was refused; never rejects. */
  settled(): Promise<void>;
}
