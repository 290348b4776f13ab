import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { JournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { LargeOutput, Outputs } from "../../daemon/storage/journal/writing/outputs.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { seededRandom } from "../faults/simulated-disk.ts";
import { ownerCreated, runAccepted, runDone } from "./lines.ts";
import { Starts } from "./starts.ts";

const LARGE = { text: "ö".repeat(70_000), rows: [1, 2, 3] };

async function writeRun(store: JournalStore, runId: string, output: unknown): Promise<void> {
  await store.commit({ line: runAccepted(runId) });
  await store.commit({ line: runDone(runId, { output }) });
}

async function storeWithLarge(): Promise<{ starts: Starts; store: JournalStore }> {
  const starts = new Starts();
  const store = await starts.open();
  await store.commit({ line: ownerCreated(10_000_000) });
  await writeRun(store, "large", LARGE);
  return { starts, store };
}

test("a large output has a file of its own, named after its content; the journal has its name", async () => {
  const { starts, store } = await storeWithLarge();

  await store.close();
  const [path = "", ...others] = await starts.outputFiles();
  const content = await starts.disk.files.readFile(path);

  const digest = createHash("sha256").update(content).digest("hex");
  expect(others).toEqual([]);
  expect(path).toBe(`/data/blobs/${digest.slice(0, 2)}/${digest}`);
  expect(JSON.parse(content.toString())).toEqual({ run: "large", output: LARGE });
  const log = await Promise.all(
    (await starts.names("log")).map((name) => starts.disk.files.readFile(`/data/log/${name}`)),
  );
  expect(Buffer.concat(log).length).toBeLessThan(20_000);
});

test("a run with a large output is read back whole, at once and after a restart; lists have it without", async () => {
  const { starts, store } = await storeWithLarge();
  const early = await store.findRun("w1", "large");
  await store.close();
  const again = await starts.open();

  const late = await again.findRun("w1", "large");
  const listed = await again.listRuns("w1", {}, { limit: 10 });

  expect(early).toEqual(runDone("large", { output: LARGE }).rec);
  expect(late).toEqual(early);
  expect(listed.items).toHaveLength(1);
});

test("an output of 60,000 bytes stays in its line", async () => {
  const { starts, store } = await storeWithLarge();

  await writeRun(store, "small", "x".repeat(60_000));

  expect(await starts.outputFiles()).toHaveLength(1);
  expect((await store.findRun("w1", "small"))?.output).toBe("x".repeat(60_000));
});

test("the same output of two runs is in two files: each goes with its run", async () => {
  const { starts, store } = await storeWithLarge();

  await writeRun(store, "twin", LARGE);

  expect(await starts.outputFiles()).toHaveLength(2);
  expect((await store.findRun("w1", "twin"))?.output).toEqual(LARGE);
});

test("a line that is written as the money decides may have a large output too", async () => {
  const { starts, store } = await storeWithLarge();
  const done = runDone("large2", { output: LARGE });
  await store.commit({ line: runAccepted("large2") });

  await store.commit({ of: { workspaceId: "w1" }, write: () => done });

  expect(await store.findRun("w1", "large2")).toEqual(done.rec);
  expect(await starts.outputFiles()).toHaveLength(2);
});

test.each([
  ["missing", undefined, "missing"],
  ["shorter", Buffer.from("{}"), "does not fit"],
])("a file that is %s is reported by its name, and lists go on", async (_what, content, why) => {
  const { starts, store } = await storeWithLarge();
  const [path = ""] = await starts.outputFiles();
  if (content === undefined) await starts.disk.files.unlink(path);
  else starts.disk.replace(path, content);

  const finding = store.findRun("w1", "large");

  await expect(finding).rejects.toMatchObject({
    name: "JournalCorrupt",
    file: path,
    why: expect.stringContaining(why),
  });
  expect((await store.listRuns("w1", {}, { limit: 10 })).items).toHaveLength(1);
});

test("a file is safe from the sweep as long as its line may be on the way, and after that by its line alone", async () => {
  const starts = new Starts();
  await starts.disk.files.makeDirectory("/data");
  const outputs = await Outputs.open(starts.disk.files, "/data", undefined);
  const kept = await Promise.all(["r1", "r2"].map((runId) => outputs.keep(new LargeOutput(runId, LARGE))));
  const [onItsWay, durable] = kept.map(({ reference }) => reference);
  if (onItsWay === undefined || durable === undefined) throw new Error("the disk took nothing");

  outputs.noteNamed(durable);
  outputs.startSweep(async () => false);

  await expect.poll(() => starts.outputFiles()).toHaveLength(1);
  expect(await outputs.read(onItsWay)).toEqual(LARGE);
});

test("when the disk does not take the file, the line holds the output", async () => {
  const starts = new Starts();
  const faulty = faultyFiles(starts.disk.files, 0, "fail");
  const problems: unknown[] = [];
  const store = await starts.open(faulty.files, { onProblem: (error) => problems.push(error) });
  await store.commit({ line: ownerCreated(10_000_000) });
  await store.commit({ line: runAccepted("large") });

  faulty.hitNext("rename");
  await store.commit({ line: runDone("large", { output: LARGE }) });

  expect(await starts.outputFiles()).toEqual([]);
  expect((await store.findRun("w1", "large"))?.output).toEqual(LARGE);
  expect(problems).toHaveLength(1);
});

test("wherever the process dies or the power goes, a run that was acknowledged has its output, and no file is left over", async () => {
  const { calls } = await writeWithFault(0, "die");

  for (let at = 1; at <= calls.length; at += 1) {
    await writeWithFault(at, "dieAfter");
    await writeWithFault(at, "die", at);
  }
});

async function writeWithFault(
  at: number,
  fault: "die" | "dieAfter",
  powerSeed?: number,
): Promise<{ calls: readonly string[] }> {
  const { starts, store } = await storeWithLarge();
  await store.close();
  starts.crash();
  const faulty = faultyFiles(starts.disk.files, at, fault);
  const dying = await starts.open(faulty.files).catch(() => undefined);
  let isAcknowledged = false;
  try {
    if (dying !== undefined) await writeRun(dying, "other", [LARGE]);
    isAcknowledged = dying !== undefined;
  } catch {
    // The process is dead.
  }
  await dying?.close().catch(() => undefined);
  starts.crash();
  if (powerSeed !== undefined) starts.disk.losePower(seededRandom(powerSeed));

  const again = await starts.open();
  const what = `call ${at} (${faulty.calls.at(-1)}), ${fault}, power ${powerSeed}`;
  expect((await again.findRun("w1", "large"))?.output, what).toEqual(LARGE);
  const other = await again.findRun("w1", "other");
  if (isAcknowledged) expect(other?.output, what).toEqual([LARGE]);
  const expected = other?.status === "COMPLETED" ? 2 : 1;
  await expect.poll(() => starts.outputFiles(), { message: what }).toHaveLength(expected);
  await again.close();
  return { calls: faulty.calls };
}
