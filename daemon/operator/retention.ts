import { setTimeout as delay } from "node:timers/promises";
import { type Clock, isoNow, unhurried } from "../clock.ts";
import type { Logger } from "../logger.ts";

const DAY_MS = 86_400_000;
/** A timer a day would come late after a night in which the machine slept. */
const LOOK_EVERY_MS = 3_600_000;

/** What takes outputs away. */
export interface OutputRemover {
  /** Times are ISO 8601 in UTC: of runs that ended before `before`; `at` is what these runs say afterwards. */
  removeOutputs(times: { readonly before: string; readonly at: string }): Promise<{ readonly runs: number }>;
}

export interface RetentionParts {
  readonly store: OutputRemover;
  /** Outputs are kept so many days after the end of their run; absent: for ever. */
  readonly days: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Takes old outputs away: at once, then once a day. Runs, bills and ledger are kept for ever. Storage design, 9. */
export function startRetention({ store, days, clock, logger }: RetentionParts): { close(): Promise<void> } {
  const closing = new AbortController();
  // What is removed does not come back: a clock that is set ahead while the daemon runs makes nothing older.
  const steady = unhurried(clock);

  async function removeOld(keptMs: number): Promise<void> {
    const before = new Date(steady.now() - keptMs).toISOString();
    try {
      const { runs } = await store.removeOutputs({ before, at: isoNow(clock) });
      if (runs > 0) logger.info({ runs, before }, "outputs past their retention were removed");
    } catch (error) {
      logger.warn({ err: error }, "old outputs could not be removed; it is tried again tomorrow");
    }
  }

  async function loop(keptMs: number): Promise<void> {
    let lastMs = -Infinity;
    while (!closing.signal.aborted) {
      if (steady.now() - lastMs >= DAY_MS) {
        lastMs = steady.now();
        await removeOld(keptMs);
      }
      await delay(LOOK_EVERY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  const looping = days === undefined ? Promise.resolve() : loop(days * DAY_MS);
  return {
    async close() {
      closing.abort();
      await looping;
    },
  };
}
