import { appendFile, chmod, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { credit } from "../../daemon/ledger/money/postings.ts";
import { type DoctorReport, examine } from "../../daemon/doctor/doctor.ts";
import { renderReport } from "../../daemon/doctor/render-report.ts";
import { lineBody, encodeLine, decodeLine } from "../../daemon/storage/journal/segments/line-codec.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { messageId } from "../../daemon/ledger/transaction/record-events.ts";
import {
  AT,
  keyCreated,
  ownerCreated,
  runAccepted,
  runDone,
  scheduleCreated,
  schedulePaused,
  scheduleSkipped,
  webhookCreated,
} from "./lines.ts";

/** A folder as a stopped daemon leaves it: several sealed segments, a snapshot, ten finished runs and one under way. */
async function newDataDir(lines: readonly Line[] = []): Promise<string> {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  const dataDir = join(folder.path, "data");
  await write(dataDir, [ownerCreated(), ...tenRuns(), runAccepted("open"), ...lines]);
  return dataDir;
}

function tenRuns(): Line[] {
  return Array.from({ length: 10 }, (_, n) => [runAccepted(`r${n}`), runDone(`r${n}`)]).flat();
}

async function write(dataDir: string, lines: readonly Line[]): Promise<void> {
  const store = await openJournalStore({ dataDir, segmentBytes: 4_000, onFatal: () => undefined });
  for (const line of lines) await store.commit({ line });
  await store.close();
}

/** Names in a folder of the data folder, the newest last. */
async function list(dataDir: string, folder: string, ending: string): Promise<string[]> {
  const names = await readdir(join(dataDir, folder));
  return names.filter((name) => name.endsWith(ending)).sort();
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(path, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`${path} has nothing to change`);
  await writeFile(path, after);
}

/** Changes lines of the whole journal behind everybody's back, so that every checksum and the chain fit again. */
async function rewrite(
  dataDir: string,
  change: (content: Record<string, unknown>) => object | undefined,
): Promise<void> {
  const log = join(dataDir, "log");
  let [crc, bytes] = ["00000000", 0];
  for (const name of await list(dataDir, "log", ".ndjson")) {
    const lines = (await readFile(join(log, name))).toString("utf8").trimEnd().split("\n");
    const texts: Buffer[] = [];
    for (const text of lines) {
      const line = decodeLine(Buffer.from(text));
      if (typeof line === "string") throw new Error(line);
      const header = line.content["t"] === "seg" ? { ...line.content, prev: crc, end: bytes } : undefined;
      const body = lineBody(header ?? change({ ...line.content }) ?? line.content);
      const buffer = Buffer.alloc(body.bytes + 64);
      const { seq, batch, endsBatch, accepted } = line;
      const place = { seq, batch, endsBatch, ...(accepted !== undefined && { accepted }) };
      const { end, crc: next } = encodeLine(buffer, 0, body, place);
      texts.push(buffer.subarray(0, end));
      crc = next;
    }
    bytes = texts.reduce((sum, text) => sum + text.length, 0);
    await writeFile(join(log, name), Buffer.concat(texts));
  }
  for (const name of await list(dataDir, "log", ".idx")) await rm(join(log, name));
  await rm(join(dataDir, "state"), { recursive: true });
  await mkdir(join(dataDir, "state"), { mode: 0o700 });
}

const damages = (report: DoctorReport) => report.findings.filter(({ kind }) => kind === "damage");

test("a folder that a daemon left in order has nothing wrong, and looking changes nothing but the lock", async () => {
  const dataDir = await newDataDir();
  const before = await readdir(dataDir, { recursive: true });

  const report = await examine({ dataDir });

  expect(report.findings).toEqual([]);
  expect(report.exitCode).toBe(0);
  expect(Object.fromEntries(report.checks.map(({ check, looked }) => [check, looked]))).toMatchObject({
    runs: "11 runs",
    journal: expect.stringMatching(/^[3-9] segments, 22 lines$/),
    snapshots: expect.stringMatching(/^[12] snapshots?$/),
  });
  const withoutLocks = (names: readonly string[]) => names.filter((name) => !name.startsWith("lock.")).sort();
  expect(withoutLocks(await readdir(dataDir, { recursive: true }))).toEqual(withoutLocks(before));
});

test("a folder with names that mean something to JavaScript has nothing wrong either", async () => {
  const name = "__proto__";
  const tags = JSON.parse(`{"${name}":"x","constructor":"y"}`);
  const members = { tags, heldMicroDollars: 0 };
  const key = keyCreated(name, { hash: name, label: name });
  const lines = [key, runAccepted(name, members), runDone(name, members), runAccepted("open2", members)];
  const dataDir = await newDataDir(lines);

  const report = await examine({ dataDir });

  expect(report.findings).toEqual([]);
});

test("a folder that a crash left has nothing wrong either", async () => {
  const dataDir = await newDataDir();
  const [last = ""] = (await list(dataDir, "log", ".ndjson")).slice(-1);
  await appendFile(join(dataDir, "log", last), `${'{"s":99,"b":99,"t":"run.go"'}${" ".repeat(5_000)}`);

  const report = await examine({ dataDir });

  expect(report.exitCode).toBe(0);
  expect(report.findings).toMatchObject([
    { kind: "note", check: "journal", message: expect.stringContaining("never acknowledged") },
  ]);
});

test("a bit that turned in the middle is named with file and offset, and never repaired", async () => {
  const dataDir = await newDataDir();
  const [, second = ""] = await list(dataDir, "log", ".ndjson");
  await edit(join(dataDir, "log", second), (text) => text.replace("COMPLETED", "COMPLETEE"));
  const before = await readFile(join(dataDir, "log", second));

  const report = await examine({ dataDir, copyTo: join(dataDir, "..", "copy") });

  expect(report).toMatchObject({ exitCode: 65, needsPerson: true, repaired: [] });
  expect(damages(report)[0]).toMatchObject({
    check: "journal",
    file: `log/${second}`,
    offset: expect.any(Number),
    message: expect.stringContaining("checksum"),
  });
  expect(await readFile(join(dataDir, "log", second))).toEqual(before);
  expect(await readdir(join(dataDir, ".."))).toEqual(["data"]);
  expect(renderReport(report)).toContain("Restore the newest backup");
});

test("lines that were acknowledged and cannot be read are given up only by a repair, which says which", async () => {
  const dataDir = await newDataDir();
  const [last = ""] = (await list(dataDir, "log", ".ndjson")).slice(-1);
  await edit(join(dataDir, "log", last), (text) => text.replace(/"run":"open"(?!.*"run":"open")/s, '"run":"oqen"'));

  const looked = await examine({ dataDir });
  const repaired = await examine({ dataDir, copyTo: join(dataDir, "..", "copy") });
  const store = await openJournalStore({ dataDir, onFatal: () => undefined });
  onTestFinished(() => store.close());

  expect(looked).toMatchObject({ exitCode: 65, needsPerson: false });
  expect(damages(looked).find(({ check }) => check === "journal")).toMatchObject({
    file: `log/${last}`,
    message: expect.stringContaining("were acknowledged"),
  });
  expect(repaired).toMatchObject({ exitCode: 0, findings: [], copy: join(dataDir, "..", "copy") });
  expect(repaired.repaired.join()).toContain("cut the journal");
  expect(await store.listOpenRuns()).toEqual([]);
  expect((await store.findRun("w1", "r9"))?.status).toBe("COMPLETED");
  expect(await readdir(join(dataDir, "..", "copy", "log"))).toContain(last);
});

test.each([
  ["a damaged index", "log", ".idx", (path: string) => edit(path, (text) => text.replace('"ids"', '"idz"'))],
  ["an index of another time", "log", ".idx", (path: string) => truncate(path, 900)],
  ["a damaged snapshot", "state", ".json", (path: string) => edit(path, (text) => text.replace('"book"', '"boot"'))],
])("%s is told and made anew", async (_, folder, ending, damage) => {
  const dataDir = await newDataDir();
  const [name = ""] = await list(dataDir, folder, ending);
  await damage(join(dataDir, folder, name));

  const looked = await examine({ dataDir });
  const repaired = await examine({ dataDir, copyTo: join(dataDir, "..", "copy") });

  expect(looked.exitCode).toBe(65);
  expect(damages(looked)).toMatchObject([{ file: `${folder}/${name}`, repair: expect.any(String) }]);
  expect(repaired).toMatchObject({ exitCode: 0, findings: [] });
  expect(repaired.repaired).not.toEqual([]);
});

test("a snapshot that says something else than the lines is told, though its checksum fits", async () => {
  const dataDir = await newDataDir();
  const other = await newDataDir([keyCreated("another")]);
  const [own = ""] = (await list(dataDir, "state", ".json")).slice(-1);
  const [foreign = ""] = (await list(other, "state", ".json")).slice(-1);
  await rm(join(dataDir, "state", own));
  await writeFile(join(dataDir, "state", foreign), await readFile(join(other, "state", foreign)), { mode: 0o600 });

  const report = await examine({ dataDir });

  expect(report.exitCode).toBe(65);
  expect(damages(report).map(({ file }) => file)).toContain(`state/${foreign}`);
});

test.each<[string, string, (content: Record<string, unknown>) => object | undefined]>([
  [
    "money that a line makes out of nothing",
    "ledger",
    (content) =>
      content["run"] === "r3" && content["t"] === "run.done"
        ? { ...content, led: [...(content["led"] as [string, number][]), ["ws:w1:bal", 5]] }
        : undefined,
  ],
  [
    "a hold that is not what the run's record says",
    "ledger",
    (content) =>
      content["run"] === "open"
        ? {
            ...content,
            led: [
              ["ws:w1:bal", -7],
              ["ws:w1:held", 7],
            ],
          }
        : undefined,
  ],
  [
    "a charge that is not what the run's bill says",
    "ledger",
    (content) =>
      content["run"] === "r3" && content["t"] === "run.done"
        ? {
            ...content,
            led: [
              ["ws:w1:bal", -1],
              ["ws:w1:held", -10_000],
              ["service:charged", 10_001],
            ],
          }
        : undefined,
  ],
  [
    "money that a run takes from another workspace",
    "ledger",
    (content) =>
      content["run"] === "r3" && content["t"] === "run.done"
        ? {
            ...content,
            led: [
              ["ws:w1:held", -10_000],
              ["ws:w1:bal", 10_000],
              ["ws:w2:bal", -10_000],
              ["service:charged", 10_000],
            ],
          }
        : undefined,
  ],
  [
    "a credit that moves more than it says",
    "ledger",
    (content) => {
      if (content["run"] !== "open") return undefined;
      const facts = { v: 1, at: AT, ws: "w1", amount: 5, reason: "a gift", by: "USER#u1" };
      return { t: "wallet.credited", ...facts, led: credit("w1", microDollars(50)) };
    },
  ],
  [
    "a run that is finished twice",
    "runs",
    (content) => {
      if (content["run"] !== "open") return undefined;
      const { t, v, at, ws, run, rec, led } = runDone("r2");
      return { t, v, at, ws, run, rec, led };
    },
  ],
  [
    "an input that is not where the line says",
    "runs",
    (content) =>
      content["run"] === "r3" && content["t"] === "run.done"
        ? { ...content, v: 2, from: { offset: 1, length: 5_000 } }
        : undefined,
  ],
  [
    "an Idempotency-Key that stands for two runs",
    "idempotency",
    (content) => {
      if (content["t"] !== "run.accepted" || !["r4", "r5"].includes(String(content["run"]))) return undefined;
      const idempotency = { key: "k".repeat(64), request: "r".repeat(64), waitSeconds: 0 };
      return { ...content, rec: { ...(content["rec"] as object), idempotency } };
    },
  ],
  [
    "a line of another shape",
    "journal",
    (content) => (content["run"] === "r6" && content["t"] === "run.done" ? { ...content, rec: {} } : undefined),
  ],
])("%s is damage that only a person can judge", async (_, check, change) => {
  const dataDir = await newDataDir();
  await rewrite(dataDir, change);

  const report = await examine({ dataDir, copyTo: join(dataDir, "..", "copy") });

  expect(report).toMatchObject({ exitCode: 65, needsPerson: true, repaired: [] });
  expect(damages(report).map((finding) => finding.check)).toContain(check);
});

/** A schedule with two runs and a due time without one, and two webhooks that are told of the second end and of a pause. */
function unattendedWork(): Line[] {
  const scheduled = (runId: string, day: number) => {
    const schedule = { scheduleId: "s1", dueAt: `2026-11-${day}T07:00:00.000Z` };
    return { runId, schedule, heldMicroDollars: 0 };
  };
  const told = (type: string, key: string) => [
    { type, to: ["h1", "h2"].map((webhookId): [string, string] => [webhookId, messageId(webhookId, type, key)]) },
  ];
  return [
    scheduleCreated("s1"),
    runAccepted("d1", scheduled("d1", 22)),
    runDone("d1", scheduled("d1", 22)),
    scheduleSkipped("s1", "2026-11-23T07:00:00.000Z", { outcome: "MISSED" }),
    webhookCreated("h1"),
    webhookCreated("h2"),
    runAccepted("d2", scheduled("d2", 23)),
    { ...runDone("d2", scheduled("d2", 23)), events: told("run.completed", "d2") },
    scheduleSkipped("s1", "2026-11-24T07:00:00.000Z"),
    { ...schedulePaused("s1"), events: told("schedule.paused", JSON.stringify(["s1", AT])) },
  ];
}

test("schedules and webhooks have nothing wrong; a due time that was missed may still have its run", async () => {
  const report = await examine({ dataDir: await newDataDir(unattendedWork()) });

  expect(report.findings).toEqual([]);
  expect(Object.fromEntries(report.checks.map(({ check, looked }) => [check, looked]))).toMatchObject({
    schedules: "4 due times",
    webhooks: "4 deliveries",
  });
});

test.each<[string, string, string, (content: Record<string, unknown>) => object | undefined]>([
  [
    "a due time that two runs use",
    "schedules",
    "2026-11-22T07:00:00.000Z of schedule s1",
    (content) => {
      if (content["t"] !== "run.accepted" || content["run"] !== "d2") return undefined;
      const schedule = { scheduleId: "s1", dueAt: "2026-11-22T07:00:00.000Z" };
      return { ...content, rec: { ...(content["rec"] as object), schedule } };
    },
  ],
  [
    "a due time that had its run and is said to have none",
    "schedules",
    "2026-11-23T07:00:00.000Z of schedule s1",
    (content) =>
      content["t"] === "schedule.skipped" && content["outcome"] === "OVERLAP"
        ? { ...content, dueAt: "2026-11-23T07:00:00.000Z" }
        : undefined,
  ],
  [
    "an end that a webhook is told of under two ids",
    "webhooks",
    "delivered to webhook h1 as msg_2",
    (content) => {
      if (content["run"] !== "d2" || content["t"] !== "run.done") return undefined;
      const [event] = content["events"] as { to: unknown[] }[];
      return { ...content, events: [event, { ...event, to: [["h1", "msg_2"]] }] };
    },
  ],
  [
    "an id that another event has",
    "webhooks",
    "delivered to webhook h2 as",
    (content) => {
      if (content["t"] !== "schedule.paused") return undefined;
      const to = [["h2", messageId("h2", "schedule.paused", "another one")]];
      return { ...content, events: [{ type: "schedule.paused", to }] };
    },
  ],
])("%s is damage that names it", async (_, check, words, change) => {
  const dataDir = await newDataDir(unattendedWork());
  await rewrite(dataDir, change);

  const report = await examine({ dataDir });

  expect(report.exitCode).toBe(65);
  expect(damages(report)).toContainEqual(
    expect.objectContaining({ check, message: expect.stringContaining(words), file: expect.stringContaining("log/") }),
  );
});

test("a key that stands for another request two days later is no damage, also where the clock was ahead in between", async () => {
  const use = (runId: string, key: string, at: string) => {
    const idempotency = { key: key.repeat(64), request: "r".repeat(64), waitSeconds: 0 };
    return { ...runAccepted(runId, { idempotency, heldMicroDollars: 0 }), at };
  };
  const dataDir = await newDataDir([
    use("a1", "a", "2027-11-21T10:00:00.000Z"),
    use("b1", "b", "2026-11-21T10:00:00.000Z"),
    use("b2", "b", "2026-11-23T10:00:00.000Z"),
    use("a2", "a", "2026-11-23T10:00:01.000Z"),
  ]);

  const report = await examine({ dataDir });

  expect(report.findings).toEqual([]);
});

test("a file that others may read, a document that is not JSON, a missing FORMAT are each told", async () => {
  const dataDir = await newDataDir();
  const [segment = ""] = await list(dataDir, "log", ".ndjson");
  await chmod(join(dataDir, "log", segment), 0o644);
  await mkdir(join(dataDir, "docs"), { mode: 0o700, recursive: true });
  await writeFile(join(dataDir, "docs", "settings.json"), "{", { mode: 0o600 });
  await rm(join(dataDir, "FORMAT"));

  const report = await examine({ dataDir });

  expect(report.exitCode).toBe(65);
  expect(damages(report)).toMatchObject([
    { check: "folder", file: `log/${segment}`, message: expect.stringContaining("chmod 600") },
    { check: "format", file: "FORMAT" },
    { check: "documents", file: "docs/settings.json" },
  ]);
});

test("a large output that is damaged, one that is missing and one that nobody refers to are each told", async () => {
  const large = (runId: string) => runDone(runId, { output: { text: runId.repeat(50_000) }, heldMicroDollars: 0 });
  const lines = ["b1", "b2", "b3"].flatMap((runId) => [runAccepted(runId, { heldMicroDollars: 0 }), large(runId)]);
  const dataDir = await newDataDir(lines);
  const names = (await readdir(join(dataDir, "blobs"), { recursive: true })).filter((name) => name.length > 60);
  const [damaged = "", missing = ""] = names;
  await edit(join(dataDir, "blobs", damaged), (text) => `x${text.slice(1)}`);
  await rm(join(dataDir, "blobs", missing));
  const orphan = `blobs/aa/${"a".repeat(64)}`;
  await mkdir(join(dataDir, "blobs", "aa"), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, orphan), "nobody's", { mode: 0o600 });

  const report = await examine({ dataDir });
  const repaired = await examine({ dataDir, copyTo: join(dataDir, "..", "copy") });

  expect(names).toHaveLength(3);
  expect(report.exitCode).toBe(65);
  expect(damages(report).map(({ check }) => check)).toEqual(["blobs", "blobs"]);
  expect(damages(report)).toContainEqual(expect.objectContaining({ file: `blobs/${damaged}` }));
  expect(damages(report)).toContainEqual(expect.objectContaining({ message: expect.stringContaining(missing) }));
  expect(report.findings).toContainEqual(expect.objectContaining({ kind: "note", file: orphan }));
  expect(repaired.repaired).toEqual([`remove ${orphan}`]);
  expect(repaired.exitCode).toBe(65);
});

