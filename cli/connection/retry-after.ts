import { ServiceError } from "../../shared/client/service-error.ts";
import { errorCodeIn, needsAPerson } from "../core/error-code.ts";

/** Our service never asks for more: its longest window is a minute. */
const LONGEST_MS = 60_000;

/**
 * How long the service wants its caller to wait before the same request is sent again, in milliseconds; undefined if it
 * does not say, or if only a person can fix it. docs/contract.md, "Retry-After".
 */
export function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof ServiceError) || needsAPerson(errorCodeIn(error.body))) return undefined;
  if (error.status !== 429 && error.status !== 503) return undefined;
  const seconds = Number(error.headers["retry-after"]);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, LONGEST_MS) : undefined;
}
