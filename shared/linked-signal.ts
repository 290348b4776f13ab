/** A signal that aborts with the first of others, or after a timeout of its own. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** From now on, only the others abort it. */
  stopTimer(): void;
  /** Detaches from the others and clears the timer; must be called when the work has ended. */
  release(): void;
}

const nothing = () => {};

/**
 * Not AbortSignal.any over AbortSignal.timeout: on Node 20 such a pair may be collected as garbage before it fires.
 * https://github.com/nodejs/node/issues/54614
 */
export function linkSignals(outer: readonly AbortSignal[], timeoutMs?: number): LinkedSignal {
  const [only] = outer;
  // Nothing to link: a signal of its own would cost every call a controller and a listener.
  if (only !== undefined && outer.length === 1 && timeoutMs === undefined)
    return { signal: only, stopTimer: nothing, release: nothing };
  const own = new AbortController();
  const followers = outer.map((signal) => {
    const follow = () => own.abort(signal.reason);
    signal.addEventListener("abort", follow, { once: true });
    if (signal.aborted) follow();
    return () => signal.removeEventListener("abort", follow);
  });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => own.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const stopTimer = () => clearTimeout(timer);
  return {
    signal: own.signal,
    stopTimer,
    release() {
      stopTimer();
      for (const letGo of followers) letGo();
    },
  };
}
