import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { balanceAccount, heldAccount } from "../../daemon/ledger/money/postings.ts";
import { DiskFull, type Guard, StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import { examine } from "../../daemon/doctor/doctor.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { type Files, nodeFiles, type OpenFile } from "../../daemon/storage/files.ts";
import { openJournalStore, type JournalStoreOptions } from "../../daemon/storage/journal/journal-store.ts";
import { LockLost } from "../../daemon/storage/storage-errors.ts";
import { StoreState } from "../../daemon/storage/store-state.ts";
import type { Store } from "../../daemon/storage/store.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import type { MoneyReads } from "../../daemon/ledger/transaction/money-reads.ts";
import { limitedDisk, type LimitedDisk } from "../faults/limited-disk.ts";
import { seededRandom } from "../faults/simulated-disk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { keyCreated, keyRevoked, ownerCreated, runAccepted, runDone, runMoved } from "./lines.ts";

const BALLAST_BYTES = 64 * 1_024;
const HANG_MS = 20_000;

interface Opened {
  readonly dataDir: string;
  readonly disk: LimitedDisk;
  readonly store: Store;
  readonly fatal: Error[];
  /** Whether the disk was full, in the order of the changes. */
  readonly changes: boolean[];
}

async function open(options: Partial<JournalStoreOptions> = {}): Promise<Opened> {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  const dataDir = join(folder.path, "data");
  const disk = limitedDisk(nodeFiles());
  const [fatal, changes]: [Error[], boolean[]] = [[], []];
  const store = await openJournalStore({
    dataDir,
    files: disk.files,
    ballastBytes: BALLAST_BYTES,
    onFatal: (error) => fatal.push(error),
    onDiskFull: (isFull) => changes.push(isFull),
    ...options,
  });
  onTestFinished(() => store.close());
  await until(async () => (await sizeOf(join(dataDir, "ballast"))) === (options.ballastBytes ?? BALLAST_BYTES));
  await store.commit({ line: ownerCreated(1_000_000) });
  return { dataDir, disk, store, fatal, changes };
}

async function reopen({ store, dataDir }: Opened): Promise<Store> {
  await store.close();
  // By force: a full disk has no room to note that the lock was let go, and this process lives on.
  const again = await openJournalStore({ dataDir, forceUnlock: true, onFatal: () => undefined });
  onTestFinished(() => again.close());
  return again;
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + HANG_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("it never came to that");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (systemErrorCode(error) === "ENOENT") return 0;
      throw error;
    },
  );
}

/** The balance that decides what may be taken next, as a line is told that is committed now. */
async function takenBalance(store: Store, line: Line, guards: readonly Guard[] = []): Promise<number | undefined> {
  let taken: number | undefined;
  const write = ({ balance }: MoneyReads) => {
    taken = balance;
    return line;
  };
  await store.commit({ of: { workspaceId: "w1" }, write, guards });
  return taken;
}

async function outcomeOf(committing: Promise<void>): Promise<string> {
  return await committing.then(
    () => "durable",
    (error: unknown) => (error instanceof Error ? error.name : "unknown"),
  );
}

async function commitAll(store: Store, lines: readonly Line[]): Promise<string[]> {
  return await Promise.all(lines.map((line) => outcomeOf(store.commit({ line }))));
}

/** More than a segment grows by at once, so that it needs room that is not there yet. */
const LARGE = { input: { body: { text: "x".repeat(400_000) } } };
const tooLarge = () => runAccepted("large", LARGE);

const balances = async (store: Store) => await store.readAccounts([balanceAccount("w1"), heldAccount("w1")]);

test("on a full disk new runs are refused, and runs under way come to their end in the ballast's room", async () => {
  const { store, disk, dataDir, fatal, changes } = await open();
  await commitAll(store, [runAccepted("r1"), runAccepted("r2"), keyCreated("k2")]);

  disk.setFree(100);
  const outcomes = await commitAll(store, [tooLarge(), runDone("r1"), keyCreated("k3"), keyRevoked("k2")]);
  const later = await commitAll(store, [runAccepted("r4"), runMoved("run.stop", "r2"), runDone("r2")]);

  expect(outcomes).toEqual(["DiskFull", "durable", "DiskFull", "durable"]);
  expect(later).toEqual(["DiskFull", "durable", "durable"]);
  expect(store.hasRoom()).toBe(false);
  expect(changes).toEqual([true]);
  expect(fatal).toEqual([]);
  expect(await sizeOf(join(dataDir, "ballast"))).toBe(0);
  expect(await store.listOpenRuns()).toEqual([]);
  expect(await balances(store)).toEqual([980_000, 0]);
});