test("a backup has nothing wrong", async () => {
  const dataDir = await newDataDir();
  const store = await openJournalStore({ dataDir, segmentBytes: 4_000, onFatal: () => undefined });
  await store.commit({ line: runDone("open") });
  await store.backup(join(dataDir, "..", "copy"));
  await store.commit({ line: keyCreated("later") });
  await store.close();

  const report = await examine({ dataDir: join(dataDir, "..", "copy") });

  expect(report).toMatchObject({ exitCode: 0, findings: [] });
});

test("a folder on which a daemon runs is refused", async () => {
  const dataDir = await newDataDir();
  const store = await openJournalStore({ dataDir, onFatal: () => undefined });
  onTestFinished(() => store.close());

  const examining = examine({ dataDir });

  await expect(examining).rejects.toMatchObject({ name: "DataFolderInUse" });
});

test("a folder that is none is refused, and nothing is made in it", async () => {
  using folder = tempDir();
  await mkdir(join(folder.path, "pictures"));

  const outcomes = await Promise.allSettled([
    examine({ dataDir: join(folder.path, "pictures") }),
    examine({ dataDir: join(folder.path, "nothing") }),
  ]);

  expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.name)).toEqual(
    Array(2).fill("DataFolderUnusable"),
  );
  expect(await readdir(folder.path, { recursive: true })).toEqual(["pictures"]);
});

