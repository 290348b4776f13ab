import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type Clock, isoNow, runningMs } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { type BelievedTime, lookAtClock } from "./believed-time.ts";

const DAY_MS = 86_400_000;
/** A daily timer would be late after a night in which the machine slept. */
const LOOK_EVERY_MS = 3_600_000;

/** The document `<data>/docs/known-time.json`: the believed time when the daemon last looked. */
export const KnownTimeDocument = z.strictObject({
  /** ISO 8601; absent before the first look. */
  at: z.iso.datetime().optional(),
  jumps: z.array(z.strictObject({ ms: z.number().min(0), ranMs: z.number().min(0) })).default([]),
});
export type KnownTimeDocument = z.infer<typeof KnownTimeDocument>;

/** The part of a document of the document store that is needed here. */
export interface KnownTimeFile {
  readonly data: KnownTimeDocument;
  update(change: (data: KnownTimeDocument) => void): Promise<void>;
}

/** Removes outputs. */
export interface OutputRemover {
  /**
   * Times are ISO 8601 in UTC: removes the outputs of runs that ended before `before`; these runs record `at` as the
   * time of the removal.
   */
  removeOutputs(times: {
    readonly before: string;
    readonly at: string;
  }): Promise<{ readonly runs: number; readonly months?: readonly number[] }>;
  /** The time of the newest line that existed at the start; undefined in a new folder. ISO 8601. */
  readonly lastLineAt: string | undefined;
}

export interface RetentionParts {
  readonly store: OutputRemover;
  /** Outputs are kept for this many days after the end of their run; absent: for ever. */
  readonly days: number | undefined;
  readonly document: KnownTimeFile;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** The interval between two looks at the clock; only tests set another one. */
  readonly lookEveryMs?: number;
}

/**
 * Removes old outputs: at once, then once a day. Runs, bills and ledger are kept for ever. Removal cannot be undone, so
 * it uses the believed time: after a jump of the clock it waits. docs/storage.md, "Retention".
 */
export function startRetention(parts: RetentionParts): AsyncDisposable {
  const { days, lookEveryMs = LOOK_EVERY_MS } = parts;
  if (days === undefined) return { [Symbol.asyncDispose]: async () => {} };
  const closing = new AbortController();
  const watch = new BelievedClock(parts);
  let removedToMs = -Infinity;

  async function loop(keptMs: number): Promise<void> {
    while (!closing.signal.aborted) {
      const nowMs = await watch.look();
      if (nowMs - removedToMs >= DAY_MS) {
        removedToMs = nowMs;
        await removeOld(parts, new Date(nowMs - keptMs).toISOString());
      }
      await delay(lookEveryMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  const looping = loop(days * DAY_MS);
  return {
    async [Symbol.asyncDispose]() {
      closing.abort();
      await looping;
      await watch.look();
    },
  };
}

async function removeOld({ store, clock, logger }: RetentionParts, before: string): Promise<void> {
  try {
    const { runs, months = [] } = await store.removeOutputs({ before, at: isoNow(clock) });
    const facts = { runs, ...(months.length > 0 && { months }), before };
    if (runs + months.length > 0) logger.info(facts, "outputs past their retention were removed");
  } catch (error) {
    logger.warn({ err: error }, "old outputs could not be removed; it is tried again tomorrow");
  }
}

/** Looks at the clock regularly, and saves the believed time across restarts. */
class BelievedClock {
  readonly #parts: RetentionParts;
  #known: BelievedTime;
  #ranMs: number;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#ranMs = runningMs(parts.clock);
    this.#known = knownBefore(parts);
  }

  /** Milliseconds since the epoch. */
  async look(): Promise<number> {
    const { clock, document, logger } = this.#parts;
    const [before, ranMs] = [this.#known, runningMs(clock)];
    this.#known = lookAtClock(before, clock.now(), ranMs - this.#ranMs);
    this.#ranMs = ranMs;
    const { atMs, jumps, newJump } = this.#known;
    if (newJump !== undefined) {
      const facts = {
        days: Math.round(newJump.ms / DAY_MS),
        believed: new Date(atMs).toISOString(),
        clock: isoNow(clock),
      };
      logger.warn(
        facts,
        "the clock is far ahead of its last known time: no output is removed until the daemon has run for a day",
      );
    }
    try {
      await document.update((data) => {
        data.at = new Date(atMs).toISOString();
        data.jumps = jumps.map((one) => ({ ...one }));
      });
    } catch (error) {
      logger.warn({ err: error }, "the time as it is known cannot be written");
    }
    return atMs;
  }
}

/** A folder of a version that did not save it starts with the time of its newest line. */
function knownBefore({ document: { data }, store, clock }: RetentionParts): BelievedTime {
  const at = Date.parse(data.at ?? store.lastLineAt ?? "");
  return Number.isNaN(at) ? { atMs: clock.now(), jumps: [] } : { atMs: at, jumps: data.jumps };
}
