/** A place at a provider; give it back once, when the run has ended. */
export interface Place {
  release(): void;
}

/** Keeps how many runs are at a provider at the same time; the others wait in the order in which they came. */
export interface RunQueue {
  /** A place at once, or undefined when the run has to wait. */
  tryEnter(provider: string, concurrency: number): Place | undefined;
  /** A place for a run that is at its provider already, above the limit if need be. */
  takeAnyway(provider: string): Place;
  /** Resolves when a place is free; rejects with the signal's reason. */
  enter(provider: string, concurrency: number, signal: AbortSignal): Promise<Place>;
}

interface Lane {
  inside: number;
  readonly waiters: Array<{ readonly concurrency: number; readonly wake: () => void }>;
}

export function createRunQueue(): RunQueue {
  const lanes = new Map<string, Lane>();

  function laneOf(provider: string): Lane {
    let lane = lanes.get(provider);
    if (lane === undefined) {
      lane = { inside: 0, waiters: [] };
      lanes.set(provider, lane);
    }
    return lane;
  }

  function takePlace(provider: string, lane: Lane): Place {
    lane.inside += 1;
    let held = true;
    return {
      release() {
        if (!held) return;
        held = false;
        lane.inside -= 1;
        admitNext(lane);
        if (lane.inside === 0 && lane.waiters.length === 0) lanes.delete(provider);
      },
    };
  }

  /** Wakes the head of the line for as long as there is a place for it. */
  function admitNext(lane: Lane): void {
    for (let [next] = lane.waiters; next !== undefined && lane.inside < next.concurrency; [next] = lane.waiters) {
      lane.waiters.shift();
      next.wake();
    }
  }

  return {
    tryEnter(provider, concurrency) {
      const lane = laneOf(provider);
      return lane.inside < concurrency && lane.waiters.length === 0 ? takePlace(provider, lane) : undefined;
    },
    takeAnyway: (provider) => takePlace(provider, laneOf(provider)),
    async enter(provider, concurrency, signal) {
      signal.throwIfAborted();
      const lane = laneOf(provider);
      if (lane.inside < concurrency && lane.waiters.length === 0) return takePlace(provider, lane);
      return await new Promise<Place>((resolve, reject) => {
        const wake = () => {
          signal.removeEventListener("abort", giveUp);
          resolve(takePlace(provider, lane));
        };
        const waiter = { concurrency, wake };
        const giveUp = () => {
          const place = lane.waiters.indexOf(waiter);
          if (place >= 0) lane.waiters.splice(place, 1);
          reject(signal.reason);
          admitNext(lane);
        };
        lane.waiters.push(waiter);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
  };
}
