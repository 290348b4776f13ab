import { ApiError } from "../../../shared/errors.ts";

/** Who searches: a caller with a credential, or the public. */
export type Searcher = "caller" | "public";

/**
 * The queue of searches. A search goes through the whole catalog on the thread that does everything else. So searches
 * run one at a time, with time for other work between them, those of callers first. Those that would wait too long are
 * refused.
 */
export interface SearchLine {
  /** Throws unavailable (503, Retry-After) if `inTurn` would; call it before the body is read. */
  check(searcher: Searcher): void;
  /**
   * Does the work when it is its turn. A long search calls `pause` between its steps. Throws as `check` does; rejects
   * with the signal's reason.
   */
  inTurn<Result>(searcher: Searcher, signal: AbortSignal, work: (pause: Pause) => Promise<Result>): Promise<Result>;
}

/**
 * Leaves the thread to others, for as long as between two searches, and resolves when the next step may begin. Rejects
 * with the reason of the search's signal.
 */
export type Pause = () => Promise<void>;

/** Maximum number of waiting searches; each keeps a request with its body in memory. */
const MAX_WAITING: Readonly<Record<Searcher, number>> = { caller: 500, public: 100 };
/**
 * The longest expected wait of a search, in milliseconds, estimated from recent searches. An admitted search is
 * answered in about a second, even under lasting overload.
 */
const MAX_WAIT_MS: Readonly<Record<Searcher, number>> = { caller: 800, public: 800 };
/** This many of each may always wait, even after slow searches: the first ones after a start are slow. */
const MAY_ALWAYS_WAIT = 8;
/** The assumed duration until searches are measured, and the most that a single slow one counts. */
const FIRST_USUAL_MS = 20;
const LONGEST_USUAL_MS = 500;
/** Several may be in progress: those that wait for another service, or for the first index, do not use the thread. */
const MAX_UNDER_WAY = 16;
/**
 * For each millisecond that a search held the thread, this many are left to other work before the next search begins:
 * half of the thread beside searches of callers, three quarters beside those of the public.
 */
const ROOM: Readonly<Record<Searcher, number>> = { caller: 1, public: 3 };
const MAX_ROOM_MS = 250;
/**
 * A turn of the event loop without work is shorter than this, in milliseconds. The loop accepts one new connection per
 * turn, so with a search in each turn, a client would wait for as many searches as there are connections before its
 * own.
 */
const QUIET_TURN_MS = 0.1;
/** Data that a client has just written needs some turns to arrive. */
const QUIET_TURNS = 5;
const RETRY_SECONDS: Readonly<Record<Searcher, number>> = { caller: 1, public: 2 };

export interface SearchLineParts {
  /** Whether other requests are in progress that need time of the thread. */
  readonly othersAtWork: () => boolean;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

export function createSearchLine({ othersAtWork, nowMs = () => performance.now() }: SearchLineParts): SearchLine {
  const waiting: Readonly<Record<Searcher, Set<() => void>>> = { caller: new Set(), public: new Set() };
  /** Next steps of searches under way; they come before searches that have not begun. */
  const paused: Readonly<Record<Searcher, Set<() => void>>> = { caller: new Set(), public: new Set() };
  let underWay = 0;
  /** Average time that recent searches held the thread. */
  let usualMs = FIRST_USUAL_MS;
  /** True until the other work has had its time after a search. */
  let isHeld = false;

  function refusal(searcher: Searcher): ApiError | undefined {
    if (waiting[searcher].size < MAY_ALWAYS_WAIT) return undefined;
    const ahead = lengthOf("caller") + (searcher === "public" ? lengthOf("public") : 0);
    const waitMs = ahead * usualMs * (othersAtWork() ? 1 + ROOM[searcher] : 1);
    if (waiting[searcher].size < MAX_WAITING[searcher] && waitMs <= MAX_WAIT_MS[searcher]) return undefined;
    return tooMany(searcher);
  }

  function lengthOf(searcher: Searcher): number {
    return waiting[searcher].size + paused[searcher].size;
  }

  function next(): void {
    if (isHeld) return;
    const mayBegin = underWay < MAX_UNDER_WAY;
    for (const searcher of ["caller", "public"] as const) {
      const [goOnWith] = paused[searcher];
      const [begin] = mayBegin ? waiting[searcher] : [];
      const step = goOnWith ?? begin;
      if (step === undefined) continue;
      if (goOnWith === undefined) underWay += 1;
      hold(searcher, step, goOnWith === undefined ? 0.8 : 1);
      return;
    }
  }

  /** `kept`: the share of the usual time that stays; the steps of a search add up. */
  function hold(searcher: Searcher, step: () => void, kept: number): void {
    isHeld = true;
    const startedMs = nowMs();
    step();
    // Requests that arrived meanwhile are handled before this.
    setImmediate(() => {
      const heldMs = nowMs() - startedMs;
      usualMs = usualMs * kept + Math.min(heldMs, LONGEST_USUAL_MS) * 0.2;
      const roomMs = Math.min(heldMs * ROOM[searcher], MAX_ROOM_MS);
      // Other requests may be waiting for the disk or a provider while the loop is quiet, so quiet turns do not count.
      if (othersAtWork()) setTimeout(goOn, roomMs);
      else whenQuiet(nowMs() + roomMs);
    });
  }

  /** Goes on when there is nothing else to do, or the time is over. */
  function whenQuiet(untilMs: number, quietTurns = 0): void {
    const turnMs = nowMs();
    setImmediate(() => {
      const now = nowMs();
      const isQuiet = now - turnMs < QUIET_TURN_MS;
      if (now >= untilMs || quietTurns >= QUIET_TURNS) goOn();
      else if (othersAtWork()) setTimeout(goOn, untilMs - now);
      else whenQuiet(untilMs, isQuiet ? quietTurns + 1 : 0);
    });
  }

  function goOn(): void {
    isHeld = false;
    next();
  }

  async function takePause(queue: Set<() => void>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        signal.removeEventListener("abort", giveUp);
        queue.delete(goOnWith);
      };
      const goOnWith = () => {
        end();
        resolve();
      };
      const giveUp = () => {
        end();
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      queue.add(goOnWith);
      next();
    });
  }

  function check(searcher: Searcher): void {
    const refused = refusal(searcher);
    if (refused !== undefined) throw refused;
  }

  return {
    check,
    async inTurn(searcher, signal, work) {
      check(searcher);
      signal.throwIfAborted();
      const isLong = waiting[searcher].size >= MAY_ALWAYS_WAIT;
      await new Promise<void>((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", giveUp);
          waiting[searcher].delete(begin);
        };
        const begin = () => {
          end();
          resolve();
        };
        const giveUp = () => {
          end();
          reject(signal.reason as Error);
        };
        const refuse = () => {
          end();
          reject(tooMany(searcher));
        };
        // Refused later if the searches before it take longer than expected.
        const timer = isLong ? setTimeout(refuse, MAX_WAIT_MS[searcher]) : undefined;
        signal.addEventListener("abort", giveUp, { once: true });
        waiting[searcher].add(begin);
        next();
      });
      try {
        return await work(async () => await takePause(paused[searcher], signal));
      } finally {
        underWay -= 1;
        next();
      }
    },
  };
}

function tooMany(searcher: Searcher): ApiError {
  const seconds = RETRY_SECONDS[searcher];
  return new ApiError("unavailable", `Too many searches are under way. Retry after ${seconds}s.`, {
    retryAfterSeconds: seconds,
  });
}
