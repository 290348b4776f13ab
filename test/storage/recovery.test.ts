import { describe, expect, test } from "vitest";
import { DiskRoom } from "../../daemon/storage/journal/disk/disk-room.ts";
import { Journal } from "../../daemon/storage/journal/writing/journal.ts";
import { encodeLine, lineBody } from "../../daemon/storage/journal/segments/line-codec.ts";
import { recoverJournal, type Recovered } from "../../daemon/storage/journal/segments/recovery.ts";
import { JOURNAL_START, type JournalEnd } from "../../daemon/storage/journal/segments/segment.ts";
import { JournalCorrupt } from "../../daemon/storage/storage-errors.ts";
import { faultyFiles } from "../faults/faulty-files.ts";
import { seededRandom, SimulatedDisk } from "../faults/simulated-disk.ts";
import { keyRevoked } from "./lines.ts";

const FOLDER = "/log";

interface Written {
  readonly disk: SimulatedDisk;
  /** Key ids in the order of their lines. */
  readonly keyIds: string[];
  readonly end: JournalEnd;
}

/** Two generations; batches of 1, 2 and 3 lines; the last batch has three. */
async function writeJournal(name = "k"): Promise<Written> {
  const disk = new SimulatedDisk();
  await disk.files.makeDirectory(FOLDER);
  const keyIds: string[] = [];
  await writeGeneration(disk, 1, JOURNAL_START, [1, 2, 3, 1, 2, 3], keyIds, name);
  const { end } = await recover(disk);
  await writeGeneration(disk, 2, end, [1, 2, 3], keyIds, name);
  return { disk, keyIds, end: (await recover(disk.copy())).end };
}

async function writeGeneration(
  disk: SimulatedDisk,
  generation: number,
  after: JournalEnd,
  batches: readonly number[],
  keyIds: string[],
  name: string,
): Promise<void> {
  const journal = await Journal.begin({
    files: disk.files,
    folder: FOLDER,
    generation,
    after,
    segmentBytes: 900,
    room: new DiskRoom({ files: disk.files, dataDir: FOLDER }),
    checkLock: async () => undefined,
    onDurable: () => undefined,
    onNumbered: () => undefined,
    onRefused: () => undefined,
    onSegment: async () => undefined,
    onFatal: () => undefined,
  });
  for (const size of batches) {
    const lines = Array.from({ length: size }, (_, index) => keyRevoked(`${name}${keyIds.length + index}`));
    await Promise.all(lines.map((line) => journal.append(line, lineBody(line))));
    keyIds.push(...lines.map((line) => line.keyId));
  }
  await journal.close();
}

async function recover(disk: SimulatedDisk): Promise<Recovered & { keyIds: unknown[] }> {
  const keyIds: unknown[] = [];
  const recovered = await recoverJournal(disk.files, FOLDER, {
    onLine: (line) => keyIds.push(line.content["keyId"]),
  });
  return { ...recovered, keyIds };
}

async function recoverOrWhy(disk: SimulatedDisk): Promise<Awaited<ReturnType<typeof recover>> | JournalCorrupt> {
  try {
    return await recover(disk);
  } catch (error) {
    if (error instanceof JournalCorrupt) return error;
    throw error;
  }
}

async function segmentsOf(disk: SimulatedDisk): Promise<{ path: string; bytes: Buffer }[]> {
  const names = await disk.files.list(FOLDER);
  return Promise.all(
    names.map(async (name) => ({ path: `${FOLDER}/${name}`, bytes: await disk.files.readFile(`${FOLDER}/${name}`) })),
  );
}

function lastOf<Item>(items: readonly Item[]): Item {
  const item = items.at(-1);
  if (item === undefined) throw new Error("there is none");
  return item;
}

/** Offset of the batch that a file ends with, when it has so many lines. */
function offsetOfLastLines(bytes: Buffer, lines: number): number {
  let offset = bytes.length;
  for (let line = 0; line < lines; line += 1) offset = bytes.lastIndexOf("\n", offset - 2) + 1;
  return offset;
}

describe("a clean journal", () => {
  test("every line comes back in its order, over several segments", async () => {
    const { disk, keyIds } = await writeJournal();

    const recovered = await recover(disk);

    expect(recovered.keyIds).toEqual(keyIds);
    expect(recovered.cutBytes).toBe(0);
    expect(recovered.segments.length).toBeGreaterThanOrEqual(3);
    expect(new Set(recovered.segments.map((segment) => segment.generation))).toEqual(new Set([1, 2]));
  });

  test("an empty folder is a journal without lines", async () => {
    const disk = new SimulatedDisk();
    await disk.files.makeDirectory(FOLDER);

    const recovered = await recover(disk);

    expect(recovered).toEqual({ end: JOURNAL_START, segments: [], cutBytes: 0, keyIds: [] });
  });

  test("files of other names are left alone", async () => {
    const { disk, keyIds } = await writeJournal();
    await disk.files.create(`${FOLDER}/notes.txt`);

    const recovered = await recover(disk);

    expect(recovered.keyIds).toEqual(keyIds);
    expect(await disk.files.list(FOLDER)).toContain("notes.txt");
  });
});

