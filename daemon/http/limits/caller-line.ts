import { ApiError } from "../../../shared/errors.ts";

/** What a caller asks for: a run, or anything else except a search. */
export type CallerWork = "run" | "usual";

/**
 * The queue of callers' requests, runs first. As many begin per turn of the event loop as leave the turns short: one where
 * turns are long, or where connections come, of which a turn accepts one. In between the loop continues the requests that
 * have begun: the more work there is, the longer a turn takes and the fewer requests begin. Requests that would wait too
 * long are refused.
 */
export interface CallerLine {
  /** Resolves when the request may begin; rejects with unavailable (503, Retry-After) if it would wait too long. */
  turn(work: CallerWork): Promise<void>;
  /** A new connection was accepted. The loop accepts one per turn, so some turns are left free for those that wait. */
  connectionCame(): void;
}

/** Each waiting request takes memory. A read takes much less time of the thread than a run. */
const MOST_WAITING: Readonly<Record<CallerWork, number>> = { run: 256, usual: 1_024 };
/** A queue that lasts longer than this, in milliseconds, is not a burst: more requests come than can be handled. */
const BURST_MS = 1_000;
/** Milliseconds without a queue until the next one may count as a burst. */
const CALM_MS = 5_000;
/**
 * The longest expected wait of a request, in milliseconds, estimated from the recent speed of the queue. Wait and work
 * together take about a second.
 */
const MAX_WAIT_MS = { burst: 700, standing: 300 };
/** This many may always wait, however slow the queue has been. */
const MAY_ALWAYS_WAIT = { burst: 64, standing: 8 };
/** Milliseconds between the starts of two requests: the assumption until it is measured, and the upper bound. */
const FIRST_STEP_MS = 1;
const LONGEST_STEP_MS = 100;
/**
 * After a short turn in which as many began as may, twice as many may begin in the next; after a long one, half as many. Those
 * that begin together share the flushes of the journal. A run takes some ten turns, which is why they must not be long.
 */
const MOST_AT_ONCE = 32;
const SHORT_TURN_MS = 15;
const LONG_TURN_MS = 30;
/**
 * New connections come first for this many milliseconds, then waiting requests for as many, so that neither starves.
 */
const CONNECTIONS_FIRST_MS = 100;
/** After this many runs in a row another waiting request begins. */
const RUNS_BEFORE_ANOTHER = 3;
const RETRY_SECONDS = 1;

/** `nowMs` is monotonic. */
export function createCallerLine(nowMs: () => number = () => performance.now()): CallerLine {
  const waiting: Readonly<Record<CallerWork, Set<() => void>>> = { run: new Set(), usual: new Set() };
  /** When the present queue began; undefined without a queue. */
  let sinceMs: number | undefined;
  /** When the last queue ended, and whether the present one began soon after that. */
  let endedMs = -Infinity;
  let isSoonAgain = false;
  /** When the last request began, and the average time between two while there is a queue. */
  let lastMs = 0;
  let stepMs = FIRST_STEP_MS;
  /** The turn in which requests begin now; it is over when `isHeld` is false. */
  let isHeld = false;
  let turnMs = 0;
  let begun = 0;
  /** How many may begin in a turn. */
  let atOnce = 1;
  let runsInARow = 0;
  /** True: a connection was accepted since the last turn. */
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
    begun = 0;
    turnMs = nowMs();
    setImmediate(endTurn);
  }

  function endTurn(): void {
    isHeld = false;
    const now = nowMs();
    if (now - turnMs > LONG_TURN_MS) atOnce = Math.max(1, atOnce >> 1);
    else if (now - turnMs < SHORT_TURN_MS && begun >= atOnce) atOnce = Math.min(MOST_AT_ONCE, 2 * atOnce);
    if (sinceMs === undefined) return;
    if (areConnectionsFirst()) holdTurn();
    else beginNext(now);
  }

  function beginNext(now: number): void {
    if (waiting.run.size + waiting.usual.size === 0) {
      endedMs = now;
      sinceMs = undefined;
      return;
    }
    holdTurn();
    while (begun < atOnce && waiting.run.size + waiting.usual.size > 0) {
      const line = nextLine();
      for (const begin of line) {
        line.delete(begin);
        begin();
        break;
      }
      begun += 1;
    }
    stepMs = stepMs * 0.9 + Math.min((now - lastMs) / begun, LONGEST_STEP_MS) * 0.1;
    lastMs = now;
  }

  return {
    async turn(work) {
      if (!isHeld) holdTurn();
      if (sinceMs === undefined && begun < atOnce) {
        begun += 1;
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
      atOnce = 1;
    },
  };
}

/** Nothing was done for the refused request, so it may be repeated. */
export function tooMuchToDo(retryAfterSeconds: number): ApiError {
  return new ApiError("unavailable", `The service is overloaded. Retry after ${retryAfterSeconds}s.`, {
    retryAfterSeconds,
  });
}
