import { credit, hold, settle } from "../daemon/billing/postings.ts";
import type { RunRecord } from "../daemon/runs/run-record.ts";
import { nodeFiles, type Files, type OpenFile } from "../daemon/storage/files.ts";
import { openJournalStore } from "../daemon/storage/journal/journal-store.ts";
import type { Store } from "../daemon/storage/store.ts";
import type { Line } from "../daemon/transaction.ts";

/** The parts of the daemon that the benchmarks measure, as one bundle of what would be built. */

const AT = "2026-11-21T10:00:00.000Z";
const HELD = 10_000;

function recordOf(runId: string, members: Partial<RunRecord>): RunRecord {
  return {
    runId,
    workspaceId: "w1",
    caller: "API_KEY#f00d",
    owner: "u1",
    keyLabel: "owner",
    provider: "weather",
    providerName: "Weather",
    endpoint: "/now",
    manifestHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    mode: "sync",
    status: "RUNNING",
    input: { queryParams: { city: "Lisbon", days: 7, units: "metric", language: "pt" } },
    price: { type: "PER_CALL", amount: "0.01" },
    priceWithoutMarkup: { type: "PER_CALL", amount: "0.008" },
    overrun: "operator",
    heldMicroDollars: HELD,
    deadlineMs: 30_000,
    repeatable: false,
    createdAt: AT,
    startedAt: AT,
    attempts: [],
    output: null,
    resultCount: null,
    notes: [],
    ...members,
  };
}

const output = { city: "Lisbon", hours: Array.from({ length: 12 }, (_, hour) => ({ hour, degrees: 20.5, wind: 3 })) };

export function acceptedLine(runId: string): Line {
  const input = { queryParams: { city: "Lisbon", note: "x".repeat(150) } };
  const rec = recordOf(runId, { input });
  return { t: "run.accepted", v: 1, at: AT, ws: "w1", run: runId, rec, led: hold("w1", HELD) };
}

export function doneLine(runId: string): Line {
  const members = { status: "COMPLETED" as const, output, completedAt: AT };
  const led = settle("w1", { held: HELD, charged: HELD });
  return { t: "run.done", v: 1, at: AT, ws: "w1", run: runId, rec: recordOf(runId, members), led };
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
  await store.commit({
    line: {
      t: "owner.created",
      v: 1,
      at: AT,
      user: { userId: "u1", username: "ada", createdAt: AT, updatedAt: AT },
      workspace: { workspaceId: "w1", name: "Home", slug: "home", createdAt: AT, updatedAt: AT },
      key: {
        keyId: "k1",
        workspaceId: "w1",
        label: "owner",
        hash: "hash",
        prefix: "mkt_live_abcdefgh",
        fingerprint: "f00d",
        owner: "u1",
        createdBy: "API_KEY#k1",
        scopes: ["runs:write"],
        origin: "API",
        createdAt: AT,
      },
      led: credit("w1", 1_000_000_000_000),
    },
  });
  return store;
}

/** The same disk, and nothing is ever flushed. */
function unflushed(files: Files): Files {
  const nothing = async () => {};
  const withoutFlush = (file: OpenFile): OpenFile => ({ ...file, datasync: nothing, sync: nothing });
  return {
    ...files,
    create: async (path) => withoutFlush(await files.create(path)),
    openForChange: async (path) => withoutFlush(await files.openForChange(path)),
    syncDirectory: nothing,
  };
}
