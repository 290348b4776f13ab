import { ApiError } from "../../shared/errors.ts";
import { rateLimitHeaders } from "../http/rate-limits.ts";

/** Callers who wait for a run to end, with a connection and a request each that take memory while nothing happens. */
export interface WaitingCallers {
  /** Counts one in; gives what counts it out again. Throws 429 where too many wait already. */
  begin(workspaceId: string): () => void;
}

/** Of all workspaces: about 40 MB of requests that wait. Whoever asks without `wait` is always answered. */
const MAX_WAITING = 2_000;
/** Of one workspace, so that others can wait too. */
const MAX_WAITING_OF_WORKSPACE = 1_000;
const RETRY_SECONDS = 2;

export function countWaitingCallers(): WaitingCallers {
  const byWorkspace = new Map<string, number>();
  let all = 0;
  return {
    begin(workspaceId) {
      const own = byWorkspace.get(workspaceId) ?? 0;
      if (all >= MAX_WAITING || own >= MAX_WAITING_OF_WORKSPACE) throw tooMany(own >= MAX_WAITING_OF_WORKSPACE);
      all += 1;
      byWorkspace.set(workspaceId, own + 1);
      return () => {
        all -= 1;
        const left = (byWorkspace.get(workspaceId) ?? 1) - 1;
        if (left === 0) byWorkspace.delete(workspaceId);
        else byWorkspace.set(workspaceId, left);
      };
    },
  };
}

function tooMany(isOwn: boolean): ApiError {
  const limit = isOwn ? MAX_WAITING_OF_WORKSPACE : MAX_WAITING;
  const who = isOwn ? "of this workspace " : "";
  return new ApiError(
    "rateLimited",
    `${limit} requests ${who}wait for runs to end already; ask without \`wait\`. Retry after ${RETRY_SECONDS}s.`,
    {
      retryAfterSeconds: RETRY_SECONDS,
      headers: rateLimitHeaders({
        rule: isOwn ? "waiting-workspace" : "waiting",
        limit,
        remaining: 0,
        resetSeconds: RETRY_SECONDS,
      }),
    },
  );
}
