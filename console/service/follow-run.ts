import { useEffect, useRef } from "preact/hooks";
import type { Run } from "../../shared/contract/runs.ts";
import { api } from "./api.ts";
import { useLive } from "./use-loaded.ts";

/** Seconds that the service may take for an answer while nothing changes: progress is in no event, so it is asked for. */
const FIRST_WAIT = 2;
const LONGEST_WAIT = 20;
const AFTER_FAILURE_MS = 5_000;

/** For a screen that reads the run itself when it is opened. */
interface FollowOptions {
  /** Asks from time to time only when the screen is read; events are answered at once. */
  readonly isScreenRead?: boolean;
  /** And for the first time after so long. */
  readonly firstAfterMs?: number;
}

/** Reads a run until it has ended: when an event tells of it, and from time to time for its progress. */
export function useFollowedRun(
  runId: string,
  isOpen: boolean,
  onRead: (run: Run) => void,
  { isScreenRead = true, firstAfterMs = 0 }: FollowOptions = {},
): void {
  const current = useRef({ runId, isOpen, onRead });
  current.current = { runId, isOpen, onRead };
  /** An answer may come when another run is followed already, or after the end. */
  const take = (run: Run) => {
    const { runId: wanted, isOpen: isWanted, onRead: tell } = current.current;
    if (isWanted && run.runId === wanted) tell(run);
  };
  useLive(["run", "approval", "reset"], ({ kind, data }) => {
    if (!isOpen || (kind !== "reset" && data["runId"] !== runId && data["id"] !== runId)) return;
    api()
      .getRun({ params: { runId } })
      .then(take)
      .catch(() => {});
  });
  useEffect(() => {
    if (!isOpen || !isScreenRead) return;
    const stop = new AbortController();
    void follow(runId, take, firstAfterMs, stop.signal);
    return () => stop.abort();
  }, [runId, isOpen, isScreenRead]);
}

async function follow(
  runId: string,
  onRead: (run: Run) => void,
  firstAfterMs: number,
  until: AbortSignal,
): Promise<void> {
  let wait = FIRST_WAIT;
  if (firstAfterMs > 0) await pause(firstAfterMs);
  while (!until.aborted) {
    try {
      const run = await api().getRun({ params: { runId }, query: { wait } }, { signal: until });
      if (until.aborted) return;
      onRead(run);
      wait = Math.min(LONGEST_WAIT, wait * 1.5);
    } catch {
      await pause(AFTER_FAILURE_MS);
    }
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
