import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { decide } from "../../daemon/schedules/decide.ts";
import { DueTimes } from "../../daemon/schedules/due-times.ts";
import { pauseSchedule } from "../../daemon/schedules/pause-schedule.ts";
import { createScheduleDriver } from "../../daemon/schedules/schedule-driver.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { ApiError } from "../../shared/errors.ts";
import { microDollars } from "../../shared/micro-dollars.ts";
import { seededRandom } from "../faults/simulated-disk.ts";
import { keyRevoked } from "../storage/lines.ts";
import { effort } from "../support/effort.ts";
import { tempDir } from "../support/temp-dir.ts";
import { driveSchedules, START } from "./driven-schedules.ts";
import { referenceDueTimes } from "./reference-due-times.ts";

/** What a schedule does at its due times. docs/schedules.md. */

const DAY_MS = 86_400_000;
const dueTimes = (driven: { made: readonly { dueAt: string }[] }) => driven.made.map(({ dueAt }) => dueAt.slice(0, 16));
const outcomes = ({ occurrences }: { occurrences: readonly { outcome: string }[] }) =>
  occurrences.map(({ outcome }) => outcome);

describe("a due time", () => {
  test("has one run, however often it is looked for, and across restarts", async () => {
    const driven = await driveSchedules();
    await driven.make();

    await driven.at("2027-01-04T06:59:59.999Z");
    await driven.at("2027-01-04T07:00:00.000Z");
    await driven.at("2027-01-04T07:00:00.500Z");
    await driven.restart();
    await driven.at("2027-01-05T07:00:00.000Z");
    await driven.restart();

    expect(dueTimes(driven)).toEqual(["2027-01-04T07:00", "2027-01-05T07:00"]);
  });

  test("has one run when the clock is set back over it, and those that never came run then", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make({ cron: "0 * * * *" });
    await driven.at("2027-01-04T01:00:00Z");
    await driven.at("2027-01-04T02:00:00Z");

    await driven.at("2027-01-04T00:30:00Z");
    await driven.at("2027-01-04T01:00:00Z");
    await driven.at("2027-01-04T02:00:00Z");
    // A year ahead by mistake, for one due time, and back.
    await driven.at("2028-01-04T02:00:00Z");
    await driven.at("2027-01-04T02:59:00Z");
    await driven.at("2027-01-04T03:00:00Z");
    await driven.at("2027-01-04T04:00:00Z");

    expect(dueTimes(driven)).toEqual([
      "2027-01-04T01:00",
      "2027-01-04T02:00",
      "2028-01-04T02:00",
      "2027-01-04T03:00",
      "2027-01-04T04:00",
    ]);
    expect((await driven.state(scheduleId)).used).toEqual([
      ["2027-01-04T01:00:00.000Z", "2027-01-04T02:00:00.000Z"],
      ["2027-01-04T03:00:00.000Z", "2027-01-04T04:00:00.000Z"],
      ["2028-01-04T02:00:00.000Z", "2028-01-04T02:00:00.000Z"],
    ]);
  });

  test("is not one of the time before the schedule was made, nor of its pause", async () => {
    const driven = await driveSchedules();
    driven.time.nowMs = Date.parse("2027-01-04T07:00:20Z");
    const scheduleId = await driven.make();
    await driven.service.pause(driven.owner, scheduleId);
    await driven.at("2027-01-05T07:00:00Z");
    driven.time.nowMs = Date.parse("2027-01-05T07:00:30Z");
    await driven.service.resume(driven.owner, scheduleId);
    await driven.at("2027-01-05T07:00:40Z");

    expect(driven.made).toEqual([]);
  });

  test("is used by no run that somebody asks for besides", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();

    await driven.service.runNow(driven.owner, scheduleId, { waitSeconds: 0 });
    await driven.at("2027-01-04T07:00:00Z");

    expect(dueTimes(driven)).toEqual(["-", "2027-01-04T07:00"]);
  });
});

