import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addRun,
  type Group,
  groupOf,
  noRunSums,
  type RunGrouping,
  type RunSums,
} from "../../daemon/ledger/stores/run-sums.ts";
import type { RunFilter } from "../../daemon/ledger/stores/run-store.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import type { Files } from "../../daemon/storage/files.ts";
import { createdRangeOf, entryOf, matcherOf, type RunEntry, sharedMatcherOf } from "../../daemon/storage/run-entry.ts";
import { findSums, makeSumTables } from "../../daemon/storage/sum-tables.ts";
import type { JournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { acceptedLine, doneLine } from "../support/ledger-lines.ts";
import { makeRun } from "../support/make-run.ts";
import { keyCreated, ownerCreated, workspaceCreated } from "./lines.ts";
import { indexNames, makeOld } from "./old-indexes.ts";
import { Starts } from "./starts.ts";

/** Some hundred runs. */
const SEGMENT_BYTES = 200_000;
const WORKSPACES = ["w1", "w2"] as const;
const KEYS = ["k2", "k3", "k4", undefined] as const;

const run = fc.record({
  workspaceId: fc.constantFrom(...WORKSPACES, "w1"),
  provider: fc.constantFrom("nimbus", "tidewise"),
  endpoint: fc.constantFrom("/now", "/plain"),
  keyId: fc.constantFrom(...KEYS),
  tags: fc.constantFrom(undefined, {}, { team: "red" }, { team: "" }, { team: "red", ["__proto__"]: "own" }),
  /** Of six days; most are created at about the same time. */
  hour: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 60, max: 90 }) }, fc.nat(143)),
  charged: fc.nat(5_000_000),
  cost: fc.nat(5_000_000),
  overrun: fc.constantFrom(0, 0, 0, 7),
  saved: fc.constantFrom(undefined, undefined, undefined, 0, 900),
  status: fc.constantFrom("COMPLETED", "COMPLETED", "FAILED", "TIMED_OUT", "STOPPED", undefined),
});
type SomeRun = typeof run extends fc.Arbitrary<infer Run> ? Run : never;

const ORDERS = 40;
const grouping: fc.Arbitrary<RunGrouping> = fc.constantFrom<RunGrouping>(
  "provider",
  "endpoint",
  "key",
  "day",
  { tag: "team" },
  { tag: "order" },
  { tag: "nobody" },
  { tag: "__proto__" },
);
/** Most at midnight. */
const time = fc
  .oneof({ weight: 3, arbitrary: fc.nat(6).map((day) => day * 24 * 60) }, fc.nat(6 * 24 * 60))
  .map((minute) => new Date(Date.UTC(2026, 10, 1, 0, minute)).toISOString());
const filter: fc.Arbitrary<RunFilter> = fc
  .record(
    {
      since: time,
      until: time,
      provider: fc.constantFrom("nimbus", "nobody"),
      endpoint: fc.constantFrom("/now"),
      keyId: fc.constantFrom("k2", "nobody"),
      keyLabel: fc.constantFrom("k2", "k3", "later", "nobody"),
      other: fc.constantFrom<RunFilter>(
        {},
        {},
        {},
        { statuses: ["FAILED"] },
        { statuses: ["RUNNING"] },
        { tag: { key: "team", value: "red" } },
      ),
    },
    { requiredKeys: [] },
  )
  .map(({ other, ...all }) => ({ ...all, ...other }));

