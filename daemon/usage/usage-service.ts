import { setImmediate } from "node:timers/promises";
import type { ExportFormat, UsageResponse } from "../../shared/contract/usage.ts";
import { mayReach, type Reader } from "../http/caller.ts";
import type { ResourceRecord } from "../ledger/resource-record.ts";
import type { ResourceStore } from "../ledger/resource-store.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import { ownOnly } from "../runs/run-filter.ts";
import type { RunFacts, RunFilter, RunStore } from "../ledger/run-store.ts";
import type { AccountStore } from "../ledger/account-store.ts";
import { listRents } from "./rents.ts";
import { exportRuns } from "./run-export.ts";
import { addRent, addRun, dearestFirst, type Group, inOrderOfName, type SumsByGroup, totalOf } from "./usage-sums.ts";

export type UsageGrouping = "provider" | "endpoint" | "key" | "day" | { readonly tag: string };

export interface UsageService {
  /**
   * Runs count by the time of their creation, rent by the time of its payment. Rent belongs to the endpoint, key and
   * tags of the run that made the resource.
   */
  sum(caller: Reader, groupBy: UsageGrouping, range: Pick<RunFilter, "since" | "until">): Promise<UsageResponse>;
  /** The text of a file with all runs of the filter, newest first, piece by piece. */
  exportRuns(caller: Reader, filter: RunFilter, format: ExportFormat): AsyncIterable<string>;
}

/** This many runs are added before yielding to other work. */
const RUNS_AT_A_STRETCH = 5_000;

/** `ids`: how users are called in what leaves; as they are inside, where it is not given. */
export function createUsageService(
  store: RunStore & ResourceStore & AccountStore,
  ids?: Pick<WireIds, "ofRun">,
): UsageService {
  return {
    async sum(caller, groupBy, range) {
      const { workspaceId } = caller;
      const sums: SumsByGroup = new Map();
      let added = 0;
      for await (const run of store.scanRuns(workspaceId, ownOnly(caller, range))) {
        addRun(sums, groupOf(groupBy, run), run);
        added += 1;
        if (added % RUNS_AT_A_STRETCH === 0) await setImmediate();
      }
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

type GroupedRun = Pick<RunFacts, "provider" | "endpoint" | "keyLabel" | "tags" | "createdAtMs">;

function groupOf(groupBy: UsageGrouping, run: GroupedRun): Group {
  switch (groupBy) {
    case "provider":
      return run.provider;
    case "endpoint":
      return `${run.provider}${run.endpoint}`;
    case "key":
      return run.keyLabel ?? null;
    case "day":
      return new Date(run.createdAtMs).toISOString().slice(0, 10);
    default:
      return run.tags !== undefined && Object.hasOwn(run.tags, groupBy.tag) ? (run.tags[groupBy.tag] ?? null) : null;
  }
}

/** The run that made the resource; read only if the resource alone does not tell the group. */
async function makerOf(
  store: RunStore,
  groupBy: UsageGrouping,
  { workspaceId, runId, provider }: ResourceRecord,
): Promise<Omit<GroupedRun, "createdAtMs">> {
  const itself = { provider, endpoint: "" };
  if (groupBy === "provider" || groupBy === "day") return itself;
  return (await store.findRun(workspaceId, runId)) ?? itself;
}
