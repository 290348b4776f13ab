import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { examine } from "../../daemon/doctor/doctor.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { openJournalStore, type JournalStore } from "../../daemon/storage/journal/journal-store.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { seededRandom } from "../faults/simulated-disk.ts";
import type { Plain } from "../support/branded.ts";
import { effort } from "../support/effort.ts";
import { tempDir } from "../support/temp-dir.ts";
import { AT, ownerCreated, runAccepted, runDone } from "./lines.ts";
import { Starts } from "./starts.ts";

const LARGE = { body: { text: "ö".repeat(4_000), rows: [1, { two: null }] }, queryParams: { city: "Lisbon" } };
const SEGMENT_BYTES = 30_000;
const idempotency = { key: "the key's hash", request: "same", waitSeconds: 0 };

type Members = Partial<Plain<RunRecord>>;

async function opened(starts = new Starts(), segmentBytes = SEGMENT_BYTES): Promise<JournalStore> {
  return await starts.open(starts.disk.files, { segmentBytes });
}

async function writeRun(store: Store, runId: string, members: Members = {}, ended: Members = {}): Promise<void> {
  await store.commit({ line: runAccepted(runId, members) });
  await store.commit({ line: runDone(runId, { ...members, ...ended }) });
}

/** Lines as they are on the disk, of one type. */
async function writtenLines({ disk }: Starts, type: string): Promise<Record<string, unknown>[]> {
  const names = (await disk.files.list("/data/log")).filter((name) => name.endsWith(".ndjson"));
  const texts = await Promise.all(names.map(async (name) => String(await disk.files.readFile(`/data/log/${name}`))));
  return texts
    .flatMap((text) => text.trimEnd().split("\n"))
    .map((text) => JSON.parse(text) as Record<string, unknown>)
    .filter(({ t }) => t === type);
}

test("a large input is written once, and its run is read whole: at once, sealed and after a restart", async () => {
  const starts = new Starts();
  const store = await opened(starts);
  await store.commit({ line: ownerCreated() });
  await writeRun(store, "r1", { input: LARGE, idempotency });
  const expected = runDone("r1", { input: LARGE, idempotency }).rec;

  const atOnce = await store.findRun("w1", "r1");
  await store.close();
  const again = await opened(starts);
  const sealed = await again.findRun("w1", "r1");

  expect([atOnce, sealed]).toEqual([expected, expected]);
  expect(await again.findIdempotency(idempotency.key)).toMatchObject({ kind: "run", runId: "r1" });
  expect((await again.listRuns("w1", {}, { limit: 5 })).items).toMatchObject([{ runId: "r1", status: "COMPLETED" }]);
  expect((await again.listMovements("w1", { limit: 5 })).items).toHaveLength(3);
  const [line] = await writtenLines(starts, "run.done");
  expect(line).toMatchObject({ v: 2, rec: { runId: "r1", input: {} }, from: { length: expect.any(Number) } });
  expect(JSON.stringify(line).length).toBeLessThan(1_500);
  await again.close();
});

test("a small input is written in both lines", async () => {
  const starts = new Starts();
  const store = await opened(starts);
  await store.commit({ line: ownerCreated() });
  await writeRun(store, "r1", { input: { queryParams: { text: "x".repeat(2_000) } } });
  await store.close();

  const [line] = await writtenLines(starts, "run.done");

  expect(line).toMatchObject({ v: 1, rec: { input: { queryParams: { text: "x".repeat(2_000) } } } });
  expect(line).not.toHaveProperty("from");
});

test("an input that is another at the end of its run is written again", async () => {
  const starts = new Starts();
  const store = await opened(starts);
  await store.commit({ line: ownerCreated() });
  const others = [
    { ...LARGE, queryParams: { city: "Porto" } },
    { ...LARGE, queryParams: {} },
    { body: LARGE.body },
    { ...LARGE, body: { ...LARGE.body, rows: { 0: 1, 1: { two: null } } } },
    { ...LARGE, body: { ...LARGE.body, rows: [1, { three: null }] } },
  ];
  for (const [n, input] of others.entries()) await writeRun(store, `r${n}`, { input: LARGE }, { input });

  for (const [n, input] of others.entries()) expect((await store.findRun("w1", `r${n}`))?.input).toEqual(input);
  await store.close();
  expect((await writtenLines(starts, "run.done")).map(({ v }) => v)).toEqual(others.map(() => 1));
});

