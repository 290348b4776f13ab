import { setTimeout as delay } from "node:timers/promises";
import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import type { TopEvent } from "./top-state.ts";
import type { TopSnapshot } from "./top-snapshot.ts";

export interface TopSource {
  read(signal: AbortSignal): Promise<TopSnapshot>;
  /** Between two readings. */
  readonly everyMs: number;
  /** As far as the pauses grow while the service is away: twice as long after each failure. */
  readonly longestMs: number;
  /** What takes longer to be read counts as a failure. */
  readonly patienceMs: number;
}

/** Reads until the signal aborts. A service that is away or busy is tried again, less and less often; all else rejects. */
export async function pollTop(source: TopSource, tell: (event: TopEvent) => void, signal: AbortSignal): Promise<void> {
  let pauseMs = source.everyMs;
  for (;;) {
    await delay(pauseMs, undefined, { signal });
    const failure = await readOnce(source, tell, signal);
    pauseMs = failure === undefined ? source.everyMs : Math.min(pauseMs * 2, source.longestMs);
    if (failure !== undefined) tell({ type: "away", away: { message: failure.message, retryMs: pauseMs } });
  }
}

/** Tells what it read, or gives why it could not; rejects where that will not pass. */
async function readOnce(
  { read, patienceMs }: TopSource,
  tell: (event: TopEvent) => void,
  outer: AbortSignal,
): Promise<Error | undefined> {
  const { signal, release } = linkSignals([outer], patienceMs);
  try {
    tell({ type: "read", snapshot: await read(signal) });
    return undefined;
  } catch (error) {
    const isTooLate = signal.aborted && !outer.aborted;
    if (error instanceof Error && (isTooLate || isPassing(error))) return error;
    throw error;
  } finally {
    release();
  }
}

function isPassing(error: Error): boolean {
  if (error instanceof UnreachableError) return true;
  return error instanceof ServiceError && (error.status === 429 || error.status >= 500);
}
