import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunFilter } from "../../daemon/ledger/stores/run-store.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import type { Files } from "../../daemon/storage/files.ts";
import type { JournalStore } from "../../daemon/storage/journal/journal-store.ts";
import {
  encodeRows,
  hasRow,
  intersectRows,
  lastRowBelow,
  unionOfRows,
} from "../../daemon/storage/journal/indexes/row-set.ts";
import { filter, HistoryModel, listAllPages, step, WORKSPACES } from "./history-model.ts";
import { AT, keyCreated, ownerCreated, runAccepted, runDone, workspaceCreated } from "./lines.ts";
import { contentsOf, indexNames, makeOld } from "./old-indexes.ts";
import { Starts } from "./starts.ts";

/** So large that a segment has several blocks of runs. */
const SEGMENT_BYTES = 400_000;

/** In batches that are smaller than a segment. */
async function commitAll(store: JournalStore, lines: readonly Line[]): Promise<void> {
  for (let from = 0; from < lines.length; from += 100) {
    await Promise.all(lines.slice(from, from + 100).map((line) => store.commit({ line })));
  }
}

/** Counts what is read of files whose names end like this. */
function countReads(inner: Files, ending: string): { readonly files: Files; readonly count: () => number } {
  let reads = 0;
  const openForReading: Files["openForReading"] = async (path) => {
    const file = await inner.openForReading(path);
    if (!path.endsWith(ending)) return file;
    return {
      ...file,
      read(into, position) {
        reads += 1;
        return file.read(into, position);
      },
    };
  };
  return { files: { ...inner, openForReading }, count: () => reads };
}

async function writeModel(store: JournalStore, steps: number, seed: number): Promise<HistoryModel> {
  const model = new HistoryModel();
  const all = [...model.begin()];
  for (const line of all) model.take(line);
  for (const next of fc.sample(step, { numRuns: steps, seed })) {
    const line = model.lineOf(next);
    if (line === undefined) continue;
    model.take(line);
    all.push(line);
  }
  await commitAll(store, all);
  return model;
}

test("every filter, alone and with others, from every place, finds what a look at all runs finds", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  const model = await writeModel(first, 1_500, 7);
  await first.close();
  const store = await starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  const segments = (await starts.names("log")).filter((name) => name.endsWith(".idx"));

  expect(segments.length).toBeGreaterThan(2);
  await fc.assert(
    fc.asyncProperty(
      filter,
      fc.constantFrom(...WORKSPACES),
      fc.integer({ min: 1, max: 200 }),
      async (by, workspaceId, limit) => {
        const expected = model.runs(workspaceId, by).map(({ runId }) => runId);
        expect((await listAllPages(store, workspaceId, by, limit)).runIds).toEqual(expected);
        const scanned = [];
        for await (const { runId } of store.scanRuns(workspaceId, by)) scanned.push(runId);
        expect(scanned).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
  await store.close();
});

test("a filter that few runs fit reads few pieces of the indexes, and one that nothing fits reads none again", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  const lines: Line[] = [ownerCreated(10_000_000)];
  for (let run = 0; run < 2_000; run += 1) {
    const facts = { tags: { order: String(run) }, status: run === 700 ? ("FAILED" as const) : ("COMPLETED" as const) };
    lines.push(runAccepted(`r${run}`), runDone(`r${run}`, facts));
  }
  await commitAll(first, lines);
  await first.close();
  const reads = countReads(starts.disk.files, "");
  const store = await starts.open(reads.files);
  const segments = (await starts.names("log")).filter((name) => name.endsWith(".idx")).length;
  const readsOf = async (by: RunFilter) => {
    const before = reads.count();
    const { items } = await store.listRuns("w1", by, { limit: 20 });
    return [items.map(({ runId }) => runId), reads.count() - before] as const;
  };

  const [failed, failedReads] = await readsOf({ statuses: ["FAILED"] });
  const [ordered, orderedReads] = await readsOf({ tag: { key: "order", value: "123" } });
  const [both, bothReads] = await readsOf({ statuses: ["FAILED"], tag: { key: "order", value: "701" } });
  const [nobody, nobodyReads] = await readsOf({ provider: "nobody" });

  expect([failed, ordered, both, nobody]).toEqual([["r700"], ["r123"], [], []]);
  // The filter of terms of each segment once; then a footer, terms, one block of runs and the line.
  expect(segments).toBeGreaterThan(3);
  expect(failedReads).toBeLessThan(segments + 8);
  expect(orderedReads).toBeLessThan(12);
  expect(bothReads).toBeLessThan(12);
  expect(nobodyReads).toBe(0);
  await store.close();
});

test("a label finds the runs of the keys that have it now, whatever they were called at the time", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  const lines = [
    ownerCreated(10_000_000),
    workspaceCreated("w2"),
    keyCreated("k2", { label: "old" }),
    keyCreated("k3", { label: "other" }),
    keyCreated("k4", { label: "old", workspaceId: "w2", operator: true }),
  ];
  for (const line of lines) await first.commit({ line });
  const runs = [
    ["of k2", { keyId: "k2", keyLabel: "old" }],
    ["of its actor", { caller: "API_KEY#k2", keyLabel: "old" }],
    ["of k3", { keyId: "k3", keyLabel: "other" }],
    ["of a key that is not known", { keyId: "k9", keyLabel: "old" }],
    ["of an operator of another workspace", { keyId: "k4", keyLabel: "old" }],
  ] as const;
  for (const [runId, facts] of runs) {
    await first.commit({ line: runAccepted(runId, facts) });
    await first.commit({ line: runDone(runId, facts) });
  }
  await first.commit({ line: { t: "key.renamed", v: 1, at: AT, keyId: "k2", label: "new" } });
  await first.commit({ line: { t: "key.renamed", v: 1, at: AT, keyId: "k3", label: "old" } });
  await first.commit({ line: { t: "key.renamed", v: 1, at: AT, keyId: "k4", label: "support" } });
  await first.close();
  const store = await starts.open();

  const found = async (keyLabel: string) => (await listAllPages(store, "w1", { keyLabel }, 10)).runIds;

  expect(await found("new")).toEqual(["of its actor", "of k2"]);
  expect(await found("old")).toEqual(["of a key that is not known", "of k3"]);
  expect(await found("other")).toEqual([]);
  expect(await found("support")).toEqual(["of an operator of another workspace"]);
  await store.close();
});