test("what was refused was never taken: its money, its label and its run are free", async () => {
  const { store, disk } = await open();
  const [r1, key] = [runAccepted("r1", LARGE), keyCreated("k2", { label: "mine" })];

  disk.setFree(10);
  const refused = await commitAll(store, [key, r1]);
  disk.setFree(10_000_000);
  await until(() => store.hasRoom());
  const labelFree = { kind: "labelFree", workspaceId: "w1", label: "mine" } as const;
  const counted = await takenBalance(store, key, [labelFree]);
  await store.commit({ line: r1 });

  expect(refused).toEqual(["DiskFull", "DiskFull"]);
  expect(counted).toBe(1_000_000);
  expect(await balances(store)).toEqual([990_000, 10_000]);
});

test("the balance counts what ends runs and is not durable yet, and nothing that was refused beside it", async () => {
  const { store, disk } = await open();
  await commitAll(store, [runAccepted("r1", { heldMicroDollars: 900_000 })]);

  disk.setFree(10);
  const done = runDone("r1", { heldMicroDollars: 900_000 });
  const outcomes = await commitAll(store, [runAccepted("r2", { heldMicroDollars: 100_000, ...LARGE }), done]);
  disk.setFree(10_000_000);
  await until(() => store.hasRoom());
  const counted = await takenBalance(store, keyCreated("k2"));

  expect(outcomes).toEqual(["DiskFull", "durable"]);
  expect(counted).toBe(100_000);
});

test("it goes on by itself when there is room, with a new ballast, and a restart finds all that was acknowledged", async () => {
  const opened = await open();
  const { store, disk, dataDir, changes } = opened;
  await commitAll(store, [runAccepted("r1"), runAccepted("r2")]);

  disk.setFree(100);
  await commitAll(store, [runDone("r1"), runAccepted("r3", LARGE)]);
  disk.setFree(10_000_000);
  await until(() => store.hasRoom());
  const after = await commitAll(store, [runAccepted("r4"), runDone("r2")]);
  const again = await reopen(opened);

  expect(changes).toEqual([true, false]);
  expect(after).toEqual(["durable", "durable"]);
  expect(await sizeOf(join(dataDir, "ballast"))).toBe(BALLAST_BYTES);
  expect((await again.listOpenRuns()).map(({ runId }) => runId)).toEqual(["r4"]);
  expect((await again.findRun("w1", "r1"))?.status).toBe("COMPLETED");
  expect(await again.findRun("w1", "r3")).toBeUndefined();
  expect(await balances(again)).toEqual([970_000, 10_000]);
});

test("what ends runs and does not fit even then is held until there is room", async () => {
  const opened = await open({ ballastBytes: 0 });
  const { store, disk, fatal } = opened;
  await commitAll(store, [runAccepted("r1"), runAccepted("r2")]);

  disk.setFree(200);
  let ended = 0;
  const ending = ["r1", "r2"].map(async (id) => {
    await store.commit({ line: runDone(id, LARGE) });
    ended += 1;
  });
  await until(() => !store.hasRoom());
  const refused = disk.refused();
  await until(() => disk.refused() >= refused + 2);
  const endedWithoutRoom = ended;
  const openWithoutRoom = await store.listOpenRuns();
  disk.setFree(10_000_000);
  await Promise.all(ending);

  expect(endedWithoutRoom).toBe(0);
  expect(openWithoutRoom).toHaveLength(2);
  expect(fatal).toEqual([]);
  const again = await reopen(opened);
  expect(await again.listOpenRuns()).toEqual([]);
  expect(await balances(again)).toEqual([980_000, 0]);
});

test("a store that is closed while the disk is full says what it could not record", async () => {
  const opened = await open({ ballastBytes: 0 });
  const { store, disk, fatal } = opened;
  await commitAll(store, [runAccepted("r1")]);

  disk.setFree(10);
  const ending = outcomeOf(store.commit({ line: runDone("r1", LARGE) }));
  await until(() => !store.hasRoom());
  await store.close();

  expect(await ending).toBe("StorageFailed");
  expect(fatal).toEqual([expect.any(StorageFailed)]);
  const again = await reopen(opened);
  expect((await again.listOpenRuns()).map(({ runId }) => runId)).toEqual(["r1"]);
});