describe("a torn tail", () => {
  test("is cut off durably before recovery ends, and before anything else is removed", async () => {
    const { disk } = await writeJournal();
    const { path, bytes } = lastOf(await segmentsOf(disk));
    disk.replace(path, bytes.subarray(0, bytes.length - 5));
    const { files, calls } = faultyFiles(disk.files, 0, "fail");

    await recoverJournal(files, FOLDER, { onLine: () => undefined });

    expect(calls.filter((call) => call === "truncate")).toHaveLength(1);
    expect(calls[calls.indexOf("truncate") + 1]).toMatch(/sync/);
  });

  test("cut at every byte of the last batch, the batch's whole lines stay and the rest goes", async () => {
    const { disk, keyIds } = await writeJournal();
    const { path, bytes } = lastOf(await segmentsOf(disk));
    const begin = offsetOfLastLines(bytes, 3);

    for (let size = begin; size < bytes.length; size += 1) {
      const torn = disk.copy();
      torn.replace(path, bytes.subarray(0, size));
      const recovered = await recover(torn);
      const whole = bytes.subarray(begin, size).filter((byte) => byte === 0x0a).length;
      const again = await recover(torn);

      expect(recovered.keyIds).toEqual(keyIds.slice(0, keyIds.length - 3 + whole));
      expect(again).toEqual({ ...recovered, cutBytes: 0 });
      expect((await torn.files.stat(path)).size).toBe(recovered.end.bytes);
    }
  });

  test("with zeros from any byte of the last batch on, as after a power loss, it is the same", async () => {
    const { disk, keyIds } = await writeJournal();
    const { path, bytes } = lastOf(await segmentsOf(disk));
    const begin = offsetOfLastLines(bytes, 3);

    for (let from = begin; from < bytes.length; from += 7) {
      const torn = disk.copy();
      torn.replace(path, Buffer.concat([bytes.subarray(0, from), Buffer.alloc(bytes.length - from)]));
      const recovered = await recover(torn);

      expect(recovered.keyIds.length).toBeGreaterThanOrEqual(keyIds.length - 3);
      expect(recovered.keyIds).toEqual(keyIds.slice(0, recovered.keyIds.length));
    }
  });

  test("a later line of the torn batch that is whole does not make it damage", async () => {
    const { disk, keyIds } = await writeJournal();
    const { path, bytes } = lastOf(await segmentsOf(disk));
    const begin = offsetOfLastLines(bytes, 3);
    disk.replace(path, Buffer.from(bytes).fill(0, begin, begin + 20));

    const recovered = await recover(disk);

    expect(recovered.keyIds).toEqual(keyIds.slice(0, -3));
  });

  test.each([0, 10, 100])(
    "a segment with only %i bytes of its header is removed, and the one before is whole",
    async (size) => {
      const { disk, keyIds, end } = await writeJournal();
      const name = `${String(end.segment + 1).padStart(8, "0")}-g00000003.ndjson`;
      await disk.files.create(`${FOLDER}/${name}`);
      const header = lastOf(await segmentsOf(disk.copy())).path;
      disk.replace(header, (await segmentsOf(disk))[0]?.bytes.subarray(0, size) ?? Buffer.alloc(0));

      const recovered = await recover(disk);

      expect(recovered.keyIds).toEqual(keyIds);
      expect(recovered.end).toEqual(end);
      expect(await disk.files.list(FOLDER)).not.toContain(name);
    },
  );

  test("what a forced-out writer added to an old segment afterwards counts for nothing", async () => {
    const { disk, keyIds } = await writeJournal();
    const first = (await segmentsOf(disk))[0];
    if (first === undefined) throw new Error("there is no segment");
    disk.replace(first.path, Buffer.concat([first.bytes, first.bytes.subarray(0, 200)]));

    const recovered = await recover(disk);

    expect(recovered.keyIds).toEqual(keyIds);
    expect(recovered.cutBytes).toBe(0);
  });

  test("of two segments of one number the one of the higher generation counts", async () => {
    const { disk, keyIds } = await writeJournal();
    await disk.files.create(`${FOLDER}/00000003-g00000000.ndjson`);

    const recovered = await recover(disk);

    expect(recovered.keyIds).toEqual(keyIds);
  });
});

