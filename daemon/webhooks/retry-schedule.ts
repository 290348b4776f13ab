/**
 * The waits before each of the ten attempts, as the Standard Webhooks specification recommends:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const RETRY_DELAYS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** Each wait is up to this share longer, so that what failed together does not come back together. */
const JITTER = 0.1;
/** A receiver may ask for a longer wait, up to this. */
const LONGEST_MS = 24 * HOUR_MS;

export interface FailedAttempt {
  /** Attempts made so far, this one included. */
  readonly attempts: number;
  /** What the receiver asked for with Retry-After. */
  readonly retryAfterMs?: number | undefined;
  /** 0 to 1. */
  readonly random: number;
}

/** How long to wait after a failed attempt, in milliseconds; undefined after the last one. */
export function retryDelayMs({ attempts, retryAfterMs = 0, random }: FailedAttempt): number | undefined {
  const delayMs = RETRY_DELAYS_MS[attempts];
  if (delayMs === undefined) return undefined;
  return Math.round(Math.max(delayMs * (1 + JITTER * random), Math.min(retryAfterMs, LONGEST_MS)));
}

/**
 * How long a waiting delivery still waits, in milliseconds. Never longer than was planned when its last attempt failed: a clock
 * that was set back must not put it off.
 */
export function leftToWaitMs(
  { nextAt, last }: { readonly nextAt?: string; readonly last?: { readonly at: string } },
  nowMs: number,
): number {
  if (nextAt === undefined) return 0;
  const dueMs = Date.parse(nextAt);
  const plannedMs = last === undefined ? LONGEST_MS : dueMs - Date.parse(last.at);
  return Math.max(0, Math.min(dueMs - nowMs, plannedMs));
}