test("with any bit turned in journal, indexes, snapshots and large outputs, something is found", async () => {
  const large = runDone("b1", { output: { text: "x".repeat(80_000) }, heldMicroDollars: 0 });
  const dataDir = await newDataDir([runAccepted("b1", { heldMicroDollars: 0 }), large]);
  const names = (await readdir(dataDir, { recursive: true })).filter((name) =>
    /^(log|state|blobs)\/.*\w{6}/.test(name),
  );
  const contents = new Map<string, Buffer>();
  for (const name of names) {
    const content = await readFile(join(dataDir, name)).catch(() => undefined);
    if (content !== undefined) contents.set(name, content);
  }
  const places = fc.tuple(fc.constantFrom(...contents.keys()), fc.nat(), fc.integer({ min: 0, max: 7 }));

  await fc.assert(
    fc.asyncProperty(places, async ([name, at, bit]) => {
      const content = contents.get(name) ?? Buffer.alloc(0);
      const turned = Buffer.from(content);
      const place = at % content.length;
      turned[place] = (turned[place] ?? 0) ^ (1 << bit);
      await writeFile(join(dataDir, name), turned);

      const report = await examine({ dataDir });
      await writeFile(join(dataDir, name), content);

      expect(report.exitCode, `bit ${bit} of byte ${place} of ${name}`).toBe(65);
    }),
    { numRuns: 100 },
  );
  expect((await examine({ dataDir })).findings).toEqual([]);
});

test("a backup on a disk that is read-only can be looked at", async (context) => {
  const disk = mountSmallDisk(4);
  if (disk === undefined) return context.skip("only root may mount a small disk");
  onTestFinished(() => disk[Symbol.dispose]());
  const dataDir = join(disk.path, "data");
  await write(dataDir, [ownerCreated(), ...tenRuns()]);
  disk.makeReadOnly();

  const report = await examine({ dataDir });

  expect(report).toMatchObject({ exitCode: 0, findings: [] });
});