function linesOf(facts: SomeRun, count: number): Line[] {
  const { workspaceId, provider, endpoint, keyId, charged, cost, overrun, saved, status } = facts;
  const record = makeRun({
    runId: `r${count}`,
    workspaceId,
    provider,
    endpoint,
    ...(keyId === undefined ? { caller: "USER#u1" } : { keyId, keyLabel: keyId, caller: `API_KEY#${keyId}` }),
    createdAt: new Date(Date.UTC(2026, 10, 1, facts.hour, count % 60)).toISOString(),
    heldMicroDollars: charged,
    ...(facts.tags !== undefined && {
      tags: { ...facts.tags, ...(count % 3 === 0 && { order: String(count % ORDERS) }) },
    }),
  });
  const { keyLabel, ...withoutKey } = record;
  const made = keyId === undefined ? withoutKey : { ...withoutKey, keyLabel: keyLabel ?? "" };
  if (status === undefined) return [acceptedLine(made)];
  const answeredFrom = { runId: "r0", completedAt: made.createdAt, savedMicroDollars: saved ?? 0 };
  const ended = doneLine(made, {
    charged,
    cost,
    status,
    ...(overrun > 0 && { overrunMicroDollars: overrun }),
    ...(saved !== undefined && { answeredFrom }),
  });
  return [acceptedLine(made), ended];
}

async function commitAll(store: JournalStore, lines: readonly Line[]): Promise<void> {
  for (let from = 0; from < lines.length; from += 40) {
    await Promise.all(lines.slice(from, from + 40).map((line) => store.commit({ line })));
  }
}

async function writeRuns(store: JournalStore, count: number, seed: number): Promise<void> {
  const keys = KEYS.flatMap((keyId) => (keyId === undefined ? [] : [keyCreated(keyId)]));
  await commitAll(store, [ownerCreated(Number.MAX_SAFE_INTEGER), workspaceCreated("w2"), ...keys]);
  await commitAll(store, fc.sample(run, { numRuns: count, seed }).flatMap(linesOf));
}

async function sumsOfScan(
  store: JournalStore,
  workspaceId: string,
  by: RunFilter,
  grouped: RunGrouping,
): Promise<Map<Group, RunSums>> {
  const sums = new Map<Group, RunSums>();
  for await (const facts of store.scanRuns(workspaceId, by)) {
    const group = groupOf(grouped, facts);
    const own = sums.get(group) ?? noRunSums();
    addRun(own, facts);
    sums.set(group, own);
  }
  return sums;
}

async function checkSums(store: JournalStore, samples: number): Promise<void> {
  const question = [fc.constantFrom(...WORKSPACES, "nobody"), filter, grouping] as const;
  await fc.assert(
    fc.asyncProperty(...question, async (workspaceId, by, grouped) => {
      expect(await store.sumRuns(workspaceId, by, grouped)).toEqual(await sumsOfScan(store, workspaceId, by, grouped));
    }),
    { numRuns: samples },
  );
}

/** Counts what is read of indexes. */
function countReads(inner: Files): { readonly files: Files; readonly count: () => number } {
  let reads = 0;
  const openForReading: Files["openForReading"] = async (path) => {
    const file = await inner.openForReading(path);
    if (!path.endsWith(".idx")) return file;
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

test("sums are those of a look at each run: in memory, sealed, over a crash, and when indexes are missing or older", async () => {
  const starts = new Starts();
  const open = () => starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  let store = await open();
  await writeRuns(store, 800, 3);
  await checkSums(store, 40);
  await commitAll(store, [{ t: "key.renamed", v: 1, at: "2026-11-21T10:00:00.000Z", keyId: "k3", label: "later" }]);
  await checkSums(store, 40);
  starts.crash();
  store = await open();
  await checkSums(store, 40);
  await store.close();
  store = await open();
  await checkSums(store, 100);
  await store.close();
  const names = await indexNames(starts);
  for (const name of names) await starts.disk.files.unlink(`/data/log/${name}`);
  store = await open();
  await checkSums(store, 40);
  await store.close();
  await makeOld(starts, names, 3);
  store = await open();
  // While they are made again.
  await checkSums(store, 40);
  await store.close();

  expect(names.length).toBeGreaterThan(3);
});

test("sums of whole days read no run of a sealed segment, and a day that is cut only the runs of its segments", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: SEGMENT_BYTES });
  const lines = fc.sample(run, { numRuns: 600, seed: 5 }).flatMap((facts, count) => {
    const hour = Math.floor((count / 600) * 144);
    return linesOf({ ...facts, hour, workspaceId: "w1", status: "COMPLETED" }, count);
  });
  await commitAll(first, [ownerCreated(Number.MAX_SAFE_INTEGER), ...lines]);
  await first.close();
  const { files, count } = countReads(starts.disk.files);
  const store = await starts.open(files, { segmentBytes: SEGMENT_BYTES });
  const segments = (await indexNames(starts)).length;
  const readsOf = async (by: RunFilter, grouped: RunGrouping) => {
    const before = count();
    await store.sumRuns("w1", by, grouped);
    return count() - before;
  };
  const days = { since: "2026-11-02T00:00:00.000Z", until: "2026-11-05T00:00:00.000Z" };
  await readsOf({}, "day");

  const whole = await readsOf({}, "provider");
  const byDay = await readsOf(days, "day");
  const ofKey = await readsOf({ keyId: "k2" }, "key");
  const cut = await readsOf({ ...days, until: "2026-11-04T07:30:00.000Z" }, "endpoint");
  await store.close();

  expect(segments).toBeGreaterThan(4);
  // One block of sums of each segment that has runs of the time.
  expect(whole).toBeLessThanOrEqual(segments);
  expect(ofKey).toBeLessThanOrEqual(segments);
  expect(byDay).toBeLessThan(segments);
  // And the runs of one of them.
  expect(cut).toBeLessThan(segments + 3);
});

