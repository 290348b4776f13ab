import { ServiceError } from "../../shared/client/service-error.ts";
import { errorCodeIn, needsTheOperator } from "../core/error-code.ts";

/** No service of ours says more: its longest window is a minute. */
const LONGEST_MS = 60_000;

/**
 * How long the service wants its caller to wait before the same request is sent again, in milliseconds; undefined where it does
 * not say, or where only its operator can mend it. docs/contract.md, "Retry-After".
 */
export function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof ServiceError) || needsTheOperator(errorCodeIn(error.body))) return undefined;
  if (error.status !== 429 && error.status !== 503) return undefined;
  const seconds = Number(error.headers["retry-after"]);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, LONGEST_MS) : undefined;
}
