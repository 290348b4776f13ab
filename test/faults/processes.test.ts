import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { build } from "tsup";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { heldAccount, balanceAccount, SERVICE_CHARGED } from "../../daemon/billing/postings.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { tempDir } from "../support/temp-dir.ts";

interface StoreProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** All that it said so far. */
  readonly events: Record<string, unknown>[];
  /** Resolves when it has said so much. */
  said(count: number): Promise<void>;
  kill(): Promise<void>;
}

const program = tempDir();

beforeAll(async () => {
  await build({
    entry: ["test/faults/store-process.ts"],
    outDir: program.path,
    format: "esm",
    target: "node20",
    noExternal: [/.*/],
    outExtension: () => ({ js: ".mjs" }),
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire("/");` },
    silent: true,
    config: false,
  });
  return () => program[Symbol.dispose]();
});

function newDataDir(): string {
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  return join(folder.path, "data");
}

function start(dataDir: string, mode: "hold" | "load"): StoreProcess {
  const child = spawn(process.execPath, [join(program.path, "store-process.mjs"), dataDir, mode], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const events: Record<string, unknown>[] = [];
  const lines = createInterface(child.stdout).on("line", (line) => events.push(JSON.parse(line)));
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  return {
    child,
    events,
    async said(count) {
      while (events.length < count) await once(lines, "line");
    },
    kill,
  };
}

test("of 12 processes at once one gets the folder and the others name it; killed, it does not block the next 12", async () => {
  const dataDir = newDataDir();

  for (let round = 0; round < 2; round += 1) {
    const processes = Array.from({ length: 12 }, () => start(dataDir, "hold"));
    await Promise.all(processes.map((process) => process.said(1)));
    const winners = processes.filter((process) => process.events[0]?.opened !== undefined);
    const named = processes.flatMap((process) => process.events[0]?.inUse ?? []);

    expect(winners).toHaveLength(1);
    expect(named).toEqual(Array(11).fill(winners[0]?.child.pid));
    await Promise.all(processes.map((process) => process.kill()));
  }
});

test("killed at any moment under load, the journal has every acknowledged run once, and the money adds up", async () => {
  const dataDir = newDataDir();
  const done: unknown[] = [];

  for (let round = 0; round < 6; round += 1) {
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
});
