import { expectTypeOf } from "vitest";
import type { RunId, UserId, WorkspaceId } from "../../daemon/base/ids.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { RunStore } from "../../daemon/ledger/stores/run-store.ts";

/* Nothing of this runs: the compiler reads it in `npm run typecheck`, and refuses what is not so. */

export async function idsOfOneKindArePassedAsThatKindOnly(store: RunStore, run: RunRecord): Promise<void> {
  await store.findRun(run.workspaceId, run.runId);
  // @ts-expect-error the two in the wrong order
  await store.findRun(run.runId, run.workspaceId);
  // @ts-expect-error an object of the wrong kind of id
  const workspace: { workspaceId: WorkspaceId } = { workspaceId: run.runId };
  expectTypeOf(workspace.workspaceId).not.toExtend<UserId>();
  expectTypeOf<string>().toExtend<RunId>();
}
