import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlMarket, openControlMarket } from "../controls/control-market.ts";
import { jsonLines, lastLine, runMkt } from "../support/run-cli.ts";

let market: ControlMarket;
beforeEach(async () => {
  market = await openControlMarket();
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

const mkt = async (words: readonly string[], tty = false) =>
  await runMkt(words, { env: { MKT_API_URL: market.daemon.url, MKT_API_KEY: market.daemon.key }, tty });
const parsed = async (...words: string[]) => JSON.parse((await mkt([...words, "--json"])).stdout);

describe("mkt budgets", () => {
  test("creates, changes, pauses, resumes and deletes one", async () => {
    const { budgetControlId: id, ...created } = await parsed("budgets", "create", "--period", "day", "--limit", "$0.5");
    const changed = await parsed("budgets", "update", id, "--limit", "2");
    const paused = await parsed("budgets", "pause", id);
    const resumed = await parsed("budgets", "resume", id);
    const shown = await parsed("budgets", "get", id);
    const deleted = await mkt(["budgets", "delete", id, "--yes", "--json"]);

    expect(created).toMatchObject({ period: "DAY", limitAmount: 0.5, status: "ACTIVE" });
    expect(changed).toMatchObject({ limitAmount: 2 });
    expect([paused.status, resumed.status]).toEqual(["PAUSED", "ACTIVE"]);
    expect(shown).toEqual(resumed);
    expect(deleted).toMatchObject({ exitCode: 0, stdout: "null\n", stderr: `Deleted the budget ${id}.\n` });
    expect(await parsed("budgets")).toEqual({ items: [], cursor: null });
  });

  test("lists them one line of JSON each where no terminal is, and says how to go on", async () => {
    for (let made = 0; made < 3; made += 1) await market.budget("DAY", 1);

    const { stdout, stderr } = await mkt(["budgets", "--limit", "2"]);

    expect(jsonLines(stdout)).toHaveLength(2);
    expect(stderr).toMatch(/^All of them: mkt budgets --limit 2 --all\nMore: mkt budgets --limit 2 --cursor \S+\n$/);
  });

  test("shows a person how full each is, and how to make one", async () => {
    const empty = await mkt(["budgets"], true);
    await market.budget("DAY", 0.02);
    await market.run();
    const full = await mkt(["budgets"], true);

    expect(empty.stdout).toContain("No budgets.");
    expect(full.stdout).toMatch(/budget +each +limit +spent +left +status\n/);
    expect(full.stdout).toMatch(/day +\$0\.02 +\$0\.01 \(50 % reached\) +\$0\.01 +ACTIVE\n/);
    expect(full.stdout).toContain("mkt budgets create --period day --limit 5");
  });

  test("lists the runs of a window", async () => {
    const id = await market.budget("HOUR", 1);
    const { body: run } = await market.run();
    market.time.nowMs += 3_600_000;

    const current = await mkt(["budgets", "runs", id]);
    const before = await mkt(["budgets", "runs", id, "--window-start", "2026-07-15T12:00:00Z", "--status", "settled"]);

    expect(current.stdout).toBe("");
    expect(jsonLines(before.stdout)).toMatchObject([{ runId: run.runId, status: "SETTLED", settledAmount: 0.01 }]);
  });

  test.each([
    ["no limit", ["--period", "day"], 2],
    ["a limit that is no amount", ["--period", "day", "--limit", "much"], 2],
    ["a period that there is not", ["--period", "year", "--limit", "1"], 5],
  ])("refuses %s", async (_, words, exitCode) => {
    expect((await mkt(["budgets", "create", ...words])).exitCode).toBe(exitCode);
  });

  test("says where to look for one that is not known", async () => {
    const { exitCode, stderr } = await mkt(["budgets", "get", "01NONE"]);

    expect(exitCode).toBe(8);
    expect(lastLine(stderr)).toBe("  next: mkt budgets");
  });
});

describe("mkt caps", () => {
  test("creates, changes, pauses, resumes and deletes one", async () => {
    const { runCapControlId: id, ...created } = await parsed("caps", "create", "--limit", "0");
    const changed = await parsed("caps", "update", id, "--limit", "0.25");
    const paused = await parsed("caps", "pause", id);
    const resumed = await parsed("caps", "resume", id);
    const listed = await parsed("caps", "list");
    const deleted = await mkt(["caps", "delete", id]);

    expect([created.limitAmount, changed.limitAmount]).toEqual([0, 0.25]);
    expect([paused.status, resumed.status]).toEqual(["PAUSED", "ACTIVE"]);
    expect(listed.items).toEqual([resumed]);
    expect(deleted).toMatchObject({ exitCode: 0, stderr: `Deleted the run cap ${id}.\n` });
  });

  test("lists the runs that it met, and a BLOCKED run ends mkt run with 7 and its reason", async () => {
    const id = await market.runCap(0.001);

    const blocked = await mkt(["run", "weather/now", "city=Lisbon"]);
    const runs = await mkt(["caps", "runs", id, "--status", "blocked"]);

    expect(blocked.exitCode).toBe(7);
    expect(blocked.stderr).toContain(`the run cap ${id} allows $0.001 a run`);
    expect(blocked.stderr).toContain(`  next: mkt caps get ${id}\n`);
    expect(jsonLines(runs.stdout)).toMatchObject([{ status: "BLOCKED", estimatedCost: 0.01 }]);
  });
});
