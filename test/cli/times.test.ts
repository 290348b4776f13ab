import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseFutureTime, parsePastTime, parseWindow } from "../../cli/flags/time-flags.ts";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { startStandIn } from "./stand-in-service.ts";
import { clockWords, dayWords, exactTime, timeWords, whenWords } from "../../cli/words/time-words.ts";

/** With midnights that the clocks skip and that come twice, half hours, and quarters of hours. */
const zones = [
  "UTC",
  "Europe/Lisbon",
  "America/Sao_Paulo",
  "America/Havana",
  "Africa/Cairo",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Kiritimati",
];

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const instants = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2036, 0, 1) });

describe.each(zones)("in %s", (zone) => {
  const before = process.env["TZ"];
  beforeAll(() => void (process.env["TZ"] = zone));
  afterAll(() => void (before === undefined ? delete process.env["TZ"] : (process.env["TZ"] = before)));

  // The words of another implementation of zones than the one that is tested.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  const [dayOf, timeOf] = [0, 1].map((part) => (ms: number) => format.format(ms).split(" ")[part] ?? "");
  if (dayOf === undefined || timeOf === undefined) throw new Error("no day and time");

  test("a date is the first moment of that day, where one is", () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const day = dayOf(ms);
        const start = Date.parse(parsePastTime(day));
        expect([dayOf(start), dayOf(start - 1) < day]).toEqual([day, true]);
      }),
    );
  });

  test("days and times are those of the clock on the wall", () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const instant = new Date(ms).toISOString();
        expect([dayWords(instant), clockWords(instant)]).toEqual([dayOf(ms), timeOf(ms)]);
      }),
    );
  });

  test("a window is that of the day in UTC, by its date and by its name", () => {
    const utcDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const days = ["2026-03-01", "today", "yesterday"].map((text) => parseWindow(text).slice(0, 10));
    expect(days).toEqual(["2026-03-01", utcDay(Date.now()), utcDay(Date.now() - DAY)]);
  });

  test("what a screen shows of a time, a flag takes back, to the second", () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const shown = exactTime(new Date(ms).toISOString());
        expect(Date.parse(parsePastTime(shown))).toBe(Math.floor(ms / SECOND) * SECOND);
      }),
    );
  });

  test("a time without a zone is that of the wall; one that the clocks skip comes as much later", () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const wall = `${dayOf(ms)} ${timeOf(ms)}`;
        const taken = Date.parse(parsePastTime(wall));
        // The same wall time twice: the first.
        expect(`${dayOf(taken)} ${timeOf(taken)}`).toBe(wall);
        expect(taken).toBeLessThanOrEqual(ms);
      }),
    );
  });

  test("yesterday, today and tomorrow follow each other, whatever the clocks do", () => {
    const [yesterday = 0, today = 0] = ["yesterday", "today"].map((word) => Date.parse(parsePastTime(word)));
    const tomorrow = Date.parse(parseFutureTime("tomorrow"));
    expect([dayOf(today), dayOf(today - 1)]).toEqual([dayOf(Date.now()), dayOf(yesterday)]);
    expect([dayOf(tomorrow - 1), dayOf(tomorrow) > dayOf(today)]).toEqual([dayOf(today), true]);
  });
});

describe("a clock that goes forward at midnight", () => {
  const before = process.env["TZ"];
  beforeAll(() => void (process.env["TZ"] = "America/Sao_Paulo"));
  afterAll(() => void (before === undefined ? delete process.env["TZ"] : (process.env["TZ"] = before)));

  test("begins the day at one", () => {
    expect(parsePastTime("2018-11-04")).toBe("2018-11-04T03:00:00.000Z");
    expect(exactTime("2018-11-04T03:00:00Z")).toBe("2018-11-04 01:00:00 -02:00");
  });
});

describe("a span", () => {
  test.each<[text: string, ms: number]>([
    ["90s", 90 * SECOND],
    ["30m", 30 * MINUTE],
    ["30 min", 30 * MINUTE],
    ["3 min ago", 3 * MINUTE],
    ["1h", HOUR],
    ["2 hours ago", 2 * HOUR],
    ["1 hour", HOUR],
    ["90 minutes", 90 * MINUTE],
    ["30 seconds ago", 30 * SECOND],
    ["5 H AGO", 5 * HOUR],
    ["2d", 2 * DAY],
    ["2 days ago", 2 * DAY],
    ["1w", 7 * DAY],
    ["1 week", 7 * DAY],
    ["now", 0],
    ["in 5 min", -5 * MINUTE],
  ])("%s is so long ago", (text, ms) => {
    expectAbout(parsePastTime(text), Date.now() - ms);
  });

  test.each<[text: string, ms: number]>([
    ["30d", 30 * DAY],
    ["in 3 d", 3 * DAY],
    ["2w", 14 * DAY],
    ["12h", 12 * HOUR],
  ])("%s is so far ahead for --expires", (text, ms) => {
    expectAbout(parseFutureTime(text), Date.now() + ms);
  });

  test("that a list shows, a flag takes, to the unit that is shown", () => {
    const now = Date.now();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 7 * DAY - 1 }), (ms) => {
        const shown = whenWords(new Date(now - ms).toISOString(), now);
        const unit = ms < HOUR ? MINUTE : ms < DAY ? HOUR : DAY;
        const off = Date.parse(parsePastTime(shown)) - (now - ms);
        expect(off).toBeGreaterThanOrEqual(0);
        expect(off).toBeLessThan(unit + MINUTE);
      }),
    );
  });

  function expectAbout(instant: string, ms: number): void {
    expect(Math.abs(Date.parse(instant) - ms)).toBeLessThan(MINUTE);
  }
});

