import { ApiError } from "../../shared/errors.ts";

/** What a caller asks for: a run, or anything that is no search. */
export type CallerWork = "run" | "usual";

/**
 * Requests of callers begin one in a turn of the event loop, runs first. So what has begun is seen to between any two, and a new
 * connection is taken: the more there is to do, the longer a turn is and the fewer begin. Those that would wait too long are
 * refused.
 */
export interface CallerLine {
  /** Resolves when it is its turn; rejects with unavailable (503, Retry-After) where it would wait too long. */
  turn(work: CallerWork): Promise<void>;
  /** A new connection was taken. The system gives one in a turn, so turns are left to those that wait for theirs. */
  connectionCame(): void;
}

/** In memory each is a request; a read takes much less of the thread than a run. */
const MOST_WAITING: Readonly<Record<CallerWork, number>> = { run: 256, usual: 1_024 };
/** A line that has stood for longer, in milliseconds, is no burst: more comes than can be done. */
const BURST_MS = 1_000;
/** Milliseconds without a line, until another one may be a burst. */
const CALM_MS = 5_000;
/** Milliseconds that a request may have to wait, by how fast the line moved of late; with its work it is about a second. */
const MAX_WAIT_MS = { burst: 700, standing: 300 };
/** So many may wait, however slowly the line moved of late. */
const MAY_ALWAYS_WAIT = { burst: 64, standing: 8 };
/** Between the beginnings of two, in milliseconds, until that was measured, and at most. */
const FIRST_STEP_MS = 1;
const LONGEST_STEP_MS = 100;
/** Milliseconds in which new connections come first, and as many in which they do not: nobody holds up those in the line. */
const CONNECTIONS_FIRST_MS = 100;
/** Runs come first, and what else waits comes, too. */
const RUNS_BEFORE_ANOTHER = 3;
const RETRY_SECONDS = 1;

/** `nowMs` is monotonic. */
export function createCallerLine(nowMs: () => number = () => performance.now()): CallerLine {
  const waiting: Readonly<Record<CallerWork, Set<() => void>>> = { run: new Set(), usual: new Set() };
  /** Since when there is a line. */
  let sinceMs: number | undefined;
  /** When there was a line last, and whether the one of now came soon after it. */
  let endedMs = -Infinity;
  let isSoonAgain = false;
  /** When the last one began, and what was between two of late, while there was a line. */
  let lastMs = 0;
  let stepMs = FIRST_STEP_MS;
  /** One began in this turn. */
  let isHeld = false;
  let runsInARow = 0;
  /** A connection was taken since the last turn. */
  let hasCome = false;

  function areConnectionsFirst(): boolean {
    const come = hasCome;
    hasCome = false;
    return come && Math.floor(nowMs() / CONNECTIONS_FIRST_MS) % 2 === 0;
  }

  function refuseLateComer(work: CallerWork): void {
    const ahead = waiting.run.size + (work === "usual" ? waiting.usual.size : 0);
    const now = nowMs();
    const kind = now - (sinceMs ?? now) < BURST_MS && !isSoonAgain ? "burst" : "standing";
    if (ahead < MAY_ALWAYS_WAIT[kind]) return;
    if (waiting[work].size < MOST_WAITING[work] && ahead * stepMs <= MAX_WAIT_MS[kind]) return;
    throw tooMuchToDo(RETRY_SECONDS);
  }

  function nextLine(): Set<() => void> {
    const isRun = waiting.run.size > 0 && (waiting.usual.size === 0 || runsInARow < RUNS_BEFORE_ANOTHER);
    runsInARow = isRun ? runsInARow + 1 : 0;
    return isRun ? waiting.run : waiting.usual;
  }

  function holdTurn(): void {
    isHeld = true;
    setImmediate(() => {
      isHeld = false;
      if (sinceMs !== undefined && areConnectionsFirst()) {
        holdTurn();
        return;
      }
      const line = nextLine();
      const [begin] = line;
      const now = nowMs();
      if (begin === undefined) {
        if (sinceMs !== undefined) endedMs = now;
        sinceMs = undefined;
        return;
      }
      holdTurn();
      stepMs = stepMs * 0.9 + Math.min(now - lastMs, LONGEST_STEP_MS) * 0.1;
      lastMs = now;
      line.delete(begin);
      begin();
    });
  }

  return {
    async turn(work) {
      if (!isHeld) {
        holdTurn();
        return;
      }
      refuseLateComer(work);
      await new Promise<void>((begin) => {
        waiting[work].add(begin);
        if (sinceMs !== undefined) return;
        sinceMs = lastMs = nowMs();
        isSoonAgain = sinceMs - endedMs < CALM_MS;
      });
    },
    connectionCame() {
      hasCome = true;
    },
  };
}

/** Whoever is told so may come again; nothing was done for it. */
export function tooMuchToDo(retryAfterSeconds: number): ApiError {
  return new ApiError("unavailable", `The service has too much to do. Retry after ${retryAfterSeconds}s.`, {
    retryAfterSeconds,
  });
}
