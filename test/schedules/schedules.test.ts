import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openControlMarket, type ControlMarket } from "../controls/control-market.ts";
import { mktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/** Schedules through the real daemon and the command line. `/now` costs $0.01. */
let market: ControlMarket;
const home = mktHome();

beforeAll(async () => {
  market = await openControlMarket({ home });
});
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const mkt = async (argv: readonly string[], tty = false) =>
  await runMkt(argv, { env: { MKT_API_URL: market.daemon.url, MKT_API_KEY: market.daemon.key }, tty });
const told = async (argv: readonly string[]) => {
  const { stdout, stderr } = await mkt([...argv, "--json"]);
  return JSON.parse(stdout === "" ? stderr : stdout);
};
const create = async (...flags: string[]) =>
  await told(["schedules", "create", "weather/now", "city=Lisbon", "--cron", "0 7 * * *", ...flags]);
const managerKey = async () => {
  const made = await market.daemon.request("POST", "/v1/api-keys", { label: "manager of schedules", role: "manager" });
  return askWith(market.daemon.url, made.body.key);
};
const history = async (scheduleId: string) => (await told(["schedules", "history", scheduleId])).items;

/** Nothing may hang; a busy machine may be slow. */
const PATIENCE = { timeout: 15_000 };

/** Sets the clock, and waits until the schedule has decided so many due times and none of its runs is open. */
async function at(time: string, scheduleId: string, decided: number): Promise<any[]> {
  market.time.nowMs = Date.parse(time);
  return await expect
    .poll(async () => {
      const items = await history(scheduleId);
      const isOver = items.every((one: any) => one.outcome !== "RUN" || one.runStatus !== undefined);
      return items.length >= decided && isOver ? items : undefined;
    }, PATIENCE)
    .toBeDefined()
    .then(async () => await history(scheduleId));
}

describe("mkt schedules", () => {
  test("creates one, says when it is due next, runs it once when it is, and lists the run", async () => {
    const made = await create("--tz", "Europe/Lisbon", "--name", "morning", "--tag", "team=data");
    expect(made).toMatchObject({
      name: "morning",
      status: "ACTIVE",
      timeZone: "Europe/Lisbon",
      missed: "SKIP",
      next: ["2026-07-16T06:00:00.000Z", "2026-07-17T06:00:00.000Z", "2026-07-18T06:00:00.000Z"],
    });
    const { scheduleId } = made;

    const [occurrence] = await at("2026-07-16T06:00:00.000Z", scheduleId, 1);
    const runs = (await told(["runs", "--schedule", scheduleId])).items;
    const run = await told(["get-run", occurrence.runId]);
    const screen = await mkt(["schedules", "show", scheduleId], true);

    expect(occurrence).toMatchObject({ dueAt: "2026-07-16T06:00:00.000Z", outcome: "RUN", runStatus: "COMPLETED" });
    expect(runs).toMatchObject([{ runId: occurrence.runId, tags: { team: "data", schedule: scheduleId } }]);
    expect(run.schedule).toEqual({ scheduleId, dueAt: "2026-07-16T06:00:00.000Z" });
    expect(screen.stdout).toContain("0 7 * * * (Europe/Lisbon)");
    expect(screen.stdout).toContain(`mkt schedules history ${scheduleId}`);
  });

  test("pauses, resumes, runs one now, and deletes", async () => {
    const { scheduleId } = await create();

    const paused = await told(["schedules", "pause", scheduleId]);
    const now = await told(["schedules", "run-now", scheduleId]);
    const resumed = await told(["schedules", "resume", scheduleId]);
    await mkt(["schedules", "delete", scheduleId, "--yes"]);
    const gone = await mkt(["schedules", "show", scheduleId]);

    expect(paused).toMatchObject({ status: "PAUSED", pause: { reason: "ASKED" }, next: [] });
    expect(now).toMatchObject({ status: "COMPLETED", schedule: { scheduleId } });
    expect(resumed).toMatchObject({ status: "ACTIVE" });
    expect(gone.exitCode).toBe(8);
    expect(gone.stderr).toContain("next: mkt schedules");
  });

  test.each([
    [["--cron", "0 25 * * *"], "0 7 * * 1-5"],
    [["--cron", "0 7 * * *", "--tz", "Lisbon"], "Europe/Lisbon"],
    [["--cron", "* * * * * *"], "at least 60"],
    [["--cron", "0 7 * * *", "--missed", "twice"], "ONCE"],
  ])("refuses %s and shows what it takes", async (flags, words) => {
    const { exitCode, stderr } = await mkt(["schedules", "create", "weather/now", "city=Lisbon", ...flags]);

    expect(exitCode).toBe(5);
    expect(stderr).toContain(words);
  });

  test("refuses an endpoint and an input that no run would take", async () => {
    const cron = ["--cron", "0 7 * * *"];

    expect((await mkt(["schedules", "create", "weather/never", ...cron])).exitCode).toBe(8);
    expect((await mkt(["schedules", "create", "weather/now", ...cron])).exitCode).toBe(5);
  });
});

test("a budget of its own is never passed, and its next window begins anew", async () => {
  market.time.nowMs = Date.parse("2026-08-01T00:00:00.000Z");
  const { scheduleId } = await create("--budget", "0.025/month");
  for (const [day, count] of [1, 2, 3, 4].entries()) await at(`2026-08-0${count}T07:00:00.000Z`, scheduleId, day + 1);
  const spent = await told(["schedules", "show", scheduleId]);
  const items = await at("2026-09-01T07:00:00.000Z", scheduleId, 5);

  expect(spent).toMatchObject({ failures: 0, budget: { spent: { value: 0.02 }, left: { value: 0.005 } } });
  expect(items.map(({ outcome }: any) => outcome)).toEqual(["RUN", "REFUSED", "REFUSED", "RUN", "RUN"]);
  expect(items[1].message).toContain("The schedule's own budget leaves $0.005");
});

test("mkt schedules update changes what the next run is, and says what it is to be", async () => {
  const { scheduleId } = await create("--budget", "5/month", "--name", "changing");
  const day = new Date(market.time.nowMs + 86_400_000).toISOString().slice(0, 10);

  const flags = ["city=Porto", "--cron", "30 6 * * *", "--no-budget", "--max-cost", "0.05"];
  const updated = await told(["schedules", "update", scheduleId, ...flags]);
  const nothing = await mkt(["schedules", "update", scheduleId]);
  const [occurrence] = await at(`${day}T06:30:00.000Z`, scheduleId, 1);
  const run = await told(["get-run", occurrence.runId]);

  expect(updated).toMatchObject({
    scheduleId,
    name: "changing",
    cron: "30 6 * * *",
    input: { queryParams: { city: "Porto" } },
    maxCost: { value: 0.05 },
  });
  expect(updated).not.toHaveProperty("budget");
  expect(nothing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Name what is to change") });
  expect(run.input).toMatchObject({ queryParams: { city: "Porto" } });
});

test("who changes the schedule of another key is told whose it was, and may refuse to overwrite another's change", async () => {
  const { scheduleId, actsAs, revision } = await create("--name", "of the owner");
  const manager = await managerKey();
  const path = `/v1/schedules/${scheduleId}`;

  const renamed = await manager("PATCH", path, { name: "renamed" });
  const late = await manager("PATCH", path, { missed: "ONCE", revision });
  const taken = await manager("PATCH", path, { missed: "ONCE", revision: renamed.body.revision });
  const again = await told(["schedules", "update", scheduleId, "--missed", "skip", "--revision", "2"]);
  const nothing = await manager("PATCH", path, { revision: 3 });

  expect([revision, renamed.body.revision]).toEqual([0, 1]);
  expect(renamed.body).toMatchObject({ actsAs });
  expect(renamed.body).not.toHaveProperty("takenOverFrom");
  expect(late).toMatchObject({ status: 409, body: { next: `mkt schedules show ${scheduleId}` } });
  expect(taken).toMatchObject({ status: 200, body: { takenOverFrom: actsAs, missed: "ONCE" } });
  expect(again).toMatchObject({ actsAs, takenOverFrom: taken.body.actsAs, missed: "SKIP", revision: 3 });
  expect(nothing.status).toBe(400);
});

test("a revoked key pauses what it had begun, and the daemon says so in its log", async () => {
  market.time.nowMs = Date.parse("2026-10-01T00:00:00.000Z");
  const { key, label } = await told(["keys", "create", "--label", "robot", "--role", "member"]);
  const asRobot = { env: { MKT_API_URL: market.daemon.url, MKT_API_KEY: key } };
  const words = ["schedules", "create", "weather/now", "city=Lisbon", "--cron", "0 7 * * *", "--json"];
  const { scheduleId } = JSON.parse((await runMkt(words, asRobot)).stdout);
  const others = JSON.parse((await runMkt(["schedules", "--json"], asRobot)).stdout).items;
  await told(["keys", "revoke", label, "--yes"]);

  market.time.nowMs = Date.parse("2026-10-01T07:00:00.000Z");
  await expect.poll(async () => (await told(["schedules", "show", scheduleId])).status).toBe("PAUSED");

  const paused = await told(["schedules", "show", scheduleId]);
  expect(others.map((one: any) => one.scheduleId)).toEqual([scheduleId]);
  expect(paused.pause).toMatchObject({ reason: "KEY", message: expect.stringContaining('The key "robot"') });
  expect(market.warnings).toContainEqual(expect.objectContaining({ scheduleId, reason: "KEY" }));
});

test("what was due while the daemon was down is missed or made up for by one run, as its schedule says", async () => {
  market.time.nowMs = Date.parse("2026-11-01T00:00:00.000Z");
  const skipped = await create();
  const once = await create("--missed", "once");
  await market.daemon[Symbol.asyncDispose]();
  const calls = market.upstream.count("GET /now");
  await using upstream = market.upstream;
  market = await openControlMarket({
    home,
    clock: { now: () => Date.parse("2026-11-04T12:00:00.000Z") },
    manifests: { weather: weatherManifest(upstream.url) },
  });

  const [missed] = await at("2026-11-04T12:00:00.000Z", skipped.scheduleId, 1);
  const [caughtUp] = await at("2026-11-04T12:00:00.000Z", once.scheduleId, 1);

  expect(missed).toMatchObject({ outcome: "MISSED", dueAt: "2026-11-04T07:00:00.000Z", missed: 3 });
  expect(caughtUp).toMatchObject({ outcome: "RUN", dueAt: "2026-11-04T07:00:00.000Z", missed: 3 });
  expect(upstream.count("GET /now") - calls).toBe(1);
});
