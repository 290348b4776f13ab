import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { WorkspaceId } from "../../../daemon/base/ids.ts";
import { NO_RUNS, withOutcome } from "../../../daemon/discovery/health/run-windows.ts";
import { NO_TIMES } from "../../../daemon/discovery/health/span-times.ts";
import { keepHealth } from "../../../daemon/discovery/health/keep-health.ts";
import type { RunSummary } from "../../../daemon/ledger/stores/run-store.ts";
import { openHealthFile } from "../../../daemon/storage/documents/health-file.ts";
import { nodeFiles } from "../../../daemon/storage/files.ts";
import { branded } from "../../support/branded.ts";
import { makeRun } from "../../support/make-run.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { DAY, finishedRun, HOUR, MINUTE, type RunHistory, runHistory } from "./run-history.ts";

interface Kept {
  readonly history: RunHistory;
  readonly warnings: string[];
  close(): Promise<void>;
}

/** A daemon's health over a data folder, whose journal has these runs and no others. */
async function open(
  dataDir: string,
  { history = runHistory(), runs = [], hasRoom = true, writeEveryMs = DAY, mostReadAgain = 500 } = {} as {
    history?: RunHistory;
    runs?: readonly RunSummary[];
    hasRoom?: boolean;
    writeEveryMs?: number;
    mostReadAgain?: number;
  },
): Promise<Kept> {
  const warnings: string[] = [];
  const kept = await keepHealth({
    health: history.health,
    file: openHealthFile(dataDir),
    clock: history.clock,
    writeEveryMs,
    mostReadAgain,
    logger: { warn: (_: object, message: string) => void warnings.push(message) },
    store: {
      hasRoom: () => hasRoom,
      listWorkspaces: async () =>
        [...new Set(runs.map(({ workspaceId }) => workspaceId))].map((workspaceId) => ({
          workspaceId,
          name: workspaceId,
          slug: workspaceId,
          createdAt: "",
          updatedAt: "",
        })),
      async listRuns(workspaceId, { since = "" }, { limit, before = 0 }) {
        const own = runs.filter((run) => run.workspaceId === workspaceId && run.createdAt >= since);
        const next = before + limit;
        return { items: own.slice(before, next), ...(next < own.length && { next }) };
      },
    },
  });
  return { history, warnings, close: () => kept.close() };
}

/** A run of the journal that ended at a time. */
function journalled(workspaceId: string, at: number): RunSummary {
  const { input: _input, output: _output, ...run } = makeRun();
  return { ...run, ...finishedRun(workspaceId, "error", at) } as RunSummary;
}

const fileOf = (dataDir: string) => join(dataDir, "health", "windows.ndjson");

