import { createPaceWindow, type Pace } from "./pace-window.ts";

/** The pace that a provider asks for, before it has to refuse. Source: provider manifest, `http.rateLimit`. */
export interface PaceLimit extends Pace {
  readonly concurrency?: number | undefined;
}

export interface Pacer {
  /**
   * Waits for a turn, first come first served, and gives what must be called when the exchange is over. Rejects with the
   * signal's reason when that comes first.
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly admit: () => void;
}

/** At most `requests` beginnings in any `perMs`, and at most `concurrency` at once. */
export function createPacer(limit: PaceLimit): Pacer {
  const window = createPaceWindow(limit);
  const queue: Waiting[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  function advance(): void {
    while (queue.length > 0 && running < (limit.concurrency ?? Infinity)) {
      const delayMs = window.waitMs();
      if (delayMs > 0) {
        timer ??= setTimeout(() => {
          timer = undefined;
          advance();
        }, delayMs);
        return;
      }
      window.begin();
      running++;
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
    async enter(signal) {
      signal.throwIfAborted();
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