describe("what is no time is refused", () => {
  test.each([
    "",
    "soon",
    "1",
    "-1h",
    "1.5h",
    "1hs",
    "1y",
    "in 2h ago",
    "constructor",
    "2026",
    "2026-1-1",
    "2026-02-30",
    "2026-13-01",
    "2026-00-10",
    "0050-01-01",
    "2026-01-01T24:01",
    "2026-01-01 10:60",
    "2026-01-01T10:30+99:00",
    "2026-01-01T10:30 CET",
    "01.02.2026",
    "9999999d",
  ])("%j", (text) => {
    expect(() => parsePastTime(text)).toThrow(
      /^It must be a time: 30m, 2h, 3d or 1w \(ago\), today, yesterday, 2026-03-01/,
    );
    expect(() => parseFutureTime(text)).toThrow(/^It must be a time: 2h, 30d or 4w \(from now\), tomorrow/);
  });

  test.each([
    ["yesterdy", "yesterday"],
    ["todya", "today"],
  ])("with what is near: %s", (text, near) => {
    expect(() => parsePastTime(text)).toThrow(`It is not a time. Did you mean ${near}?`);
  });

  test.each(["yesterday", "2020-01-01", "3d ago", "now"])("for --expires also what is past: %s", (text) => {
    expect(() => parseFutureTime(text)).toThrow("It must be in the future, such as 30d, tomorrow or 2027-01-01.");
  });

  test("whatever is typed, the answer is an instant or words", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-z :+.-]{1,30}$/)), (text) => {
        try {
          const instant = parsePastTime(text);
          expect(new Date(instant).toISOString()).toBe(instant);
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringMatching(/^It /) });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("a command", () => {
  const runs = { items: [], cursor: null };

  test.each([
    ["runs --since 2026-07-01", "since", "2026-06-30T23:00:00.000Z"],
    ["runs --until 2026-01-01", "until", "2026-01-01T00:00:00.000Z"],
    ["runs export --until 2026-07-01T12:30+05:30", "until", "2026-07-01T07:00:00.000Z"],
    ["usage --since 2026-07-01", "since", "2026-06-30T23:00:00.000Z"],
  ])("asks for the days of the zone that it is in: mkt %s", async (line, flag, instant) => {
    using home = mktHome();
    await using service = await startStandIn({
      "GET /v1/runs": { body: runs },
      "GET /v1/runs/export": { text: "" },
      "GET /v1/usage": { body: { items: [], total: {} } },
    });

    const { code, stderr } = await spawnMkt(line.split(" "), {
      home,
      environment: { ...service.env, TZ: "Europe/Lisbon" },
    });

    expect(code, stderr).toBe(0);
    expect(service.requests[0]?.query[flag]).toBe(instant);
  });

  test.each([
    "runs --since",
    "runs export --until",
    "usage --since",
    "keys create --label ci --expires",
    "budgets runs 01X --window-start",
  ])("refuses what is no time, and asks nothing: mkt %s soonish", async (line) => {
    await using service = await startStandIn({});

    const { exitCode, stderr } = await runMkt([...line.split(" "), "soonish"], service);

    expect(exitCode).toBe(2);
    expect(stderr).toContain("'soonish' is invalid. It must be a time: ");
    expect(service.requests).toEqual([]);
  });
});

describe("a time on a screen", () => {
  const now = Date.parse("2026-03-10T12:00:00Z");
  const at = (ms: number) => new Date(now + ms).toISOString();

  test.each<[ms: number, words: string]>([
    [0, "just now"],
    [-59 * SECOND, "just now"],
    [5 * SECOND, "just now"],
    [30 * SECOND, "in a moment"],
    [-MINUTE, "1 min ago"],
    [-HOUR + 1, "59 min ago"],
    [-HOUR, "1 h ago"],
    [-DAY + 1, "23 h ago"],
    [-DAY, "1 d ago"],
    [-7 * DAY + 1, "6 d ago"],
    [3 * DAY, "in 3 d"],
    [-400 * DAY, dayWords(at(-400 * DAY))],
    [30 * DAY, dayWords(at(30 * DAY))],
  ])("%i ms from now is %s", (ms, words) => {
    expect(whenWords(at(ms), now)).toBe(words);
  });

  test("of one thing is exact, with its zone, and tells how long ago", () => {
    expect(timeWords(at(-3 * MINUTE), now)).toMatch(/^2026-03-10 \d\d:57:00 (UTC|[+-]\d\d:\d\d) \(3 min ago\)$/);
    expect(timeWords(at(-30 * DAY), now)).not.toContain("(");
  });

  test("that is none is shown as it came", () => {
    expect([whenWords("soon"), timeWords("soon"), dayWords("soon"), clockWords("soon"), exactTime("soon")]).toEqual(
      Array.from({ length: 5 }, () => "soon"),
    );
  });
});