describe("a schedule that has changed since it was read", () => {
  /** A driver whose runs are refused because `guard` does not hold any more. */
  function driveRefused(store: Parameters<typeof createScheduleDriver>[0]["store"]) {
    const nowMs = Date.parse("2027-01-04T07:00:00Z");
    let asked = 0;
    const driver = createScheduleDriver({
      store,
      runs: {
        async begin(_caller, _request, { guards = [] }) {
          asked += 1;
          await store.commit({ write: () => expect.fail("the guard holds"), of: { workspaceId: "w1" }, guards });
          throw new Error("nothing was refused");
        },
      },
      clock: { now: () => nowMs, runningMs: () => nowMs },
      logger: pino({ level: "silent" }),
    });
    return { driver, asked: () => asked };
  }

  test("is read again until the change is durable, without holding up what makes it so", async () => {
    using folder = tempDir();
    await using store = await openJournalStore({ dataDir: join(folder.path, "data"), onFatal: () => undefined });
    const driven = await driveSchedules({ store });
    const scheduleId = await driven.make();
    const { driver, asked } = driveRefused(store);
    driver.changed({ scheduleId, workspaceId: "w1" });

    const { schedule } = await driven.state(scheduleId);
    const pausing = pauseSchedule(store, schedule, { pause: { reason: "ASKED", message: "for a while", at: START } });
    await driver.tick();
    await pausing;
    await driver.close();

    expect(asked()).toBeGreaterThan(0);
    expect((await driven.state(scheduleId)).pause).toMatchObject({ reason: "ASKED" });
  });

  test("is left alone for a while when it looks changed each time", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    await driven.at("2027-01-04T07:00:00Z");
    // As a store reads that hears of no other daemon any more: the due time is used, and never looks so.
    const { used: _used, ...rest } = await driven.state(scheduleId);
    const stale = { ...rest, used: [], decidedUntil: START };
    const { driver, asked } = driveRefused({ ...driven.store, findSchedule: async () => await Promise.resolve(stale) });
    driver.changed({ scheduleId, workspaceId: "w1" });

    await driver.tick();
    await driver.close();

    expect(asked()).toBe(21);
    expect(dueTimes(driven)).toEqual(["2027-01-04T07:00"]);
  });
});

describe("due times that came while nothing ran", () => {
  test("are skipped, and counted, but for one that came a moment ago", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();

    await driven.at("2027-01-07T12:00:00Z");
    await driven.at("2027-01-09T07:00:59Z");

    expect(dueTimes(driven)).toEqual(["2027-01-09T07:00"]);
    expect((await driven.state(scheduleId)).occurrences).toMatchObject([
      { outcome: "MISSED", dueAt: "2027-01-07T07:00:00.000Z", missed: 3 },
      { outcome: "RUN", dueAt: "2027-01-09T07:00:00.000Z", missed: 1 },
    ]);
  });

  test("are made up for by exactly one run, if that is wanted", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make({ missed: "ONCE" });

    await driven.at("2027-01-07T12:00:00Z");
    await driven.restart();
    await driven.at("2027-01-07T13:00:00Z");

    expect(dueTimes(driven)).toEqual(["2027-01-07T07:00"]);
    expect((await driven.state(scheduleId)).occurrences).toMatchObject([{ outcome: "RUN", missed: 3 }]);
  });

  test("are counted up to a hundred, in the twinkling of an eye", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make({ cron: "* * * * *" });

    await driven.at("2028-01-04T00:00:30Z");

    expect((await driven.state(scheduleId)).occurrences).toMatchObject([{ outcome: "RUN", missed: 100 }]);
  });
});

