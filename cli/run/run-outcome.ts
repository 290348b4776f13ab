import type { Run } from "../../shared/contract/runs.ts";
import { isDelivered } from "../words/run-status-words.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import { isRecord } from "../../shared/is-record.ts";

export { isTerminal } from "../../shared/run-status.ts";

/** What every answer about a run has: of POST /v1/run, finished or not, and of GET /v1/runs/{runId}. */
export type AnyRun = Pick<Run, "runId" | "provider" | "endpoint" | "status" | "price" | "createdAt"> & Partial<Run>;

/** The answer, or the run in the body of an error answer: 408, 502, and what a mirroring deployment sends. */
export async function runAnswer(answer: Promise<AnyRun>): Promise<AnyRun> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServiceError && isRun(error.body)) return error.body;
    throw error;
  }
}

function isRun(body: unknown): body is AnyRun {
  return isRecord(body) && "runId" in body && "status" in body && "provider" in body;
}

/** How the run stands, in one sentence for people; undefined when it delivered data. */
export function describeOutcome(run: AnyRun): string | undefined {
  switch (run.status) {
    case "COMPLETED": {
      if (isDelivered(run)) return undefined;
      const { httpStatus, error } = run.providerResponse ?? {};
      return `${sentence(`The provider answered ${httpStatus}${error?.message ? `: ${error.message}` : ""}`)} Nothing is charged.`;
    }
    case "FAILED":
      return `Run ${run.runId} failed: ${reasonOf(run) ?? "the service gave no reason"}`;
    case "BLOCKED":
      return `Run ${run.runId} was blocked: ${run.reason ?? "a control refused it"}`;
    case "STOPPED":
      return `Run ${run.runId} was stopped.`;
    case "TIMED_OUT":
      return `${sentence(`Run ${run.runId} timed out${reasonOf(run) ? `: ${reasonOf(run)}` : ""}`)} Nothing is charged.`;
    default:
      return undefined;
  }
}

function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

function reasonOf({ error }: AnyRun): string | undefined {
  return typeof error === "string" ? error : error?.message;
}
