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
}

/** Remembers the starts. Uses monotonic time: a wall clock that is set back would block a provider for hours. */
export function createPaceWindow({ requests, perMs }: Pace, nowMs = () => performance.now()): PaceWindow {
  const begun: number[] = [];

  return {
    waitMs() {
      const oldest = begun[0];
      if (begun.length < requests || oldest === undefined) return 0;
      return Math.max(0, oldest + perMs - nowMs());
    },
    begin() {
      const at = nowMs();
      begun.push(at);
      if (begun.length > requests) begun.shift();
      return () => {
        const place = begun.lastIndexOf(at);
        if (place >= 0) begun.splice(place, 1);
      };
    },
  };
}
