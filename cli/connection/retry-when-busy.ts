import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../core/monotonic.ts";
import { retryAfterMs } from "./retry-after.ts";

/** How long a search or another reading request is repeated, in milliseconds. */
export const READ_AGAIN_WITHIN_MS = 30_000;

export interface BusyOptions {
  /** No try begins later than this after the first one. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called before each pause. */
  readonly onBusy?: ((error: unknown) => Promise<void>) | undefined;
}

/**
 * Sends a request again while the service is overloaded (429 or 503 with Retry-After), each time after the pause that the
 * service asks for. Rejects with its last answer where the next try would come too late, and with any other error at
 * once. Only for requests that may be repeated. docs/contract.md, "Retry-After".
 */
export async function retryWhenBusy<Answer>(
  send: () => Promise<Answer>,
  { withinMs, signal, onBusy }: BusyOptions,
): Promise<Answer> {
  const deadlineMs = monotonicMs() + withinMs;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const pauseMs = retryAfterMs(error);
      if (pauseMs === undefined || monotonicMs() + pauseMs >= deadlineMs) throw error;
      await onBusy?.(error);
      await delay(pauseMs, undefined, { ...(signal && { signal }) });
    }
  }
}