test("tables of sums give what their runs come to or say that they cannot, and never have more rows than half of the runs", async () => {
  const entries = fc
    .array(fc.record({ facts: run, order: fc.option(fc.nat(200)) }), { maxLength: 120, size: "max" })
    // Two days: with more, few tables are worth while.
    .map((all) =>
      all.flatMap(({ facts, order }, count) => entryWith({ ...facts, hour: facts.hour % 48 }, count, order)),
    );
  let told = 0;
  await fc.assert(
    fc.asyncProperty(entries, filter, grouping, async (runs, by, grouped) => {
      const tables = makeSumTables(runs);
      const rows = tables.reduce((sum, [, own]) => sum + (own?.length ?? 0), 0);
      expect(rows).toBeLessThanOrEqual(runs.length / 2);
      const { since: _since, until: _until, ...untimed } = by;
      const matches = matcherOf(untimed, () => undefined);
      const found = await findSums(
        {
          filter: by,
          by: grouped,
          created: createdRangeOf({}),
          wanted: [],
          matches,
          matchesShared: sharedMatcherOf(by, () => undefined),
        },
        async (name) => tables.find(([own]) => own === name),
      );
      if (found === undefined) return;
      told += 1;
      expect(inGroups(grouped, found)).toEqual(
        inGroups(
          grouped,
          runs.filter(matches).map((shared) => {
            const sums = noRunSums();
            addRun(sums, shared);
            return { shared, sums };
          }),
        ),
      );
    }),
    { numRuns: 300 },
  );
  expect(told).toBeGreaterThan(5);
});

function entryWith(facts: SomeRun, count: number, order: number | null): RunEntry<unknown>[] {
  const line = linesOf({ ...facts, status: facts.status ?? "COMPLETED" }, count).at(-1);
  if (line?.t !== "run.done") return [];
  const { tags } = line.rec;
  const ordered = order === null ? line.rec : { ...line.rec, tags: { ...tags, order: String(order) } };
  return [entryOf(ordered, count)];
}

function inGroups(
  by: RunGrouping,
  all: readonly { readonly shared: Parameters<typeof groupOf>[1]; readonly sums: RunSums }[],
): Map<Group, Record<string, number>> {
  const groups = new Map<Group, Record<string, number>>();
  for (const { shared, sums } of all) {
    const group = groupOf(by, shared);
    const own: Record<string, number> = groups.get(group) ?? {};
    for (const [name, value] of Object.entries(sums)) own[name] = (own[name] ?? 0) + value;
    groups.set(group, own);
  }
  return groups;
}
