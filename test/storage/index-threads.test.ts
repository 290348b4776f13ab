import { readFile, readdir, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openJournalStore, type JournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ownerCreated, runAccepted, runDone } from "./lines.ts";
import { asVersion } from "./old-indexes.ts";

const built = fileURLToPath(new URL("../../dist/segment-worker.cjs", import.meta.url));

/** A data folder with several sealed segments, and what stands in their indexes. */
async function writtenFolder({ path }: { readonly path: string }) {
  const dataDir = join(path, "data");
  const store = await open(dataDir);
  const lines = Array.from({ length: 200 }, (_, run) => [runAccepted(`r${run}`), runDone(`r${run}`)]).flat();
  for (const line of [ownerCreated(10_000_000), ...lines]) await store.commit({ line });
  await store.close();
  const log = join(dataDir, "log");
  const names = (await readdir(log)).filter((name) => name.endsWith(".idx"));
  const contents = () => Promise.all(names.map((name) => readFile(join(log, name), "utf8")));
  const before = await contents();
  for (const name of names) await unlink(join(log, name));
  return { dataDir, log, names, contents, before };
}

function open(
  dataDir: string,
  segmentWorker?: () => Promise<Uint8Array>,
  onProblem?: (error: unknown) => void,
): Promise<JournalStore> {
  return openJournalStore({
    dataDir,
    segmentBytes: 30_000,
    ballastBytes: 0,
    onFatal: () => undefined,
    ...(segmentWorker !== undefined && { segmentWorker }),
    ...(onProblem !== undefined && { onProblem }),
  });
}

test("indexes that are missing are made in threads, as they were", async () => {
  using folder = tempDir();
  const { dataDir, names, contents, before } = await writtenFolder(folder);
  let asked = 0;
  const problems: unknown[] = [];

  const store = await open(
    dataDir,
    async () => {
      asked += 1;
      return await readFile(built);
    },
    (error) => void problems.push(error),
  );
  const after = await contents();
  const { items } = await store.listRuns("w1", {}, { limit: 1_000 });
  await store.close();

  expect(names.length).toBeGreaterThan(4);
  expect(asked).toBeGreaterThan(0);
  // Each that no thread had made would be one.
  expect(problems).toEqual([]);
  expect(after).toEqual(before);
  expect(items).toHaveLength(200);
});

test.each([
  ["ends at once", async () => Buffer.from("process.exit(3)")],
  ["cannot be read", () => Promise.reject(new Error("no such file"))],
  ["answers with something else", async () => Buffer.from(answering('{ kind: "made", bytes: Buffer.from("other") }'))],
])("a thread whose script %s leaves the indexes to the daemon's own, and is told once", async (_name, script) => {
  using folder = tempDir();
  const { dataDir, contents, before } = await writtenFolder(folder);
  const problems: unknown[] = [];

  const store = await open(dataDir, script, (error) => void problems.push(error));
  await store.close();

  expect(await contents()).toEqual(before);
  expect(problems).toEqual([expect.objectContaining({ message: expect.stringContaining("without threads") })]);
});

test("indexes of an earlier version are made again in threads after the start", async () => {
  using folder = tempDir();
  const { dataDir, log, names, contents, before } = await writtenFolder(folder);
  await (await open(dataDir)).close();
  for (const name of names) {
    await writeFile(join(log, "old"), asVersion(3, await readFile(join(log, name))));
    await rename(join(log, "old"), join(log, name));
  }
  const old = await contents();
  let asked = 0;
  const problems: unknown[] = [];

  const script = async () => {
    asked += 1;
    return await readFile(built);
  };
  const store = await open(dataDir, script, (error) => void problems.push(error));
  await expect.poll(contents, { timeout: 15_000 }).toEqual(before);
  await store.close();

  expect(old.filter((content, place) => content === before[place])).toEqual([]);
  expect(asked).toBeGreaterThan(0);
  expect(problems).toEqual([]);
});

test("damage that a thread finds stops the start, and names file and byte", async () => {
  using folder = tempDir();
  const { dataDir, log, names } = await writtenFolder(folder);
  const segment = join(log, (names[2] ?? "").replace(".idx", ".ndjson"));
  const bytes = await readFile(segment);
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
  await writeFile(segment, bytes);

  const alone = await open(dataDir).catch((error: unknown) => error);
  const threaded = await open(dataDir, () => readFile(built)).catch((error: unknown) => error);

  expect(alone).toMatchObject({ name: "JournalCorrupt", file: segment });
  expect(threaded).toEqual(alone);
});

function answering(reply: string): string {
  return `const { parentPort } = require("node:worker_threads"); parentPort.on("message", () => parentPort.postMessage(${reply}));`;
}
