import type { RunRecord } from "../ledger/records/run-record.ts";

/** What a provider's answer says of itself. */
export interface JudgedAnswer {
  /** 2xx, and no rule of the provider's file calls it an error. */
  readonly success: boolean;
  /** What callers get. */
  readonly output: unknown;
  /** The number of results, if the provider's file says how to count them. */
  readonly count: number | undefined;
}

/**
 * The ended run as it is recorded: without its `reuse` when later runs must not have its answer. Errors, empty
 * answers and lists that were not read to their end are never kept, since the next call may find what this one did not.
 */
export function keptOnlyIfWorth(run: RunRecord, answer: JudgedAnswer): RunRecord {
  if (run.reuse === undefined || (isWorthKeeping(answer) && isWhole(run))) return run;
  const { reuse: _reuse, ...others } = run;
  return others;
}

function isWorthKeeping({ success, output, count }: JudgedAnswer): boolean {
  return success && count !== 0 && !isEmpty(output);
}

/** Reading a list ended where the run wanted it to, and not at what it may cost or at a page that failed. */
function isWhole({ pages }: RunRecord): boolean {
  return pages?.stoppedBy === undefined || pages.stoppedBy === "maxPages";
}

function isEmpty(output: unknown): boolean {
  if (output === null || output === undefined || output === "") return true;
  return typeof output === "object" && Object.keys(output).length === 0;
}
