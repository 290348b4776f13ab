import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { JournalCorrupt } from "../../daemon/storage/storage-errors.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { keyCreated, ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { effort } from "../support/effort.ts";
import { faultyFiles } from "./faulty-files.ts";
import { SimulatedDisk } from "./simulated-disk.ts";
import { SimulatedProcesses } from "./simulated-processes.ts";
import { reportTrial } from "./trial.ts";

/** Every bit of every byte takes four minutes on two cores, and longer beside other work. */
const HANG_MS = effort(600_000, 3_600_000);
/** Room for three runs and a half, so that the batch that is torn begins no segment. */
const SEGMENT_BYTES = 5_500;
/** How many bytes lie between the places that are damaged; primes, to meet places of all kinds. */
const TORN_STEP_BYTES = effort(7, 1);
const STEP_BYTES = effort(37, 1);
const PAGE_BYTES = 128;
/** The unacknowledged batch is spread over at most so many pages: each set of them is lost once. */
const MAX_PAGES = effort(7, 11);
const BITS = effort([0], [0, 1, 2, 3, 4, 5, 6, 7]);

/** Runs that were acknowledged, in the order of their batches; each is a batch of its own. */
const ACKNOWLEDGED = ["r1", "r2", "r3", "r4", "r5", "r6", "r7"];

interface Crashed {
  readonly disk: SimulatedDisk;
  /** The last segment, and where in it the batch begins that nobody was told about. */
  readonly path: string;
  readonly durableBytes: number;
  /** End of the unacknowledged batch. */
  readonly writtenBytes: number;
}

function open(disk: SimulatedDisk, processes: SimulatedProcesses, files = disk.files): Promise<Store> {
  const process = processes.begin();
  const options = {
    dataDir: "/data",
    files,
    processes: process,
    segmentBytes: SEGMENT_BYTES,
    onFatal: () => undefined,
  };
  return openJournalStore(options).finally(() => process.end());
}

/** A journal of several segments whose process was killed while it flushed a batch. */
async function crashed(): Promise<Crashed> {
  const disk = new SimulatedDisk();
  const dying = faultyFiles(disk.files, 0, "die");
  const store = await open(disk, new SimulatedProcesses(), dying.files);
  await store.commit({ line: ownerCreated(1_000_000) });
  for (const runId of ACKNOWLEDGED) {
    await store.commit({ line: runAccepted(runId) });
    await store.commit({ line: runDone(runId) });
  }
  // What is sealed is sealed beside the batches.
  await pause(20);
  const names = (await disk.files.list("/data/log")).filter((name) => name.endsWith(".ndjson"));
  const path = `/data/log/${names.at(-1)}`;
  const durableBytes = (await disk.files.readFile(path)).toString("latin1").trimEnd().length + 1;
  dying.hitNext("datasync");
  await Promise.allSettled(["late", "later"].map((runId) => store.commit({ line: runAccepted(runId) })));
  const writtenBytes = (await disk.files.readFile(path)).toString("latin1").trimEnd().length + 1;
  if (writtenBytes === durableBytes) throw new Error("the batch began a segment");
  return { disk, path, durableBytes, writtenBytes };
}

/** "all": every acknowledged run is there. "refused": the start names file and offset. Else the runs that are missing. */
async function outcomeOf(disk: SimulatedDisk): Promise<"all" | "refused" | string[]> {
  const processes = new SimulatedProcesses();
  // Whoever wrote the journal.
  processes.begin().end();
  try {
    const store = await open(disk, processes);
    const found = await Promise.all(ACKNOWLEDGED.map(async (runId) => (await store.findRun("w1", runId))?.status));
    const missing = ACKNOWLEDGED.filter((_, index) => found[index] !== "COMPLETED");
    await store.commit({ line: keyCreated("last") });
    await store.close();
    return missing.length === 0 ? "all" : missing;
  } catch (error) {
    if (error instanceof JournalCorrupt && error.file.startsWith("/data/") && error.offset >= 0) return "refused";
    throw error;
  }
}

