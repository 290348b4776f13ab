import type { FinishedRun } from "./judge-run.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { RunSummary } from "../../ledger/stores/run-store.ts";
import type { LeftMember } from "../../ledger/records/run-route.ts";

/** A run as evidence of the member that it ended at: what came before at other members is not its time. */
export function ofLastMember<Run extends RunSummary>(run: Run): Run {
  const turnedAt = run.route?.turnedAt;
  if (turnedAt === undefined) return run;
  const spentMs = Math.max(0, Date.parse(turnedAt) - Date.parse(run.createdAt));
  return { ...run, createdAt: turnedAt, deadlineMs: Math.max(0, run.deadlineMs - spentMs) };
}

/** What a run says of a member that it left. */
export function ofLeftMember({ workspaceId, deadlineMs }: RunSummary, left: LeftMember): FinishedRun {
  const { provider, endpoint, at, durationMs, httpStatus, source, reason } = left;
  const member = { workspaceId, provider, endpoint, createdAt: at, startedAt: at, deadlineMs };
  const completedAt = new Date(Date.parse(at) + durationMs).toISOString();
  if (httpStatus !== undefined)
    return { ...member, completedAt, status: "COMPLETED", providerResponse: { httpStatus } };
  return { ...member, completedAt, status: "FAILED", error: { source: source ?? "network", message: reason } };
}

/** A run as that of the route that was asked for: a search that found the route led to it. */
export function ofRoute(run: RunRecord): RunRecord {
  const { route } = run;
  return route === undefined ? run : { ...run, provider: route.provider, endpoint: route.endpoint };
}

/** A run as evidence of every member that it was at; one that went through no route is its own. */
export function evidenceOf(run: RunSummary): readonly FinishedRun[] {
  return [...(run.route?.left ?? []).map((left) => ofLeftMember(run, left)), ofLastMember(run)];
}
