import type { RunStatus } from "../../shared/contract/runs.ts";
import { openRunStatuses } from "../../shared/run-status.ts";

/** What the list is narrowed to; lives in the address, so that it can be kept and sent to others. */
export const filterNames = ["status", "provider", "endpoint", "tag", "keyLabel", "since", "until"] as const;
export type RunFilter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

export function readFilter(query: URLSearchParams): RunFilter {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === "" ? [] : [[name, value]];
    }),
  );
}

/** The filter as the operation takes it. */
export function filterQuery({ status, ...others }: RunFilter) {
  return { ...others, ...(status !== undefined && { status: status.split(",") as RunStatus[] }) };
}

/** Groups of statuses that people ask for. */
export const statusGroups = [
  ["", "All"],
  [openRunStatuses.join(","), "In flight"],
  ["COMPLETED", "Completed"],
  ["FAILED,TIMED_OUT", "Failed"],
  ["BLOCKED", "Blocked"],
  ["STOPPED", "Stopped"],
] as const;
