import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { JournalStore } from "../../daemon/storage/journal/journal-store.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { seededRandom } from "../faults/simulated-disk.ts";
import { ownerCreated, runAccepted, runDone } from "./lines.ts";
import { Starts } from "./starts.ts";

const LARGE = { text: "x".repeat(70_000) };
const OLD = "2026-11-01T00:00:00.000Z";
const BOUND = "2026-11-10T00:00:00.000Z";
const NEW = "2026-11-20T00:00:00.000Z";
const AT = "2026-11-21T00:00:00.000Z";
const RUNS = ["old1", "new1", "old2", "new2", "oldLarge", "newLarge"];

async function writeRuns(store: JournalStore): Promise<void> {
  await store.commit({ line: ownerCreated(10_000_000) });
  for (const runId of RUNS) {
    const completedAt = runId.startsWith("old") ? OLD : NEW;
    await store.commit({ line: runAccepted(runId) });
    const output = runId.endsWith("Large") ? LARGE : { answer: runId };
    await store.commit({ line: runDone(runId, { completedAt, output }) });
  }
}

async function written(): Promise<{ starts: Starts; store: JournalStore }> {
  const starts = new Starts();
  const store = await starts.open();
  await writeRuns(store);
  return { starts, store };
}

function outputsOf(store: JournalStore): Promise<unknown[]> {
  return Promise.all(RUNS.map(async (runId) => (await store.findRun("w1", runId))?.output));
}

async function allButOutputs(store: JournalStore): Promise<unknown> {
  const kept = ({ output: _output, outputRemovedAt: _at, ...rest }: RunRecord) => rest;
  const movements = await store.listMovements("w1", { limit: 100 });
  return {
    runs: (await Promise.all(RUNS.map((runId) => store.findRun("w1", runId)))).flatMap((run) => run && kept(run)),
    listed: (await store.listRuns("w1", {}, { limit: 100 })).items.map(({ runId }) => runId),
    ledger: movements.items.map((item) =>
      "damaged" in item ? item : [item.seq, item.line.t, "led" in item.line && item.line.led],
    ),
    accounts: await store.readAccounts(["ws:w1:bal", "ws:w1:held", "service:charged"]),
  };
}

const CLEANED = [null, { answer: "new1" }, null, { answer: "new2" }, null, LARGE];

test("a run that is read while its large output is taken away is told with it or without it, never as damage", async () => {
  const { starts, store } = await written();
  await store.close();
  const { files } = starts.disk;
  let removing: Promise<unknown> | undefined;
  const again = await starts.open({
    ...files,
    async readFile(path) {
      if (path.startsWith("/data/blobs/")) await (removing ??= again.removeOutputs({ before: BOUND, at: AT }));
      return files.readFile(path);
    },
  });

  const run = await again.findRun("w1", "oldLarge");

  expect(removing).toBeDefined();
  expect(run).toMatchObject({ status: "COMPLETED", output: null, outputRemovedAt: AT });
});

test("outputs of runs that ended before go, with their files; all else stays, also over restarts", async () => {
  const { starts, store } = await written();
  const before = await allButOutputs(store);

  const report = await store.removeOutputs({ before: BOUND, at: AT });
  const outputs = await outputsOf(store);
  const kept = await allButOutputs(store);
  await store.close();
  const again = await starts.open();

  expect(report.runs).toBe(3);
  expect(outputs).toEqual(CLEANED);
  expect(kept).toEqual(before);
  expect((await store.findRun("w1", "old1"))?.outputRemovedAt).toBe(AT);
  expect((await store.findRun("w1", "new1"))?.outputRemovedAt).toBeUndefined();
  expect(await outputsOf(again)).toEqual(CLEANED);
  expect(await allButOutputs(again)).toEqual(before);
  expect(await starts.outputFiles()).toHaveLength(1);
  const log = await Promise.all(
    (await starts.names("log")).map((name) => starts.disk.files.readFile(`/data/log/${name}`)),
  );
  expect(Buffer.concat(log).toString()).not.toContain('"answer":"old');
});

test("a second call has nothing to do; a later one takes what is old by then", async () => {
  const { store } = await written();
  await store.removeOutputs({ before: BOUND, at: AT });

  const second = await store.removeOutputs({ before: BOUND, at: AT });
  const later = await store.removeOutputs({ before: "2026-11-21T00:00:00.000Z", at: "2026-11-22T00:00:00.000Z" });

  expect(second).toEqual({ segments: 0, runs: 0 });
  expect(later.runs).toBe(3);
  expect(await outputsOf(store)).toEqual(Array(6).fill(null));
});

