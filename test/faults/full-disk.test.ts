import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { balanceAccount, heldAccount, OPERATOR_FUNDS, SERVICE_CHARGED } from "../../daemon/ledger/money/postings.ts";
import { DiskFull } from "../../daemon/ledger/transaction/commit-errors.ts";
import { nodeFiles } from "../../daemon/storage/files.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { ownerCreated, runAccepted, runDone } from "../storage/lines.ts";
import { tempDir } from "../support/temp-dir.ts";
import { effort } from "../support/effort.ts";
import { limitedDisk } from "./limited-disk.ts";
import { seededRandom } from "./simulated-disk.ts";
import { reportTrial } from "./trial.ts";

const ROUNDS = effort(3, 100);
const CLIENTS = 8;
const HANG_MS = 60_000 + ROUNDS * 20_000;
const BALLAST_BYTES = 128 * 1_024;
const ROOM_BYTES = 100_000_000;

/** What clients were told about their runs. */
interface Told {
  readonly accepted: Set<string>;
  readonly done: Set<string>;
  refused: number;
}

/** A disk that becomes full while runs come and go, and has room again; everything that was told must be there. */
async function play(seed: number): Promise<Told & { lost: number }> {
  using folder = tempDir();
  const dataDir = join(folder.path, "data");
  const random = seededRandom(seed);
  const disk = limitedDisk(nodeFiles());
  const fatal: Error[] = [];
  const store = await openJournalStore({
    dataDir,
    files: disk.files,
    ballastBytes: BALLAST_BYTES,
    segmentBytes: 100_000,
    onFatal: (error) => fatal.push(error),
  });
  await store.commit({ line: ownerCreated(1_000_000_000) });
  const told: Told = { accepted: new Set(), done: new Set(), refused: 0 };
  const over = new AbortController();
  const client = async (name: number) => {
    for (let run = 0; !over.signal.aborted; run += 1) {
      const runId = `${name}-${run}`;
      try {
        await store.commit({ line: runAccepted(runId) });
      } catch (error) {
        if (!(error instanceof DiskFull)) throw error;
        told.refused += 1;
        await pause(5);
        continue;
      }
      told.accepted.add(runId);
      await store.commit({ line: runDone(runId) });
      told.done.add(runId);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, name) => client(name));

  for (let change = 0; change < 3; change += 1) {
    disk.setFree(Math.floor(random() * 300_000));
    const deadline = Date.now() + 5_000;
    while (store.hasRoom() && Date.now() < deadline) await pause(5);
    await pause(random() * 50);
    disk.setFree(ROOM_BYTES);
    while (!store.hasRoom()) await pause(5);
    await pause(random() * 20);
  }
  over.abort();
  await Promise.all(clients);
  await store.close();

  const again = await openJournalStore({ dataDir, onFatal: () => undefined });
  const found = await Promise.all([...told.done].map((runId) => again.findRun("w1", runId)));
  const open = await again.listOpenRuns();
  const accounts = [balanceAccount("w1"), heldAccount("w1"), SERVICE_CHARGED, OPERATOR_FUNDS];
  const balances = await again.readAccounts(accounts);
  await again.close();
  expect(fatal).toEqual([]);
  expect(open).toEqual([]);
  expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(0);
  expect(told.done).toEqual(told.accepted);
  return { ...told, lost: found.filter((run) => run?.status !== "COMPLETED").length };
}

test(
  `a disk becomes full under load and has room again, ${ROUNDS} rounds: what was acknowledged stays, what began ends`,
  async (context) => {
    const results: Awaited<ReturnType<typeof play>>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) results.push(await play(round));
    const lost = results.reduce((sum, result) => sum + result.lost, 0);
    const refused = results.reduce((sum, result) => sum + result.refused, 0);
    const done = results.reduce((sum, result) => sum + result.done.size, 0);

    expect(lost).toBe(0);
    expect(refused).toBeGreaterThan(0);
    reportTrial(context, {
      what: "a full disk and back, three times a round",
      tried: ROUNDS,
      lost,
      note: `${done} runs kept, ${refused} refused before they began`,
    });
  },
  HANG_MS,
);
