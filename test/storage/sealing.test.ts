import fc from "fast-check";
import { expect, test } from "vitest";
import type { Files } from "../../daemon/storage/files.ts";
import type { JournalStore } from "../../daemon/storage/journal/journal-store.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { seededRandom, SimulatedDisk } from "../faults/simulated-disk.ts";
import { reportTrial } from "../faults/trial.ts";
import { effort } from "../support/effort.ts";
import { filter, HistoryModel, listAllMovements, listAllPages, step, WORKSPACES } from "./history-model.ts";
import { keyCreated, ownerCreated, runAccepted, runDone } from "./lines.ts";
import { Starts } from "./starts.ts";

async function namesOf(disk: SimulatedDisk, folder: string): Promise<string[]> {
  return disk.files.list(`/data/${folder}`);
}

/** So many finished runs that several segments are full. */
async function writeRuns(store: JournalStore, from: number, to: number): Promise<Line[]> {
  const lines: Line[] = from === 0 ? [ownerCreated(10_000_000)] : [];
  for (let run = from; run < to; run += 1) lines.push(runAccepted(`r${run}`), runDone(`r${run}`));
  for (const line of lines) await store.commit({ line });
  return lines;
}

async function readAll(store: JournalStore): Promise<unknown> {
  return {
    runs: await store.listRuns("w1", {}, { limit: 1_000 }),
    records: await Promise.all(["r0", "r3", "r9"].map((runId) => store.findRun("w1", runId))),
    open: await store.listOpenRuns(),
    keys: await store.listKeys("w1"),
    accounts: await store.readAccounts(["ws:w1:bal", "ws:w1:held", "service:charged"]),
    movements: await store.listMovements("w1", { limit: 1_000 }),
  };
}

test("whatever happened, in memory or sealed, over clean ends and crashes, readers are told the same as by a plain list", async () => {
  const ends = fc.constantFrom("close", "crash", "none", "none", "none", "none");
  const history = fc.array(fc.record({ step, end: ends }), { minLength: 10, maxLength: 60 });

  await fc.assert(
    fc.asyncProperty(history, filter, fc.integer({ min: 1, max: 7 }), async (steps, by, limit) => {
      const starts = new Starts();
      const model = new HistoryModel();
      let store = await starts.open();
      for (const line of model.begin()) {
        await store.commit({ line });
        model.take(line);
      }
      for (const { step: next, end } of steps) {
        const line = model.lineOf(next);
        if (line !== undefined) {
          await store.commit({ line });
          model.take(line);
        }
        if (end === "none") continue;
        if (end === "close") await store.close();
        starts.crash();
        store = await starts.open();
      }

      for (const workspaceId of WORKSPACES) {
        const expected = model.runs(workspaceId, by).map(({ runId }) => runId);
        const { runIds, pages } = await listAllPages(store, workspaceId, by, limit);
        expect(runIds).toEqual(expected);
        expect(pages).toBe(Math.max(1, Math.ceil(expected.length / limit)));
        const scanned = [];
        for await (const { runId, charged } of store.scanRuns(workspaceId, by)) scanned.push([runId, charged]);
        const charges = model.runs(workspaceId, by).map((run) => [run.runId, run.billing?.reported ?? 0]);
        expect(scanned).toEqual(charges);
        expect(await listAllMovements(store, workspaceId, limit)).toMatchObject(model.movements(workspaceId));
        for (const run of model.runs(workspaceId)) {
          expect(await store.findRun(workspaceId, run.runId)).toEqual(run);
          expect(await store.findRun("w3", run.runId)).toBeUndefined();
          if (run.idempotency === undefined) continue;
          const { key, request } = run.idempotency;
          const { runId } = run;
          expect(await store.findIdempotency(key)).toMatchObject({ kind: "run", request, workspaceId, runId });
        }
      }
      expect(await store.findRun("w1", "nobody")).toBeUndefined();
      expect(await store.findIdempotency("no key")).toBeUndefined();
      expect(await store.listOpenRuns()).toEqual(model.openRuns);
      await store.close();
    }),
    { numRuns: 25 },
  );
});

