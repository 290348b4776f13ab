import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import type { ResourceFilter } from "../../daemon/ledger/stores/resource-store.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import type { Files } from "../../daemon/storage/files.ts";
import { decodeChecked, encodeChecked } from "../../daemon/storage/journal/segments/checked-text.ts";
import type { ScrubDocument } from "../../daemon/storage/journal/scrub/scrub-document.ts";
import type { Damage } from "../../daemon/storage/journal/scrub/scrub-segment.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { createUsageService } from "../../daemon/usage/usage-service.ts";
import { acceptedLine, doneLine, rentedBy, rentLine } from "../support/ledger-lines.ts";
import { makeRun } from "../support/make-run.ts";
import { memoryDocument } from "../support/memory-document.ts";
import { contentsOf, indexNames, makeIndexesOld, makeOld } from "./old-indexes.ts";
import { makeResource, ownerCreated, resourceChanged, resourceReleased, runAccepted, runDone } from "./lines.ts";
import { Starts } from "./starts.ts";

const EVENT = { eventId: "e", type: "RELEASED", at: "2026-11-21T10:00:00.000Z" } as const;

function numbered(number: number, members: Partial<ResourceRecord> = {}): ResourceRecord {
  const resourceId = `01${String(number).padStart(5, "0")}`;
  return makeResource({ resourceId, externalId: resourceId, events: [EVENT], ...members });
}

/** Makes so many resources, and ends all but every tenth; some in a line of their own, some by a run. */
async function writeResources(store: Store, count: number): Promise<readonly ResourceRecord[]> {
  const all: ResourceRecord[] = [];
  await store.commit({ line: ownerCreated(1_000_000_000) });
  for (let number = 0; number < count; number += 1) {
    const resource = numbered(number);
    await store.commit({ line: resourceChanged(resource) });
    if (number % 10 === 0) {
      all.push(resource);
      continue;
    }
    const line = resourceReleased(resource);
    all.push(line.resource);
    if (number % 3 > 0) await store.commit({ line });
    else {
      await store.commit({ line: runAccepted(`r${number}`) });
      await store.commit({ line: { ...runDone(`r${number}`), res: [line.resource] } });
    }
  }
  return all.reverse();
}

