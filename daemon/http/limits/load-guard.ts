import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import type { Operation } from "../../../shared/contract/operation.ts";
import { createCallerLine, tooMuchToDo } from "./caller-line.ts";
import { type LoopLateness, watchLoop } from "./loop-lateness.ts";
import { createSearchLine, type Pause, type Searcher } from "./search-line.ts";

/** Keeps the daemon fast for paying callers under overload. One for all of its ports. */
export interface LoadGuard {
  /**
   * Resolves when a request may be processed; rejects with unavailable (503, Retry-After) if it must be repeated later.
   */
  enter(operation: Operation): Promise<void>;
  /** To be awaited before a refusal is sent; delays it if there are very many. */
  holdRefusal(): Promise<void>;
  /** A new connection was accepted. */
  connectionCame(): void;
  /**
   * Does the work of a request; searches are queued, and each step of one after a pause as well. Rejects as `enter`
   * does, and with the signal's reason.
   */
  atWork<Result>(
    operation: Operation,
    /** Its signal is made when somebody asks for it, and only a search does. */
    caller: Pick<AbortController, "signal">,
    work: (pause: Pause) => Promise<Result>,
  ): Promise<Result>;
}

/** In the order in which they are refused, first to last. */
type Class = "public" | "search" | "usual" | "run";

/**
 * The lasting lateness of the event loop, in milliseconds, above which requests of a class are refused: those without a
 * key first, runs last. Vital requests are never refused.
 */
const LATEST_MS: Readonly<Record<Class, number>> = { public: 100, search: 150, usual: 200, run: 400 };
/** With fewer requests in progress, something else makes the loop late, and refusing requests would not help. */
const FEWEST_UNDER_WAY = 8;
/** A request that takes longer waits for something outside this process, for example a provider. */
const AT_WORK_MS = 1_000;
const RETRY_SECONDS: Readonly<Record<Class, number>> = { public: 5, search: 3, usual: 2, run: 1 };

/**
 * This many refusals per second are sent at once, the others `REFUSAL_HELD_MS` later. Otherwise clients that ignore
 * Retry-After and repeat at once would be refused all the time, and refusing takes time too.
 */
const REFUSALS_AT_ONCE = 100;
const REFUSAL_HELD_MS = 1_000;
const MOST_REFUSALS_HELD = 2_000;

/** `nowMs` is monotonic; the queue of callers measures its speed with it. */
export function createLoadGuard(
  lateness: LoopLateness = watchLoop(),
  nowMs: () => number = () => performance.now(),
): LoadGuard {
  /** Requests in progress that are not searches, the oldest first, without those found to be long at work. */
  const others = new Set<{ readonly sinceMs: number }>();
  let underWay = 0;
  const refusals = { sinceMs: -Infinity, count: 0, held: 0 };
  const searches = createSearchLine({ othersAtWork });
  const callers = createCallerLine(nowMs);

  /** Looked through when a search asks, so that no request needs a timer of its own. */
  function othersAtWork(): boolean {
    const longMs = performance.now() - AT_WORK_MS;
    for (const other of others) {
      if (other.sinceMs > longMs) return true;
      others.delete(other);
    }
    return false;
  }

  async function holdRefusal(): Promise<void> {
    const now = performance.now();
    if (now - refusals.sinceMs >= 1_000) Object.assign(refusals, { sinceMs: now, count: 0 });
    refusals.count += 1;
    if (refusals.count <= REFUSALS_AT_ONCE || refusals.held >= MOST_REFUSALS_HELD) return;
    refusals.held += 1;
    await delay(REFUSAL_HELD_MS);
    refusals.held -= 1;
  }

  function checkLoad(kind: Class): void {
    if (lateness.standingMs() >= LATEST_MS[kind] && underWay >= FEWEST_UNDER_WAY) {
      throw tooMuchToDo(RETRY_SECONDS[kind]);
    }
    const searcher = searcherOf(kind);
    if (searcher !== undefined) searches.check(searcher);
  }

  return {
    async enter(operation) {
      const kind = classOf(operation);
      if (kind === undefined) return;
      try {
        checkLoad(kind);
        if (kind === "run" || kind === "usual") await callers.turn(kind);
      } catch (error) {
        await holdRefusal();
        throw error;
      }
    },
    holdRefusal,
    connectionCame: () => callers.connectionCame(),
    async atWork(operation, caller, work) {
      const kind = classOf(operation);
      const searcher = searcherOf(kind);
      const other = kind === undefined || searcher !== undefined ? undefined : { sinceMs: performance.now() };
      if (other !== undefined) others.add(other);
      underWay += 1;
      try {
        if (searcher !== undefined) return await searches.inTurn(searcher, caller.signal, work);
        return await work(nextTurn);
      } finally {
        underWay -= 1;
        if (other !== undefined) others.delete(other);
      }
    },
  };
}

function classOf({ auth, load }: Operation): Class | undefined {
  if (load === "vital") return undefined;
  if (auth === "none") return "public";
  return load ?? "usual";
}

function searcherOf(kind: Class | undefined): Searcher | undefined {
  if (kind === "search") return "caller";
  return kind === "public" ? "public" : undefined;
}
