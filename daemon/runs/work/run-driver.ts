import type { RunId, WorkspaceId } from "../../base/ids.ts";
import { AlarmClock } from "../../base/alarm-clock.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { laneOf } from "../queue/provider-lane.ts";
import type { LiveRun } from "./live-run.ts";
import { RunAtWork, type RunAtWorkParts, type RunStart } from "./run-at-work.ts";
import type { RunEffect } from "../lifecycle/run-lifecycle.ts";
import { waitsForApproval } from "../../ledger/records/approval-records.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

export interface RunDriver {
  drive(run: RunRecord, effect: RunEffect, start: Omit<RunStart, "isResumed">): LiveRun;
  /** Resumes a run that was open when the daemon last ended, with the given version of its endpoint. */
  resume(run: RunRecord, entry: CatalogEntry | undefined, members?: readonly CatalogEntry[]): LiveRun;
  /** Undefined for a run that has ended, or that this process does not work on. */
  find(runId: RunId): LiveRun | undefined;
  /** Runs of a workspace that wait for a person's approval, the newest first. */
  listWaiting(workspaceId: WorkspaceId): readonly LiveRun[];
  close(options: { readonly graceMs: number }): Promise<void>;
}

/** Executes the runs of this process independently of each other. */
export function createRunDriver(parts: Omit<RunAtWorkParts, "alarms">): RunDriver {
  /** By run id. A run that could not go on stays here, because it has not ended. */
  const working = new Map<string, RunAtWork>();
  const partsOfRun: RunAtWorkParts = {
    ...parts,
    alarms: new AlarmClock(),
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
    resume(run, entry, members = []) {
      // A run that was at its provider keeps its slot; only runs that waited are queued again.
      const place = run.status === "READY" ? undefined : parts.queue.takeAnyway(laneOf(run.provider, entry), run);
      // One that waits in line looks for an earlier answer itself.
      const { reuse } = run;
      const leads = reuse !== undefined && run.status !== "READY";
      const lead = leads ? parts.earlierAnswers?.lead({ ...run, reuse }) : undefined;
      return launch(run, "none", { entry, place, members, lead, isResumed: true });
    },
    find: (runId) => working.get(runId),
    listWaiting(workspaceId) {
      const waiting = [...working.values()].filter((work) => {
        const run = work.current();
        return run.workspaceId === workspaceId && waitsForApproval(run);
      });
      return waiting.sort((one, other) => (one.current().runId < other.current().runId ? 1 : -1));
    },
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