test("a label that hundreds of keys had one after the other finds the runs of all of them", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  const keyIds = Array.from({ length: 300 }, (_, count) => `k${count + 2}`);
  const keys = keyIds.map((keyId) => keyCreated(keyId, { label: "ci" }));
  const runs = keyIds.flatMap((keyId) => {
    const facts = { keyId, keyLabel: "before" };
    return [runAccepted(`run of ${keyId}`, facts), runDone(`run of ${keyId}`, facts)];
  });
  await commitAll(first, [ownerCreated(10_000_000), ...keys, ...runs, runAccepted("other"), runDone("other")]);
  await first.close();
  const store = await starts.open();

  const { runIds } = await listAllPages(store, "w1", { keyLabel: "ci" }, 100);

  expect(runIds).toEqual(keyIds.toReversed().map((keyId) => `run of ${keyId}`));
  await store.close();
});

test("no page of a filter that many runs fit reads the newer blocks of its index again", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: 100_000_000 });
  const lines = Array.from({ length: 2_000 }, (_, run) => [runAccepted(`r${run}`), runDone(`r${run}`)]).flat();
  await commitAll(first, [ownerCreated(10_000_000), ...lines]);
  await first.close();
  const reads = countReads(starts.disk.files, ".idx");
  const store = await starts.open(reads.files);
  const readsOfPages: number[] = [];
  let before: number | undefined;

  do {
    const earlier = reads.count();
    const page = { limit: 100, ...(before !== undefined && { before }) };
    before = (await store.listRuns("w1", { statuses: ["COMPLETED"] }, page)).next;
    readsOfPages.push(reads.count() - earlier);
  } while (before !== undefined);

  expect(readsOfPages).toHaveLength(20);
  // Beside the terms at most two blocks of 128 runs, and one more for whether more follow.
  expect(Math.max(...readsOfPages.slice(1))).toBeLessThanOrEqual(4);
  await store.close();
});

test("an index of the version before serves at once, and is replaced after the start", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  const model = await writeModel(first, 1_200, 11);
  await first.close();
  const names = await indexNames(starts);
  const newest = await contentsOf(starts, names);
  await makeOld(starts, names);
  const read: string[] = [];
  const files: Files = {
    ...starts.disk.files,
    async openForReading(path) {
      read.push(path);
      return starts.disk.files.openForReading(path);
    },
  };

  const store = await starts.open(files);
  const readAtStart = read.filter((path) => path.endsWith(".ndjson")).length;
  const by: RunFilter = { provider: "maps", statuses: ["COMPLETED"] };
  const expected = model.runs("w1", by).map(({ runId }) => runId);
  const answers = [(await listAllPages(store, "w1", by, 17)).runIds];
  await expect.poll(() => contentsOf(starts, names)).toEqual(newest);
  answers.push((await listAllPages(store, "w1", by, 17)).runIds);
  await store.close();

  expect(readAtStart).toBeLessThan(names.length);
  expect(answers).toEqual([expected, expected]);
});

