import type { Alarm, AlarmClock } from "../../base/alarm-clock.ts";

/** Why a run's work was interrupted. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor(readonly by: "deadline" | "shutdown") {
    super(`interrupted: ${by}`);
  }
}

/** What may end the work on one run before it is done: a deadline, a shutdown, and for some of it a stop that was asked for. */
export class RunInterruptions {
  readonly #alarms: AlarmClock;
  /** The first of them. */
  #interrupted: Interrupted | undefined;
  #isStopWished = false;
  /** Ends what the run does or waits for; undefined between two such things. */
  #cut: ((why: Error) => void) | undefined;
  /** Whether a requested stop ends it, as an interruption does. */
  #endsWithStop = false;

  constructor(alarms: AlarmClock) {
    this.#alarms = alarms;
  }

  /** Undefined while nothing but a stop has interrupted the run. */
  get by(): Interrupted["by"] | undefined {
    return this.#interrupted?.by;
  }

  /** A stop is requested, and the provider was not asked to stop since. */
  get isStopWished(): boolean {
    return this.#isStopWished;
  }

  interrupt(by: Interrupted["by"]): void {
    this.#interrupted ??= new Interrupted(by);
    this.#cut?.(this.#interrupted);
  }

  wishStop(): void {
    this.#isStopWished = true;
    if (this.#endsWithStop) this.#cut?.(stopAsked());
  }

  /** The provider is asked to stop now. */
  takeStopWish(): void {
    this.#isStopWished = false;
  }

  /** Does work that a stop, a deadline or a shutdown interrupts. */
  untilStopWished<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.untilCut(work, { byStop: true });
  }

  /** Does work that a deadline or a shutdown interrupts; `byStop`: a stop, too. */
  async untilCut<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    { byStop = false }: { readonly byStop?: boolean } = {},
  ): Promise<Result> {
    const controller = new AbortController();
    this.#mayBeCut((why) => controller.abort(why), byStop);
    try {
      return await work(controller.signal);
    } finally {
      this.#cut = undefined;
    }
  }

  /** Most of the life of most jobs: without a signal, which would be half of what such a run takes in memory. */
  async untilPollIsDue(afterMs: number): Promise<void> {
    let alarm: Alarm | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#mayBeCut(reject, true);
        alarm = this.#alarms.set(afterMs, resolve);
      });
    } finally {
      alarm?.cancel();
      this.#cut = undefined;
    }
  }

  #mayBeCut(cut: (why: Error) => void, byStop: boolean): void {
    this.#cut = cut;
    this.#endsWithStop = byStop;
    if (this.#interrupted !== undefined) cut(this.#interrupted);
    else if (byStop && this.#isStopWished) cut(stopAsked());
  }
}

function stopAsked(): Error {
  return new Error("a stop was asked for");
}
