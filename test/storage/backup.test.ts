import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { balanceAccount, heldAccount } from "../../daemon/ledger/money/postings.ts";
import { examine } from "../../daemon/doctor/doctor.ts";
import { nodeFiles } from "../../daemon/storage/files.ts";
import {
  type JournalStore,
  openJournalStore,
  type JournalStoreOptions,
} from "../../daemon/storage/journal/journal-store.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { limitedDisk } from "../faults/limited-disk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ownerCreated, runAccepted, runDone } from "./lines.ts";

function newFolder(): string {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

async function open(dataDir: string, options: Partial<JournalStoreOptions> = {}): Promise<JournalStore> {
  const store = await openJournalStore({ dataDir, onFatal: () => undefined, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A store with ten finished runs in several segments, and one under way. */
async function openWithRuns(
  options: Partial<JournalStoreOptions> = {},
): Promise<{ path: string; store: JournalStore }> {
  const path = newFolder();
  const store = await open(join(path, "data"), { segmentBytes: 3_000, ...options });
  await store.commit({ line: ownerCreated() });
  for (let n = 0; n < 10; n += 1) {
    await store.commit({ line: runAccepted(`r${n}`) });
    await store.commit({ line: runDone(`r${n}`, { output: { text: "x".repeat(300) } }) });
  }
  await store.commit({ line: runAccepted("open") });
  return { path, store };
}

async function readAll(store: JournalStore) {
  const { items } = await store.listRuns("w1", {}, { limit: 1_000 });
  const outputs = await Promise.all(items.map(async ({ runId }) => (await store.findRun("w1", runId))?.output));
  const balances = await store.readAccounts([balanceAccount("w1"), heldAccount("w1")]);
  return { items, outputs, balances, open: await store.listOpenRuns(), workspaces: await store.listWorkspaces() };
}

/** All names but those of what the store itself writes. */
async function listOthers(path: string): Promise<string[]> {
  return (await readdir(path, { recursive: true })).filter((name) => !/^\w+\/(log|state)\//.test(name)).sort();
}

test("a store opened on the backup has everything that the first one had, and goes on", async () => {
  const { path, store } = await openWithRuns();
  const before = await readAll(store);

  const report = await store.backup(join(path, "copy"));
  await store.commit({ line: runDone("open") });
  const copy = await open(join(path, "copy"));
  const restored = await readAll(copy);
  await copy.commit({ line: runAccepted("later") });

  expect(restored).toEqual(before);
  expect(report).toMatchObject({
    directory: join(path, "copy"),
    segments: expect.any(Number),
    seq: expect.any(Number),
  });
  expect(report.segments).toBeGreaterThan(2);
  expect((await copy.listOpenRuns()).map(({ runId }) => runId)).toEqual(["open", "later"]);
});

test("the backup is its owner's alone, and holds neither locks nor the ballast nor half-written files", async () => {
  const { path, store } = await openWithRuns({ ballastBytes: 4_096 });
  await mkdir(join(path, "data", "docs"), { mode: 0o700 });
  await writeFile(join(path, "data", "docs", "settings.json"), "{}", { mode: 0o600 });
  await writeFile(join(path, "data", "docs", "settings.json.new-1"), "{", { mode: 0o600 });

  await store.backup(join(path, "copy"));
  const names = await readdir(join(path, "copy"), { recursive: true });
  const facts = await Promise.all(["", ...names].map((name) => stat(join(path, "copy", name))));

  expect(facts.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([]);
  expect(names.filter((name) => /lock|ballast|new-|tmp/.test(name))).toEqual([]);
  expect(await readFile(join(path, "copy", "docs", "settings.json"), "utf8")).toBe("{}");
  expect(JSON.parse(await readFile(join(path, "copy", "FORMAT"), "utf8"))).toEqual({ format: 2 });
});

test("runs that are written meanwhile are in the backup as far as they were durable when it began", async () => {
  const { path, store } = await openWithRuns();
  const acknowledged: string[] = [];
  const stopped = new AbortController();
  const clients = Array.from({ length: 16 }, async (_, client) => {
    for (let n = 0; !stopped.signal.aborted; n += 1) {
      const runId = `c${client}-${n}`;
      await store.commit({ line: runAccepted(runId, { heldMicroDollars: 1 }) });
      await store.commit({ line: runDone(runId, { heldMicroDollars: 1 }) });
      acknowledged.push(runId);
    }
  });

  for (let round = 0; round < 2; round += 1) {
    const enough = acknowledged.length + 20;
    while (acknowledged.length < enough) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = [...acknowledged];
    await store.backup(join(path, `copy${round}`));
    const copy = await open(join(path, `copy${round}`));
    const found = await Promise.all(before.map(async (runId) => (await copy.findRun("w1", runId))?.status));
    const [held = 0] = await copy.readAccounts([heldAccount("w1")]);
    const holds = (await copy.listOpenRuns()).reduce((sum, run) => sum + run.heldMicroDollars, 0);

    expect(before.length).toBeGreaterThan(0);
    expect(found.filter((status) => status !== "COMPLETED")).toEqual([]);
    expect(held).toBe(holds);
    await copy.close();
  }
  stopped.abort();
  await Promise.all(clients);
});

test.each([
  ["a relative path", async () => "copy", "absolute"],
  ["the data folder", async (path: string) => join(path, "data"), "data folder"],
  ["a folder in the data folder", async (path: string) => join(path, "data", "backups", "one"), "data folder"],
  [
    "a folder in the data folder by another name",
    async (path: string) => {
      await symlink(join(path, "data"), join(path, "alias"));
      return join(path, "alias", "copy");
    },
    "data folder",
  ],
  [
    "a folder that is not empty",
    async (path: string) => {
      await mkdir(join(path, "full", "something"), { recursive: true });
      return join(path, "full");
    },
    "not empty",
  ],
  [
    "a folder that others may read",
    async (path: string) => {
      await mkdir(join(path, "open"));
      await chmod(join(path, "open"), 0o755);
      return join(path, "open");
    },
    "chmod 700",
  ],
  [
    "a file",
    async (path: string) => {
      await writeFile(join(path, "file"), "");
      return join(path, "file");
    },
    "is a file",
  ],
])("%s is refused, and nothing is made", async (_, prepare, why) => {
  const { path, store } = await openWithRuns();
  const directory = await prepare(path);
  const before = await listOthers(path);

  const backing = store.backup(directory);

  await expect(backing).rejects.toMatchObject({ name: "BackupRefused", message: expect.stringContaining(why) });
  expect(await listOthers(path)).toEqual(before);
});

test("folders on the way to it are made, for their owner alone", async () => {
  const { path, store } = await openWithRuns();

  await store.backup(join(path, "no", "such"));

  expect((await stat(join(path, "no"))).mode & 0o777).toBe(0o700);
  expect((await readAll(await open(join(path, "no", "such")))).items).toHaveLength(11);
});

test("an empty folder of the owner's own is taken", async () => {
  const { path, store } = await openWithRuns();
  await mkdir(join(path, "copy"), { mode: 0o700 });

  await store.backup(join(path, "copy"));

  expect((await readAll(await open(join(path, "copy")))).items).toHaveLength(11);
});

test("a backup that finds no room leaves nothing behind, and the store goes on", async () => {
  const disk = limitedDisk(nodeFiles());
  const { path, store } = await openWithRuns({ files: disk.files });

  disk.setFree(2_000);
  const backing = store.backup(join(path, "copy"));

  await expect(backing).rejects.toMatchObject({ name: "BackupRefused", message: expect.stringContaining("room") });
  expect(await readdir(path)).toEqual(["data"]);
  disk.setFree(100_000);
  await store.commit({ line: runDone("open") });
  expect(await store.listOpenRuns()).toEqual([]);
});

test("a backup that begins while outputs are removed has every output that its lines refer to", async () => {
  const { path, store } = await openWithRuns();
  const output = { text: "x".repeat(100_000) };
  for (const runId of ["b1", "b2", "b3"]) {
    await store.commit({ line: runAccepted(runId) });
    await store.commit({ line: runDone(runId, { output }) });
  }
  const times = { before: "2100-01-01T00:00:00.000Z", at: "2026-11-22T10:00:00.000Z" };

  await Promise.all([
    store.backup(join(path, "before")),
    store.removeOutputs(times),
    store.backup(join(path, "after")),
    store.commit({ line: runAccepted("meanwhile") }),
  ]);
  const reports = await Promise.all(["before", "after"].map((name) => examine({ dataDir: join(path, name) })));
  const [before, after] = await Promise.all(["before", "after"].map((name) => open(join(path, name))));

  expect(reports.map(({ findings }) => findings)).toEqual([[], []]);
  expect((await before?.findRun("w1", "b2"))?.output).toEqual(output);
  expect(await after?.findRun("w1", "b2")).toMatchObject({ output: null, outputRemovedAt: times.at });
});

test.each(["list", "makeDirectory", "openForReading", "create", "read", "write", "sync", "syncDirectory", "rename"])(
  "a backup whose %s fails leaves nothing behind, and the store goes on",
  async (call) => {
    const faulty = faultyFiles(nodeFiles(), 0, "fail");
    const { path, store } = await openWithRuns({ files: faulty.files, segmentBytes: 1_000_000 });

    faulty.hitNext(call);
    const backing = store.backup(join(path, "copy"));

    await expect(backing).rejects.toThrow();
    expect(await readdir(path)).toEqual(["data"]);
    await store.commit({ line: runDone("open") });
    await store.backup(join(path, "copy"));
  },
);