describe("a daemon that was stopped and started", () => {
  test("knows what it knew, of every workspace, run times included", async () => {
    using folder = tempDir();
    const before = await open(folder.path);
    before.history.run("ann", "error", 5);
    before.history.run("bob", "good", 9);
    before.history.run("bob", "impatient", 2);
    await before.close();

    const after = await open(folder.path);

    for (const viewer of ["ann", "bob", "newcomer", undefined]) {
      expect(after.history.health.metrics("weather", "/now", viewer)).toEqual(
        before.history.health.metrics("weather", "/now", viewer),
      );
    }
    expect(after.history.status("ann")).toBe("outage");
    expect(after.history.health.metrics("weather", "/now", "bob").runTimeMs).toEqual({ p50: 1_000, p95: 1_000 });
    expect([...before.warnings, ...after.warnings]).toEqual([]);
    await after.close();
  });

  test("lets the time pass that it was down", async () => {
    using folder = tempDir();
    const before = await open(folder.path);
    before.history.run("ann", "error", 5);
    await before.close();
    const later = runHistory();
    later.pass(20 * MINUTE);

    const after = await open(folder.path, { history: later });

    expect(after.history.status("ann")).toBe("degraded");
    await after.close();
  });

  test("leaves one file, for its owner alone, and nothing half-written", async () => {
    using folder = tempDir();
    mkdirSync(join(folder.path, "health"));
    writeFileSync(join(folder.path, "health", "windows.ndjson.new-1234"), "half");
    const kept = await open(folder.path);
    kept.history.run("ann", "good");

    await kept.close();

    expect(readdirSync(join(folder.path, "health"))).toEqual(["windows.ndjson"]);
    await expect(nodeFiles().stat(fileOf(folder.path))).resolves.toMatchObject({ mode: 0o600 });
  });

  test("writes nothing when nothing was run", async () => {
    using folder = tempDir();

    await (await open(folder.path)).close();

    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("forgets what was last run more than a week ago, so that what left the catalog goes", async () => {
    using folder = tempDir();
    const kept = await open(folder.path);
    kept.history.health.observe(finishedRun("ann", "good", kept.history.clock.nowMs, "/left"));
    kept.history.pass(8 * DAY);
    kept.history.run("ann", "good");
    await kept.close();

    const text = readFileSync(fileOf(folder.path), "utf8");

    expect(text).toContain("weather/now");
    expect(text).not.toContain("weather/left");
  });
});

describe("a daemon that crashed", () => {
  test("reads again what ended since the file was written, each run once", async () => {
    using folder = tempDir();
    const history = runHistory();
    const kept = await open(folder.path, { history, writeEveryMs: 5 });
    history.run("ann", "error", 3);
    await expect.poll(() => existsSync(fileOf(folder.path))).toBe(true);
    const writtenAt = history.clock.nowMs;
    const runs = [journalled("ann", writtenAt + 2 * MINUTE), journalled("ann", writtenAt + MINUTE)];
    const counted = [journalled("ann", writtenAt - MINUTE), journalled("ann", writtenAt - 2 * MINUTE)];
    const now = runHistory();
    now.pass(3 * MINUTE);

    const after = await open(folder.path, { history: now, runs: [...runs, ...counted] });

    expect(after.history.status("ann")).toBe("outage");
    expect(longRuns(after.history)).toBe(5);
    await kept.close();
  });

  test("has those of the last hour where there was no file yet", async () => {
    using folder = tempDir();
    const history = runHistory();
    const ended = [1, 2, 3, 4, 5].map((minutes) => journalled("ann", history.clock.nowMs - minutes * MINUTE));
    const longAgo = [journalled("ann", history.clock.nowMs - 2 * HOUR)];

    const after = await open(folder.path, { history, runs: [...ended, ...longAgo] });

    expect(after.history.status("ann")).toBe("outage");
    expect(longRuns(after.history)).toBe(5);
  });
});

test("a daemon that reads few runs reads the newest of all workspaces, not those of the first", async () => {
  using folder = tempDir();
  const history = runHistory();
  const agoOf = (workspaceId: string, minutes: readonly number[]) =>
    minutes.map((ago) => journalled(workspaceId, history.clock.nowMs - ago * MINUTE));
  const minutes = Array.from({ length: 50 }, (_, ago) => ago + 4);
  const runs = [...agoOf("first", minutes), ...agoOf("second", [1, 2, 3, 55])];

  const after = await open(folder.path, { history, runs, mostReadAgain: 30 });

  const counted = [...after.history.health.evidence().values()].flatMap(({ workspaces }) =>
    workspaces.map((one) => [one.workspaceId, longRunsOf(one.windows)]),
  );
  expect(Object.fromEntries(counted)).toEqual({ first: 27, second: 3 });
});

describe("a file that cannot be used", () => {
  const header = JSON.stringify({ format: 1, at: 0, closed: true, endpoints: 1 });

  test.each([
    ["is empty", ""],
    ["is no JSON", "{"],
    ["was written by a later version", header.replace('"format":1', '"format":2')],
    ["ends too early", `${header}\n`],
    ["has a line of another shape", `${header}\n["weather/now",[["ann",2,0,[],[]]],[]]\n`],
    ["has counts that are none", `${header}\n["weather/now",[["ann",0,0,[],[1,-1,0]]],[]]\n`],
  ])("because it %s is replaced by an empty one, and the log says so", async (_, text) => {
    using folder = tempDir();
    mkdirSync(join(folder.path, "health"));
    writeFileSync(fileOf(folder.path), text);

    const kept = await open(folder.path);
    kept.history.run("ann", "error", 5);
    await kept.close();
    const after = await open(folder.path);

    expect(kept.warnings).toEqual([expect.stringContaining("starts empty")]);
    expect(after.history.status("ann")).toBe("outage");
    expect(after.warnings).toEqual([]);
  });

  test("because it is a folder refuses no start and no stop", async () => {
    using folder = tempDir();
    mkdirSync(fileOf(folder.path), { recursive: true });

    const kept = await open(folder.path);
    kept.history.run("ann", "good", 3);
    await kept.close();

    expect(kept.history.status("ann")).toBe("healthy");
    expect(kept.warnings).toHaveLength(2);
  });
});

test("on a full disk nothing is written", async () => {
  using folder = tempDir();
  const kept = await open(folder.path, { hasRoom: false });
  kept.history.run("ann", "good");

  await kept.close();

  expect(readdirSync(folder.path)).toEqual([]);
});

test("what one endpoint takes grows neither with its runs nor with those who run it", () => {
  const history = runHistory();
  const sizeNow = () => JSON.stringify([...history.health.evidence()], replacer).length;
  for (let i = 0; i < 40; i += 1) history.run(`workspace ${i}`, "good", 50);
  const before = sizeNow();
  expect([...history.health.evidence().values()].map(({ workspaces }) => workspaces.length)).toEqual([32]);

  for (let hour = 0; hour < 24 * 30; hour += 1) {
    history.pass(HOUR);
    for (let i = 0; i < 4; i += 1) history.run(`workspace ${i}`, "error", 2);
  }

  expect(sizeNow()).toBeLessThan(before + 4 * 169 * 16);
});

test("what all endpoints take is bounded: those that were run longest ago are forgotten", () => {
  const { health, clock } = runHistory();
  for (let i = 0; i < 40_001; i += 1) health.observe(finishedRun("ann", "good", clock.nowMs, `/${i}`));

  expect(health.evidence().size).toBe(40_000);
  expect(health.metrics("weather", "/0", "ann").status).toBe("unknown");
  expect(health.metrics("weather", "/40000", "ann").status).toBe("stable");
});

function replacer(_: string, value: unknown): unknown {
  return value instanceof Uint32Array ? [...value] : value;
}

/** As they are counted by the hour. */
function longRuns({ health }: RunHistory): number {
  const windows = [...health.evidence().values()].flatMap(({ workspaces }) => workspaces.map((w) => w.windows));
  return windows.map(longRunsOf).reduce((a, b) => a + b, 0);
}

function longRunsOf({ hours }: { readonly hours: Iterable<number> }): number {
  return [...hours].filter((_, place) => place % 3 === 1).reduce((a, b) => a + b, 0);
}

test("what is written is of one moment, also where runs end while it is written", async () => {
  using folder = tempDir();
  const key = "weather/now";
  const times = [1, 100];
  const observed = {
    workspaceId: branded<WorkspaceId>("w1"),
    isPrivate: false,
    windows: withOutcome(NO_RUNS, { at: 1, isError: false }),
    spans: NO_TIMES,
  };
  const evidence = new Map([[key, { workspaces: [observed], times }]]);
  const files = nodeFiles();
  const file = openHealthFile(folder.path, {
    ...files,
    async create(path) {
      times.push(2, 200);
      return await files.create(path);
    },
  });

  await file.write({ at: 1, closed: false, evidence });

  expect((await file.read())?.evidence.get(key)?.times).toEqual([1, 100]);
  expect(times).toEqual([1, 100, 2, 200]);
});