test("an index of many blocks gives every run, page, movement and key of each workspace", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: 10_000_000 });
  const runs = Array.from({ length: 400 }, (_, number) => ({
    // Ids in another order than that of acceptance.
    runId: `r${String((number * 7919) % 10_000).padStart(4, "0")}`,
    workspaceId: number % 5 === 0 ? "w2" : "w1",
    idempotency: { key: `${number % 7}`.repeat(16) + number, request: "same", waitSeconds: 0 },
  }));
  await first.commit({ line: ownerCreated(10_000_000) });
  await Promise.all(runs.map((run) => first.commit({ line: runAccepted(run.runId, run) })));
  await Promise.all(runs.map((run) => first.commit({ line: runDone(run.runId, run) })));
  await first.close();
  const store = await starts.open();
  const newest = runs.toReversed();

  for (const workspaceId of WORKSPACES) {
    const expected = newest.filter((run) => run.workspaceId === workspaceId).map(({ runId }) => runId);
    expect((await listAllPages(store, workspaceId, {}, 33)).runIds).toEqual(expected);
    const moved = (await listAllMovements(store, workspaceId, 70)).flatMap((line) => ("run" in line ? line.run : []));
    expect(moved).toEqual([...expected, ...expected]);
  }
  for (const { runId, workspaceId, idempotency } of runs) {
    expect((await store.findRun(workspaceId, runId))?.status).toBe("COMPLETED");
    expect(await store.findIdempotency(idempotency.key)).toMatchObject({ runId });
  }
  expect(await store.findRun("w1", "r")).toBeUndefined();
  expect(await store.findRun("w1", "r00005")).toBeUndefined();
  await store.close();
});

test("after a clean end every segment has an index, and the state is in a snapshot", async () => {
  const starts = new Starts();
  const store = await starts.open();
  await writeRuns(store, 0, 10);

  await store.close();
  const log = await namesOf(starts.disk, "log");

  const segments = log.filter((name) => name.endsWith(".ndjson"));
  expect(segments.length).toBeGreaterThan(4);
  expect(log.filter((name) => name.endsWith(".idx"))).toEqual(segments.map((name) => name.replace("ndjson", "idx")));
  expect((await namesOf(starts.disk, "state")).length).toBeGreaterThan(0);
});

test("of many snapshots the newest two are kept", async () => {
  const starts = new Starts();
  for (let round = 0; round < 4; round += 1) {
    const store = await starts.open();
    await writeRuns(store, round * 10, round * 10 + 10);
    await store.close();
  }

  const snapshots = await namesOf(starts.disk, "state");

  expect(snapshots).toHaveLength(2);
  expect(snapshots.every((name) => /^snap-\d{16}\.json$/.test(name))).toBe(true);
});

test("a start after a clean end reads no line of the journal again", async () => {
  const starts = new Starts();
  const first = await starts.open();
  await writeRuns(first, 0, 10);
  await first.close();
  const read: string[] = [];
  const inner = starts.disk.files;
  const files: Files = {
    ...inner,
    async openForReading(path) {
      read.push(path);
      return inner.openForReading(path);
    },
  };

  await starts.open(files);

  expect(read.filter((path) => path.endsWith(".ndjson")).length).toBeLessThanOrEqual(1);
});

test("indexes and snapshots are the same when they are made again from the segments", async () => {
  const starts = new Starts();
  const store = await starts.open();
  await writeRuns(store, 0, 20);
  await store.commit({ line: runAccepted("open") });
  await store.close();
  const before = await contentOf(starts.disk, (name) => name.endsWith(".idx"));
  for (const name of before.keys()) await starts.disk.files.unlink(`/data/log/${name}`);
  for (const name of await namesOf(starts.disk, "state")) await starts.disk.files.unlink(`/data/state/${name}`);

  const again = await starts.open();
  await again.close();
  const after = await contentOf(starts.disk, (name) => before.has(name));

  expect(after).toEqual(before);
});

async function contentOf(disk: SimulatedDisk, isMeant: (name: string) => boolean): Promise<Map<string, string>> {
  const names = (await namesOf(disk, "log")).filter(isMeant);
  const texts = names.map(async (name) => [name, String(await disk.files.readFile(`/data/log/${name}`))] as const);
  return new Map(await Promise.all(texts));
}

