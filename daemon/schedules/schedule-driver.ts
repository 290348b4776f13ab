import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { isoNow } from "../base/clock.ts";
import type { WorkspaceId } from "../base/ids.ts";
import type { ScheduleState } from "../ledger/records/schedule-records.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import { type Attempt, decide, type DecideParts } from "./decide.ts";
import { DueTimes } from "./due-times.ts";

/**
 * How often due times are looked for. Looking is cheap, and a timer for the next one alone would miss a changed clock or a
 * machine that slept.
 */
const LOOK_EVERY_MS = 500;
/** Runs that are begun at the same time; how many then go on is for the queues of their providers. */
const MOST_AT_ONCE = 8;
/** How long a schedule is left alone after a failure of our own, and before a refused run is tried again. */
const PAUSE_MS = 2_000;
/**
 * A schedule that has to be looked at again so often in a row, because it changed or because a due time was passed over, is left
 * alone for a while, so that nothing waits for it without end.
 */
const MOST_LOOKS = 20;

/** Makes the runs of all schedules when they are due, with one timer. */
export interface ScheduleDriver extends AsyncDisposable {
  /** Looks at once, then periodically. What came due while no daemon ran is missed, or made up for, as its schedule says. */
  start(): Promise<void>;
  /** Decides about all that is due now; resolves when it is decided. */
  tick(): Promise<void>;
  /** A schedule was made, changed, paused, resumed or deleted, or a run of it has ended. */
  changed(schedule: { readonly scheduleId: string; readonly workspaceId: WorkspaceId }): void;
  /** Tells it of every run that has ended, after its end is durable. */
  observe(run: Pick<RunRecord, "schedule" | "workspaceId">): void;
  /** Begins no more runs. Waits for those that are being begun. */
  close(): Promise<void>;
}

interface Waiting extends Attempt {
  readonly workspaceId: WorkspaceId;
  /** Milliseconds since the epoch. */
  wakeAtMs: number;
  /** By the clock of the process, which nobody sets. */
  restUntilMs: number;
  /** How often in a row it had to be looked at again. */
  looks: number;
  /** And of what they are. */
  times?: { readonly of: string; readonly due: DueTimes };
}

export function createScheduleDriver(parts: DecideParts): ScheduleDriver {
  return new DrivenSchedules(parts);
}

class DrivenSchedules implements ScheduleDriver {
  readonly #parts: DecideParts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #working = new Map<string, Promise<void>>();
  #soonestMs = Infinity;
  #lookedAtMs = -Infinity;
  #isClosing = false;
  #sleeping = new AbortController();
  #looping: Promise<void> | undefined;

  constructor(parts: DecideParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    for (const { schedule, pause } of await this.#parts.store.listAllSchedules()) {
      if (pause === undefined) this.#add(schedule);
    }
    this.#looping ??= this.#loop();
  }

  changed(schedule: { readonly scheduleId: string; readonly workspaceId: WorkspaceId }): void {
    this.#add(schedule);
    this.#sleeping.abort();
  }

  observe({ schedule, workspaceId }: Pick<RunRecord, "schedule" | "workspaceId">): void {
    if (schedule !== undefined) this.changed({ scheduleId: schedule.scheduleId, workspaceId });
  }

