import { expect, test } from "vitest";
import { balanceAccount, heldAccount, OPERATOR_FUNDS, SERVICE_CHARGED } from "../../daemon/ledger/money/postings.ts";
import { type JournalStore, openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { keyCreated, keyRevoked, ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { effort } from "../support/effort.ts";
import { FaultTally, JOURNAL_CALLS } from "./fault-tally.ts";
import { faultyFiles, type Fault, OPENING_CALLS } from "./faulty-files.ts";
import { seededRandom, SimulatedDisk } from "./simulated-disk.ts";
import { SimulatedProcesses } from "./simulated-processes.ts";
import { reportTrial } from "./trial.ts";

const HANG_MS = 600_000;
const RUN_HOLD = 10_000;
const CREDIT = 10_000_000;
const POWER_SEEDS = effort(
  [1],
  Array.from({ length: 10 }, (_, seed) => seed),
);
const TORN_JOURNALS = effort(1, 20);
/** Of so many calls one goes wrong. Each kind of fault begins at another, so that together they meet every call. */
const STEP = effort(5, 1);
const EVERY = STEP === 1 ? "every n" : "every fifth n";

/** Over all tests of this file. */
const tally = new FaultTally();

/** So large that it becomes a file of its own. */
const LARGE_OUTPUT = { text: "x".repeat(70_000) };

/**
 * Three starts, with batches of several lines and segments of two or three batches, which are sealed while others follow;
 * each takes away the outputs of the runs that have ended.
 */
async function scenario(open: () => Promise<JournalStore>, acknowledged: Line[]): Promise<void> {
  let runs = 0;
  const steps: (() => Line[])[] = [
    () => [ownerCreated(CREDIT)],
    () => [runAccepted(`r${runs}`), runAccepted(`r${runs + 1}`), keyCreated(`key${runs}`)],
    () => [runDone(`r${runs}`, { output: LARGE_OUTPUT }), keyRevoked(`key${runs}`)],
    () => [runDone(`r${runs + 1}`), runAccepted(`r${runs + 2}`)],
  ];
  for (let start = 0; start < 3; start += 1) {
    const store = await open();
    try {
      for (const step of start === 0 ? steps : steps.slice(1)) {
        const lines = step();
        const commits = lines.map(async (line) => {
          await store.commit({ line });
          acknowledged.push(line);
        });
        const outcomes = await Promise.allSettled(commits);
        for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
      }
      runs += 3;
      const now = "2026-11-22T00:00:00.000Z";
      // Outputs that could not be removed are removed the next time.
      await store.removeOutputs({ before: now, at: now }).catch(() => undefined);
      const last = keyCreated(`last key of ${start}`);
      await store.commit({ line: last });
      acknowledged.push(last);
    } finally {
      await store.close().catch(() => undefined);
    }
  }
}

/** Plays the scenario into the fault, then starts again on what is left and looks whether all is there. */
async function playWithFault(
  at: number,
  fault: Fault,
  powerSeed?: number,
  disk = new SimulatedDisk(),
): Promise<{ calls: readonly string[]; outcome: unknown }> {
  const processes = new SimulatedProcesses();
  const faulty = faultyFiles(disk.files, at, fault);
  const acknowledged: Line[] = [];
  const fatal: Error[] = [];
  const open = (files = faulty.files) => {
    const process = processes.begin();
    const onFatal = (error: Error) => fatal.push(error);
    const store = openJournalStore({ dataDir: "/data", files, processes: process, segmentBytes: 3_000, onFatal });
    return { store, end: process.end };
  };

  const begun: (() => void)[] = [];
  const outcome = await scenario(() => {
    const { store, end } = open();
    begun.push(end);
    return store;
  }, acknowledged).catch((error: unknown) => error);
  for (const end of begun) end();
  tally.add(faulty);
  const commitsFailed = outcome instanceof StorageFailed;
  expect(fatal.length, `call ${at}: onFatal`).toBe(commitsFailed ? 1 : 0);
  if (powerSeed !== undefined) disk.losePower(seededRandom(powerSeed));

  const store = await open(disk.files).store;
  await checkAll(store, acknowledged, `call ${at} (${faulty.calls.at(-1)}), ${fault}, power ${powerSeed}`);
  await store.commit({ line: keyCreated("last") });
  await store.close();
  return { calls: faulty.calls, outcome };
}

async function checkAll(store: Store, acknowledged: readonly Line[], what: string): Promise<void> {
  for (const line of acknowledged) expect(await isThere(store, line), `${what}: ${line.t} is lost`).toBe(true);
  const open = await store.listOpenRuns();
  const [free, held, charged, funds] = await store.readAccounts([
    balanceAccount("w1"),
    heldAccount("w1"),
    SERVICE_CHARGED,
    OPERATOR_FUNDS,
  ]);
  expect((free ?? 0) + (held ?? 0) + (charged ?? 0) + (funds ?? 0), `${what}: money`).toBe(0);
  expect(held, `${what}: holds`).toBe(open.length * RUN_HOLD);
}

async function isThere(store: Store, line: Line): Promise<boolean> {
  switch (line.t) {
    case "owner.created":
      return (await store.findKeyByHash(line.key.hash)) !== undefined;
    case "key.created":
      return (await store.findKeyByHash(line.key.hash)) !== undefined;
    case "key.revoked":
      return (await store.listKeys("w1")).some((key) => key.keyId === line.keyId && key.revokedAt !== undefined);
    case "run.accepted":
      return (await store.findRun("w1", line.run)) !== undefined;
    case "run.done":
      return (await store.findRun("w1", line.run))?.status === "COMPLETED";
    default:
      throw new Error(`the scenario has no ${line.t}`);
  }
}

test("without a fault the scenario begins several segments and ends well", async () => {
  const { calls } = await playWithFault(0, "die");

  expect(calls.filter((name) => name === "datasync").length).toBeGreaterThanOrEqual(10);
  expect(calls.filter((name) => name === "create").length).toBeGreaterThanOrEqual(9);
});

test.for([
  ["fail", 0, "the n-th call to the disk answers EIO"],
  ["full", 1, "the n-th call to the disk answers ENOSPC"],
  ["die", 2, "kill before the n-th call to the disk"],
  ["dieAfter", 3, "kill after the n-th call to the disk"],
] as const)(
  "whichever call to the disk goes wrong (%s), nothing acknowledged is lost",
  { timeout: HANG_MS },
  async ([fault, first, what], context) => {
    const { calls } = await playWithFault(0, fault);
    const places = everyStep(calls, first);

    for (const at of places) await playWithFault(at, fault);

    reportTrial(context, { what: `${what}, ${EVERY}`, tried: places.length, lost: 0 });
  },
);

test(
  "a descriptor that is missing for one call ends no daemon and refuses no line",
  async (context) => {
    const { calls } = await playWithFault(0, "later");
    const opening = calls.flatMap((name, index) =>
      (OPENING_CALLS as readonly string[]).includes(name) ? [index + 1] : [],
    );

    for (const at of opening) {
      const { outcome } = await playWithFault(at, "later");
      // A start that finds none is refused, and is no failure of a journal.
      expect(outcome, `call ${at} (${calls[at - 1]})`).not.toBeInstanceOf(StorageFailed);
    }

    reportTrial(context, {
      what: "the n-th call to the disk answers EMFILE, every n that opens",
      tried: opening.length,
      lost: 0,
    });
  },
  HANG_MS,
);

test.for([
  ["nothing can be opened", OPENING_CALLS],
  ["the folder cannot be flushed", ["syncDirectory"]],
] as const)("while %s, lines are kept, and segments end when it can be", { timeout: HANG_MS }, async ([, names]) => {
  const disk = new SimulatedDisk();
  const processes = new SimulatedProcesses();
  const faulty = faultyFiles(disk.files, 0, "later");
  const fatal: Error[] = [];
  const open = async () =>
    await openJournalStore({
      dataDir: "/data",
      files: faulty.files,
      processes: processes.begin(),
      segmentBytes: 3_000,
      forceUnlock: true,
      onFatal: (error) => fatal.push(error),
    });
  const lines = Array.from({ length: 60 }, (_, n) => keyCreated(`key ${n}`));
  const segments = async () => (await disk.files.list("/data/log")).filter((name) => name.endsWith(".ndjson")).length;

  const store = await open();
  await store.commit({ line: ownerCreated(CREDIT) });
  faulty.runOutFor(names);
  const committing = lines.map(async (line) => await store.commit({ line }));
  const early = Promise.all(committing).then(() => "all kept");
  const isWaitedFor = names.length === 1;
  const aMoment = new Promise((resolve) => setTimeout(resolve, 600, "some wait"));
  const ended = await (isWaitedFor ? Promise.race([early, aMoment]) : early);
  const before = await segments();
  faulty.runOutFor([]);
  await Promise.all(committing);
  await store.commit({ line: keyCreated("after") });
  const after = await segments();
  await store.close();
  disk.losePower(seededRandom(1));
  const again = await open();

  // A segment that has no name yet is waited for; one that could not be begun is not.
  expect(ended).toBe(isWaitedFor ? "some wait" : "all kept");
  expect(after).toBeGreaterThan(before);
  expect(fatal).toEqual([]);
  await checkAll(again, [...lines, keyCreated("after")], "after a shortage");
  await again.close();
});

test(
  "wherever the power goes, nothing acknowledged is lost",
  async (context) => {
    const { calls } = await playWithFault(0, "die");

    const places = everyStep(calls, 4);
    for (const at of places) {
      for (const seed of POWER_SEEDS) await playWithFault(at, "die", at * POWER_SEEDS.length + seed);
    }

    const tried = places.length * POWER_SEEDS.length;
    reportTrial(context, { what: `power loss at the n-th call to a simulated disk, ${EVERY}`, tried, lost: 0 });
  },
  HANG_MS,
);

test("the trial can fail: on a disk that does not flush, a power loss takes acknowledged lines", async (context) => {
  const losing = Array.from({ length: 10 }, (_, seed) =>
    playWithFault(120, "die", seed, new SimulatedDisk({ flushes: false })),
  );

  const outcomes = await Promise.allSettled(losing);

  const caught = outcomes.filter((outcome) => outcome.status === "rejected").length;
  expect(caught).toBeGreaterThan(0);
  reportTrial(context, {
    what: "negative control: power loss without fdatasync",
    tried: losing.length,
    lost: 0,
    note: `caught ${caught} times`,
  });
});

test(
  "recovery may go wrong anywhere, with the power or alone, and be repeated",
  async (context) => {
    let tried = 0;
    for (let seed = 0; seed < TORN_JOURNALS; seed += 1) {
      const torn = await tornJournal(seed);
      for (const fault of ["die", "fail"] as const) {
        const { calls } = await recoverTwice(torn.disk.copy(), torn.acknowledged, 0, fault);
        for (let at = 1; at <= calls.length; at += 1) {
          await recoverTwice(torn.disk.copy(), torn.acknowledged, at, fault);
          await recoverTwice(torn.disk.copy(), torn.acknowledged, at, fault, seed * 1_000 + at);
          tried += 2;
        }
      }
    }
    reportTrial(context, { what: "EIO, kill or power loss at the n-th call of a recovery, every n", tried, lost: 0 });
  },
  HANG_MS,
);

test("every kind of call to the disk was made to go wrong", (context) => {
  expect(tally.neverHit(JOURNAL_CALLS)).toEqual([]);
  reportTrial(context, {
    what: "calls to the disk that were made to go wrong",
    tried: tally.total,
    lost: 0,
    note: tally.describe(),
  });
});

/** The numbers of the calls that go wrong, counted from 1: in the long form all of them. */
function everyStep(calls: readonly string[], first: number): number[] {
  const numbers = calls.map((_, index) => index + 1);
  return numbers.filter((number) => number % STEP === first % STEP);
}

/** A journal whose last batch was written, and not yet flushed, when the power went. */
async function tornJournal(seed: number): Promise<{ disk: SimulatedDisk; acknowledged: Line[] }> {
  const disk = new SimulatedDisk();
  const dying = faultyFiles(disk.files, 0, "die");
  const processes = new SimulatedProcesses().begin();
  const store = await openJournalStore({ dataDir: "/data", files: dying.files, processes, onFatal: () => undefined });
  const acknowledged: Line[] = [ownerCreated(CREDIT), runAccepted("r1")];
  for (const line of acknowledged) await store.commit({ line });
  dying.hitNext("datasync");
  await Promise.allSettled(["r2", "r3", "r4"].map((runId) => store.commit({ line: runAccepted(runId) })));
  disk.losePower(seededRandom(seed));
  return { disk, acknowledged };
}

/** A start whose `at`-th call goes wrong, and one after it that has no faults. */
async function recoverTwice(
  disk: SimulatedDisk,
  acknowledged: readonly Line[],
  at: number,
  fault: Fault,
  powerSeed?: number,
): Promise<{ calls: readonly string[] }> {
  const processes = new SimulatedProcesses();
  // The one that wrote the journal.
  processes.begin().end();
  const first = faultyFiles(disk.files, at, fault);
  const onFatal = () => undefined;
  const dying = processes.begin();
  const opening = openJournalStore({ dataDir: "/data", files: first.files, processes: dying, onFatal });
  await opening.then(
    (store) => store.close(),
    () => undefined,
  );
  dying.end();
  tally.add(first);
  if (powerSeed !== undefined) disk.losePower(seededRandom(powerSeed));

  const store = await openJournalStore({ dataDir: "/data", files: disk.files, processes: processes.begin(), onFatal });
  await checkAll(store, acknowledged, `call ${at} (${first.calls.at(-1)}), power ${powerSeed}`);
  await store.commit({ line: keyCreated("last") });
  await store.close();
  return { calls: first.calls };
}
