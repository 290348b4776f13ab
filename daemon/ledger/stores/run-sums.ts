import { add, type MicroDollars, NO_MONEY } from "../../../shared/micro-dollars.ts";
import type { RunFacts } from "../records/run-facts.ts";

export type RunGrouping = "provider" | "endpoint" | "key" | "day" | { readonly tag: string };

/** Null: runs without that tag, or made without a key. */
export type Group = string | null;

/** What decides which group a run belongs to. */
export type GroupedRun = Pick<RunFacts, "provider" | "endpoint" | "keyLabel" | "tags" | "createdAtMs">;

/** What some runs come to. */
export interface RunSums {
  runs: number;
  /** Of those, how many ended FAILED or TIMED_OUT. */
  failed: number;
  /** Of those, how many were answered from earlier ones. */
  reused: number;
  /** What was not charged for these. */
  saved: MicroDollars;
  charged: MicroDollars;
  cost: MicroDollars;
  /** Runs that cost more than was held. */
  overruns: number;
  overrun: MicroDollars;
}

export function noRunSums(): RunSums {
  return {
    runs: 0,
    failed: 0,
    reused: 0,
    saved: NO_MONEY,
    charged: NO_MONEY,
    cost: NO_MONEY,
    overruns: 0,
    overrun: NO_MONEY,
  };
}

/** Throws RangeError if a sum is not a safe integer. */
export function addRun(sums: RunSums, run: Pick<RunFacts, "status" | "charged" | "cost" | "overrun" | "saved">): void {
  sums.runs += 1;
  if (run.status === "FAILED" || run.status === "TIMED_OUT") sums.failed += 1;
  if (run.saved !== undefined) {
    sums.reused += 1;
    sums.saved = add(sums.saved, run.saved);
  }
  sums.charged = add(sums.charged, run.charged);
  sums.cost = add(sums.cost, run.cost);
  if (run.overrun > 0) sums.overruns += 1;
  sums.overrun = add(sums.overrun, run.overrun);
}

/** Throws RangeError if a sum is not a safe integer. */
export function addSums(sums: RunSums, other: RunSums): void {
  sums.runs += other.runs;
  sums.failed += other.failed;
  sums.reused += other.reused;
  sums.saved = add(sums.saved, other.saved);
  sums.charged = add(sums.charged, other.charged);
  sums.cost = add(sums.cost, other.cost);
  sums.overruns += other.overruns;
  sums.overrun = add(sums.overrun, other.overrun);
}

export function groupOf(by: RunGrouping, run: GroupedRun): Group {
  switch (by) {
    case "provider":
      return run.provider;
    case "endpoint":
      return `${run.provider}${run.endpoint}`;
    case "key":
      return run.keyLabel ?? null;
    case "day":
      return new Date(run.createdAtMs).toISOString().slice(0, 10);
    default:
      return run.tags !== undefined && Object.hasOwn(run.tags, by.tag) ? (run.tags[by.tag] ?? null) : null;
  }
}
