/** A point in time at which something is to be done. */
export interface Alarm {
  /** Does nothing when it has rung. */
  cancel(): void;
}

/** Timers of Node take no longer waits. */
const LONGEST_MS = 2_147_483_647;
/** A timer of Node may ring a fraction of a millisecond early. */
const EARLY_MS = 1;

interface SetAlarm extends Alarm {
  readonly dueMs: number;
  readonly ring: () => void;
  /** Its place in the heap; -1: no longer there. */
  place: number;
}

/**
 * Any number of alarms with one timer, which is set for the next of them: a heap by due time, so setting and cancelling one
 * takes logarithmic time. By monotonic time, like Node's own timers. It does not keep the process alive.
 */
export class AlarmClock {
  readonly #heap: SetAlarm[] = [];
  #timer: NodeJS.Timeout | undefined;
  #timerDueMs = Infinity;

  /** Calls `ring` once, after `delayMs`; what it throws becomes an uncaught exception, as in a timer. */
  set(delayMs: number, ring: () => void): Alarm {
    const alarm: SetAlarm = {
      // One that is set while others ring comes after them, also with no delay. What is not a number must not stand in the
      // heap, where it would hold up all others.
      dueMs: performance.now() + (delayMs > EARLY_MS * 2 ? delayMs : EARLY_MS * 2),
      ring,
      place: this.#heap.length,
      cancel: () => this.#remove(alarm),
    };
    this.#heap.push(alarm);
    this.#rise(alarm);
    this.#wind();
    return alarm;
  }

  /** Sets the timer for the next alarm; one that is set for an earlier time stays. */
  #wind(): void {
    const next = this.#heap[0];
    if (next === undefined) {
      clearTimeout(this.#timer);
      this.#timerDueMs = Infinity;
      return;
    }
    if (next.dueMs >= this.#timerDueMs) return;
    clearTimeout(this.#timer);
    this.#timerDueMs = next.dueMs;
    const delayMs = Math.min(LONGEST_MS, Math.max(0, next.dueMs - performance.now()));
    this.#timer = setTimeout(() => this.#ringDue(), delayMs).unref();
  }

  #ringDue(): void {
    this.#timerDueMs = Infinity;
    const now = performance.now() + EARLY_MS;
    try {
      // What is set meanwhile has a later time, so this ends.
      for (let next = this.#heap[0]; next !== undefined && next.dueMs <= now; next = this.#heap[0]) {
        this.#remove(next);
        next.ring();
      }
    } finally {
      this.#wind();
    }
  }

  #remove(alarm: SetAlarm): void {
    const { place } = alarm;
    if (place < 0) return;
    alarm.place = -1;
    const last = this.#heap.pop();
    if (last !== undefined && last !== alarm) {
      last.place = place;
      this.#heap[place] = last;
      this.#rise(last);
      this.#sink(last);
    }
    if (this.#heap.length === 0) this.#wind();
  }

  #rise(alarm: SetAlarm): void {
    for (;;) {
      const parent = this.#heap[(alarm.place - 1) >> 1];
      if (alarm.place === 0 || parent === undefined || parent.dueMs <= alarm.dueMs) return;
      this.#swap(alarm, parent);
    }
  }

  #sink(alarm: SetAlarm): void {
    for (;;) {
      const left = this.#heap[alarm.place * 2 + 1];
      const right = this.#heap[alarm.place * 2 + 2];
      const child = right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || child.dueMs >= alarm.dueMs) return;
      this.#swap(alarm, child);
    }
  }

  #swap(one: SetAlarm, other: SetAlarm): void {
    [one.place, other.place] = [other.place, one.place];
    this.#heap[one.place] = one;
    this.#heap[other.place] = other;
  }
}
