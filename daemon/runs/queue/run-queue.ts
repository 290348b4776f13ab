import type { WorkspaceId } from "../../base/ids.ts";
import { oncePer } from "../../base/once-per.ts";
import { createPaceWindow, type PaceWindow } from "../../providers/pace/pace-window.ts";
import type { ProviderLane } from "./provider-lane.ts";

/** A slot at a provider; release it once. */
export interface ProviderPlace {
  /** The run has ended. */
  release(): void;
  /** The run never began, so it does not count against the pace either. */
  cancel(): void;
  /** False when runs of other daemons have taken slots or starts since, so that this one is too many. */
  fits(): boolean;
}

/**
 * Slots are shared fairly between workspaces, and within one workspace between its callers. A `RunRecord` fits this
 * type.
 */
export interface PlaceHolder {
  readonly workspaceId: WorkspaceId;
  /** A key or a user of the workspace. */
  readonly caller: string;
}

/**
 * Limits how many runs are at a provider at the same time, and how many begin within its pace. The other runs wait. The
 * next free slot goes to the workspace that holds the fewest slots, within it to the caller that holds the fewest, and
 * among that caller's runs to the one that has waited longest; equals take turns. The last slots are reserved for
 * workspaces that hold none (`keptPlaces`), so that neither many runs nor long ones keep another workspace out.
 */
export interface RunQueue {
  /** Returns a slot at once, or undefined when the run has to wait. */
  tryEnter(lane: ProviderLane, holder: PlaceHolder): ProviderPlace | undefined;
  /** Returns a slot for a run that is at its provider already, above the limit if need be. */
  takeAnyway(lane: ProviderLane, holder: PlaceHolder): ProviderPlace;
  /** Counts a run that begins at another daemon, above the limits if need be. */
  beginElsewhere(lane: ProviderLane, holder: PlaceHolder): ProviderPlace;
  /** Resolves when a slot is free; rejects with the signal's reason. */
  enter(lane: ProviderLane, holder: PlaceHolder, signal: AbortSignal): Promise<ProviderPlace>;
}

/** One of this many slots is reserved for other workspaces. */
const PLACES_PER_KEPT_ONE = 8;
/** With fewer slots, none is reserved: a single workspace would lose half of two slots, or a third of three. */
const FEWEST_WITH_KEPT_ONES = 4;

/**
 * How many of a provider's slots are reserved for workspaces that hold none there. Such a workspace gets a slot at once
 * as long as no more than this many others hold any.
 */
export function keptPlaces(concurrency: number): number {
  if (concurrency < FEWEST_WITH_KEPT_ONES) return 0;
  return Math.max(1, Math.floor(concurrency / PLACES_PER_KEPT_ONE));
}

export function createRunQueue(): RunQueue {
  const lines = new Map<string, Line>();
  const lineOf = oncePer((lane: ProviderLane): Line => {
    const name = JSON.stringify([lane.provider, lane.concurrency, lane.pace?.requests, lane.pace?.perMs]);
    return getOrMake(lines, name, () => new Line(lane));
  });

  return {
    tryEnter: (lane, holder) => lineOf(lane).tryEnter(holder),
    takeAnyway: (lane, holder) => lineOf(lane).takeAnyway(holder),
    beginElsewhere: (lane, holder) => lineOf(lane).beginAnyway(holder),
    async enter(lane, holder, signal) {
      signal.throwIfAborted();
      const line = lineOf(lane);
      return line.tryEnter(holder) ?? (await line.wait(holder, signal));
    },
  };
}

interface Waiter extends PlaceHolder {
  readonly enter: (place: ProviderPlace) => void;
}

