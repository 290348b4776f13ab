import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeFiles, type Files } from "../../daemon/storage/files.ts";
import { openJournalStore, type JournalStoreOptions } from "../../daemon/storage/journal/journal-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { tempDir } from "../support/temp-dir.ts";
import { keyCreated, keyRevoked, ownerCreated, runAccepted, runDone } from "./lines.ts";

/** A data folder that is not there yet, gone after the test. */
function newDataDir(): string {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  return join(folder.path, "state", "data");
}

async function open(dataDir: string, options: Partial<JournalStoreOptions> = {}): Promise<Store> {
  const store = await openJournalStore({ dataDir, onFatal: () => undefined, ...options });
  onTestFinished(() => store.close());
  return store;
}

async function reopen(store: Store, dataDir: string): Promise<Store> {
  await store.close();
  return open(dataDir);
}

async function listAll(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return [folder, ...entries.map((entry) => join(folder, entry))];
}

async function listSegments(dataDir: string): Promise<string[]> {
  return (await readdir(join(dataDir, "log"))).filter((name) => name.endsWith(".ndjson")).sort();
}

test("everything is there after a restart", async () => {
  const dataDir = newDataDir();
  const store = await open(dataDir);
  const done = runDone("r1", { output: { big: "x".repeat(100_000) } });
  const lines = [ownerCreated(), runAccepted("r1"), keyCreated("k2"), runAccepted("r2"), done, keyRevoked("k2")];
  for (const line of lines) await store.commit({ line });
  const read = async (from: Store) => [
    await from.listRuns("w1", {}, { limit: 10 }),
    await from.listOpenRuns(),
    await from.listKeys("w1"),
    await from.findUser("u1"),
    await from.listWorkspacesOf("u1"),
    await from.readAccounts(["ws:w1:bal", "ws:w1:held"]),
  ];
  const before = await read(store);

  const after = await read(await reopen(store, dataDir));

  expect(after).toEqual(before);
});

test("guards know what was written before the restart", async () => {
  const dataDir = newDataDir();
  const store = await open(dataDir);
  await store.commit({ line: ownerCreated(5) });

  const again = await reopen(store, dataDir);
  const committing = again.commit({ line: ownerCreated(), guards: [{ kind: "noOwner" }] });

  await expect(committing).rejects.toMatchObject({ name: "GuardFailed" });
});

test("the journal is lines of JSON that sum to zero, numbered without a gap", async () => {
  const dataDir = newDataDir();
  const store = await open(dataDir, { segmentBytes: 2_000 });
  await store.commit({ line: ownerCreated() });
  for (const id of ["r1", "r2", "r3"]) {
    await store.commit({ line: runAccepted(id) });
    await store.commit({ line: runDone(id) });
  }
  await store.close();

  const names = await listSegments(dataDir);
  const texts = await Promise.all(names.map((name) => readFile(join(dataDir, "log", name), "utf8")));
  const lines = texts.flatMap((text) => text.trimEnd().split("\n")).map((line) => JSON.parse(line));
  const sums = lines.map((line) =>
    (line.led ?? []).reduce((sum: number, [, amount]: [string, number]) => sum + amount, 0),
  );

  expect(names[0]).toBe("00000001-g00000001.ndjson");
  expect(names.length).toBeGreaterThanOrEqual(4);
  expect(lines.map((line) => line.s)).toEqual(lines.map((_, index) => index + 1));
  expect(new Set(sums)).toEqual(new Set([0]));
});

test("a line of 6 MB, more than a batch takes, goes alone and comes back", async () => {
  const dataDir = newDataDir();
  const store = await open(dataDir, { segmentBytes: 10_000 });
  const big = runDone("r1", { output: "x".repeat(6_000_000) });

  await store.commit({ line: ownerCreated() });
  await store.commit({ line: runAccepted("r1") });
  await Promise.all([store.commit({ line: big }), store.commit({ line: runAccepted("r2") })]);
  const again = await reopen(store, dataDir);

  expect((await again.findRun("w1", "r1"))?.output).toHaveLength(6_000_000);
  expect(await again.findRun("w1", "r2")).toBeDefined();
});

