import { expect, test } from "vitest";
import { balanceAccount, heldAccount, OPERATOR_FUNDS, SERVICE_CHARGED } from "../../daemon/billing/postings.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { StorageFailed } from "../../daemon/commit-errors.ts";
import type { Line } from "../../daemon/transaction.ts";
import { keyCreated, keyRevoked, ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { faultyFiles, type Fault } from "./faulty-files.ts";
import { seededRandom, SimulatedDisk } from "./simulated-disk.ts";
import { SimulatedProcesses } from "./simulated-processes.ts";

const RUN_HOLD = 10_000;
const CREDIT = 10_000_000;

/** Three starts, with batches of several lines and segments of two or three batches. */
async function scenario(open: () => Promise<Store>, acknowledged: Line[]): Promise<void> {
  let runs = 0;
  const steps: (() => Line[])[] = [
    () => [ownerCreated(CREDIT)],
    () => [runAccepted(`r${runs}`), runAccepted(`r${runs + 1}`), keyCreated(`key${runs}`)],
    () => [runDone(`r${runs}`), keyRevoked(`key${runs}`)],
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
): Promise<{ calls: readonly string[] }> {
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
  const commitsFailed = outcome instanceof StorageFailed;
  expect(fatal.length, `call ${at}: onFatal`).toBe(commitsFailed ? 1 : 0);
  if (powerSeed !== undefined) disk.losePower(seededRandom(powerSeed));

  const store = await open(disk.files).store;
  await checkAll(store, acknowledged, `call ${at} (${faulty.calls.at(-1)}), ${fault}, power ${powerSeed}`);
  await store.commit({ line: keyCreated("last") });
  await store.close();
  return { calls: faulty.calls };
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

test.each(["fail", "full"] as const)(
  "whichever call to the disk answers with an error (%s), nothing acknowledged is lost",
  async (fault) => {
    const { calls } = await playWithFault(0, fault);

    for (let at = 1; at <= calls.length; at += 1) await playWithFault(at, fault);
  },
);

test.each(["die", "dieAfter"] as const)(
  "wherever the process dies (%s), nothing acknowledged is lost",
  async (fault) => {
    const { calls } = await playWithFault(0, fault);

    for (let at = 1; at <= calls.length; at += 1) await playWithFault(at, fault);
  },
);

test("wherever the power goes, nothing acknowledged is lost", async () => {
  const { calls } = await playWithFault(0, "die");

  for (let at = 1; at <= calls.length; at += 1) {
    for (const seed of [1, 2, 3]) await playWithFault(at, "die", at * 3 + seed);
  }
});

test("the trial can fail: on a disk that does not flush, a power loss takes acknowledged lines", async () => {
  const losing = Array.from({ length: 10 }, (_, seed) =>
    playWithFault(120, "die", seed, new SimulatedDisk({ flushes: false })),
  );

  const outcomes = await Promise.allSettled(losing);

  expect(outcomes.some((outcome) => outcome.status === "rejected")).toBe(true);
});

test("recovery may die anywhere, with the power or alone, and be repeated", async () => {
  for (let seed = 0; seed < 4; seed += 1) {
    const torn = await tornJournal(seed);
    const { calls } = await recoverTwice(torn.disk.copy(), torn.acknowledged, 0);
    for (let at = 1; at <= calls.length; at += 1) {
      await recoverTwice(torn.disk.copy(), torn.acknowledged, at);
      await recoverTwice(torn.disk.copy(), torn.acknowledged, at, seed * 1_000 + at);
    }
  }
});

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

/** A start that dies at its `at`-th call, and one after it that does not. */
async function recoverTwice(
  disk: SimulatedDisk,
  acknowledged: readonly Line[],
  at: number,
  powerSeed?: number,
): Promise<{ calls: readonly string[] }> {
  const processes = new SimulatedProcesses();
  // The one that wrote the journal.
  processes.begin().end();
  const first = faultyFiles(disk.files, at, "die");
  const onFatal = () => undefined;
  const dying = processes.begin();
  const opening = openJournalStore({ dataDir: "/data", files: first.files, processes: dying, onFatal });
  await opening.then(
    (store) => store.close(),
    () => undefined,
  );
  dying.end();
  if (powerSeed !== undefined) disk.losePower(seededRandom(powerSeed));

  const store = await openJournalStore({ dataDir: "/data", files: disk.files, processes: processes.begin(), onFatal });
  await checkAll(store, acknowledged, `call ${at} (${first.calls.at(-1)}), power ${powerSeed}`);
  await store.commit({ line: keyCreated("last") });
  await store.close();
  return { calls: first.calls };
}
