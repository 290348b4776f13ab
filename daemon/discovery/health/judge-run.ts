import type { RunRecord } from "../../ledger/records/run-record.ts";

/** The members of a finished run that health reads. */
export type FinishedRun = Pick<RunRecord, "workspaceId" | "provider" | "endpoint" | "status" | "createdAt"> &
  Partial<
    Pick<
      RunRecord,
      | "startedAt"
      | "completedAt"
      | "answeredFrom"
      | "providerResponse"
      | "deadlineMs"
      | "error"
      | "providerMayHaveCharged"
    >
  >;

/** A run as evidence of its endpoint's health. */
export interface JudgedRun {
  readonly isError: boolean;
  /** Counts only for its own workspace: its caller set a shorter deadline than the endpoint's own. */
  readonly isPrivate: boolean;
  /** When it ended, milliseconds since the epoch. */
  readonly at: number;
  /** End to end; present when it completed. */
  readonly runTimeMs?: number;
}

/**
 * FAILED, TIMED_OUT and the provider's 429 and 5xx are errors; its 404 and every other 4xx are answers.
 * docs/contract.md, "Health". Undefined for a run that says nothing of its endpoint:
 *
 *   answered from an earlier run     the provider was not called
 *   BLOCKED, STOPPED                 the provider was not called, or its caller wanted no answer
 *   TIMED_OUT and never started      it waited in line: whoever fills the line would sink what others wait for
 *   FAILED, the answer lost by us    the daemon was stopped or killed while the provider worked
 *
 * `ownDeadlineMs`: that of the endpoint itself; undefined when it has left the catalog.
 */
export function judgeRun(run: FinishedRun, ownDeadlineMs: number | undefined, now: number): JudgedRun | undefined {
  if (run.status !== "COMPLETED" && run.status !== "FAILED" && run.status !== "TIMED_OUT") return undefined;
  if (run.answeredFrom !== undefined) return undefined;
  if (run.status === "TIMED_OUT" && run.startedAt === undefined) return undefined;
  if (run.status === "FAILED" && run.error?.source === "mkt" && run.providerMayHaveCharged === true) return undefined;
  const at = run.completedAt === undefined ? now : Date.parse(run.completedAt);
  return {
    at,
    isError: isError(run),
    isPrivate: run.status === "TIMED_OUT" && (run.deadlineMs ?? Infinity) < (ownDeadlineMs ?? 0),
    ...(run.status === "COMPLETED" && { runTimeMs: Math.max(0, at - Date.parse(run.createdAt)) }),
  };
}

function isError({ status, providerResponse }: FinishedRun): boolean {
  if (status !== "COMPLETED") return true;
  const httpStatus = providerResponse?.httpStatus ?? 200;
  return httpStatus === 429 || httpStatus >= 500;
}