test("an index that cannot be made again, as its segment is damaged, keeps none of the others from it", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  await writeModel(first, 1_200, 11);
  await first.close();
  const names = await indexNames(starts);
  const damaged = names.at(-2) ?? "";
  const others = names.filter((name) => name !== damaged);
  const newest = await contentsOf(starts, others);
  await makeOld(starts, names);
  const segment = `/data/log/${damaged.replace(".idx", ".ndjson")}`;
  const bytes = Buffer.from(await starts.disk.files.readFile(segment));
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
  starts.disk.replace(segment, bytes);
  const problems: unknown[] = [];

  const store = await starts.open(starts.disk.files, { onProblem: (error) => problems.push(error) });
  await expect.poll(() => contentsOf(starts, others)).toEqual(newest);
  await store.close();

  expect(names.length).toBeGreaterThan(2);
  expect(problems).toMatchObject([{ name: "JournalCorrupt", file: segment }]);
});

describe("while indexes are made again", () => {
  test("the removal of outputs, for which a stop waits, does not wait for all of them", async () => {
    const { starts, names, newest } = await startsWithOldIndexes();

    const store = await starts.open();
    await store.removeOutputs({ before: "2000-01-01T00:00:00.000Z", at: AT });
    const made = (await contentsOf(starts, names)).filter((content) => newest.includes(content));
    await store.close();

    expect(names.length).toBeGreaterThan(8);
    expect(made.length).toBeLessThan(names.length / 2);
  });

  test("outputs are removed, and each segment has one index afterwards, which finds all of its runs", async () => {
    const { starts, model, names } = await startsWithOldIndexes();
    const by: RunFilter = { provider: "maps", statuses: ["COMPLETED"] };
    const expected = model.runs("w1", by).map(({ runId }) => runId);

    const store = await starts.open();
    const { segments } = await store.removeOutputs({ before: "2099-01-01T00:00:00.000Z", at: AT });
    expect((await listAllPages(store, "w1", by, 17)).runIds).toEqual(expected);
    await store.close();

    expect(segments).toBeGreaterThan(names.length / 2);
    const segmentNames = (await starts.names("log")).filter((name) => name.endsWith(".ndjson"));
    expect(await indexNames(starts)).toEqual(segmentNames.map((name) => name.replace(".ndjson", ".idx")));
    const again = await starts.open();
    expect((await listAllPages(again, "w1", by, 17)).runIds).toEqual(expected);
    await again.close();
  });
});

async function startsWithOldIndexes() {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: 50_000 });
  const model = await writeModel(first, 1_500, 11);
  await first.close();
  const names = await indexNames(starts);
  const newest = await contentsOf(starts, names);
  await makeOld(starts, names);
  return { starts, model, names, newest };
}

test("a set of rows is the same as a list and as bits, for every size", () => {
  const size = fc.integer({ min: 1, max: 300 });
  const sets = size.chain((most) =>
    fc.record({
      size: fc.constant(most),
      one: fc.uniqueArray(fc.nat(most - 1)),
      other: fc.uniqueArray(fc.nat(most - 1)),
    }),
  );
  fc.assert(
    fc.property(sets, ({ size: most, one, other }) => {
      const encoded = [one, other].map((rows) =>
        encodeRows(
          rows.toSorted((a, b) => a - b),
          most,
        ),
      );
      const all = unionOfRows(encoded, most);
      const both = unionOfRows(encoded.slice(0, 1), most);
      const isLeft = intersectRows(both, unionOfRows(encoded.slice(1), most));

      const rows = Array.from({ length: most }, (_, row) => row);
      const common = rows.filter((row) => one.includes(row) && other.includes(row));
      expect(rows.filter((row) => hasRow(all, row))).toEqual(
        rows.filter((row) => one.includes(row) || other.includes(row)),
      );
      expect(rows.filter((row) => hasRow(both, row))).toEqual(common);
      expect(isLeft).toBe(common.length > 0);
      expect(rows.map((row) => lastRowBelow(both, row))).toEqual(
        rows.map((row) => common.findLast((found) => found < row) ?? -1),
      );
    }),
  );
});