describe("runs of a schedule", () => {
  test("do not overlap, and the due time that had none says why", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    driven.ending = "open";

    await driven.at("2027-01-04T07:00:00Z");
    await driven.at("2027-01-05T07:00:00Z");
    const refused = driven.service.runNow(driven.owner, scheduleId, { waitSeconds: 0 });
    await expect(refused).rejects.toMatchObject({ status: 409 });
    await driven.end(driven.made[0]?.runId ?? "");
    await driven.at("2027-01-06T07:00:00Z");

    expect(dueTimes(driven)).toEqual(["2027-01-04T07:00", "2027-01-06T07:00"]);
    expect((await driven.state(scheduleId)).occurrences).toMatchObject([
      { outcome: "RUN", runStatus: "COMPLETED" },
      { outcome: "OVERLAP", message: expect.stringContaining(driven.made[0]?.runId ?? "-") },
      { outcome: "RUN" },
    ]);
  });

  test.each(["SKIP", "ONCE"] as const)(
    "are what a due time is told of that came while one was open and no daemon ran: %s",
    async (missed) => {
      const driven = await driveSchedules();
      const scheduleId = await driven.make({ missed });
      driven.ending = "open";

      await driven.at("2027-01-04T07:00:00Z");
      await driven.restart();
      await driven.at("2027-01-06T09:00:00Z");
      await driven.end(driven.made[0]?.runId ?? "");
      driven.ending = "ok";
      await driven.at("2027-01-07T07:00:00Z");

      const overlap = { outcome: "OVERLAP", dueAt: "2027-01-06T07:00:00.000Z", missed: 1 };
      expect(dueTimes(driven)).toEqual(["2027-01-04T07:00", "2027-01-07T07:00"]);
      expect((await driven.state(scheduleId)).occurrences).toMatchObject([
        { outcome: "RUN" },
        { ...overlap, message: expect.stringContaining(driven.made[0]?.runId ?? "-") },
        { outcome: "RUN" },
      ]);
    },
  );

  test("overlap where that is wanted", async () => {
    const driven = await driveSchedules();
    await driven.make({ overlap: true });
    driven.ending = "open";

    await driven.at("2027-01-04T07:00:00Z");
    await driven.at("2027-01-05T07:00:00Z");

    expect(driven.made).toHaveLength(2);
  });

  test("carry its id, and its tag", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make({ tags: { team: "data" } });

    await driven.at("2027-01-04T07:00:00Z");
    const { items } = await driven.store.listRuns("w1", { tag: { key: "schedule", value: scheduleId } }, { limit: 9 });

    expect(items).toMatchObject([
      { schedule: { scheduleId, dueAt: "2027-01-04T07:00:00.000Z" }, tags: { team: "data", schedule: scheduleId } },
    ]);
  });
});