async function listAll(store: Store, limit = 10, filter: ResourceFilter = {}): Promise<readonly ResourceRecord[]> {
  const found: ResourceRecord[] = [];
  let after: string | undefined;
  do {
    const page = await store.listResources("w1", filter, { limit, after });
    found.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return found;
}

async function findAll(store: Store, resources: readonly ResourceRecord[]) {
  return await Promise.all(resources.map(({ resourceId }) => store.findResource("w1", resourceId)));
}

async function snapshotOf(starts: Starts): Promise<{ path: string; content: Readonly<Record<string, unknown>> }> {
  const path = `/data/state/${(await starts.names("state")).at(-1)}`;
  const checked = decodeChecked((await starts.disk.files.readFile(path)).subarray(0, -1));
  if (typeof checked === "string") throw new Error(checked);
  return { path, content: checked.value };
}

/** As the version before wrote it: with the resources that had ended. */
async function makeSnapshotOld(starts: Starts, resources: readonly ResourceRecord[]): Promise<void> {
  for (const name of (await starts.names("state")).slice(0, -1)) await starts.disk.files.unlink(`/data/state/${name}`);
  const { path, content } = await snapshotOf(starts);
  const { c: _check, book, ...rest } = content;
  const all = resources.toReversed().map((resource) => [resource.resourceId, resource]);
  const old = { ...rest, v: 3, book: { ...(book as object), resources: { resources: all } } };
  starts.disk.replace(path, encodeChecked(old));
}

test("ended resources are listed and found with their events, also after a start and without indexes or snapshots", async () => {
  const starts = new Starts();
  const first = await starts.open();
  const all = await writeResources(first, 300);
  expect(await listAll(first)).toEqual(all);
  expect(await findAll(first, all)).toEqual(all);
  await first.close();

  const again = await starts.open();
  expect(await listAll(again)).toEqual(all);
  expect(await findAll(again, all)).toEqual(all);
  expect(await again.findResource("w2", all[1]?.resourceId ?? "")).toBeUndefined();
  expect(await again.findResource("w1", "01")).toBeUndefined();
  await again.close();
  for (const name of await indexNames(starts)) await starts.disk.files.unlink(`/data/log/${name}`);
  for (const name of await starts.names("state")) await starts.disk.files.unlink(`/data/state/${name}`);

  const anew = await starts.open();
  expect(await listAll(anew, 7)).toEqual(all);
  expect(await findAll(anew, all)).toEqual(all);
  expect(await listAll(anew, 7, { state: "ACTIVE" })).toEqual(all.filter(({ state }) => state === "ACTIVE"));
  await anew.close();
});

test("memory and snapshots have live resources only: two thousand that ended make no snapshot larger", async () => {
  const sizeAfter = async (count: number) => {
    const starts = new Starts();
    const store = await starts.open(starts.disk.files, { segmentBytes: 1_000_000 });
    await store.commit({ line: ownerCreated() });
    for (let number = 0; number < count; number += 1) {
      await store.commit({ line: resourceChanged(numbered(number)) });
      await store.commit({ line: resourceReleased(numbered(number)) });
    }
    await store.commit({ line: resourceChanged(numbered(9_999)) });
    expect(await store.listLiveResources()).toHaveLength(1);
    await store.close();
    const { path, content } = await snapshotOf(starts);
    expect(content["book"]).toMatchObject({ resources: { resources: [["0109999", { state: "ACTIVE" }]] } });
    expect(content).not.toHaveProperty("ended");
    return (await starts.disk.files.stat(path)).size;
  };

  const [few, many] = [await sizeAfter(10), await sizeAfter(2_000)];

  // Offsets and numbers have more digits.
  expect(many - few).toBeLessThan(50);
});

test("a page of a list and one that is found read few lines, however many have ended", async () => {
  const starts = new Starts();
  const first = await starts.open(starts.disk.files, { segmentBytes: 100_000 });
  const all = await writeResources(first, 2_000);
  await first.close();
  let reads: string[] = [];
  const files: Files = {
    ...starts.disk.files,
    async openForReading(path) {
      const file = await starts.disk.files.openForReading(path);
      return {
        ...file,
        async read(...where) {
          reads.push(path);
          return await file.read(...where);
        },
      };
    },
  };
  const store = await starts.open(files, { segmentBytes: 100_000 });
  const readsOf = async (read: () => Promise<unknown>) => {
    reads = [];
    await read();
    const lines = reads.filter((path) => path.endsWith(".ndjson")).length;
    return { lines, pieces: reads.length - lines };
  };
  const middle = all[1_001]?.resourceId ?? "";

  const page = await readsOf(() => store.listResources("w1", {}, { limit: 10, after: middle }));
  const live = await readsOf(() => store.listResources("w1", { state: "ACTIVE" }, { limit: 10 }));
  const other = await readsOf(() => store.listResources("w1", { provider: "nobody" }, { limit: 10 }));
  const one = await readsOf(() => store.findResource("w1", middle));
  await store.close();

  expect((await indexNames(starts)).length).toBeGreaterThan(10);
  expect(page.lines).toBeLessThanOrEqual(11);
  expect(page.pieces).toBeLessThanOrEqual(8);
  expect(live).toEqual({ lines: 0, pieces: 0 });
  expect(other.lines).toBe(0);
  expect(one.lines).toBe(1);
  expect(one.pieces).toBeLessThanOrEqual(4);
});

test("they are found in segments that retention rewrites, also while it does", async () => {
  const starts = new Starts();
  const store = await starts.open();
  const all = await writeResources(store, 60);

  const removing = store.removeOutputs({ before: "2099-01-01T00:00:00.000Z", at: "2026-12-01T00:00:00.000Z" });
  const meanwhile = await Promise.all(Array.from({ length: 5 }, async () => await listAll(store, 7)));
  const { segments } = await removing;

  expect(segments).toBeGreaterThan(5);
  for (const found of [...meanwhile, await listAll(store, 7), await findAll(store, all)]) expect(found).toEqual(all);
  await store.close();
});

/** Changes a byte in the line that ended it; no store may be open. Resolves to its file. */
async function damageEnd(starts: Starts, resourceId: string): Promise<string> {
  for (const name of (await starts.names("log")).filter((one) => one.endsWith(".ndjson"))) {
    const lines = String(await starts.disk.files.readFile(`/data/log/${name}`)).split("\n");
    const at = lines.findIndex(
      (line) => line.includes(`"resourceId":"${resourceId}"`) && line.includes('"state":"RELEASED"'),
    );
    if (at === -1) continue;
    lines[at] = (lines[at] ?? "").replace('"resourceId":"', '"resourceId": ');
    starts.disk.replace(`/data/log/${name}`, Buffer.from(lines.join("\n")));
    return name;
  }
  throw new Error(`no line ended ${resourceId}`);
}

describe("where the line that ended a resource is damaged,", () => {
  test("lists leave it out and go on, a find says so, and the log is told once where it is", async () => {
    const starts = new Starts();
    const first = await starts.open();
    const all = await writeResources(first, 60);
    await first.close();
    const [rotten, other] = [all[20]?.resourceId ?? "", all[25]?.resourceId ?? ""];
    const files = [await damageEnd(starts, rotten), await damageEnd(starts, other)];
    const store = await starts.open();
    const told: Damage[] = [];
    store.startScrub({
      document: memoryDocument<ScrubDocument>({ next: 1, damage: [] }),
      // It finds nothing by itself.
      bytesPerSecond: 1,
      clock: { now: () => Date.parse("2026-11-21T11:00:00.000Z") },
      onDamage: (damage) => void told.push(damage),
      onMended: () => undefined,
      onProblem: () => undefined,
    });
    const left = all.filter(({ resourceId }) => resourceId !== rotten && resourceId !== other);

    for (const limit of [1, 3, 100]) expect(await listAll(store, limit)).toEqual(left);
    const { items } = await store.listResources("w1", {}, { limit: 30 });
    const found = store.findResource("w1", rotten);

    expect(items).toHaveLength(30);
    await expect(found).rejects.toMatchObject({ name: "JournalCorrupt", offset: expect.any(Number) });
    expect(told.map(({ file }) => file).sort()).toEqual(files.map((file) => `log/${file}`).sort());
    await store.close();
  });

  test("usage reads its rent where it was paid", async () => {
    const starts = new Starts();
    const first = await starts.open();
    const run = makeRun({ createdAt: "2026-11-01T10:00:00.000Z" });
    const made = rentedBy(run, "01JR0000000000000000000000", 2_000_000);
    const second = rentLine(made, "2026-11-02T11:00:00.000Z");
    const third = rentLine(second.after, "2026-11-03T11:00:00.000Z");
    const end = resourceReleased({ ...third.after, updatedAt: "2026-11-03T12:00:00.000Z" });
    for (const line of [ownerCreated(1_000_000_000), acceptedLine(run), doneLine(run, {}, [made])]) {
      await first.commit({ line });
    }
    for (const line of [second.line, third.line, end]) await first.commit({ line });
    await first.close();
    await damageEnd(starts, made.resourceId);
    const store = await starts.open();
    const reader = { workspaceId: "w1" as const, actor: "API_KEY#k1" };

    const { total } = await createUsageService(store).sum(reader, "provider", { since: "2026-11-03T00:00:00.000Z" });

    expect(total.rent.value).toBe(2);
    await store.close();
  });
});

describe("after an upgrade, with indexes and a snapshot of the version before,", () => {
  test("ended resources are there at once, and when the indexes have been made again", async () => {
    const { starts, all, names, newest } = await startsOfVersionBefore();

    const store = await starts.open();
    const atOnce = [await listAll(store), await findAll(store, all)];
    await expect.poll(() => contentsOf(starts, names)).toEqual(newest);
    const later = [await listAll(store), await findAll(store, all)];
    await store.close();

    expect(atOnce).toEqual([all, all]);
    expect(later).toEqual([all, all]);
    expect((await snapshotOf(starts)).content).toMatchObject({ v: 4 });
    expect((await snapshotOf(starts)).content).not.toHaveProperty("ended");
  });

  test("they are there after a start that ended before all indexes were made again", async () => {
    const { starts, all, names } = await startsOfVersionBefore();
    const first = await starts.open(damagedBy(starts, names));
    await first.commit({ line: resourceReleased(numbered(0)) });
    await first.close();
    const kept = (await snapshotOf(starts)).content;

    const store = await starts.open(damagedBy(starts, names));
    const found = await listAll(store);
    await store.close();

    expect(kept).toMatchObject({ v: 4, ended: expect.any(Array), endedTo: expect.any(Number) });
    expect(found.slice(0, -1)).toEqual(all.slice(0, -1));
    expect(found.at(-1)).toMatchObject({ resourceId: "0100000", state: "RELEASED" });
  });

  test("they are there after a crash, when some indexes have been made again", async () => {
    const { starts, all, names } = await startsOfVersionBefore();
    await starts.open(damagedBy(starts, names.slice(0, -2)));
    await expect.poll(() => versionsOf(starts, names.slice(-2))).toEqual([5, 5]);
    starts.crash();
    expect(await versionsOf(starts, names.slice(0, 1))).toEqual([4]);

    const store = await starts.open(damagedBy(starts, names));
    const found = [await listAll(store), await findAll(store, all)];
    await store.close();

    expect(found).toEqual([all, all]);
  });

  test("they are there when the version before was run in between, made every index anew, and crashed", async () => {
    const starts = new Starts();
    const first = await starts.open();
    const all = await writeResources(first, 40);
    await first.close();
    const names = await indexNames(starts);
    // It passes over the snapshot, which stays.
    await makeIndexesOld(starts, names, 4);

    const store = await starts.open();
    const found = [await listAll(store), await findAll(store, all)];
    await store.close();

    expect((await snapshotOf(starts)).content).toMatchObject({ v: 4 });
    expect(found).toEqual([all, all]);
  });

  async function versionsOf({ disk }: Starts, names: readonly string[]): Promise<unknown[]> {
    const files = await Promise.all(names.map((name) => disk.files.readFile(`/data/log/${name}`)));
    return files.map((bytes) => Number(/"v":(\d+)/.exec(String(bytes))?.[1]));
  }

  /** Indexes cannot be written. */
  function damagedBy({ disk }: Starts, names: readonly string[]): Files {
    return {
      ...disk.files,
      async rename(from, to) {
        if (names.some((name) => to.endsWith(name))) throw Object.assign(new Error("EIO"), { code: "EIO" });
        await disk.files.rename(from, to);
      },
    };
  }

  async function startsOfVersionBefore() {
    const starts = new Starts();
    const store = await starts.open();
    const all = await writeResources(store, 40);
    await store.close();
    const names = await indexNames(starts);
    const newest = await contentsOf(starts, names);
    await makeOld(starts, names, 4);
    await makeSnapshotOld(starts, all);
    return { starts, all, names, newest };
  }
});

test("whatever happens to resources, over clean ends and crashes, lists and finds say what a plain list says", async () => {
  const step = fc.record({
    number: fc.nat(15),
    what: fc.constantFrom("make", "change", "end", "fail"),
    end: fc.constantFrom("close", "crash", "none", "none", "none"),
  });
  const filter = fc.constantFrom<ResourceFilter>(
    {},
    { state: "RELEASED" },
    { state: "ACTIVE" },
    { provider: "phones" },
  );

  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 50 }),
      filter,
      fc.integer({ min: 1, max: 4 }),
      async (steps, by, limit) => {
        const starts = new Starts();
        const model = new Map<string, ResourceRecord>();
        let store = await starts.open();
        await store.commit({ line: ownerCreated() });
        for (const { number, what, end } of steps) {
          const line = lineOf(model, number, what);
          if (line !== undefined) {
            await store.commit({ line });
            if (line.t === "resource.changed") model.set(line.resource.resourceId, line.resource);
          }
          if (end === "none") continue;
          if (end === "close") await store.close();
          starts.crash();
          store = await starts.open();
        }

        const all = [...model.values()].sort((one, other) => (one.resourceId < other.resourceId ? 1 : -1));
        const { state, provider } = by;
        const expected = all.filter(
          (one) =>
            (state === undefined || one.state === state) && (provider === undefined || one.provider === provider),
        );
        expect(await listAll(store, limit, by)).toEqual(expected);
        expect(await findAll(store, all)).toEqual(all);
        await store.close();
      },
    ),
    { numRuns: 40 },
  );
});

function lineOf(model: ReadonlyMap<string, ResourceRecord>, number: number, what: string): Line | undefined {
  const fresh = numbered(number, { provider: number % 2 === 0 ? "phones" : "mail" });
  const known = model.get(fresh.resourceId);
  if (known === undefined) {
    return resourceChanged(what === "fail" ? { ...fresh, state: "PROVISION_FAILED" } : fresh);
  }
  if (known.state !== "ACTIVE") return undefined;
  if (what === "end") return resourceReleased(known);
  return resourceChanged({ ...known, revision: known.revision + 1 });
}
