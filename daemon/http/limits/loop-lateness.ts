/** Measures the lasting lateness of the event loop, which delays every step of every request. */
export interface LoopLateness {
  /** Milliseconds; 0 if any of the last ticks was on time, since one long step is not overload. */
  standingMs(): number;
}

const TICK_MS = 20;
/** This many ticks in a row must be late; at a lateness of 100 ms they take 1.2 s. */
const TICKS = 10;
/** If nobody asks for this long, measuring stops, so that an idle daemon sleeps. */
const IDLE_MS = 2_000;

/** Measures only while it is asked. `nowMs` is monotonic. */
export function watchLoop(nowMs: () => number = () => performance.now()): LoopLateness {
  const latenesses: number[] = [];
  let askedMs = 0;
  let timer: NodeJS.Timeout | undefined;

  function tick(): void {
    const dueMs = nowMs() + TICK_MS;
    timer = setTimeout(() => {
      const now = nowMs();
      latenesses.push(Math.max(0, now - dueMs));
      if (latenesses.length > TICKS) latenesses.shift();
      timer = undefined;
      if (now - askedMs < IDLE_MS) tick();
      else latenesses.length = 0;
    }, TICK_MS);
    timer.unref();
  }

  return {
    standingMs() {
      askedMs = nowMs();
      if (timer === undefined) tick();
      return latenesses.length < TICKS ? 0 : Math.min(...latenesses);
    },
  };
}