describe("failures", () => {
  test.each(["failed", "error"] as const)("pause it after so many in a row: %s", async (ending) => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make({ pauseAfterFailures: 3 });
    driven.ending = ending;
    for (const day of [4, 5]) await driven.at(`2027-01-0${day}T07:00:00Z`);
    driven.ending = "ok";
    await driven.at("2027-01-06T07:00:00Z");
    driven.ending = ending;

    for (const day of [10, 11, 12, 13, 14]) await driven.at(`2027-01-${day}T07:00:00Z`);

    const { pause } = await driven.state(scheduleId);
    expect(driven.made).toHaveLength(6);
    expect(pause).toMatchObject({ reason: "FAILURES", at: "2027-01-12T07:00:00.000Z" });
    expect(pause?.message).toContain(`3 runs in a row failed; the last: run ${driven.made[5]?.runId}`);
  });

  test("pause it after a restart, when the process ended right after the last of them", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make({ pauseAfterFailures: 1 });
    driven.ending = "open";
    await driven.at("2027-01-04T07:00:00Z");
    await driven.end(driven.made[0]?.runId ?? "", "failed");

    await driven.restart();
    await driven.at("2027-01-05T07:00:00Z");

    expect(driven.made).toHaveLength(1);
    expect(await driven.state(scheduleId)).toMatchObject({ pause: { reason: "FAILURES" } });
  });

  test.each([
    ["an endpoint that is gone", new ApiError("notFound", "gone"), 1],
    ["an input that does not fit any more", new ApiError("invalidInput", "city is missing"), 1],
    ["an empty wallet", new ApiError("insufficientFunds", "empty", { errorCode: "WALLET_INSUFFICIENT_FUNDS" }), 1],
    ["a provider that is not set up", new ApiError("unavailable", "no secret", { errorCode: "NOT_CONFIGURED" }), 1],
    ["the spend limit of its key", new ApiError("forbidden", "used up", { errorCode: "KEY_LIMIT" }), 0],
    ["too many runs that wait for approval", new ApiError("forbidden", "full", { errorCode: "APPROVALS_FULL" }), 0],
    ["its own budget", new ApiError("insufficientFunds", "used up", { errorCode: "SCHEDULE_BUDGET" }), 0],
  ])("%s: recorded as refused", async (_what, error, failures) => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    driven.ending = error;

    await driven.at("2027-01-04T07:00:00Z");

    const state = await driven.state(scheduleId);
    expect(state.failures).toBe(failures);
    expect(state.occurrences).toMatchObject([{ outcome: "REFUSED", message: error.message }]);
    expect(state.pause).toBeUndefined();
  });

  test.each([
    ["an overload is none", new ApiError("rateLimited", "too many", { retryAfterSeconds: 2 }), 0],
    [
      "a route whose members are all out is one",
      new ApiError("unavailable", "all out", { retryAfterSeconds: 30, extra: { passedOver: [] } }),
      1,
    ],
  ])("%s: it is given up after a minute, and the reason is in the history", async (_what, refusal, counted) => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make({ missed: "ONCE" });
    const { store, time } = driven;
    const parts = {
      store,
      runs: { begin: async () => await Promise.reject(refusal) },
      clock: { now: () => time.nowMs, runningMs: () => time.nowMs },
      logger: pino({ level: "silent" }),
    };
    const attempt = {};
    const look = async (at: string) => {
      time.nowMs = Date.parse(at);
      const state = await driven.state(scheduleId);
      return await decide(parts, state, { timesOf: () => new DueTimes(state.schedule), attempt });
    };

    expect(await look("2027-01-04T07:00:00Z")).toBe("later");
    expect(await look("2027-01-04T07:01:00Z")).toBe("later");
    expect(await look("2027-01-04T07:01:01Z")).toBe("lookAgain");

    const { occurrences, failures } = await driven.state(scheduleId);
    expect(occurrences).toMatchObject([{ outcome: "REFUSED", message: refusal.message }]);
    expect(failures).toBe(counted);
  });

  test("an overload is none: the same due time is tried again", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    driven.ending = new ApiError("rateLimited", "too many", { retryAfterSeconds: 2 });
    await driven.at("2027-01-04T07:00:00Z");
    await driven.restart();
    driven.ending = "ok";
    await driven.restart();

    expect(dueTimes(driven)).toEqual(["2027-01-04T07:00"]);
    expect(outcomes(await driven.state(scheduleId))).toEqual(["RUN"]);
  });

  test("a run that somebody stopped, or asked for besides, counts neither way", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    driven.ending = "failed";
    await driven.at("2027-01-04T07:00:00Z");
    driven.ending = "stopped";
    await driven.at("2027-01-05T07:00:00Z");
    driven.ending = "ok";
    await driven.service.runNow(driven.owner, scheduleId, { waitSeconds: 0 });

    expect((await driven.state(scheduleId)).failures).toBe(1);
  });
});

test("a due time that comes while the one before is decided has its run at once", async () => {
  const driven = await driveSchedules();
  await driven.make();
  driven.whenBegun = () => (driven.time.nowMs = Date.parse("2027-01-05T07:00:30Z"));

  await driven.at("2027-01-04T07:00:00Z");

  expect(dueTimes(driven)).toEqual(["2027-01-04T07:00", "2027-01-05T07:00"]);
});