class Line {
  readonly #concurrency: number;
  readonly #kept: number;
  readonly #window: PaceWindow | undefined;
  /** The waiting runs by workspace and caller, the next one first. None of the maps and sets is empty. */
  readonly #waiting = new Map<string, Map<string, Set<Waiter>>>();
  readonly #heldByWorkspace = new Tally();
  readonly #heldByCaller = new Tally();
  #inside = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ concurrency, pace }: ProviderLane) {
    this.#concurrency = concurrency;
    this.#kept = keptPlaces(concurrency);
    this.#window = pace && createPaceWindow(pace);
  }

  tryEnter(holder: PlaceHolder): ProviderPlace | undefined {
    const mayEnter = this.#hasPlaceFor(holder.workspaceId) && this.#next() === undefined && this.#delayMs() === 0;
    return mayEnter ? this.#begin(holder) : undefined;
  }

  takeAnyway(holder: PlaceHolder): ProviderPlace {
    return this.#takePlace(holder, () => {});
  }

  beginAnyway(holder: PlaceHolder): ProviderPlace {
    return this.#begin(holder);
  }

  async wait({ workspaceId, caller }: PlaceHolder, signal: AbortSignal): Promise<ProviderPlace> {
    return await new Promise<ProviderPlace>((resolve, reject) => {
      const waiter: Waiter = {
        workspaceId,
        caller,
        enter(place) {
          signal.removeEventListener("abort", giveUp);
          resolve(place);
        },
      };
      const giveUp = () => {
        this.#leave(waiter);
        reject(signal.reason as Error);
      };
      const callers = getOrMake(this.#waiting, workspaceId, () => new Map<string, Set<Waiter>>());
      getOrMake(callers, caller, () => new Set()).add(waiter);
      signal.addEventListener("abort", giveUp, { once: true });
      this.#admit();
    });
  }

  /** Admits as many runs as the free slots and the pace allow. */
  #admit(): void {
    clearTimeout(this.#timer);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const delayMs = this.#delayMs();
      if (delayMs > 0) {
        this.#timer = setTimeout(() => this.#admit(), delayMs);
        return;
      }
      this.#leave(next);
      this.#endTurn(next);
      next.enter(this.#begin(next));
    }
  }

  /** The waiting run that gets the next slot, if there is a free one for any of them. */
  #next(): Waiter | undefined {
    const workspaceId = firstOfFewest(this.#waiting.keys(), (name) => this.#heldByWorkspace.of(name));
    if (workspaceId === undefined || !this.#hasPlaceFor(workspaceId)) return undefined;
    const callers = this.#waiting.get(workspaceId) ?? new Map<string, Set<Waiter>>();
    const caller = firstOfFewest(callers.keys(), (name) => this.#heldByCaller.of(callerName(workspaceId, name)));
    const [waiter] = callers.get(caller ?? "") ?? [];
    return waiter;
  }

  #hasPlaceFor(workspaceId: WorkspaceId): boolean {
    const free = this.#concurrency - this.#inside;
    return free > (this.#heldByWorkspace.of(workspaceId) === 0 ? 0 : this.#kept);
  }

  #leave(waiter: Waiter): void {
    const { workspaceId, caller } = waiter;
    const callers = this.#waiting.get(workspaceId);
    const own = callers?.get(caller);
    own?.delete(waiter);
    if (own?.size === 0) callers?.delete(caller);
    if (callers?.size === 0) this.#waiting.delete(workspaceId);
    if (this.#waiting.size === 0) clearTimeout(this.#timer);
  }

  /** Moves the workspace and the caller to the end of the round, behind the others that wait. */
  #endTurn({ workspaceId, caller }: PlaceHolder): void {
    moveToEnd(this.#waiting, workspaceId);
    moveToEnd(this.#waiting.get(workspaceId), caller);
  }

  #delayMs(): number {
    return this.#window?.waitMs() ?? 0;
  }

  #begin(holder: PlaceHolder): ProviderPlace {
    return this.#takePlace(holder, this.#window?.begin() ?? (() => {}));
  }

  #takePlace({ workspaceId, caller }: PlaceHolder, takeTurnBack: () => void): ProviderPlace {
    this.#count(workspaceId, caller, 1);
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      this.#count(workspaceId, caller, -1);
      this.#admit();
    };
    return {
      release,
      cancel() {
        if (held) takeTurnBack();
        release();
      },
      fits: () => this.#inside <= this.#concurrency && this.#window?.isExceeded() !== true,
    };
  }

  #count(workspaceId: WorkspaceId, caller: string, change: 1 | -1): void {
    this.#inside += change;
    this.#heldByWorkspace.add(workspaceId, change);
    this.#heldByCaller.add(callerName(workspaceId, caller), change);
  }
}

/** Counts by name; a name with a count of zero is dropped. */
class Tally {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

/** Unambiguous, because a workspace id contains no space. */
function callerName(workspaceId: WorkspaceId, caller: string): string {
  return `${workspaceId} ${caller}`;
}

function firstOfFewest(names: Iterable<string>, countOf: (name: string) => number): string | undefined {
  let best: { readonly name: string; readonly count: number } | undefined;
  for (const name of names) {
    const count = countOf(name);
    if (best === undefined || count < best.count) best = { name, count };
    if (count === 0) break;
  }
  return best?.name;
}

function getOrMake<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const value = map.get(name) ?? make();
  map.set(name, value);
  return value;
}

function moveToEnd<Value>(map: Map<string, Value> | undefined, name: string): void {
  const value = map?.get(name);
  if (map === undefined || value === undefined) return;
  map.delete(name);
  map.set(name, value);
}
