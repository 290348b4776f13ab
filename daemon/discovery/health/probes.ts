/** Remembers when what is in outage was last shown again. */
export interface Probes {
  isDue(slot: string, times: { readonly lastRunAt: number; readonly now: number; readonly everyMs: number }): boolean;
  note(slot: string, now: number): void;
}

/** Beyond so many the oldest are forgotten: those endpoints may be shown once more than they should. */
const MAX_SLOTS = 10_000;

/**
 * A probe is due when neither a run nor a probe was within the last `everyMs`: who is run anyway needs none. Kept in
 * memory alone; a restart may show an endpoint once more. Times are milliseconds since the epoch.
 */
export function createProbes(): Probes {
  const shownAt = new Map<string, number>();
  return {
    isDue(slot, { lastRunAt, now, everyMs }) {
      const last = Math.max(lastRunAt, shownAt.get(slot) ?? 0);
      // What lies in the future was written before the clock was set back.
      return last > now || now - last >= everyMs;
    },
    note(slot, now) {
      shownAt.delete(slot);
      shownAt.set(slot, now);
      const [oldest] = shownAt.keys();
      if (shownAt.size > MAX_SLOTS && oldest !== undefined) shownAt.delete(oldest);
    },
  };
}