describe("a change", () => {
  test("of the times counts from then on: nothing is made up for, nothing runs twice, and the history stays", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make({ missed: "ONCE" });
    await driven.at("2027-01-04T07:00:00Z");
    driven.time.nowMs = Date.parse("2027-01-04T09:30:00Z");

    const { next } = await driven.service.change(driven.owner, scheduleId, { cron: "0 8,10 * * *" });
    await driven.at("2027-01-04T09:31:00Z");
    await driven.at("2027-01-04T10:00:00Z");
    await driven.restart();
    await driven.at("2027-01-05T07:00:00Z");
    await driven.at("2027-01-05T08:00:00Z");

    expect(next[0]).toBe("2027-01-04T10:00:00.000Z");
    expect(dueTimes(driven)).toEqual(["2027-01-04T07:00", "2027-01-04T10:00", "2027-01-05T08:00"]);
    expect(outcomes(await driven.state(scheduleId))).toEqual(["RUN", "RUN", "RUN"]);
  });

  test("of anything else leaves the next due time, which a decision about the schedule as it was before does not use up", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    const before = await driven.state(scheduleId);
    await driven.service.change(driven.owner, scheduleId, { missed: "ONCE" });
    const { store, time } = driven;
    const clock = { now: () => time.nowMs, runningMs: () => time.nowMs };
    const runs = { begin: async () => await Promise.reject(new Error("no run was due")) };
    const parts = { store, runs, clock, logger: pino({ level: "silent" }) };

    time.nowMs = Date.parse("2027-01-04T07:05:00Z");
    const decided = await decide(parts, before, { timesOf: () => new DueTimes(before.schedule), attempt: {} });

    expect(decided).toBe("lookAgain");
    expect(outcomes(await driven.state(scheduleId))).toEqual([]);
    await driven.at(time.nowMs);
    expect(dueTimes(driven)).toEqual(["2027-01-04T07:00"]);
  });

  test("has it act as the key that made the change, with its failures forgotten; a new name does not", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    driven.ending = "failed";
    await driven.at("2027-01-04T07:00:00Z");
    const other = await driven.callerOf("k2");
    const all = { ...other, scopes: ["*" as const] };

    await driven.service.change(all, scheduleId, { name: "early" });
    const renamed = await driven.state(scheduleId);
    await driven.service.change(all, scheduleId, { overlap: true });
    const changed = await driven.state(scheduleId);

    expect(renamed).toMatchObject({ schedule: { name: "early" }, actsAs: { keyId: "k0" }, failures: 1 });
    expect(changed).toMatchObject({ schedule: { overlap: true, name: "early" }, actsAs: { keyId: "k2" }, failures: 0 });
  });

  test("that is made already is not recorded again, and null takes away what is optional", async () => {
    const driven = await driveSchedules();
    const budget = { amount: { value: 5, currency: "USD" as const }, period: "MONTH" as const };
    const scheduleId = await driven.make({ budget, name: "morning", maxPages: 3, maxAge: 60, tags: { team: "data" } });
    const { service, owner } = driven;

    await service.change(owner, scheduleId, { cron: "0 7 * * *", budget, maxPages: 3, maxAge: 60 });
    const same = await driven.state(scheduleId);
    await service.change(owner, scheduleId, {
      budget: null,
      name: null,
      maxPages: null,
      maxAge: null,
      allowUncertainRepeats: false,
      tags: null,
    });
    const { schedule } = await driven.state(scheduleId);

    expect(same.revision).toBeUndefined();
    expect(schedule.cron).toBe("0 7 * * *");
    for (const member of ["budget", "name", "maxPages", "maxAge", "allowUncertainRepeats", "tags"])
      expect(schedule).not.toHaveProperty(member);
  });

  test("is refused with a pattern that is never due, to an access token, and for a schedule of another key", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    const { key: _key, ...session } = driven.owner;
    const { service } = driven;

    await expect(service.change(driven.owner, scheduleId, { cron: "0 0 30 2 *" })).rejects.toThrow("never due");
    await expect(service.change({ ...session, kind: "JWT" }, scheduleId, { overlap: true })).rejects.toThrow("API key");
    const other = await driven.callerOf("k2");
    await expect(service.change(other, scheduleId, { overlap: true })).rejects.toMatchObject({ kind: "notFound" });
    expect((await driven.state(scheduleId)).revision).toBeUndefined();
  });
});

describe("the key that it acts as", () => {
  test("when revoked, pauses it; whoever resumes it has it act as their key", async () => {
    const driven = await driveSchedules();
    const { state } = await driven.service.create(await driven.callerOf("k2"), {
      cron: "0 7 * * *",
      provider: "weather",
      endpoint: "/now",
    });
    const { scheduleId } = state.schedule;
    await driven.at("2027-01-04T07:00:00Z");
    await driven.store.commit({ line: keyRevoked("k2") });

    await driven.at("2027-01-05T07:00:00Z");
    const paused = await driven.state(scheduleId);
    await driven.service.resume(driven.owner, scheduleId);
    await driven.at("2027-01-06T07:00:00Z");

    expect(paused.pause).toMatchObject({ reason: "KEY", message: expect.stringContaining('"k2"') });
    expect(paused.pause?.message).toContain(`mkt schedules resume ${scheduleId}`);
    expect(driven.made.map(({ keyId }) => keyId)).toEqual(["k2", "k0"]);
  });

  test("when it may not run this, pauses it at once", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    driven.ending = new ApiError("forbidden", "The key may not run weather/now");

    await driven.at("2027-01-04T07:00:00Z");

    expect(await driven.state(scheduleId)).toMatchObject({ pause: { reason: "RIGHTS" }, occurrences: [] });
  });

  test("sees only its own where it may not read the runs of the workspace", async () => {
    const driven = await driveSchedules();
    const scheduleId = await driven.make();
    const narrow = await driven.callerOf("k2");

    expect((await driven.service.list(narrow, { limit: 10 })).items).toEqual([]);
    await expect(driven.service.get(narrow, scheduleId)).rejects.toMatchObject({ status: 404 });
    await expect(driven.service.pause(narrow, scheduleId)).rejects.toMatchObject({ status: 404 });
  });
});

