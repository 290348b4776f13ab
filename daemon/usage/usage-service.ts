import type { ExportFormat, UsageResponse } from "../../shared/contract/usage.ts";
import { mayReach, type Reader } from "../http/callers/caller.ts";
import type { ResourceStore } from "../ledger/stores/resource-store.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import { ownOnly } from "../runs/answers/run-filter.ts";
import type { RunFilter, RunStore } from "../ledger/stores/run-store.ts";
import { groupOf, type GroupedRun, type RunGrouping } from "../ledger/stores/run-sums.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import { listRents, type RentedResource } from "./rents.ts";
import { exportRuns } from "./run-export.ts";
import { addRent, dearestFirst, inOrderOfName, sumsWithoutRent, totalOf } from "./usage-sums.ts";

export type UsageGrouping = RunGrouping;

export interface UsageService {
  /**
   * Runs count by the time of their creation, rent by the time of its payment. Rent belongs to the endpoint, key and
   * tags of the run that made the resource.
   */
  sum(caller: Reader, groupBy: UsageGrouping, range: Pick<RunFilter, "since" | "until">): Promise<UsageResponse>;
  /** The text of a file with all runs of the filter, newest first, piece by piece. */
  exportRuns(caller: Reader, filter: RunFilter, format: ExportFormat): AsyncIterable<string>;
}

/** `ids`: how users are called in what leaves; as they are inside, where it is not given. */
export function createUsageService(
  store: RunStore & ResourceStore & AccountStore,
  ids?: Pick<WireIds, "ofRun">,
): UsageService {
  return {
    async sum(caller, groupBy, range) {
      const { workspaceId } = caller;
      const sums = sumsWithoutRent(await store.sumRuns(workspaceId, ownOnly(caller, range), groupBy));
      for (const { resource, at, amountMicroDollars } of await listRents(store, workspaceId, range)) {
        if (!mayReach(caller, resource)) continue;
        const maker = await makerOf(store, groupBy, resource);
        addRent(sums, groupOf(groupBy, { ...maker, createdAtMs: Date.parse(at) }), amountMicroDollars);
      }
      return { items: groupBy === "day" ? inOrderOfName(sums) : dearestFirst(sums), total: totalOf(sums) };
    },
    exportRuns: (caller, filter, format) =>
      exportRuns({ store, ids }, caller.workspaceId, ownOnly(caller, filter), format),
  };
}

/** The run that made the resource; read only if the resource alone does not tell the group. */
async function makerOf(
  store: RunStore,
  groupBy: UsageGrouping,
  { workspaceId, runId, provider }: RentedResource,
): Promise<Omit<GroupedRun, "createdAtMs">> {
  const itself = { provider, endpoint: "" };
  if (groupBy === "provider" || groupBy === "day") return itself;
  return (await store.findRun(workspaceId, runId)) ?? itself;
}