  async tick(): Promise<void> {
    do {
      this.#begin();
      await Promise.all(this.#working.values());
    } while (this.#hasDue());
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#sleeping.abort();
    await this.#looping;
    await Promise.all(this.#working.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #loop(): Promise<void> {
    while (!this.#isClosing) {
      this.#sleeping = new AbortController();
      const { signal } = this.#sleeping;
      this.#begin();
      const untilDueMs = this.#soonestMs - this.#parts.clock.now();
      // What is due and was not begun waits for room, which wakes this loop, or rests.
      const pauseMs = untilDueMs > 0 ? Math.min(LOOK_EVERY_MS, untilDueMs) : LOOK_EVERY_MS;
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** To be looked at the next time. */
  #add({ scheduleId, workspaceId }: { readonly scheduleId: string; readonly workspaceId: WorkspaceId }): void {
    const known = this.#waiting.get(scheduleId);
    if (known === undefined)
      this.#waiting.set(scheduleId, { workspaceId, wakeAtMs: -Infinity, restUntilMs: 0, looks: 0 });
    else known.wakeAtMs = -Infinity;
    this.#soonestMs = -Infinity;
  }

  /** Begins what is due, as far as there is room. */
  #begin(): void {
    const nowMs = this.#parts.clock.now();
    // The clock was set back: what was to come much later may be due now.
    if (nowMs < this.#lookedAtMs) for (const one of this.#waiting.values()) one.wakeAtMs = -Infinity;
    else if (nowMs < this.#soonestMs) return;
    this.#lookedAtMs = nowMs;
    let soonestMs = Infinity;
    for (const [scheduleId, waiting] of this.#waiting) {
      if (this.#isClosing) return;
      if (!isDue(waiting, nowMs) || this.#working.has(scheduleId)) {
        soonestMs = Math.min(soonestMs, waiting.wakeAtMs);
        continue;
      }
      if (this.#working.size >= MOST_AT_ONCE) return;
      const work = this.#workOn(scheduleId, waiting).finally(() => this.#leave(scheduleId));
      this.#working.set(scheduleId, work);
    }
    this.#soonestMs = soonestMs;
  }

  #hasDue(): boolean {
    const nowMs = this.#parts.clock.now();
    return !this.#isClosing && [...this.#waiting.values()].some((one) => isDue(one, nowMs));
  }

  #leave(scheduleId: string): void {
    this.#working.delete(scheduleId);
    this.#soonestMs = -Infinity;
    this.#sleeping.abort();
  }

  async #workOn(scheduleId: string, waiting: Waiting): Promise<void> {
    const { store, clock, logger } = this.#parts;
    // Whatever changes from here on sets it once more.
    waiting.wakeAtMs = Infinity;
    // Another due time may come while this one is decided.
    const lookedAtMs = clock.now();
    try {
      const state = await store.findSchedule(waiting.workspaceId, scheduleId);
      if (state === undefined || state.pause !== undefined) {
        this.#forget(scheduleId, waiting);
        return;
      }
      const next = await decide(this.#parts, state, {
        timesOf: () => this.#timesOf(waiting, state),
        attempt: waiting,
      });
      waiting.looks = next === "lookAgain" ? waiting.looks + 1 : 0;
      const isInVain = waiting.looks > MOST_LOOKS;
      if (isInVain) logger.warn({ scheduleId }, "a schedule changes again and again; it is looked at later");
      if (next === "later" || isInVain) {
        rest(waiting);
        return;
      }
      // What has changed the schedule is readable once it is durable, which takes turns of the event loop.
      if (next === "lookAgain") await (waiting.looks === 1 ? setImmediate() : delay(waiting.looks));
      waiting.restUntilMs = 0;
      const wakeAtMs = next === "lookAgain" ? -Infinity : (waiting.times?.due.next(lookedAtMs) ?? Infinity);
      waiting.wakeAtMs = Math.min(waiting.wakeAtMs, wakeAtMs);
    } catch (error) {
      rest(waiting);
      logger.error({ err: error, scheduleId, at: isoNow(clock) }, "it could not be decided whether a schedule is due");
    }
  }

  /** Unless it was resumed at this very moment. */
  #forget(scheduleId: string, waiting: Waiting): void {
    if (waiting.wakeAtMs === Infinity) this.#waiting.delete(scheduleId);
  }

  #timesOf(waiting: Waiting, { schedule }: ScheduleState): DueTimes {
    const of = `${schedule.timeZone} ${schedule.cron}`;
    if (waiting.times?.of !== of) waiting.times = { of, due: new DueTimes(schedule) };
    return waiting.times.due;
  }
}

function rest(waiting: Waiting): void {
  waiting.wakeAtMs = -Infinity;
  waiting.restUntilMs = performance.now() + PAUSE_MS;
  waiting.looks = 0;
}

function isDue({ wakeAtMs, restUntilMs }: Waiting, nowMs: number): boolean {
  return wakeAtMs <= nowMs && restUntilMs <= performance.now();
}
