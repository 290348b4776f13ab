import type { EndpointMetrics } from "../../shared/contract/discovery.ts";

/**
 * The status of an endpoint is the first that fits. Contract semantics, 10.
 *
 *   outage     the last 5 runs, all within 15 minutes, were errors
 *   degraded   more than 10 % errors over 7 days, of at least 20 runs
 *   healthy    at least 3 runs within 15 minutes, none of them an error
 *   stable     a run within 7 days
 *   unknown    none
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FRESH_MS = 15 * MINUTE_MS;
const LONG_HOURS = 7 * 24;
const LONG_MS = LONG_HOURS * HOUR_MS;
const OUTAGE_RUNS = 5;
const HEALTHY_RUNS = 3;
const DEGRADED_RUNS = 20;
const DEGRADED_SHARE = 0.1;
const TIMED_RUNS = 5;
/** p50 and p95 are over at most so many runs, the latest. */
const MAX_TIMED_RUNS = 100;

export interface RunOutcome {
  /** When it ended, milliseconds since the epoch. */
  readonly at: number;
  readonly isError: boolean;
  /** End to end; present when the run completed. */
  readonly runTimeMs?: number;
}

/**
 * The outcomes of one endpoint in constant memory: the latest few as they are, all of seven days as counts by the hour (so
 * that those days begin at a full hour), and the latest run times.
 */
export class RunOutcomes {
  #latest: RunOutcome[] = [];
  #timed: RunOutcome[] = [];
  #lastErrorAt = Number.NEGATIVE_INFINITY;
  readonly #hours = new Map<number, { runs: number; errors: number }>();

  add(outcome: RunOutcome): void {
    this.#latest = pushBounded(this.#latest, outcome, OUTAGE_RUNS);
    if (outcome.runTimeMs !== undefined) this.#timed = pushBounded(this.#timed, outcome, MAX_TIMED_RUNS);
    if (outcome.isError) this.#lastErrorAt = Math.max(this.#lastErrorAt, outcome.at);
    const hour = Math.floor(outcome.at / HOUR_MS);
    const before = this.#hours.get(hour) ?? { runs: 0, errors: 0 };
    this.#hours.set(hour, { runs: before.runs + 1, errors: before.errors + Number(outcome.isError) });
    this.#forgetBefore(hour - LONG_HOURS);
  }

  metrics(now: number): EndpointMetrics {
    const runTimeMs = this.#runTimes(now);
    return { status: this.#status(now), ...(runTimeMs !== undefined && { runTimeMs }) };
  }

  #status(now: number): EndpointMetrics["status"] {
    const fresh = this.#latest.filter(({ at }) => at > now - FRESH_MS);
    if (fresh.length === OUTAGE_RUNS && fresh.every(({ isError }) => isError)) return "outage";

    const { runs, errors } = this.#countLong(now);
    if (runs >= DEGRADED_RUNS && errors / runs > DEGRADED_SHARE) return "degraded";
    if (fresh.length >= HEALTHY_RUNS && this.#lastErrorAt <= now - FRESH_MS) return "healthy";
    return runs > 0 ? "stable" : "unknown";
  }

  #countLong(now: number): { runs: number; errors: number } {
    const oldest = Math.floor(now / HOUR_MS) - LONG_HOURS;
    const sums = { runs: 0, errors: 0 };
    for (const [hour, { runs, errors }] of this.#hours) {
      if (hour <= oldest) continue;
      sums.runs += runs;
      sums.errors += errors;
    }
    return sums;
  }

  /** From the freshest window that has enough completed runs. */
  #runTimes(now: number): { p50: number; p95: number } | undefined {
    for (const windowMs of [FRESH_MS, LONG_MS]) {
      const times = this.#timed.flatMap(({ at, runTimeMs }) => (at > now - windowMs ? (runTimeMs ?? []) : []));
      if (times.length >= TIMED_RUNS) {
        times.sort((a, b) => a - b);
        return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
      }
    }
    return undefined;
  }

  #forgetBefore(oldest: number): void {
    for (const hour of this.#hours.keys()) if (hour < oldest) this.#hours.delete(hour);
  }
}

function pushBounded(outcomes: readonly RunOutcome[], outcome: RunOutcome, most: number): RunOutcome[] {
  return [...outcomes.slice(1 - most), outcome];
}

/** The nearest rank: the smallest value that at least this share of all does not exceed. */
function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.ceil(ascending.length * share) - 1] ?? 0;
}
