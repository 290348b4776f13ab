/** How long something that is used rarely is kept. */
const IDLE_MS = 600_000;
/** Whoever was given something may still be about to use it. */
const RESTING_MS = 60_000;

export interface KeptWhileUsedParts<Kept> {
  /** More than so many are dropped sooner, the one first that was not asked for for longest. */
  readonly most: number;
  /** It must not be dropped now. */
  readonly isBusy: (kept: Kept) => boolean;
  readonly drop: (kept: Kept) => void;
  /** Monotonic, in milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * What is kept for a name from one use to the next. It is dropped when nobody asked for it for ten minutes, or for one while
 * there are too many, and never while it is busy. So names that come from files and answers do not fill the memory.
 */
export class KeptWhileUsed<Kept> {
  readonly #parts: KeptWhileUsedParts<Kept>;
  readonly #nowMs: () => number;
  /** The one that was used last stands last. */
  readonly #byName = new Map<string, { readonly kept: Kept; usedAtMs: number }>();
  /** Nothing has to move for the one that stands last. */
  #last: { readonly name: string; readonly entry: { readonly kept: Kept; usedAtMs: number } } | undefined;

  constructor(parts: KeptWhileUsedParts<Kept>) {
    this.#parts = parts;
    this.#nowMs = parts.nowMs ?? (() => performance.now());
  }

  get size(): number {
    return this.#byName.size;
  }

  get(name: string, make: () => Kept): Kept {
    const nowMs = this.#nowMs();
    if (this.#last?.name === name) {
      this.#last.entry.usedAtMs = nowMs;
    } else {
      const entry = this.#byName.get(name) ?? { kept: make(), usedAtMs: nowMs };
      entry.usedAtMs = nowMs;
      this.#byName.delete(name);
      this.#byName.set(name, entry);
      this.#last = { name, entry };
    }
    const { kept } = this.#last.entry;
    this.#dropIdle(nowMs);
    return kept;
  }

  /** Gives everything back to the caller. */
  clear(): Kept[] {
    const all = this.values();
    this.#byName.clear();
    this.#last = undefined;
    return all;
  }

  values(): Kept[] {
    return [...this.#byName.values()].map(({ kept }) => kept);
  }

  #dropIdle(nowMs: number): void {
    const { most, isBusy, drop } = this.#parts;
    for (const [name, { kept, usedAtMs }] of this.#byName) {
      if (nowMs - usedAtMs < (this.#byName.size > most ? RESTING_MS : IDLE_MS)) return;
      if (isBusy(kept)) continue;
      this.#byName.delete(name);
      if (this.#last?.name === name) this.#last = undefined;
      drop(kept);
    }
  }
}
