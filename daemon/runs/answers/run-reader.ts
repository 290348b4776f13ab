import type { RunId, WorkspaceId } from "../../base/ids.ts";
import { ApiError } from "../../../shared/errors.ts";
import { DamagedOnDisk } from "../../ledger/stores/damaged-on-disk.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../../http/callers/caller.ts";
import { ownOnly } from "./run-filter.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { RunFilter, RunSlice, RunStore } from "../../ledger/stores/run-store.ts";

/** Reads the recorded runs that a caller may see: those of its workspace, or only those of its key. */
export class RunReader {
  readonly #store: Pick<RunStore, "findRun" | "listRuns" | "scanRuns">;

  constructor(store: Pick<RunStore, "findRun" | "listRuns" | "scanRuns">) {
    this.#store = store;
  }

  /** Throws notFound, and `DamagedOnDisk` if the run is the caller's but its record cannot be read. */
  async get(caller: WorkspaceCaller, runId: RunId): Promise<RunRecord> {
    const own = onlyKeyOf(caller);
    const run = await this.#store.findRun(caller.workspaceId, runId).catch(async (error: unknown) => {
      if (!(error instanceof DamagedOnDisk)) throw error;
      // Only the index still says whose run it is, and a caller must not learn about another's run.
      if (own !== undefined && !(await this.#isOfKey(caller.workspaceId, own.keyId, runId))) throw runNotFound(runId);
      throw new DamagedOnDisk(error.message, `The record of run ${runId}`, { cause: error });
    });
    if (run === undefined || (own !== undefined && run.keyId !== own.keyId)) throw runNotFound(runId);
    return run;
  }

  async list(
    caller: WorkspaceCaller,
    filter: RunFilter,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<RunSlice> {
    return await this.#store.listRuns(caller.workspaceId, ownOnly(caller, filter), page);
  }

  async #isOfKey(workspaceId: WorkspaceId, keyId: string, runId: RunId): Promise<boolean> {
    for await (const run of this.#store.scanRuns(workspaceId, { keyId })) if (run.runId === runId) return true;
    return false;
  }
}

export function runNotFound(runId: RunId): ApiError {
  return new ApiError("notFound", `Run ${runId} not found`);
}