test("a journal that was cleaned is checked from its first line to its last like any other", async () => {
  const { starts, store } = await written();
  const before = await allButOutputs(store);
  await store.removeOutputs({ before: BOUND, at: AT });
  await store.removeOutputs({ before: NEW.replace("20T", "21T"), at: AT });
  await store.close();
  for (const name of await starts.names("state")) await starts.disk.files.unlink(`/data/state/${name}`);
  for (const name of await starts.names("log")) {
    if (name.endsWith(".idx")) await starts.disk.files.unlink(`/data/log/${name}`);
  }

  const again = await starts.open();
  const after = await allButOutputs(again);
  await again.close();

  expect(after).toEqual(before);
  const segments = (await starts.names("log")).filter((name) => name.endsWith(".ndjson"));
  expect(segments.filter((name) => name.includes(".c1.")).length).toBeGreaterThan(3);
  const cleaned = `/data/log/${segments.find((name) => name.includes(".c1."))}`;
  const bytes = await starts.disk.files.readFile(cleaned);
  starts.disk.replace(cleaned, bytes.subarray(0, bytes.lastIndexOf("\n", bytes.length - 2) + 1));
  for (const name of await starts.names("state")) await starts.disk.files.unlink(`/data/state/${name}`);
  await expect(starts.open()).rejects.toMatchObject({ name: "JournalCorrupt" });
});

test("what is read while segments are written anew is the old or the new, never an error", async () => {
  const { store } = await written();
  const answers: unknown[] = [];
  const enough = new AbortController();
  const reader = (async () => {
    while (!enough.signal.aborted) {
      await setImmediate();
      answers.push((await store.findRun("w1", "old1"))?.output);
      const [movements, runs] = [
        await store.listMovements("w1", { limit: 100 }),
        await store.listRuns("w1", {}, { limit: 100 }),
      ];
      expect([movements.items.length, runs.items.length]).toEqual([13, 6]);
    }
  })();

  await store.removeOutputs({ before: BOUND, at: AT });
  enough.abort();
  await reader;

  expect(answers.filter((answer) => answer !== null)).toEqual(
    answers.filter((answer) => answer !== null).map(() => ({ answer: "old1" })),
  );
});

test.each(["die", "dieAfter", "fail", "full"] as const)(
  "wherever the removal goes wrong (%s), with the power or without, nothing else is lost, and the next one ends it",
  async (fault) => {
    const { calls } = await removeWithFault(0, fault);

    for (let at = 1; at <= calls.length; at += fault === "die" ? 1 : 4) await removeWithFault(at, fault);
    if (fault !== "die") return;
    for (let at = 1; at <= calls.length; at += 4) await removeWithFault(at, fault, at);
  },
);

async function removeWithFault(
  at: number,
  fault: "die" | "dieAfter" | "fail" | "full",
  powerSeed?: number,
): Promise<{ calls: readonly string[] }> {
  const disk = (await writtenDisk()).copy();
  const starts = new Starts(disk);
  const faulty = faultyFiles(disk.files, at, fault);
  const dying = await starts.open(faulty.files).catch(() => undefined);
  await dying?.removeOutputs({ before: BOUND, at: AT }).catch(() => undefined);
  await dying?.close().catch(() => undefined);
  starts.crash();
  if (powerSeed !== undefined) disk.losePower(seededRandom(powerSeed));

  const store = await starts.open();
  const what = `call ${at} (${faulty.calls.at(-1)}), ${fault}, power ${powerSeed}`;
  expect(await allButOutputs(store), what).toEqual(expectedRest);
  await store.removeOutputs({ before: BOUND, at: AT });
  expect(await outputsOf(store), what).toEqual(CLEANED);
  await expect.poll(() => starts.outputFiles(), { message: what }).toHaveLength(1);
  await store.close();
  return { calls: faulty.calls };
}

let expectedRest: unknown;
let diskBefore: Starts["disk"] | undefined;

async function writtenDisk(): Promise<Starts["disk"]> {
  if (diskBefore === undefined) {
    const { starts, store } = await written();
    expectedRest = await allButOutputs(store);
    await store.close();
    diskBefore = starts.disk;
  }
  return diskBefore;
}
