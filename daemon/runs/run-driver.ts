import { setTimeout as delay } from "node:timers/promises";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { laneOf } from "./provider-lane.ts";
import { type LiveRun, RunAtWork, type RunAtWorkParts, type RunStart } from "./run-at-work.ts";
import type { RunEffect } from "./run-lifecycle.ts";
import type { RunRecord } from "../ledger/run-record.ts";

export interface RunDriver {
  drive(run: RunRecord, effect: RunEffect, start: Omit<RunStart, "isResumed">): LiveRun;
  /** Goes on with a run that was open when the daemon last ended, under the version of its endpoint that is given. */
  resume(run: RunRecord, entry: CatalogEntry | undefined): LiveRun;
  close(options: { readonly graceMs: number }): Promise<void>;
}

/** Carries on the runs of this process, each by itself. */
export function createRunDriver(parts: RunAtWorkParts): RunDriver {
  const working = new Set<RunAtWork>();

  function launch(work: RunAtWork, first: () => Promise<RunEffect>): LiveRun {
    working.add(work);
    void work.live(first).finally(() => working.delete(work));
    return work;
  }

  return {
    drive: (run, effect, start) =>
      launch(new RunAtWork(parts, run, { ...start, isResumed: false }), async () => effect),
    resume(run, entry) {
      // A run that was at its provider still is; only what waited goes back into the line.
      const place = run.status === "READY" ? undefined : parts.queue.takeAnyway(laneOf(run.provider, entry), run);
      const work = new RunAtWork(parts, run, { entry, place, isResumed: true });
      return launch(work, async () => await work.takeUp());
    },
    async close({ graceMs }) {
      for (const work of working) work.leave();
      const rest = [...working].map((work) => work.ended);
      const allEnded = new AbortController();
      const timeUp = delay(graceMs, undefined, { signal: allEnded.signal }).catch(() => {});
      await Promise.race([Promise.all(rest), timeUp]);
      allEnded.abort();
      for (const work of working) work.interrupt("shutdown");
      await Promise.all([...working].map((work) => work.ended));
    },
  };
}