test("a store that is closed tries once more what a full disk held up", async () => {
  const opened = await open({ ballastBytes: 0 });
  const { store, disk, fatal } = opened;
  await commitAll(store, [runAccepted("r1")]);

  disk.setFree(10);
  const ending = outcomeOf(store.commit({ line: runDone("r1", LARGE) }));
  await until(() => !store.hasRoom());
  await new Promise((resolve) => setTimeout(resolve, 50));
  disk.setFree(10_000_000);
  await store.close();

  expect(await ending).toBe("durable");
  expect(fatal).toEqual([]);
});

/** Files whose calls of one name wait at a gate, once one of them has found it closed. */
function gated(files: Files, name: "truncate" | "full write"): { files: Files; reached: Promise<void>; open(): void } {
  const [reach, gate] = [withResolvers(), withResolvers()];
  const pass = async () => {
    reach.resolve();
    await gate.promise;
  };
  const wrap = (file: OpenFile): OpenFile => ({
    ...file,
    async write(bytes, position) {
      try {
        return await file.write(bytes, position);
      } catch (error) {
        if (name === "full write") await pass();
        throw error;
      }
    },
    async truncate(length) {
      if (name === "truncate") await pass();
      await file.truncate(length);
    },
  });
  const create: Files["create"] = async (path) => wrap(await files.create(path));
  return { files: { ...files, create }, reached: reach.promise, open: gate.resolve };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test("nobody is told that a line is refused before what was written of it is cut off", async () => {
  const disk = limitedDisk(nodeFiles());
  const gate = gated(disk.files, "truncate");
  const { store } = await open({ files: gate.files });
  const told: string[] = [];

  disk.setFree(100);
  const commits = [keyCreated("k2"), tooLarge()].map(async (line) =>
    told.push(await outcomeOf(store.commit({ line }))),
  );
  await gate.reached;
  await new Promise((resolve) => setTimeout(resolve, 50));
  const toldBefore = [...told];
  gate.open();
  await Promise.all(commits);

  expect(toldBefore).toEqual([]);
  expect(told).toEqual(["DiskFull", "DiskFull"]);
});

test("a writer that is forced out while its disk is full cuts off nothing that the other counts on", async () => {
  const disk = limitedDisk(nodeFiles());
  const gate = gated(disk.files, "full write");
  const { store, dataDir, fatal } = await open({ files: gate.files, ballastBytes: 0 });

  disk.setFree(100);
  const outcomes = commitAll(store, [keyCreated("k2"), tooLarge()]);
  await gate.reached;
  const other = await openJournalStore({ dataDir, forceUnlock: true, onFatal: () => undefined });
  const countsOn = await other.findKeyByHash("hash of k2");
  await other.close();
  gate.open();

  expect(countsOn?.keyId).toBe("k2");
  expect(await outcomes).toEqual(["StorageFailed", "StorageFailed"]);
  expect(fatal).toEqual([expect.any(LockLost)]);
  expect((await examine({ dataDir })).findings).toEqual([]);
});

test("a run that was refused leaves no number behind", () => {
  const state = new StoreState(() => false);
  state.take({ line: ownerCreated() });
  state.take({ line: runAccepted("r1") });
  state.runs.number(runAccepted("r1"), 7);

  state.retake([]);

  expect(state.runs.number(runDone("r1"), 8)).toBeUndefined();
});

test("a segment that cannot be begun for want of room is none, and the one before goes on", async () => {
  const opened = await open({ segmentBytes: 1_500 });
  const { store, disk } = opened;
  await commitAll(store, [runAccepted("r1")]);

  disk.setFree(20);
  const outcomes = await commitAll(store, [runDone("r1"), runAccepted("r2")]);
  disk.setFree(10_000_000);
  await until(() => store.hasRoom());
  for (const id of ["r3", "r4", "r5"]) await store.commit({ line: runAccepted(id) });
  const again = await reopen(opened);

  expect(outcomes).toEqual(["durable", "DiskFull"]);
  expect((await again.listOpenRuns()).map(({ runId }) => runId)).toEqual(["r3", "r4", "r5"]);
});

test("wherever the room ends within what is being written, no line is lost or torn", async () => {
  for (let free = 0; free < 900_000; free += 51_713) {
    const opened = await open();
    await commitAll(opened.store, [runAccepted("r1")]);

    opened.disk.setFree(free);
    const [done, accepted] = await commitAll(opened.store, [runDone("r1"), runAccepted("r2", LARGE)]);
    const again = await reopen(opened);

    expect(done, `with ${free} bytes`).toBe("durable");
    expect((await again.findRun("w1", "r1"))?.status).toBe("COMPLETED");
    expect((await again.findRun("w1", "r2")) !== undefined, `with ${free} bytes`).toBe(accepted === "durable");
    await again.close();
  }
});

test("a used-up quota is a full disk, though the disk says that it has room", async () => {
  const { store, disk } = await open();
  await commitAll(store, [runAccepted("r1")]);

  disk.setQuota(true);
  disk.setFree(10);
  const outcomes = await commitAll(store, [runDone("r1"), runAccepted("r2", LARGE)]);
  // What comes of a look is known by the next one.
  const looked = disk.looked();
  await until(() => disk.looked() >= looked + 2);
  const stillFull = !store.hasRoom();
  disk.setFree(10_000_000);
  await until(() => store.hasRoom());

  expect(outcomes).toEqual(["durable", "DiskFull"]);
  expect(stillFull).toBe(true);
});

test("a disk that has no room for the ballast is full from the start", async () => {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  const disk = limitedDisk(nodeFiles());
  disk.setFree(20_000);

  const store = await openJournalStore({
    dataDir: join(folder.path, "data"),
    files: disk.files,
    ballastBytes: BALLAST_BYTES,
    onFatal: () => undefined,
  });
  onTestFinished(() => store.close());
  await until(() => !store.hasRoom());
  const committing = store.commit({ line: ownerCreated() });

  await expect(committing).rejects.toBeInstanceOf(DiskFull);
});

test("whenever the room ends and comes back, what was acknowledged is there, what was refused is not, and nothing is wrong", async () => {
  let refusals = 0;
  for (let seed = 1; seed <= 4; seed += 1) {
    const random = seededRandom(seed);
    const opened = await open({ segmentBytes: 6_000, ballastBytes: 8_192 });
    const [acknowledged, refused, others]: [string[], string[], string[]] = [[], [], []];
    const work = async (runId: string) => {
      const accepted = await outcomeOf(opened.store.commit({ line: runAccepted(runId, { heldMicroDollars: 100 }) }));
      if (accepted !== "durable") return void (accepted === "DiskFull" ? refused : others).push(runId);
      const output = { text: "x".repeat(Math.floor(random() ** 4 * 100_000)) };
      const ended = await outcomeOf(opened.store.commit({ line: runDone(runId, { heldMicroDollars: 100, output }) }));
      (ended === "durable" ? acknowledged : others).push(runId);
    };

    const all: Promise<void>[] = [];
    for (let n = 0; n < 60; n += 1) {
      if (random() < 0.2) opened.disk.setFree(Math.floor(random() ** 3 * 60_000));
      all.push(work(`r${n}`));
      if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    opened.disk.setFree(50_000_000);
    await Promise.all(all);
    await until(() => opened.store.hasRoom());
    await work("last");
    const again = await reopen(opened);
    const statusOf = async (runId: string) => (await again.findRun("w1", runId))?.status;
    const [found, absent] = [await Promise.all(acknowledged.map(statusOf)), await Promise.all(refused.map(statusOf))];
    const [held] = await again.readAccounts([heldAccount("w1")]);
    await again.close();
    const report = await examine({ dataDir: opened.dataDir });

    expect(others, `seed ${seed}`).toEqual([]);
    expect(new Set(found), `seed ${seed}`).toEqual(new Set(["COMPLETED"]));
    expect(
      absent.filter((status) => status !== undefined),
      `seed ${seed}`,
    ).toEqual([]);
    expect(acknowledged, `seed ${seed}`).toContain("last");
    expect(held).toBe(0);
    expect(report.findings, `seed ${seed}`).toEqual([]);
    refusals += refused.length;
  }
  expect(refusals).toBeGreaterThan(10);
});
