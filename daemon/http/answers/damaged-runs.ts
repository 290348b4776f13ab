import type { DamagedRun } from "../../../shared/contract/damaged-runs.ts";
import type { RunFacts } from "../../ledger/records/run-facts.ts";

const DAMAGED_RUN =
  "The record of this run is damaged on the disk of the service; what it cost is known and charged. The operator's `mkt doctor` names the place";

/** The member of a page that names the damaged runs; absent without any. The log says where on the disk they are. */
export function damagedRuns(damaged: readonly RunFacts[] | undefined): { damaged?: DamagedRun[] } {
  if (damaged === undefined || damaged.length === 0) return {};
  return {
    damaged: damaged.map(({ runId, provider, endpoint, status, createdAtMs }) => ({
      runId,
      provider,
      endpoint,
      status,
      createdAt: new Date(createdAtMs).toISOString(),
      message: DAMAGED_RUN,
    })),
  };
}