test("a flush takes at most 4,096 lines and, unless one line is longer, little more than 4 MiB", async () => {
  const writes: string[] = [];
  const store = await open(newDataDir(), { files: withSizedWrites(nodeFiles(), writes) });
  await store.commit({ line: ownerCreated() });
  writes.length = 0;

  await Promise.all(Array.from({ length: 5_000 }, (_, index) => store.commit({ line: runAccepted(`few-${index}`) })));
  const linesPerWrite = writes.map((text) => text.trimEnd().split("\n").length);
  writes.length = 0;
  const label = "x".repeat(1_000_000);
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => store.commit({ line: keyCreated(`long-${index}`, { label }) })),
  );
  const bytesPerWrite = writes.map((text) => text.trimEnd().length);

  expect(linesPerWrite.reduce((sum, lines) => sum + lines, 0)).toBe(5_000);
  expect(Math.max(...linesPerWrite)).toBeLessThanOrEqual(4_096);
  expect(bytesPerWrite.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(12_000_000);
  expect(Math.max(...bytesPerWrite)).toBeLessThan(4_300_000);
  await store.close();
});

/** Files of which each write of lines is noted as text; the blanks that a segment grows by are none. */
function withSizedWrites(files: Files, writes: string[]): Files {
  return {
    ...files,
    async create(path) {
      const file = await files.create(path);
      return {
        ...file,
        write(bytes, position) {
          const text = Buffer.from(bytes).toString("latin1");
          if (path.endsWith(".ndjson") && text.trim() !== "") writes.push(text);
          return file.write(bytes, position);
        },
      };
    },
  };
}

test("each start writes a segment of its own", async () => {
  const dataDir = newDataDir();

  await reopen(await open(dataDir), dataDir);
  const names = await listSegments(dataDir);

  expect(names).toEqual(["00000001-g00000001.ndjson", "00000002-g00000002.ndjson"]);
});

test("a disk that takes a few bytes at a time is written to the end", async () => {
  const dataDir = newDataDir();
  const inner = nodeFiles();
  const files: Files = {
    ...inner,
    async create(path) {
      const file = await inner.create(path);
      return { ...file, write: (bytes, position) => file.write(bytes.subarray(0, 47), position) };
    },
  };

  const store = await open(dataDir, { files });
  await store.commit({ line: ownerCreated() });
  const again = await reopen(store, dataDir);

  expect((await again.findUser("u1"))?.username).toBe("ada");
});

test("after one failed flush nothing is acknowledged any more, reads go on, and a restart finds what was", async () => {
  const dataDir = newDataDir();
  const faulty = faultyFiles(nodeFiles(), 0, "fail");
  const fatal: Error[] = [];
  const store = await open(dataDir, { files: faulty.files, onFatal: (error) => fatal.push(error) });
  await store.commit({ line: ownerCreated() });

  faulty.hitNext("datasync");
  const outcomes = await Promise.allSettled([
    store.commit({ line: runAccepted("r1") }),
    store.commit({ line: runAccepted("r2") }),
  ]);
  const later = store.commit({ line: runAccepted("r3") });

  expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason instanceof StorageFailed)).toEqual([
    true,
    true,
  ]);
  await expect(later).rejects.toBeInstanceOf(StorageFailed);
  expect(fatal).toHaveLength(1);
  expect(await store.findUser("u1")).toBeDefined();
  expect(await store.findRun("w1", "r1")).toBeUndefined();
  const again = await reopen(store, dataDir);
  expect(await again.findUser("u1")).toBeDefined();
  expect(await again.findRun("w1", "r3")).toBeUndefined();
});

test("a record that was damaged on the disk while the daemon runs is reported, not served", async () => {
  const dataDir = newDataDir();
  const store = await open(dataDir);
  await store.commit({ line: ownerCreated() });
  await store.commit({ line: runAccepted("r1") });
  await store.commit({ line: runDone("r1", { output: "precious" }) });
  const path = join(dataDir, "log", "00000001-g00000001.ndjson");
  await writeFile(path, (await readFile(path, "utf8")).replace("precious", "prefious"));

  const finding = store.findRun("w1", "r1");

  await expect(finding).rejects.toMatchObject({ name: "JournalCorrupt", file: path, offset: expect.any(Number) });
});

