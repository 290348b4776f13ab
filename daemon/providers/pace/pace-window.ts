/** At most `requests` starts in any `perMs`. Source: docs/manifest.md, "Rate limit". */
export interface Pace {
  readonly requests: number;
  readonly perMs: number;
}

export interface PaceWindow {
  /** Milliseconds until the next start is allowed; 0: now. */
  waitMs(): number;
  /** Counts a start, and returns a function that cancels it. */
  begin(): () => void;
  /** True when more have begun than may: others began some meanwhile. */
  isExceeded(): boolean;
  /** True when no start counts any more. */
  isEmpty(): boolean;
}

/** Remembers the starts. Uses monotonic time: a wall clock that is set back would block a provider for hours. */
export function createPaceWindow({ requests, perMs }: Pace, nowMs = () => performance.now()): PaceWindow {
  const begun: number[] = [];
  /** Of the start that is this many before the newest one: how long it still counts. */
  const countsForMs = (back: number) => {
    const at = begun.at(-1 - back);
    return at === undefined ? 0 : Math.max(0, at + perMs - nowMs());
  };

  return {
    waitMs: () => countsForMs(requests - 1),
    isExceeded: () => countsForMs(requests) > 0,
    isEmpty: () => countsForMs(0) === 0,
    begin() {
      const at = nowMs();
      begun.push(at);
      while (begun.length > requests && (begun[0] ?? at) + perMs <= at) begun.shift();
      return () => {
        const place = begun.lastIndexOf(at);
        if (place >= 0) begun.splice(place, 1);
      };
    },
  };
}
