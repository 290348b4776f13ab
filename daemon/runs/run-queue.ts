import { createPaceWindow, type PaceWindow } from "../providers/pace-window.ts";
import type { ProviderLane } from "./provider-lane.ts";

/** A place at a provider; give it back once. */
export interface Place {
  /** The run has ended. */
  release(): void;
  /** The run never began: its turn within the pace is given back as well. */
  cancel(): void;
}

/**
 * Keeps how many runs are at a provider at the same time, and how many begin within its pace. The others wait: the
 * workspaces take turns, and within one it is the order in which its runs came. So whoever sends a thousand runs at once
 * delays nobody else by more than one of them.
 */
export interface RunQueue {
  /** A place at once, or undefined when the run has to wait. */
  tryEnter(lane: ProviderLane): Place | undefined;
  /** A place for a run that is at its provider already, above the limit if need be. */
  takeAnyway(lane: ProviderLane): Place;
  /** Resolves when a place is free; rejects with the signal's reason. */
  enter(lane: ProviderLane, workspaceId: string, signal: AbortSignal): Promise<Place>;
}

export function createRunQueue(): RunQueue {
  const lines = new Map<string, Line>();

  function lineOf(lane: ProviderLane): Line {
    const name = JSON.stringify([lane.provider, lane.concurrency, lane.pace?.requests, lane.pace?.perMs]);
    const line = lines.get(name) ?? new Line(lane);
    lines.set(name, line);
    return line;
  }

  return {
    tryEnter: (lane) => lineOf(lane).tryEnter(),
    takeAnyway: (lane) => lineOf(lane).takeAnyway(),
    async enter(lane, workspaceId, signal) {
      signal.throwIfAborted();
      const line = lineOf(lane);
      return line.tryEnter() ?? (await line.wait(workspaceId, signal));
    },
  };
}

type Waiter = (place: Place) => void;

class Line {
  readonly #concurrency: number;
  readonly #window: PaceWindow | undefined;
  /** Those who wait by workspace, the one whose turn is next first. None of them is empty. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #inside = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ concurrency, pace }: ProviderLane) {
    this.#concurrency = concurrency;
    this.#window = pace && createPaceWindow(pace);
  }

  tryEnter(): Place | undefined {
    const mustWait = this.#waiting.size > 0 || this.#inside >= this.#concurrency || this.#delayMs() > 0;
    return mustWait ? undefined : this.#begin();
  }

  takeAnyway(): Place {
    return this.#takePlace(() => {});
  }

  async wait(workspaceId: string, signal: AbortSignal): Promise<Place> {
    return await new Promise<Place>((resolve, reject) => {
      const waiter: Waiter = (place) => {
        signal.removeEventListener("abort", giveUp);
        resolve(place);
      };
      const giveUp = () => {
        this.#leave(workspaceId, waiter);
        reject(signal.reason as Error);
      };
      const own = this.#waiting.get(workspaceId);
      if (own === undefined) this.#waiting.set(workspaceId, new Set([waiter]));
      else own.add(waiter);
      signal.addEventListener("abort", giveUp, { once: true });
      this.#admit();
    });
  }

  /** Lets in as many as there are places and turns for, one of each workspace after the other. */
  #admit(): void {
    clearTimeout(this.#timer);
    while (this.#inside < this.#concurrency) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      const delayMs = this.#delayMs();
      if (delayMs > 0) {
        this.#timer = setTimeout(() => this.#admit(), delayMs);
        return;
      }
      const [workspaceId, own] = next;
      const [waiter] = own;
      if (waiter === undefined) throw new Error(`nobody of ${workspaceId} waits`);
      this.#leave(workspaceId, waiter);
      // At the end of the round, behind those who have waited for theirs.
      if (this.#waiting.delete(workspaceId)) this.#waiting.set(workspaceId, own);
      waiter(this.#begin());
    }
  }

  #leave(workspaceId: string, waiter: Waiter): void {
    const own = this.#waiting.get(workspaceId);
    own?.delete(waiter);
    if (own?.size === 0) this.#waiting.delete(workspaceId);
    if (this.#waiting.size === 0) clearTimeout(this.#timer);
  }

  #delayMs(): number {
    return this.#window?.waitMs() ?? 0;
  }

  #begin(): Place {
    return this.#takePlace(this.#window?.begin() ?? (() => {}));
  }

  #takePlace(takeTurnBack: () => void): Place {
    this.#inside += 1;
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      this.#inside -= 1;
      this.#admit();
    };
    return {
      release,
      cancel() {
        if (held) takeTurnBack();
        release();
      },
    };
  }
}