describe("damage", () => {
  test("with any bit turned, every line comes back, or the last batch is missing, or file and offset are named", async () => {
    const { disk, keyIds } = await writeJournal();
    const segments = await segmentsOf(disk);
    const last = lastOf(segments);
    const random = seededRandom(7);
    const outcomes = { corrupt: 0, tail: 0 };

    for (const { path, bytes } of segments) {
      // Every fourth byte, beginning with another one in each segment.
      for (let byte = Math.floor(random() * 4); byte < bytes.length; byte += 4) {
        const damaged = disk.copy();
        const turned = Buffer.from(bytes);
        turned.writeUInt8(turned.readUInt8(byte) ^ (1 << Math.floor(random() * 8)), byte);
        damaged.replace(path, turned);
        const outcome = await recoverOrWhy(damaged);

        if (outcome instanceof JournalCorrupt) {
          expect(outcome.file).toBe(path);
          expect(outcome.offset).toBeLessThanOrEqual(byte);
          expect(await damaged.files.readFile(path)).toEqual(turned);
          outcomes.corrupt += 1;
        } else {
          expect(path).toBe(last.path);
          expect(byte).toBeGreaterThanOrEqual(offsetOfLastLines(bytes, 3));
          expect(outcome.keyIds).toEqual(keyIds.slice(0, outcome.keyIds.length));
          expect(outcome.keyIds.length).toBeGreaterThanOrEqual(keyIds.length - 3);
          outcomes.tail += 1;
        }
      }
    }

    expect(outcomes.corrupt).toBeGreaterThan(outcomes.tail);
  });

  test("a line that was taken out is missed", async () => {
    const { disk } = await writeJournal();
    const { path, bytes } = lastOf(await segmentsOf(disk));
    const from = offsetOfLastLines(bytes, 2);
    const to = offsetOfLastLines(bytes, 1);
    disk.replace(path, Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]));

    const outcome = await recoverOrWhy(disk);

    expect(outcome).toMatchObject({
      file: path,
      offset: from,
      why: expect.stringMatching(/^line \d+ follows line \d+$/),
    });
  });

  test("a line that was doubled is noticed", async () => {
    const { disk } = await writeJournal();
    const { path, bytes } = lastOf(await segmentsOf(disk));
    disk.replace(path, Buffer.concat([bytes, bytes.subarray(offsetOfLastLines(bytes, 1))]));

    const outcome = await recoverOrWhy(disk);

    expect(outcome).toMatchObject({ file: path, offset: bytes.length });
  });

  test("a batch number that jumps is noticed", async () => {
    const { disk, end } = await writeJournal();
    const { path, bytes } = lastOf(await segmentsOf(disk));
    const body = lineBody({ t: "x" });
    const line = Buffer.alloc(body.bytes);
    const { end: size } = encodeLine(line, 0, body, { seq: end.seq + 1, batch: end.batch + 2, endsBatch: true });
    disk.replace(path, Buffer.concat([bytes, line.subarray(0, size)]));

    const outcome = await recoverOrWhy(disk);

    expect(outcome).toMatchObject({ file: path, why: `batch ${end.batch + 2} follows batch ${end.batch}` });
  });

  test.each([0, 1])("a missing segment (the one at place %i) is missed", async (index) => {
    const { disk } = await writeJournal();
    const segment = (await segmentsOf(disk))[index];
    await disk.files.unlink(segment?.path ?? "");

    const outcome = await recoverOrWhy(disk);

    expect(outcome).toMatchObject({ name: "JournalCorrupt", why: `segment ${index + 1} is missing` });
  });

  test("an old segment that lost its end is missed", async () => {
    const { disk } = await writeJournal();
    const first = (await segmentsOf(disk))[0];
    if (first === undefined) throw new Error("there is no segment");
    disk.replace(first.path, first.bytes.subarray(0, offsetOfLastLines(first.bytes, 1)));

    const outcome = await recoverOrWhy(disk);

    expect(outcome).toMatchObject({
      file: first.path,
      why: expect.stringContaining("when the next segment was begun"),
    });
  });

  test("a segment of another journal does not fit, although its numbers do", async () => {
    const { disk } = await writeJournal();
    const other = await writeJournal("j");
    const { path } = lastOf(await segmentsOf(disk));
    disk.replace(path, lastOf(await segmentsOf(other.disk)).bytes);

    const outcome = await recoverOrWhy(disk);

    expect(outcome).toMatchObject({
      file: path,
      offset: 0,
      why: expect.stringContaining("the segment before must end with"),
    });
  });

  test("a bad header in front of acknowledged lines is not taken for a segment that was never used", async () => {
    const { disk } = await writeJournal();
    const { path, bytes } = lastOf(await segmentsOf(disk));
    disk.replace(path, Buffer.from(bytes).fill(0, 10, 20));

    const outcome = await recoverOrWhy(disk);

    expect(outcome).toMatchObject({ file: path, offset: 0 });
    expect(await disk.files.readFile(path)).toHaveLength(bytes.length);
  });

  test("what a line means is looked at too: the place is named", async () => {
    const { disk } = await writeJournal();

    const recovering = recoverJournal(disk.files, FOLDER, {
      onLine() {
        throw new Error("nobody knows this line");
      },
    });

    await expect(recovering).rejects.toMatchObject({ name: "JournalCorrupt", why: "nobody knows this line" });
  });
});
