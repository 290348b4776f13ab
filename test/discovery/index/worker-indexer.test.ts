import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { documentsOf, type IndexedProvider, readProviders } from "../../../daemon/discovery/index/catalog-documents.ts";
import { createInProcessIndexer } from "../../../daemon/discovery/index/indexer.ts";
import { runAtOnce } from "../../../daemon/discovery/index/shard/build-shard.ts";
import { loadIndexing } from "../../../daemon/discovery/index/load-indexing.ts";
import { createWorkerIndexer } from "../../../daemon/discovery/index/worker-indexer.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { entriesOf } from "./made-up-documents.ts";

const workerFile = fileURLToPath(new URL("../../../dist/index-worker.cjs", import.meta.url));

const encodedTable = (await loadIndexing()).encodedTable();

const providersOf = (entries: ReturnType<typeof entriesOf>) =>
  [...runAtOnce(readProviders(entries))].map(([slug, provider]: [string, IndexedProvider]) =>
    documentsOf(slug, provider),
  );

const bytesOf = ({ buffer }: { readonly buffer: SharedArrayBuffer }) => Buffer.from(new Uint8Array(buffer));

test("a thread builds and merges what this one would, to the byte", async () => {
  const [books, films] = [entriesOf("books", 450, "a"), entriesOf("films", 30, "b")];
  const thread = createWorkerIndexer(workerFile, () => encodedTable);
  const here = createInProcessIndexer((await loadIndexing()).options);

  const base = await thread.build(providersOf([...books, ...entriesOf("tides", 5, "b")]));
  const beside = await thread.build(providersOf(films), base.meanLengths);
  const merged = await thread.merge([
    { shard: base, groups: [0] },
    { shard: beside, groups: [0] },
  ]);
  await thread.close();

  const fresh = await here.build(providersOf([...books, ...films]));
  expect(bytesOf(merged).equals(bytesOf(fresh))).toBe(true);
  expect([base.size, beside.size, merged.size]).toEqual([455, 30, 480]);
});

test("who asks for two indexes at once gets both", async () => {
  const thread = createWorkerIndexer(workerFile, () => encodedTable);

  const [books, films] = await Promise.all([
    thread.build(providersOf(entriesOf("books", 250))),
    thread.build(providersOf(entriesOf("films", 3))),
  ]);
  await thread.close();

  expect([books.size, films.size]).toEqual([250, 3]);
});

test("who closes it ends what is under way, and nothing is begun any more", async () => {
  const thread = createWorkerIndexer(workerFile, () => encodedTable);
  const under = expect(thread.build(providersOf(entriesOf("books", 5_000)))).rejects.toThrow("thread ended");
  const queued = expect(thread.build(providersOf(entriesOf("films", 3)))).rejects.toThrow(
    "nothing is indexed any more",
  );
  await new Promise((resolve) => setTimeout(resolve, 20));

  await thread.close();

  await Promise.all([under, queued]);
});

test("a thread that cannot do its work is an error, and the next question gets another", async () => {
  using folder = tempDir();
  const script = join(folder.path, "worker.mjs");
  writeFileSync(script, `throw new Error("no such thing")`);
  const broken = createWorkerIndexer(script, () => encodedTable);

  await expect(broken.build(providersOf(entriesOf("books", 3)))).rejects.toThrow("no such thing");
  await expect(broken.build(providersOf(entriesOf("books", 3)))).rejects.toThrow("no such thing");

  await broken.close();
});
