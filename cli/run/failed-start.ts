import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import { isRecord } from "../../shared/is-record.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/**
 * What an error of `POST /v1/run` tells of the run: the id of the one whose answer an earlier call with the same key still
 * waits for. Undefined when it names none. docs/contract.md, "Idempotency".
 */
export function runUnderWay(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.status !== 409) return undefined;
  const { body } = error;
  return isRecord(body) && typeof body["runId"] === "string" ? body["runId"] : undefined;
}

const neverSent: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

/** Whether a call that got no answer may have reached the service: not when there was no connection to send it over. */
export function mayHaveArrived(error: unknown): error is UnreachableError {
  if (!(error instanceof UnreachableError)) return false;
  const code = systemErrorCode(error.cause);
  return code === undefined || !neverSent.includes(code);
}
