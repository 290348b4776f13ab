import type { JournalHistory } from "./journal-history.ts";
import type { Journal } from "../writing/journal.ts";
import type { Outputs } from "../writing/outputs.ts";

export interface RemovalReport {
  /** Number of rewritten segments. */
  readonly segments: number;
  /** Number of runs whose output was removed. */
  readonly runs: number;
}

/** Retention: outputs are removed, runs and money stay. */
export interface OutputCleaner {
  /**
   * Takes away the outputs of all runs that ended before a time, from the journal and from their files; each such run says
   * when (`outputRemovedAt`). Nothing else of it changes, and nothing of the ledger. Times are ISO 8601 in UTC. May be killed
   * anywhere and be asked for again; a second call waits for the first.
   */
  removeOutputs(times: { readonly before: string; readonly at: string }): Promise<RemovalReport>;
}

export interface OutputCleanerParts {
  readonly journal: Journal;
  readonly history: JournalHistory;
  readonly outputs: Outputs;
  /** Removes files that no line refers to, in the background. */
  readonly startSweep: () => void;
}

export interface ClosableOutputCleaner extends OutputCleaner {
  /** Does work that needs every output that a line refers to, such as a backup; none is removed meanwhile. */
  whileKept<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Waits for the segment that is being written. */
  close(): Promise<void>;
}

export function createOutputCleaner(parts: OutputCleanerParts): ClosableOutputCleaner {
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let keeping: Promise<unknown> = Promise.resolve();
  return {
    removeOutputs(times) {
      const removing = Promise.all([last, keeping]).then(() => removeOutputs(parts, times, closing.signal));
      last = removing.catch(() => undefined);
      return removing;
    },
    whileKept(work) {
      const working = last.then(work);
      keeping = Promise.allSettled([keeping, working]);
      return working;
    },
    async close() {
      closing.abort();
      await last;
    },
  };
}

async function removeOutputs(
  { journal, history, outputs, startSweep }: OutputCleanerParts,
  { before, at }: { readonly before: string; readonly at: string },
  closing: AbortSignal,
): Promise<RemovalReport> {
  let report: RemovalReport = { segments: 0, runs: 0 };
  if (closing.aborted) return report;
  // Only sealed segments are rewritten.
  if (history.hasActiveOutputBefore(before)) await journal.endSegment();
  try {
    while (!closing.aborted) {
      const cleaned = await history.cleanNext(before, at);
      if (cleaned === undefined) break;
      for (const { sha256 } of cleaned.outputs) await outputs.remove(sha256);
      report = { segments: report.segments + 1, runs: report.runs + cleaned.runs };
    }
  } catch (error) {
    // The segment may be cleaned already, but its files may still be there.
    startSweep();
    throw error;
  }
  return report;
}
