import { expect, test } from "vitest";
import type { Damage } from "../../daemon/storage/journal/scrub/scrub-segment.ts";
import type { ScrubDocument } from "../../daemon/storage/journal/scrub/scrub-document.ts";
import { JournalCorrupt } from "../../daemon/storage/storage-errors.ts";
import { ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { Starts } from "../storage/starts.ts";
import { memoryDocument } from "../support/memory-document.ts";
import { effort } from "../support/effort.ts";
import { faultyFiles, OPENING_CALLS } from "./faulty-files.ts";
import { SimulatedDisk } from "./simulated-disk.ts";
import { reportTrial } from "./trial.ts";

const HANG_MS = 600_000;
/** Between places where a bit turns; primes, to meet places of all kinds. */
const STEP_BYTES = effort(499, 17);
/** A segment and its index come one after the other. */
const EVERY_NTH_FILE = effort(4, 1);
const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-22T00:00:00.000Z");

const LARGE = "x".repeat(70_000);

/** A folder of a daemon that stopped in order: sealed segments with their indexes, and outputs of their own. */
async function sealedFolder(): Promise<SimulatedDisk> {
  const starts = new Starts();
  const store = await starts.open();
  await store.commit({ line: ownerCreated(1_000_000) });
  for (const runId of ["r1", "r2", "r3", "r4", "r5"]) {
    await store.commit({ line: runAccepted(runId) });
    await store.commit({
      line: runDone(runId, runId === "r2" || runId === "r4" ? { output: `${LARGE}${runId}` } : {}),
    });
  }
  await store.close();
  starts.crash();
  return starts.disk;
}

interface Looked {
  readonly found: readonly Damage[];
  readonly mended: readonly Damage[];
  readonly problems: readonly unknown[];
  readonly document: { readonly data: ScrubDocument };
}

/** A start on the disk, and a whole round of the scrub. "refused" where the start itself names the place. */
async function look(
  disk: SimulatedDisk,
  {
    document = newDocument(),
    rounds = 1,
    now = NOW,
  }: { document?: ReturnType<typeof newDocument>; rounds?: number; now?: number } = {},
): Promise<Looked | "refused"> {
  const [found, mended, problems]: [Damage[], Damage[], unknown[]] = [[], [], []];
  const store = await new Starts(disk).open().catch((error: unknown) => {
    if (error instanceof JournalCorrupt) return undefined;
    throw error;
  });
  if (store === undefined) return "refused";
  const { endedAt } = document.data;
  const scrub = store.startScrub({
    document,
    bytesPerSecond: 1_000_000_000,
    clock: { now: () => now },
    onDamage: (damage) => found.push(damage),
    onMended: (damage) => mended.push(damage),
    onProblem: (problem) => problems.push(problem),
    lookEveryMs: 5,
  });
  await expect
    .poll(() => rounds === 0 || document.data.endedAt !== endedAt, { timeout: 20_000, interval: 2 })
    .toBe(true);
  if (rounds === 0) await new Promise((resolve) => setTimeout(resolve, 60));
  expect(scrub.damage().length).toBeLessThanOrEqual(1_000);
  await store.close();
  return { found, mended, problems, document };
}

function newDocument(data: Partial<ScrubDocument> = {}) {
  return memoryDocument<ScrubDocument>({ next: 1, damage: [], ...data });
}

async function filesOf(disk: SimulatedDisk): Promise<string[]> {
  const logs = (await disk.files.list("/data/log")).map((name) => `/data/log/${name}`);
  const blobs = await Promise.all(
    (await disk.files.list("/data/blobs")).map(async (prefix) =>
      (await disk.files.list(`/data/blobs/${prefix}`)).map((name) => `/data/blobs/${prefix}/${name}`),
    ),
  );
  return [...logs, ...blobs.flat()];
}

/** What disks do to a file, in words. Undefined: the file is gone. */
function* damagesOf(path: string, bytes: Buffer): Generator<readonly [what: string, bytes: Buffer | undefined]> {
  const step = path.includes("/blobs/") ? STEP_BYTES * 60 : STEP_BYTES;
  for (let at = 0; at < bytes.length; at += step) {
    const turned = Buffer.from(bytes);
    turned.writeUInt8(turned.readUInt8(at) ^ 1, at);
    yield [`a bit turned at byte ${at}`, turned];
  }
  for (let at = bytes.indexOf(10); at !== -1 && at < 40_000; at = bytes.indexOf(10, at + 1)) {
    yield [
      `the newline at byte ${at} became a blank`,
      Buffer.concat([bytes.subarray(0, at), Buffer.from(" "), bytes.subarray(at + 1)]),
    ];
  }
  yield ["a page of nulls", Buffer.from(bytes).fill(0, 100, 356)];
  yield ["all of it nulls", Buffer.alloc(bytes.length)];
  yield ["the last byte is missing", bytes.subarray(0, -1)];
  yield ["half of it is missing", bytes.subarray(0, bytes.length / 2)];
  yield ["it is empty", Buffer.alloc(0)];
  const lines = bytes.toString("latin1").split("\n").slice(0, -1);
  const joined = (parts: readonly string[]) => Buffer.from(`${parts.join("\n")}\n`, "latin1");
  if (lines.length > 2) {
    yield ["a line is missing", joined(lines.filter((_, index) => index !== 1))];
    yield ["a line is there twice", joined([...lines.slice(0, 2), ...lines.slice(1)])];
    yield ["two lines have changed places", joined([...lines.slice(0, -2), ...lines.slice(-2).reverse()])];
  }
  yield ["it is gone", undefined];
}

test("a segment for which there is no descriptor now is no damage, and is looked at later", async () => {
  const disk = await sealedFolder();
  const faulty = faultyFiles(disk.files, 0, "later");
  const store = await new Starts(disk).open(faulty.files);
  const [document, found]: [ReturnType<typeof newDocument>, Damage[]] = [newDocument(), []];

  faulty.runOutFor(OPENING_CALLS);
  store.startScrub({
    document,
    bytesPerSecond: 1_000_000_000,
    clock: { now: () => NOW },
    onDamage: (damage) => found.push(damage),
    onMended: () => undefined,
    onProblem: () => undefined,
    lookEveryMs: 5,
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const endedMeanwhile = document.data.endedAt;
  faulty.runOutFor([]);
  await expect.poll(() => document.data.endedAt, { timeout: 20_000, interval: 5 }).toBeDefined();
  await store.close();

  expect(endedMeanwhile).toBeUndefined();
  expect(found).toEqual([]);
});

test(
  "whatever a disk does to what is sealed, to indexes and to outputs, a round of the scrub finds it, and names the file",
  async (context) => {
    const disk = await sealedFolder();
    expect(await look(disk.copy())).toMatchObject({ found: [], mended: [], problems: [] });
    const unnoticed: string[] = [];
    let tried = 0;

    for (const [index, path] of (await filesOf(disk)).entries()) {
      if (index % EVERY_NTH_FILE > 1) continue;
      const bytes = await disk.files.readFile(path);
      for (const [what, damaged] of damagesOf(path, bytes)) {
        const copy = disk.copy();
        if (damaged === undefined) await copy.files.unlink(path);
        else copy.replace(path, damaged);

        const looked = await look(copy);

        tried += 1;
        if (looked === "refused") continue;
        expect(looked.problems).toEqual([]);
        const named = [...looked.found, ...looked.mended].some(({ file }) => `/data/${file}` === path);
        // A start makes an index anew whose head is wrong.
        const isMadeAnew = path.endsWith(".idx") && (await copy.files.readFile(path)).equals(bytes);
        if (!named && !isMadeAnew) unnoticed.push(`${path}: ${what}`);
      }
    }

    expect(unnoticed).toEqual([]);
    expect(tried).toBeGreaterThan(100);
    reportTrial(context, { what: "damage in sealed segments, indexes and outputs", tried, lost: 0, note: "all found" });
  },
  HANG_MS,
);

test("an index that was damaged is made anew, and is what it was", async () => {
  const disk = await sealedFolder();
  const path = (await filesOf(disk)).find((name) => name.endsWith(".idx")) ?? "";
  const bytes = await disk.files.readFile(path);
  disk.replace(path, Buffer.from(bytes).fill(0, 1_100, 1_110));

  const looked = await look(disk);

  expect(looked).toMatchObject({
    found: [],
    mended: [{ file: path.slice("/data/".length) }],
    document: { data: { damage: [] } },
  });
  expect(await disk.files.readFile(path)).toEqual(bytes);
});

test("damage is known over restarts, is looked at first, and is forgotten once the file is put back", async () => {
  const disk = await sealedFolder();
  const path = (await filesOf(disk)).filter((name) => name.endsWith(".ndjson"))[2] ?? "";
  const bytes = await disk.files.readFile(path);
  disk.replace(path, Buffer.from(bytes).fill(0x20, 10, 20));
  const document = newDocument();

  await look(disk, { document });
  const known = document.data.damage;
  const again = await look(disk, { document, rounds: 0 });
  const stillKnown = document.data.damage;
  disk.replace(path, bytes);
  await look(disk, { document, rounds: 0 });

  expect(known).toMatchObject([{ segment: 3, file: path.slice("/data/".length), offset: 0 }]);
  expect(again).toMatchObject({ found: [{ file: path.slice("/data/".length) }] });
  expect(stillKnown).toEqual(known);
  expect(document.data.damage).toEqual([]);
});

test("a round that a restart interrupted goes on where it was, and the next begins after a week", async () => {
  const disk = await sealedFolder();
  const [first = ""] = (await filesOf(disk)).filter((name) => name.endsWith(".ndjson"));
  disk.replace(first, Buffer.from(await disk.files.readFile(first)).fill(0x20, 300, 310));
  const interrupted = newDocument({ next: 2 });

  const rest = await look(disk, { document: interrupted });
  const early = await look(disk, { document: interrupted, rounds: 0, now: NOW + 6 * DAY_MS });
  const due = await look(disk, { document: interrupted, now: NOW + 7 * DAY_MS });

  expect(rest).toMatchObject({ found: [] });
  expect(early).toMatchObject({ found: [] });
  expect(due).toMatchObject({ found: [{ file: first.slice("/data/".length) }] });
});

test("what a reader meets is known without waiting for the round", async () => {
  const disk = await sealedFolder();
  const [path = ""] = (await filesOf(disk)).filter((name) => name.includes("/blobs/"));
  disk.replace(path, Buffer.alloc(10));
  const document = newDocument({ endedAt: new Date(NOW).toISOString() });
  const store = await new Starts(disk).open();
  const found: Damage[] = [];
  const parts = { document, clock: { now: () => NOW }, onMended: () => {}, onProblem: () => {} };
  store.startScrub({ ...parts, bytesPerSecond: 1_000, onDamage: (damage) => found.push(damage) });

  const reads = await Promise.allSettled(["r2", "r4", "r2", "r4"].map((runId) => store.findRun("w1", runId)));
  await store.close();

  expect(reads.filter(({ status }) => status === "rejected")).toHaveLength(2);
  expect(found).toMatchObject([{ file: path.slice("/data/".length) }]);
  expect(document.data.damage).toHaveLength(1);
});

test("it reads no faster than it may, and stops at once when the daemon does", async () => {
  const disk = await sealedFolder();
  let read = 0;
  const counted = new Starts(disk);
  const slow = await counted.open({
    ...counted.disk.files,
    async openForReading(path) {
      const file = await counted.disk.files.openForReading(path);
      return {
        ...file,
        async read(into, position) {
          const bytes = await file.read(into, position);
          read += bytes;
          return bytes;
        },
      };
    },
  });
  read = 0;
  const parts = { clock: { now: () => NOW }, onDamage: () => {}, onMended: () => {}, onProblem: () => {} };
  slow.startScrub({ ...parts, document: newDocument(), bytesPerSecond: 1_000 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const readByThen = read;
  const closing = performance.now();
  await slow.close();

  // A piece is read before it is waited for.
  expect(readByThen).toBeLessThan(10_000);
  expect(performance.now() - closing).toBeLessThan(5_000);
});