describe("a schedule that cannot be", () => {
  test.each([
    ["too often", { cron: "* * * * * *" }, "is due every 1 seconds"],
    ["a tag of the service's own", { tags: { schedule: "x" } }, "tags.schedule"],
    ["a budget below nothing", { budget: { amount: { value: -1, currency: "USD" }, period: "DAY" } }, "budget"],
  ] as const)("%s is refused", async (_what, wanted, words) => {
    const driven = await driveSchedules();

    await expect(driven.make(wanted as object)).rejects.toThrow(words);
  });

  test("one more than the workspace may have is refused, also when two come at once", async () => {
    const driven = await driveSchedules({ perWorkspace: 2 });
    await driven.make();

    const both = await Promise.allSettled([driven.make(), driven.make()]);

    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test("an access token makes none", async () => {
    const driven = await driveSchedules();
    const { key: _key, ...session } = driven.owner;
    const wanted = { cron: "0 7 * * *", provider: "weather", endpoint: "/now" };

    await expect(driven.service.create({ ...session, kind: "JWT" }, wanted)).rejects.toThrow("acts as an API key");
  });
});

test("its money is counted for it alone, and forgotten with it", async () => {
  const driven = await driveSchedules();
  const budget = { amount: { value: 5, currency: "USD" as const }, period: "MONTH" as const };
  const scheduleId = await driven.make({ budget });
  await driven.at("2027-01-04T07:00:00Z");

  const { spending } = await driven.service.get(driven.owner, scheduleId);
  await driven.service.delete(driven.owner, scheduleId);
  const money = await driven.store.readMoney({ workspaceId: "w1", scheduleId });

  expect(spending?.spent).toBe(microDollars(0));
  expect(money.schedule).toBeUndefined();
});

const ZONES = ["Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca"];
const PATTERNS = ["30 2 * * *", "0 7 * * 1-5", "15 1 1 * *", "0 */12 * * *"];

test(
  "over two years in five time zones, with restarts and clocks set to and fro, each due time has exactly one run",
  async () => {
    const driven = await driveSchedules();
    const [from, until] = [Date.parse(START), Date.parse(START) + 2 * 365 * DAY_MS];
    const random = seededRandom(7);
    const wanted: { scheduleId: string; expected: string[] }[] = [];
    for (const timeZone of ZONES) {
      const due = referenceDueTimes(PATTERNS, timeZone, { from, until });
      for (const [index, cron] of PATTERNS.entries()) {
        const expected = (due[index] ?? []).filter((at) => at > from).map((at) => new Date(at).toISOString());
        wanted.push({ scheduleId: await driven.make({ cron, timeZone }), expected });
      }
    }
    const moments = [...new Set(wanted.flatMap(({ expected }) => expected))].toSorted();

    for (const moment of moments) {
      const ms = Date.parse(moment);
      await driven.at(ms + Math.floor(random() * 50_000));
      const chance = random();
      if (chance < effort(0.01, 0.1)) await driven.restart();
      // Set back, by minutes or by days, and forth again before the next due time.
      if (chance > 1 - effort(0.02, 0.2)) await driven.at(ms - Math.floor(random() * 3 * DAY_MS));
    }

    for (const { scheduleId, expected } of wanted) {
      const runs = driven.made.filter((one) => one.scheduleId === scheduleId).map(({ dueAt }) => dueAt);
      expect(runs.toSorted()).toEqual(expected);
    }
  },
  effort(120_000, 900_000),
);
