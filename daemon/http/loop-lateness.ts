/** How late the event loop is, and stays: what everybody waits for at every step. */
export interface LoopLateness {
  /** Milliseconds; 0 while any of the last ticks came in time. One long step is not being overloaded. */
  standingMs(): number;
}

const TICK_MS = 20;
/** So many ticks in a row must be late: at a lateness of 100 ms those of 1.2 s. */
const TICKS = 10;
/** Nobody asked for so long: nothing is measured, and an idle daemon sleeps. */
const IDLE_MS = 2_000;

/** Measures as long as it is asked. `nowMs` is monotonic. */
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