test.each([
  ["the newest snapshot", "state", (names: string[]) => names.slice(-1)],
  ["all snapshots", "state", (names: string[]) => names],
  ["an index", "log", (names: string[]) => names.filter((name) => name.endsWith(".idx")).slice(1, 2)],
  ["all indexes", "log", (names: string[]) => names.filter((name) => name.endsWith(".idx"))],
] as const)("without %s, or with a bit turned in it, a start finds everything", async (_what, folder, choose) => {
  const starts = new Starts();
  const store = await starts.open();
  await writeRuns(store, 0, 10);
  await store.commit({ line: keyCreated("k2") });
  await store.commit({ line: runAccepted("open") });
  const before = await readAll(store);
  await store.close();
  const chosen = choose(await namesOf(starts.disk, folder)).map((name) => `/data/${folder}/${name}`);

  const without = new Starts(starts.disk.copy());
  for (const path of chosen) await without.disk.files.unlink(path);
  const turned = new Starts(starts.disk.copy());
  for (const path of chosen) {
    const bytes = await turned.disk.files.readFile(path);
    turned.disk.replace(
      path,
      bytes.fill(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1, (bytes.length >> 1) + 1),
    );
  }
  const answers = [await readAll(await without.open()), await readAll(await turned.open())];

  expect(answers).toEqual([before, before]);
});

test("a snapshot of other lines is not believed, though it stands for a line of that number", async () => {
  const [own, foreign] = [new Starts(), new Starts()];
  for (const [starts, keyId] of [[own, "k2"] as const, [foreign, "k3"] as const]) {
    const store = await starts.open();
    for (const line of [ownerCreated(), keyCreated(keyId)]) await store.commit({ line });
    await store.close();
    await (await starts.open()).commit({ line: runAccepted("r1") });
    starts.crash();
  }
  const names = await namesOf(own.disk, "state");
  for (const name of names) {
    const path = `/data/state/${name}`;
    own.disk.replace(path, await foreign.disk.files.readFile(path));
  }

  const again = await own.open();

  expect(names).not.toEqual([]);
  expect((await again.listKeys("w1")).map(({ keyId }) => keyId)).toEqual(["k1", "k2"]);
  expect((await again.listOpenRuns()).map(({ runId }) => runId)).toEqual(["r1"]);
});

test("an index that is damaged while the daemon runs is made again by whoever reads it", async () => {
  const starts = new Starts();
  const store = await starts.open();
  await writeRuns(store, 0, 10);
  const before = await readAll(store);
  await store.close();
  const again = await starts.open();
  for (const name of await namesOf(starts.disk, "log")) {
    if (name.endsWith(".idx")) starts.disk.replace(`/data/log/${name}`, Buffer.alloc(5_000));
  }

  const after = await readAll(again);

  expect(after).toEqual(before);
});

test("a sealed segment that lost its end, or is gone, stops the start and is named", async () => {
  const starts = new Starts();
  const store = await starts.open();
  await writeRuns(store, 0, 10);
  await store.close();
  const path = "/data/log/00000002-g00000001.ndjson";
  const short = new Starts(starts.disk.copy());
  const gone = new Starts(starts.disk.copy());
  const bytes = await short.disk.files.readFile(path);
  short.disk.replace(path, bytes.subarray(0, bytes.length - 1));
  await gone.disk.files.unlink(path);

  const openings = [short.open(), gone.open()];

  await expect(openings[0]).rejects.toMatchObject({ name: "JournalCorrupt", file: path, offset: bytes.length - 1 });
  await expect(openings[1]).rejects.toMatchObject({ name: "JournalCorrupt", why: "segment 2 is missing" });
});

test("a sealed line that was changed on the disk is reported when it is read, not served", async () => {
  const starts = new Starts();
  const store = await starts.open();
  await writeRuns(store, 0, 10);
  await store.close();
  const log = await contentOf(starts.disk, (name) => name.endsWith(".ndjson"));
  const [name = "", text = ""] = [...log].find(([, content]) => content.includes('"answer":"r3"')) ?? [];
  starts.disk.replace(`/data/log/${name}`, Buffer.from(text.replace('"answer":"r3"', '"answer":"r4"')));
  const again = await starts.open();

  const finding = again.findRun("w1", "r3");

  await expect(finding).rejects.toMatchObject({ name: "JournalCorrupt", file: `/data/log/${name}` });
});

