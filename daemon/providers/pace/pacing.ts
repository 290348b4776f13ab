import type { RateLimit } from "../../manifest/manifest.ts";
import { createPaceWindow } from "./pace-window.ts";

export interface Pacer {
  /**
   * Waits for a slot, in order of arrival, and returns a function to call when the exchange has ended. Rejects with the
   * signal's reason when it aborts first.
   */
  enter(signal: AbortSignal): Promise<() => void>;
  /** Gives no slots for this long, because the provider said that nothing remains; the longest hold applies. */
  hold(forMs: number): void;
  /** Milliseconds that remain of `hold`; 0: none. */
  heldMs(): number;
  /** False when nobody waits or runs, and no start or hold counts any more: it then says what a new one would say. */
  isBusy(): boolean;
}

interface Waiting {
  readonly admit: () => void;
}

/**
 * The rate limit that a provider states, applied before it has to refuse: at most `requests` starts in any `perMs`, and
 * at most `concurrency` at once. Source: docs/manifest.md, "Rate limit".
 */
export function createPacer({ requests, perMs, concurrency = Infinity }: Omit<RateLimit, "headers">): Pacer {
  const window = requests === undefined || perMs === undefined ? undefined : createPaceWindow({ requests, perMs });
  const queue: Waiting[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  // By a monotonic clock, like the window.
  let heldUntil = 0;
  const heldMs = () => Math.max(0, heldUntil - performance.now());

  const waitMs = () => Math.max(window?.waitMs() ?? 0, heldMs());

  function begin(): void {
    window?.begin();
    running++;
  }

  function advance(): void {
    while (queue.length > 0 && running < concurrency) {
      const delayMs = waitMs();
      if (delayMs > 0) {
        timer ??= setTimeout(() => {
          timer = undefined;
          advance();
        }, delayMs);
        return;
      }
      begin();
      queue.shift()?.admit();
    }
  }

  function leave(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      running--;
      advance();
    };
  }

  return {
    heldMs,
    isBusy: () => running > 0 || queue.length > 0 || heldMs() > 0 || window?.isEmpty() === false,
    hold(forMs) {
      heldUntil = Math.max(heldUntil, performance.now() + forMs);
    },
    async enter(signal) {
      signal.throwIfAborted();
      if (queue.length === 0 && running < concurrency && waitMs() === 0) {
        begin();
        return leave();
      }
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = {
          admit() {
            signal.removeEventListener("abort", giveUp);
            resolve();
          },
        };
        const giveUp = () => {
          const place = queue.indexOf(waiting);
          if (place >= 0) queue.splice(place, 1);
          if (queue.length === 0) {
            clearTimeout(timer);
            timer = undefined;
          }
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", giveUp, { once: true });
        queue.push(waiting);
        advance();
      });
      return leave();
    },
  };
}
