import type { RunId } from "../base/ids.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { laneOf } from "./provider-lane.ts";
import { type LiveRun, RunAtWork, type RunAtWorkParts, type RunStart } from "./run-at-work.ts";
import type { RunEffect } from "./run-lifecycle.ts";
import type { RunRecord } from "../ledger/run-record.ts";

export interface RunDriver {
  drive(run: RunRecord, effect: RunEffect, start: Omit<RunStart, "isResumed">): LiveRun;
  /** Resumes a run that was open when the daemon last ended, with the given version of its endpoint. */
  resume(run: RunRecord, entry: CatalogEntry | undefined): LiveRun;
  /** Undefined for a run that has ended, or that this process never worked on. */
  find(runId: RunId): LiveRun | undefined;
  close(options: { readonly graceMs: number }): Promise<void>;
}

/** Executes the runs of this process independently of each other. */
export function createRunDriver(parts: RunAtWorkParts): RunDriver {
  /** By run id. A run that could not go on stays here, because it has not ended. */
  const working = new Map<string, RunAtWork>();
  const partsOfRun: RunAtWorkParts = {
    ...parts,
    onEnded(run) {
      working.delete(run.runId);
      parts.onEnded(run);
    },
  };

  function launch(run: RunRecord, effect: RunEffect, start: RunStart): LiveRun {
    const work = new RunAtWork(partsOfRun, run, start);
    working.set(run.runId, work);
    void work.live(effect);
    return work;
  }

  return {
    drive: (run, effect, start) => launch(run, effect, { ...start, isResumed: false }),
    resume(run, entry) {
      // A run that was at its provider keeps its slot; only runs that waited are queued again.
      const place = run.status === "READY" ? undefined : parts.queue.takeAnyway(laneOf(run.provider, entry), run);
      return launch(run, "none", { entry, place, isResumed: true });
    },
    find: (runId) => working.get(runId),
    async close({ graceMs }) {
      for (const work of working.values()) work.leave();
      const rest = [...working.values()].map((work) => work.ended);
      const allEnded = new AbortController();
      const timeUp = delay(graceMs, undefined, { signal: allEnded.signal }).catch(() => {});
      await Promise.race([Promise.all(rest), timeUp]);
      allEnded.abort();
      for (const work of working.values()) work.interrupt("shutdown");
      await Promise.all([...working.values()].map((work) => work.ended));
    },
  };
}
