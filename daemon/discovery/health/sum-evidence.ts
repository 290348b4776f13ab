import type { WorkspaceId } from "../../base/ids.ts";
import type { WorkspaceEvidence } from "./endpoint-evidence.ts";
import type { RunEvidence, StatusRules } from "./endpoint-status.ts";
import { countLong, MAX_LATEST, type RunOutcome } from "./run-windows.ts";

/** Sums the runs of the chosen workspaces as if they were one workspace's. */
export type SumOf = (isHeard: (workspaceId: WorkspaceId) => boolean) => RunEvidence;

interface Part extends Pick<RunEvidence, "lastErrorAt" | "runs" | "errors"> {
  readonly workspaceId: WorkspaceId;
}

/** Shared work for all sums is done once. */
export function createSums(workspaces: readonly WorkspaceEvidence[], { now, settings }: StatusRules): SumOf {
  const parts = workspaces.map(({ workspaceId, windows }): Part => {
    return { workspaceId, lastErrorAt: windows.lastErrorAt, ...countLong(windows, now, settings.longDays) };
  });
  const newestFirst = latestOf(workspaces);
  return (isHeard) => {
    const heard = parts.filter(({ workspaceId }) => isHeard(workspaceId));
    return {
      latest: takeLatest(newestFirst, isHeard),
      lastErrorAt: heard.reduce((last, { lastErrorAt }) => Math.max(last, lastErrorAt), 0),
      runs: heard.reduce((sum, { runs }) => sum + runs, 0),
      errors: heard.reduce((sum, { errors }) => sum + errors, 0),
    };
  };
}

interface HeardOutcome {
  readonly workspaceId: WorkspaceId;
  readonly outcome: RunOutcome;
}

/** The newest first. Within a window the order of arrival is kept, whatever the clock said. */
function latestOf(workspaces: readonly WorkspaceEvidence[]): readonly HeardOutcome[] {
  const all = workspaces.flatMap(({ workspaceId, windows: { latest } }) =>
    latest.map((outcome) => ({ workspaceId, outcome })),
  );
  if (workspaces.length > 1) all.sort((a, b) => a.outcome.at - b.outcome.at);
  return all.reverse();
}

function takeLatest(
  newestFirst: readonly HeardOutcome[],
  isHeard: (workspaceId: WorkspaceId) => boolean,
): RunOutcome[] {
  const taken: RunOutcome[] = [];
  for (const { workspaceId, outcome } of newestFirst) {
    if (taken.length === MAX_LATEST) break;
    if (isHeard(workspaceId)) taken.push(outcome);
  }
  return taken.reverse();
}
