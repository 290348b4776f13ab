import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { examine } from "../../daemon/doctor/doctor.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ownerCreated, runAccepted, runDone } from "./lines.ts";

const WRITE_MS = 3_000;
const WRITERS = 4;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: number;
}

async function readPages<Item>(read: (page: { limit: number; before?: number }) => Promise<Page<Item>>, limit: number) {
  const items: Item[] = [];
  for (let before: number | undefined; ;) {
    const page: Page<Item> = await read({ limit, ...(before !== undefined && { before }) });
    items.push(...page.items);
    if (page.next === undefined) return items;
    before = page.next;
    await pause(1);
  }
}

test("while runs end, segments are sealed, cleaned and copied, every page, run and movement is there once", async () => {
  using folder = tempDir();
  const dataDir = join(folder.path, "data");
  const [problems, wrong]: [unknown[], string[]] = [[], []];
  const note = (problem: unknown) => problems.push(problem);
  const store = await openJournalStore({ dataDir, segmentBytes: 6_000, onFatal: note, onProblem: note });
  await store.commit({ line: ownerCreated(1_000_000_000) });
  const done: string[] = [];
  const end = Date.now() + WRITE_MS;
  let begun = 0;
  const repeat = async (step: (turn: number) => Promise<void>, everyMs: number) => {
    for (let turn = 0; Date.now() < end; turn += 1) {
      await step(turn);
      await pause(everyMs);
    }
  };
  const write = async () => {
    const runId = `r${(begun += 1)}`;
    const output = begun % 40 === 0 ? { text: "x".repeat(70_000) } : { answer: runId };
    await store.commit({ line: runAccepted(runId, { heldMicroDollars: 10 }) });
    await pause(begun % 30);
    await store.commit({ line: runDone(runId, { heldMicroDollars: 10, output }) });
    done.push(runId);
  };
  const list = async (turn: number) => {
    const ended = [...done];
    const runs = await readPages((page) => store.listRuns("w1", {}, page), 7 + turn * 30);
    const found = new Set(runs.map(({ runId }) => runId));
    if (found.size !== runs.length) wrong.push("a run is listed twice");
    wrong.push(...ended.filter((runId) => !found.has(runId)).map((runId) => `${runId} is not listed`));
  };
  const listMovements = async () => {
    const ended = done.length;
    const movements = await readPages((page) => store.listMovements("w1", page), 50);
    const found = new Set(movements.map(({ seq }) => seq));
    if (found.size !== movements.length) wrong.push("a movement is listed twice");
    if (found.size < 2 * ended) wrong.push("a movement is not listed");
  };
  const find = async (turn: number) => {
    const runId = done[(turn * 7_919) % Math.max(1, done.length)];
    if (runId !== undefined && (await store.findRun("w1", runId))?.status !== "COMPLETED") wrong.push(`no ${runId}`);
  };
  const times = { before: "2027-01-01T00:00:00.000Z", at: "2026-11-22T00:00:00.000Z" };
  const clean = async () => void (await store.removeOutputs(times));
  const copy = async (turn: number) => {
    const directory = join(folder.path, `backup${turn}`);
    await store.backup(directory);
    // The output of a line that came too late for the copy is in it, and harmless.
    const found = (await examine({ dataDir: directory })).findings.filter(({ kind }) => kind !== "note");
    wrong.push(...found.map(({ message }) => message));
  };

  const writers = Array.from({ length: WRITERS }, () => repeat(write, 1));
  const readers = [repeat(list, 1), repeat(list, 1), repeat(listMovements, 1), repeat(find, 1)];
  await Promise.all([...writers, ...readers, repeat(clean, 50), repeat(copy, 300)]);
  await store.close();

  expect(wrong).toEqual([]);
  expect(problems).toEqual([]);
  expect((await examine({ dataDir })).findings).toEqual([]);
});
