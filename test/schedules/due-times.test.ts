import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DueTimes } from "../../daemon/schedules/due-times.ts";
import { wallClockOf } from "../../daemon/schedules/wall-clock.ts";
import { effort } from "../support/effort.ts";
import { referenceDueTimes } from "./reference-due-times.ts";

/** When schedules are due. docs/schedules.md, "Patterns" and "When the clocks change". */

const due = (cron: string, timeZone: string, after: string, count: number) =>
  new DueTimes({ cron, timeZone }).list(Date.parse(after), count).map((ms) => new Date(ms).toISOString().slice(0, 16));

describe("a change of the clocks", () => {
  test("moves what was wanted in the skipped hour by that hour, once", () => {
    expect(due("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3)).toEqual([
      "2026-03-28T01:30",
      "2026-03-29T01:30",
      "2026-03-30T00:30",
    ]);
  });

  test("runs what is wanted in the hour that comes twice the first time only", () => {
    expect(due("30 2 * * *", "Europe/Berlin", "2026-10-24T00:00:00Z", 3)).toEqual([
      "2026-10-24T00:30",
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
  });

  test("does not stop what is wanted every hour, and does not hurry it", () => {
    expect(due("30 * * * *", "Europe/Berlin", "2026-10-24T23:00:00Z", 4)).toEqual([
      "2026-10-24T23:30",
      "2026-10-25T00:30",
      "2026-10-25T01:30",
      "2026-10-25T02:30",
    ]);
    expect(due("30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3)).toEqual([
      "2026-03-29T00:30",
      "2026-03-29T01:30",
      "2026-03-29T02:30",
    ]);
  });

  test("makes one due time of two readings that fall on one moment", () => {
    expect(due("0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 3)).toEqual([
      "2026-03-29T01:00",
      "2026-03-30T00:00",
      "2026-03-30T01:00",
    ]);
  });

  test("may be half an hour, and a whole day that a country left out", () => {
    expect(due("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", 2)).toEqual([
      "2026-10-03T15:45",
      "2026-10-04T15:15",
    ]);
    expect(due("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 2)).toEqual([
      "2011-12-29T22:00",
      "2011-12-30T22:00",
    ]);
  });
});

const ZONES = ["Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca"];
const PATTERNS = [
  "30 2 * * *",
  "0 7 * * 1-5",
  "*/30 1-3 * * *",
  "15 * * * *",
  "0 0 1 * *",
  "59 23 * * 0",
  "0 12 29 2 *",
  "5,35 */6 * * *",
];

describe("over two years", () => {
  test.each(ZONES)("the due times in %s are those that counting every minute gives", (timeZone) => {
    const [from, until] = [Date.parse("2027-01-01T00:00:00Z"), Date.parse("2029-01-01T00:00:00Z")];
    const expected = referenceDueTimes(PATTERNS, timeZone, { from, until });
    for (const [index, cron] of PATTERNS.entries()) {
      expect(all(cron, timeZone, from, until), cron).toEqual(expected[index]);
    }
  });

  test("any pattern near a change of the clocks is due when counting every minute says so", () => {
    const changes = ["2027-03-28", "2027-10-31", "2027-03-14", "2027-11-07", "2027-04-04", "2027-10-03"];
    const numbers = (most: number) =>
      fc.uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 4 }).map((list) => list.join(","));
    const hour = fc.oneof(fc.constant("*"), fc.constant("*/2"), numbers(23), fc.constant("0-4"));
    const pattern = fc.tuple(numbers(59), hour).map(([minute, hours]) => `${minute} ${hours} * * *`);
    fc.assert(
      fc.property(pattern, fc.constantFrom(...ZONES), fc.constantFrom(...changes), (cron, timeZone, day) => {
        const from = Date.parse(`${day}T00:00:00Z`) - 43_200_000;
        const until = from + 2 * 86_400_000;
        expect(all(cron, timeZone, from, until)).toEqual(referenceDueTimes([cron], timeZone, { from, until })[0]);
      }),
      { numRuns: effort(40, 2_000) },
    );
  });

  test("the last due time up to a moment is the one before the next", () => {
    const times = new DueTimes({ cron: "30 2 * * 1", timeZone: "Europe/Lisbon" });
    const at = Date.parse("2027-03-28T02:00:00Z");
    const next = times.next(at) ?? 0;

    expect(times.last(next)).toBe(next);
    expect(times.next(times.last(next - 1) ?? 0)).toBe(next);
  });

  test("the last due time is found in few steps, however many have been", () => {
    class Counted extends DueTimes {
      steps = 0;
      override next(afterMs: number): number | undefined {
        this.steps += 1;
        return super.next(afterMs);
      }
    }
    const times = new Counted({ cron: "* * * 1 *", timeZone: "Europe/Lisbon" });

    expect(times.last(Date.parse("2027-11-23T12:00:00Z"))).toBe(Date.parse("2027-01-31T23:59:00Z"));
    expect(times.steps).toBeLessThan(100);
  });

  test("the last due time up to any moment is the one that the list of all ends with", () => {
    const pattern = fc.constantFrom("30 2 * * *", "*/20 1-3 * * *", "0 7 * * 1-5", "0 0 1 */5 *");
    const from = Date.parse("2027-01-01T00:00:00Z");
    const minutes = fc.integer({ min: 200 * 1_440, max: 400 * 1_440 });
    fc.assert(
      fc.property(pattern, fc.constantFrom(...ZONES), minutes, (cron, timeZone, minute) => {
        const until = from + minute * 60_000;
        expect(new DueTimes({ cron, timeZone }).last(until)).toBe(all(cron, timeZone, from, until + 1).at(-1));
      }),
      { numRuns: effort(20, 500) },
    );
  });
});

describe("what cannot be used is refused with an example", () => {
  test.each([
    ["0 7 * *", "five"],
    ["0 25 * * *", "hour"],
    ["whenever", '"0 7 * * 1-5"'],
    ["0 0 30 2 *", "is never due"],
  ])("the pattern %s", (cron, words) => {
    expect(() => new DueTimes({ cron, timeZone: "UTC" })).toThrow(words);
  });

  test("a time zone has one clock, however its name is spelled", () => {
    expect(wallClockOf("EUROPE/lisbon")).toBe(wallClockOf("Europe/Lisbon"));
    expect(() => wallClockOf("Europe/Li\u017Fbon")).toThrow(RangeError);
  });

  test.each(["Lisbon", "Europe/Lissabon", "+01:00", ""])("the time zone %s", (timeZone) => {
    expect(() => new DueTimes({ cron: "0 7 * * *", timeZone })).toThrow("names such as Europe/Lisbon");
  });
});

function all(cron: string, timeZone: string, from: number, until: number): number[] {
  const times = new DueTimes({ cron, timeZone });
  const found: number[] = [];
  for (let at = times.next(from - 1); at !== undefined && at < until; at = times.next(at)) found.push(at);
  return found;
}
