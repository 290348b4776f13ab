import type { RunId, WorkspaceId } from "../base/ids.ts";
import type { Clock } from "../base/clock.ts";
import type { Reply } from "../http/routes/route.ts";
import { isAnswerKnown, runAnswer } from "./answers/run-answer.ts";
import type { RunService } from "./run-service.ts";

export interface AnswerOfRunParts {
  readonly runs: Pick<RunService, "getSettled">;
  readonly clock: Clock;
}

/** Finds the answer to the request with an Idempotency-Key that started a run; undefined while it is not known yet. */
export function createAnswerOfRun({ runs, clock }: AnswerOfRunParts) {
  return async (workspaceId: WorkspaceId, runId: RunId): Promise<Reply | undefined> => {
    const nowMs = clock.now();
    const run = await runs.getSettled(workspaceId, runId);
    if (run.idempotency === undefined) throw new Error(`run ${runId} was not made with an idempotency key`);
    if (!isAnswerKnown(run, run.idempotency, nowMs)) return undefined;
    return runAnswer(run, run.idempotency, run.idempotency.hints ?? {});
  };
}
