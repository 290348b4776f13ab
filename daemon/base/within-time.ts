import { setTimeout as delay } from "node:timers/promises";

/** Waits for the work, but no longer than so many ms. Rejects as the work does; what comes of it later is not heard. */
export async function withinTime(work: PromiseLike<unknown>, timeoutMs: number): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, delay(timeoutMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined)]);
  } finally {
    over.abort();
  }
}
