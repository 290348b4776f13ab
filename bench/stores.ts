import { nodeFiles } from "../daemon/storage/files.ts";
import { openJournalStore } from "../daemon/storage/journal/journal-store.ts";
import type { RunRecord } from "../daemon/ledger/records/run-record.ts";
import type { Store } from "../daemon/storage/store.ts";
import type { Line } from "../daemon/ledger/transaction/transaction.ts";
import { ownerCreated, runAccepted, runDone } from "../test/storage/lines.ts";
import type { Plain } from "../test/support/branded.ts";
import { unflushed } from "../test/support/unflushed-files.ts";

/** The parts of the daemon that the benchmarks measure, as one bundle of what would be built. */

const STARTING_MICRO_DOLLARS = 1_000_000_000_000;
const manifestHash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const output = { city: "Lisbon", hours: Array.from({ length: 12 }, (_, hour) => ({ hour, degrees: 20.5, wind: 3 })) };

export function acceptedLine(runId: string, facts: Partial<Plain<RunRecord>> = {}): Line {
  const input = { queryParams: { city: "Lisbon", note: "x".repeat(150) } };
  return runAccepted(runId, { manifestHash, input, ...facts });
}

export function doneLine(runId: string, facts: Partial<Plain<RunRecord>> = {}): Line {
  const input = { queryParams: { city: "Lisbon", days: 7, units: "metric", language: "pt" } };
  return runDone(runId, { manifestHash, input, output, ...facts });
}

/** A new journal in a new folder, with a funded workspace. */
export async function openJournal(dataDir: string, { flushes }: { readonly flushes: boolean }): Promise<Store> {
  const store = await openJournalStore({
    dataDir,
    files: flushes ? nodeFiles() : unflushed(nodeFiles()),
    onFatal(error) {
      throw error;
    },
  });
  await store.commit({ line: ownerCreated(STARTING_MICRO_DOLLARS) });
  return store;
}