test("an input is written again when its run ends in another segment, or after a restart", async () => {
  const starts = new Starts();
  const store = await opened(starts);
  await store.commit({ line: ownerCreated() });
  for (const runId of ["far", "late"]) await store.commit({ line: runAccepted(runId, { input: LARGE }) });
  for (let n = 0; n < 4; n += 1) await writeRun(store, `r${n}`, { input: LARGE });
  await store.commit({ line: runDone("far", { input: LARGE }) });
  await store.close();
  const again = await opened(starts);
  await again.commit({ line: runDone("late", { input: LARGE }) });
  await again.close();

  const versions = (await writtenLines(starts, "run.done")).map(({ run, v }) => [run, v]);

  expect(versions).toContainEqual(["far", 1]);
  expect(versions).toContainEqual(["late", 1]);
  expect(versions.filter(([, v]) => v === 2).length).toBeGreaterThan(1);
  expect((await starts.names("log")).filter((name) => name.endsWith(".ndjson")).length).toBeGreaterThan(1);
});

test("a line that was made for one segment and comes into the next one has its input", async () => {
  const starts = new Starts();
  const store = await opened(starts);
  await store.commit({ line: ownerCreated() });
  const runs = Array.from({ length: 30 }, (_, n) => `r${n}`);
  for (let from = 0; from < runs.length; from += 5) {
    const some = runs.slice(from, from + 5);
    await Promise.all(some.map((runId) => store.commit({ line: runAccepted(runId, { input: LARGE }) })));
    // The first of them fills the segment for the others.
    const output = (runId: string) => (runId === some[0] ? { text: "x".repeat(25_000) } : { answer: runId });
    await Promise.all(
      some.map((runId) => store.commit({ line: runDone(runId, { input: LARGE, output: output(runId) }) })),
    );
  }

  for (const runId of runs) expect((await store.findRun("w1", runId))?.input, runId).toEqual(LARGE);
  await store.close();
  const again = await opened(starts);
  for (const runId of runs) expect((await again.findRun("w1", runId))?.input, runId).toEqual(LARGE);
  await again.close();
});

test("random runs read the same as by a plain list, over restarts, crashes and the removal of outputs", async () => {
  const long = fc.integer({ min: 3_000, max: 6_000 }).map((length) => "ä".repeat(length));
  const name = fc.string().filter((one) => one !== "__proto__");
  const part = fc.dictionary(name, fc.oneof(fc.jsonValue(), long), { maxKeys: 4, noNullPrototype: true });
  const run = fc.record({
    input: fc.record({ body: part, queryParams: part }),
    output: fc.oneof(
      { weight: 4, arbitrary: fc.jsonValue() },
      { weight: 1, arbitrary: fc.constant("x".repeat(70_000)) },
    ),
    endsAfter: fc.nat(4),
    isOld: fc.boolean(),
  });
  const then = fc.constantFrom("close", "crash", "clean", "none", "none");
  const size = fc.constantFrom(2_000, 20_000, 60_000);

  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(run, then), { minLength: 5, maxLength: 12 }),
      size,
      async (runs, segmentBytes) => {
        const starts = new Starts();
        let store = await opened(starts, segmentBytes);
        const plain = openMemoryStore();
        const both = async (line: Parameters<Store["commit"]>[0]) => {
          await plain.commit(structuredClone(line));
          await store.commit(line);
        };
        await both({ line: ownerCreated() });
        const ending: { at: number; runId: string; members: Members; ended: Members }[] = [];
        for (const [n, [one, next]] of runs.entries()) {
          const members: Members = { input: JSON.parse(JSON.stringify(one.input)) };
          const ended: Members = { output: one.output, completedAt: one.isOld ? "2026-11-01T00:00:00.000Z" : AT };
          await both({ line: runAccepted(`r${n}`, structuredClone(members)) });
          ending.push({ at: n + one.endsAfter, runId: `r${n}`, members, ended });
          for (const end of ending.filter(({ at }) => at === n)) {
            await both({ line: runDone(end.runId, { ...end.members, ...end.ended }) });
          }
          if (next === "clean") await store.removeOutputs({ before: "2026-11-10T00:00:00.000Z", at: AT });
          if (next === "close") await store.close();
          if (next === "close" || next === "crash") {
            starts.crash();
            store = await opened(starts, segmentBytes);
          }
        }

        const wanted = await plain.listRuns("w1", {}, { limit: 100 });
        const listed = await store.listRuns("w1", {}, { limit: 100 });
        expect(listed.items.map(({ runId, status }) => [runId, status])).toEqual(
          wanted.items.map(({ runId, status }) => [runId, status]),
        );
        for (const { runId } of wanted.items) {
          const [read, ought] = [await store.findRun("w1", runId), await plain.findRun("w1", runId)];
          const { outputRemovedAt, ...rest } = read ?? {};
          expect(rest).toEqual(outputRemovedAt === undefined ? ought : { ...ought, output: null });
        }
        expect((await store.listMovements("w1", { limit: 100 })).items).toHaveLength(
          (await plain.listMovements("w1", { limit: 100 })).items.length,
        );
        await store.close();
      },
    ),
    { numRuns: effort(12, 400) },
  );
});

