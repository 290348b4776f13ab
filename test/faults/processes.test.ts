import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { heldAccount, balanceAccount, SERVICE_CHARGED } from "../../daemon/ledger/money/postings.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { effort } from "../support/effort.ts";
import { buildProgram, startStore, type StoreMode, type StoreProcess, type Program } from "./store-program.ts";
import { reportTrial } from "./trial.ts";

const STARTS = effort(2, 50);
const KILLS = effort(6, 200);
const HANG_MS = 600_000;

let program: Program;

beforeAll(async () => {
  program = await buildProgram("store-process");
  return () => program[Symbol.dispose]();
});

function newDataDir(): string {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  return join(folder.path, "data");
}

function start(dataDir: string, mode: StoreMode): StoreProcess {
  const process = startStore(program, dataDir, mode);
  onTestFinished(process.kill);
  return process;
}

test(
  "of 12 processes at once one gets the folder and the others name it; killed, it does not block the next 12",
  async (context) => {
    const dataDir = newDataDir();

    for (let round = 0; round < STARTS; round += 1) {
      const processes = Array.from({ length: 12 }, () => start(dataDir, "hold"));
      await Promise.all(processes.map((process) => process.said(1)));
      const winners = processes.filter((process) => process.events[0]?.opened !== undefined);
      const named = processes.flatMap((process) => process.events[0]?.inUse ?? []);

      expect(winners).toHaveLength(1);
      expect(named).toEqual(Array(11).fill(winners[0]?.child.pid));
      await Promise.all(processes.map((process) => process.kill()));
    }
    reportTrial(context, { what: "twelve processes start at once on one folder, rounds", tried: STARTS, lost: 0 });
  },
  HANG_MS,
);

test(
  "killed at any moment under load, the journal has every acknowledged run once, and the money adds up",
  async (context) => {
    const dataDir = newDataDir();
    const done: unknown[] = [];

    for (let round = 0; round < KILLS; round += 1) {
      const process = start(dataDir, "load");
      await process.said(20);
      await setTimeout(Math.random() * 100);
      await process.kill();
      done.push(...process.events.flatMap((event) => event.done ?? []));
    }
    const store = await openJournalStore({ dataDir, onFatal: () => undefined });
    const found = await Promise.all(done.map((runId) => store.findRun("w1", String(runId))));
    const open = await store.listOpenRuns();
    const [free = 0, held = 0, charged = 0] = await store.readAccounts([
      balanceAccount("w1"),
      heldAccount("w1"),
      SERVICE_CHARGED,
    ]);
    await store.close();

    expect(done.length).toBeGreaterThan(100);
    expect(found.every((run) => run?.status === "COMPLETED")).toBe(true);
    expect(free + held + charged).toBe(0);
    expect(held).toBe(open.length * 10_000);
    const note = `${done.length} acknowledged runs kept`;
    reportTrial(context, { what: "kill -9 of a store that is filled, rounds", tried: KILLS, lost: 0, note });
  },
  HANG_MS,
);