test("a line of a type that this version does not know stops the start and names the place", async () => {
  const dataDir = newDataDir();
  const store = await open(dataDir);
  await store.commit({ line: { ...ownerCreated(), v: 2 } as never });
  await store.close();
  await rm(join(dataDir, "state"), { recursive: true });

  const opening = open(dataDir);

  await expect(opening).rejects.toMatchObject({
    name: "JournalCorrupt",
    why: expect.stringContaining('type "owner.created", version 2'),
  });
});

test("with an open umask nobody else can read anything", async () => {
  const dataDir = newDataDir();
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));

  const store = await open(dataDir);
  await store.commit({ line: ownerCreated() });
  const facts = await Promise.all((await listAll(dataDir)).map((path) => stat(path)));

  expect(facts.map((fact) => fact.mode & 0o077)).toEqual(facts.map(() => 0));
});

test("a folder that others may read is refused, with the command that closes it", async () => {
  const dataDir = newDataDir();
  await mkdir(dataDir, { recursive: true });
  await chmod(dataDir, 0o755);

  const opening = open(dataDir);

  await expect(opening).rejects.toMatchObject({
    name: "DataFolderUnsafe",
    message: expect.stringContaining(`chmod 700 '${dataDir}'`),
  });
  expect(await readdir(dataDir)).toEqual([]);
});

test("a folder of format 1 opens and is of format 2 from then on; so is a new one", async () => {
  const dataDir = newDataDir();
  const path = join(dataDir, "FORMAT");
  const first = await open(dataDir);
  await first.commit({ line: ownerCreated() });
  await first.close();
  const ofNew = await readFile(path, "utf8");
  await writeFile(path, '{"format":1}\n');

  const again = await open(dataDir);
  const keys = await again.listKeys("w1");
  await again.close();

  expect(keys).toHaveLength(1);
  expect([ofNew, await readFile(path, "utf8")]).toEqual(['{"format":2}\n', '{"format":2}\n']);
});

test("a folder of format 1 whose journal is damaged stays of format 1", async () => {
  const dataDir = newDataDir();
  const first = await open(dataDir);
  await first.commit({ line: { ...ownerCreated(), v: 9 } as never });
  await first.close();
  await rm(join(dataDir, "state"), { recursive: true });
  await writeFile(join(dataDir, "FORMAT"), '{"format":1}\n');

  const opening = open(dataDir);

  await expect(opening).rejects.toMatchObject({ name: "JournalCorrupt" });
  expect(await readFile(join(dataDir, "FORMAT"), "utf8")).toBe('{"format":1}\n');
});

test.each(['{"format":3}', '{"format":"1"}', "one", ""])("a folder of format %j is not touched", async (format) => {
  const dataDir = newDataDir();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, "FORMAT"), format);

  const opening = open(dataDir);

  await expect(opening).rejects.toMatchObject({ name: "DataFormatUnknown" });
  expect(await readdir(dataDir)).toEqual(["FORMAT"]);
});

test("a folder with a journal and no FORMAT is damaged", async () => {
  const dataDir = newDataDir();
  await (await open(dataDir)).close();
  await nodeFiles().unlink(join(dataDir, "FORMAT"));

  const opening = open(dataDir);

  await expect(opening).rejects.toMatchObject({ name: "JournalCorrupt", file: join(dataDir, "FORMAT") });
});

test("a file where the folder should be is named", async () => {
  const dataDir = newDataDir();
  await mkdir(join(dataDir, ".."), { recursive: true });
  await writeFile(dataDir, "");

  const outcomes = await Promise.allSettled([open(dataDir), open(join(dataDir, "below"))]);

  expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.name)).toEqual(
    Array(2).fill("DataFolderUnusable"),
  );
});

test("a folder that may not be read is named, with what to look at", async () => {
  const dataDir = newDataDir();
  await (await open(dataDir)).close();
  const inner = nodeFiles();
  const list = () => Promise.reject(Object.assign(new Error("EACCES"), { code: "EACCES" }));

  const opening = open(dataDir, { files: { ...inner, list } });

  await expect(opening).rejects.toMatchObject({
    name: "DataFolderUnusable",
    path: dataDir,
    message: expect.stringContaining("ls -ld"),
  });
});
