import { ApiError } from "../../shared/errors.ts";

/** Who has a search done: someone with a credential, or anybody. */
export type Searcher = "caller" | "public";

/**
 * Searches go through the whole catalog on the thread that does everything else. So they are done one at a time, with room
 * for everything else between them, those of callers first; those that would wait too long are refused.
 */
export interface SearchLine {
  /** Throws unavailable (503, Retry-After) where `inTurn` would: before a body is read. */
  check(searcher: Searcher): void;
  /** Does the work when it is its turn. Throws as `check` does; rejects with the signal's reason. */
  inTurn<Result>(searcher: Searcher, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

/** Searches that wait, at most: in memory each is a request with its body. */
const MAX_WAITING: Readonly<Record<Searcher, number>> = { caller: 500, public: 100 };
/**
 * Milliseconds that a search may have to wait, by what searches took of late. What is let in is answered in about a second,
 * also for as long as more is asked than can be done.
 */
const MAX_WAIT_MS: Readonly<Record<Searcher, number>> = { caller: 800, public: 800 };
/** So many of each may wait, however long searches took of late: the first ones after a start are slow. */
const MAY_ALWAYS_WAIT = 8;
/** Until searches were measured; a single slow one counts as no more than the longest. */
const FIRST_USUAL_MS = 20;
const LONGEST_USUAL_MS = 500;
/** Those that wait for a service of somebody else, or for the first index, take no time of this process meanwhile. */
const MAX_UNDER_WAY = 16;
/**
 * For each millisecond that a search held the thread so many are left to others who need it, before the next search begins:
 * half of the thread beside searches of callers, three quarters beside those of the public.
 */
const ROOM: Readonly<Record<Searcher, number>> = { caller: 1, public: 3 };
const MAX_ROOM_MS = 250;
/**
 * A turn of the event loop in which nothing was to do is shorter, in milliseconds. New connections are taken one in a turn, so
 * that a search in each would have everybody else wait for as many searches as there are connections before theirs.
 */
const QUIET_TURN_MS = 0.1;
/** What was written a moment ago needs some turns to come in. */
const QUIET_TURNS = 5;
const RETRY_SECONDS: Readonly<Record<Searcher, number>> = { caller: 1, public: 2 };

export interface SearchLineParts {
  /** Whether anything is under way that searches leave room to. */
  readonly othersAtWork: () => boolean;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

export function createSearchLine({ othersAtWork, nowMs = () => performance.now() }: SearchLineParts): SearchLine {
  const waiting: Readonly<Record<Searcher, Set<() => void>>> = { caller: new Set(), public: new Set() };
  let underWay = 0;
  /** What a search held the thread for, of late. */
  let usualMs = FIRST_USUAL_MS;
  /** Since the last search began the thread has not been given back yet. */
  let isHeld = false;

  function refusal(searcher: Searcher): ApiError | undefined {
    if (waiting[searcher].size < MAY_ALWAYS_WAIT) return undefined;
    const ahead = waiting.caller.size + (searcher === "public" ? waiting.public.size : 0);
    const waitMs = ahead * usualMs * (othersAtWork() ? 1 + ROOM[searcher] : 1);
    if (waiting[searcher].size < MAX_WAITING[searcher] && waitMs <= MAX_WAIT_MS[searcher]) return undefined;
    return tooMany(searcher);
  }

  function next(): void {
    if (isHeld || underWay >= MAX_UNDER_WAY) return;
    const searcher = waiting.caller.size > 0 ? "caller" : "public";
    const [begin] = waiting[searcher];
    if (begin === undefined) return;
    isHeld = true;
    underWay += 1;
    const startedMs = nowMs();
    begin();
    // What came in meanwhile is seen to before this.
    setImmediate(() => {
      const heldMs = nowMs() - startedMs;
      usualMs = usualMs * 0.8 + Math.min(heldMs, LONGEST_USUAL_MS) * 0.2;
      const roomMs = Math.min(heldMs * ROOM[searcher], MAX_ROOM_MS);
      // Who is at work may wait for the disk or a provider, while the loop is quiet.
      if (othersAtWork()) setTimeout(goOn, roomMs);
      else whenQuiet(nowMs() + roomMs);
    });
  }

  /** Goes on when nothing else is to do, or the time is over. */
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
        // Others may have taken more time than was expected.
        const timer = isLong ? setTimeout(refuse, MAX_WAIT_MS[searcher]) : undefined;
        signal.addEventListener("abort", giveUp, { once: true });
        waiting[searcher].add(begin);
        next();
      });
      try {
        return await work();
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