test("when outputs are taken out, inputs are still found: of segments, of their indexes, and by mkt doctor", async () => {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  const dataDir = `${folder.path}/data`;
  const open = () => openJournalStore({ dataDir, segmentBytes: SEGMENT_BYTES, onFatal: () => undefined });
  const store = await open();
  await store.commit({ line: ownerCreated() });
  for (let n = 0; n < 6; n += 1) {
    await store.commit({ line: runAccepted(`long${n}`, { input: LARGE, heldMicroDollars: 1 }) });
    await writeRun(store, `short${n}`, { heldMicroDollars: 1 }, { output: { text: "x".repeat(900 + n) } });
    await store.commit({ line: runDone(`long${n}`, { input: LARGE, heldMicroDollars: 1 }) });
  }

  const removed = await store.removeOutputs({ before: "2027-01-01T00:00:00.000Z", at: AT });
  const runs = await Promise.all(Array.from({ length: 6 }, (_, n) => store.findRun("w1", `long${n}`)));
  await store.close();
  const report = await examine({ dataDir });

  expect(removed.runs).toBe(12);
  expect(runs).toMatchObject(Array.from({ length: 6 }, () => ({ input: LARGE, output: null, outputRemovedAt: AT })));
  expect(report.findings).toEqual([]);
});

test("a damaged line of acceptance: its run stays in lists and bills; reading it says file and byte", async () => {
  const starts = new Starts();
  const store = await opened(starts);
  await store.commit({ line: ownerCreated() });
  await writeRun(store, "r1", { input: LARGE });
  await writeRun(store, "r2", { input: LARGE });
  await store.close();
  const [name = ""] = (await starts.names("log")).filter((one) => one.endsWith(".ndjson"));
  const bytes = await starts.disk.files.readFile(`/data/log/${name}`);
  const offset = bytes.indexOf('"t":"run.accepted"');
  const begin = bytes.lastIndexOf("\n", offset) + 1;
  const file = await starts.disk.files.openForChange(`/data/log/${name}`);
  await file.write(Buffer.from("X"), bytes.indexOf("ö", offset) + 1);
  await file.sync();
  const again = await opened(starts);

  const reading = again.findRun("w1", "r1");

  await expect(reading).rejects.toMatchObject({ name: "JournalCorrupt", file: `/data/log/${name}`, offset: begin });
  expect((await again.findRun("w1", "r2"))?.input).toEqual(LARGE);
  const { items, damaged } = await again.listRuns("w1", {}, { limit: 5 });
  expect({ runs: items.map(({ runId }) => runId), damaged }).toEqual({ runs: ["r2", "r1"], damaged: undefined });
  const { items: moved } = await again.listMovements("w1", { limit: 10 });
  expect(moved.map((item) => ("damaged" in item ? "damaged" : item.line.t))).toEqual([
    "run.done",
    "run.accepted",
    "run.done",
    "damaged",
    "owner.created",
  ]);
  await again.close();
});

test("wherever the process dies, with the power or without, a large input that was acknowledged is read again", async () => {
  const play = async (at: number, powerSeed?: number) => {
    const starts = new Starts();
    const faulty = faultyFiles(starts.disk.files, at, "die");
    const done: string[] = [];
    try {
      const dying = await starts.open(faulty.files, { segmentBytes: 20_000 });
      await dying.commit({ line: ownerCreated() });
      for (const runId of ["r0", "r1", "r2", "r3"]) {
        await writeRun(dying, runId, { input: LARGE }, { output: { text: "x".repeat(500) } });
        done.push(runId);
      }
      await dying.removeOutputs({ before: "2027-01-01T00:00:00.000Z", at: AT });
      await dying.close();
    } catch {
      // It died.
    }
    starts.crash();
    if (powerSeed !== undefined) starts.disk.losePower(seededRandom(powerSeed));
    const store = await opened(starts);
    for (const runId of done) {
      expect(await store.findRun("w1", runId), `call ${at}`).toMatchObject({ status: "COMPLETED", input: LARGE });
    }
    await store.close();
    return faulty.calls.length;
  };

  const calls = await play(0);
  for (let at = 1; at <= calls; at += effort(5, 1)) await play(at, at % 3 === 0 ? at : undefined);

  expect(calls).toBeGreaterThan(40);
});