test(
  "a batch that nobody was told about may be torn anywhere",
  async (context) => {
    const { disk, path, durableBytes, writtenBytes } = await crashed();
    const bytes = await disk.files.readFile(path);

    for (let length = durableBytes; length <= writtenBytes; length += TORN_STEP_BYTES) {
      for (const torn of [bytes.subarray(0, length), blankedFrom(bytes, length)]) {
        const copy = disk.copy();
        copy.replace(path, torn);

        expect(await outcomeOf(copy), `cut at ${length}`).toBe("all");
      }
    }

    const tried = 2 * Math.ceil((writtenBytes - durableBytes + 1) / TORN_STEP_BYTES);
    const what = TORN_STEP_BYTES === 1 ? "torn tails, at every byte" : `torn tails, at every ${TORN_STEP_BYTES}th byte`;
    reportTrial(context, { what, tried, lost: 0, note: "all recovered" });
  },
  HANG_MS,
);

test(
  "any pages of a batch that nobody was told about may be missing, and any of its bytes be nulls",
  async (context) => {
    const { disk, path, durableBytes, writtenBytes } = await crashed();
    const bytes = await disk.files.readFile(path);
    const pages = pagesOf(durableBytes, writtenBytes);

    for (let lost = 0; lost < 2 ** pages.length; lost += 1) {
      for (const filling of [0x00, 0x20]) {
        const damaged = Buffer.from(bytes);
        for (const [index, { from, to }] of pages.entries()) if ((lost >> index) & 1) damaged.fill(filling, from, to);
        const copy = disk.copy();
        copy.replace(path, damaged);

        expect(await outcomeOf(copy), `pages ${lost.toString(2)}`).toBe("all");
      }
    }

    expect(pages.length).toBeGreaterThan(2);
    reportTrial(context, {
      what: `sets of lost pages, of ${pages.length}`,
      tried: 2 * 2 ** pages.length,
      lost: 0,
      note: "all recovered",
    });
  },
  HANG_MS,
);

test(
  "with any bit turned in any file of the journal, nothing acknowledged is missing, or file and offset are named",
  async (context) => {
    const { disk } = await crashed();
    const outcomes = { all: 0, refused: 0 };

    for (const path of await journalFiles(disk)) {
      const bytes = await disk.files.readFile(path);
      const end = bytes.toString("latin1").trimEnd().length;
      for (let at = 0; at < end; at += STEP_BYTES) {
        for (const bit of BITS) {
          const damaged = Buffer.from(bytes);
          damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << bit), at);
          const copy = disk.copy();
          copy.replace(path, damaged);

          const outcome = await outcomeOf(copy);

          // The batch that was being flushed stands after the last acknowledged one, which so is not taken for a torn one.
          if (outcome !== "all" && outcome !== "refused")
            expect.fail(`${path}, byte ${at}, bit ${bit}: lost ${outcome}`);
          outcomes[outcome] += 1;
        }
      }
    }

    expect(outcomes.refused).toBeGreaterThan(0);
    reportTrial(context, {
      what: "bits turned in the journal's files",
      tried: outcomes.all + outcomes.refused,
      lost: 0,
      note: `${outcomes.all} recovered, ${outcomes.refused} refused with file and offset`,
    });
  },
  HANG_MS,
);

function blankedFrom(bytes: Buffer, length: number): Buffer {
  return Buffer.from(bytes).fill(0x20, length);
}

function pagesOf(begin: number, end: number): { from: number; to: number }[] {
  const size = Math.max(PAGE_BYTES, Math.ceil((end - begin) / MAX_PAGES));
  const pages: { from: number; to: number }[] = [];
  for (let from = begin; from < end; from += size) pages.push({ from, to: Math.min(from + size, end) });
  return pages;
}

/** Segments, indexes and snapshots. */
async function journalFiles(disk: SimulatedDisk): Promise<string[]> {
  const paths: string[] = [];
  for (const folder of ["/data/log", "/data/state"]) {
    for (const name of await disk.files.list(folder).catch(() => [])) paths.push(`${folder}/${name}`);
  }
  return paths;
}