test.for(["die", "dieAfter", "fail", "full"] as const)(
  "wherever sealing goes wrong (%s), with the power or without, the next start finds the same",
  async (fault, context) => {
    const { calls } = await sealWithFault(0, fault);
    expect(calls.filter((name) => name === "rename").length).toBeGreaterThan(3);

    const callStep = effort(fault === "die" ? 3 : 6, 1);
    for (let at = 1; at <= calls.length; at += callStep) await sealWithFault(at, fault);
    let tried = Math.ceil(calls.length / callStep);
    if (fault === "die") {
      const powerStep = effort(8, 1);
      for (let at = 1; at <= calls.length; at += powerStep) await sealWithFault(at, fault, at);
      tried += Math.ceil(calls.length / powerStep);
    }
    reportTrial(context, { what: `sealing goes wrong at the n-th call to the disk (${fault})`, tried, lost: 0 });
  },
);

/** A start on an unsealed journal, which seals it, and closes; then a start that must find all of it. */
async function sealWithFault(
  at: number,
  fault: "die" | "dieAfter" | "fail" | "full",
  powerSeed?: number,
): Promise<{ calls: readonly string[] }> {
  const { disk, before } = await unsealed();
  const starts = new Starts(disk);
  const faulty = faultyFiles(disk.files, at, fault);
  const dying = await starts.open(faulty.files).catch(() => undefined);
  const acknowledged = dying === undefined ? [] : await writeRuns(dying, 50, 53).catch(() => []);
  await dying?.close().catch(() => undefined);
  starts.crash();
  if (powerSeed !== undefined) disk.losePower(seededRandom(powerSeed));

  const store = await starts.open();
  const runs = await store.listRuns("w1", { until: "2026-11-21T10:00:00.001Z" }, { limit: 1_000 });
  const old = runs.items.filter(({ runId }) => Number(runId.slice(1)) < 50);
  const what = `call ${at} (${faulty.calls.at(-1)}), ${fault}, power ${powerSeed}`;
  expect(old, what).toEqual(before);
  for (const line of acknowledged) {
    if (line.t === "run.done") expect((await store.findRun("w1", line.run))?.status, what).toBe("COMPLETED");
  }
  const [free = 0, held = 0, charged = 0, funds = 0] = await store.readAccounts([
    "ws:w1:bal",
    "ws:w1:held",
    "service:charged",
    "operator:funds",
  ]);
  expect(free + held + charged + funds, what).toBe(0);
  expect(held, what).toBe((await store.listOpenRuns()).length * 10_000);
  await store.close();
  return { calls: faulty.calls };
}

const written: { disk?: SimulatedDisk; before?: unknown } = {};

/** Segments without an index and without a snapshot, as a journal of an earlier version has them. */
async function unsealed(): Promise<{ disk: SimulatedDisk; before: unknown }> {
  if (written.disk === undefined) {
    const starts = new Starts();
    const store = await starts.open();
    await writeRuns(store, 0, 4);
    written.before = (await store.listRuns("w1", {}, { limit: 1_000 })).items;
    await store.close();
    for (const name of await namesOf(starts.disk, "state")) await starts.disk.files.unlink(`/data/state/${name}`);
    for (const name of await namesOf(starts.disk, "log")) {
      if (name.endsWith(".idx")) await starts.disk.files.unlink(`/data/log/${name}`);
    }
    written.disk = starts.disk;
  }
  return { disk: written.disk.copy(), before: written.before };
}

test("a run is found by its key also where the clock was a year ahead for a while", async () => {
  const starts = new Starts();
  const store = await starts.open();
  const keyed = (runId: string, at: string): Line[] => {
    const idempotency = { key: `key of ${runId}`, request: "same", waitSeconds: 0 };
    return [runAccepted(runId, { idempotency }), { ...runDone(runId, { idempotency }), at }];
  };

  const before = "2026-11-21T10:00:00.000Z";
  const lines = [
    ...keyed("r1", before),
    ...keyed("r2", before),
    ...keyed("r3", "2027-11-21T10:00:00.000Z"),
    ...keyed("r4", "2026-11-21T11:00:00.000Z"),
    ...keyed("r5", "2026-11-21T11:00:00.000Z"),
  ];
  for (const line of [ownerCreated(10_000_000), ...lines]) await store.commit({ line });

  for (const runId of ["r1", "r2", "r3", "r4", "r5"]) {
    expect(await store.findIdempotency(`key of ${runId}`)).toMatchObject({ runId });
  }
  await store.close();
});
