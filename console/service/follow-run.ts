import { useEffect, useRef } from "preact/hooks";
import type { Run } from "../../shared/contract/runs.ts";
import { api } from "./api.ts";
import { useLive } from "./use-loaded.ts";

/** Seconds that the service may take for an answer while nothing changes: progress is in no event, so it is asked for. */
const FIRST_WAIT = 2;
const LONGEST_WAIT = 20;
const AFTER_FAILURE_MS = 5_000;

/** Reads a run until it has ended: when an event tells of it, and from time to time for its progress. */
export function useFollowedRun(runId: string, isOpen: boolean, onRead: (run: Run) => void): void {
  const current = useRef(onRead);
  current.current = onRead;
  useLive(["run", "approval", "reset"], ({ kind, data }) => {
    if (!isOpen || (kind !== "reset" && data["runId"] !== runId && data["id"] !== runId)) return;
    api()
      .getRun({ params: { runId } })
      .then((run) => current.current(run))
      .catch(() => {});
  });
  useEffect(() => {
    if (!isOpen) return;
    const stop = new AbortController();
    void follow(runId, (run) => current.current(run), stop.signal);
    return () => stop.abort();
  }, [runId, isOpen]);
}

async function follow(runId: string, onRead: (run: Run) => void, until: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  while (!until.aborted) {
    try {
      const run = await api().getRun({ params: { runId }, query: { wait } }, { signal: until });
      if (until.aborted) return;
      onRead(run);
      wait = Math.min(LONGEST_WAIT, wait * 1.5);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AFTER_FAILURE_MS));
    }
  }
}
