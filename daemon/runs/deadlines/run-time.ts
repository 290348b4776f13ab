import type { Clock } from "../../base/clock.ts";

/** If the clock differs by more than this from the time that passed, somebody has set it. */
const CLOCK_SLACK_MS = 1_000;

/** How long a run has been running, by the monotonic time of the process. */
export class RunTime {
  readonly #clock: Clock;
  /** Both in milliseconds; unknown for a run that an earlier process began. */
  #begun: { readonly clockMs: number; readonly processMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#begun = { clockMs: this.#clock.now(), processMs: performance.now() };
  }

  /** Milliseconds since the run began, if the clock was set since then; else undefined: the run's dates tell it. */
  elapsedMs(): number | undefined {
    if (this.#begun === undefined) return undefined;
    const elapsedMs = Math.round(performance.now() - this.#begun.processMs);
    const byClockMs = this.#clock.now() - this.#begun.clockMs;
    return Math.abs(byClockMs - elapsedMs) > CLOCK_SLACK_MS ? elapsedMs : undefined;
  }
}
