import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  nextCycle,
  periodBoundary,
  renewLead,
  renewLeadMs,
  unpaidGraceMs,
} from "../../daemon/resources/rent-periods.ts";

const month = { unit: "MONTH", count: 1 } as const;
const DAY_MS = 86_400_000;

const periods = fc.record({
  unit: fc.constantFrom("MINUTE" as const, "DAY" as const, "MONTH" as const),
  count: fc.integer({ min: 1, max: 36 }),
});
const starts = fc
  .date({ min: new Date("1999-01-01"), max: new Date("2080-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());

describe("the end of a period", () => {
  test.each([
    ["a month later on the same day", "2026-01-15T08:30:00.000Z", month, 1, "2026-02-15T08:30:00.000Z"],
    ["the last day of a shorter month", "2026-01-31T23:59:59.999Z", month, 1, "2026-02-28T23:59:59.999Z"],
    ["the 29th in a leap year", "2028-01-31T00:00:00.000Z", month, 1, "2028-02-29T00:00:00.000Z"],
    ["the 31st again, counted from the start", "2026-01-31T00:00:00.000Z", month, 2, "2026-03-31T00:00:00.000Z"],
    ["over the end of a year", "2026-12-31T00:00:00.000Z", month, 2, "2027-02-28T00:00:00.000Z"],
    [
      "a year of three-month periods",
      "2026-11-30T00:00:00.000Z",
      { unit: "MONTH", count: 3 } as const,
      4,
      "2027-11-30T00:00:00.000Z",
    ],
    [
      "a day, whatever clocks do anywhere",
      "2026-03-28T12:00:00.000Z",
      { unit: "DAY", count: 1 } as const,
      1,
      "2026-03-29T12:00:00.000Z",
    ],
    [
      "ninety minutes",
      "2026-01-01T23:00:00.000Z",
      { unit: "MINUTE", count: 90 } as const,
      1,
      "2026-01-02T00:30:00.000Z",
    ],
  ])("%s", (_title, start, period, count, end) => {
    expect(periodBoundary(start, period, count)).toBe(end);
  });

  test("comes after the one before, for every start and period", () => {
    fc.assert(
      fc.property(starts, periods, fc.integer({ min: 0, max: 400 }), (start, period, count) => {
        expect(Date.parse(periodBoundary(start, period, count + 1))).toBeGreaterThan(
          Date.parse(periodBoundary(start, period, count)),
        );
      }),
    );
  });

  test("stays on the day of the start, or on the month's last day", () => {
    fc.assert(
      fc.property(starts, fc.integer({ min: 1, max: 300 }), (start, count) => {
        const [day, end] = [new Date(start).getUTCDate(), new Date(periodBoundary(start, month, count))];
        const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
        expect(end.getUTCDate()).toBe(Math.min(day, lastDay));
      }),
    );
  });
});

describe("the next period to pay", () => {
  test("is the one that follows, while that is not over", () => {
    expect(nextCycle("2026-01-31T00:00:00.000Z", month, 1, Date.parse("2026-02-27T00:00:00.000Z"))).toBe(2);
    expect(nextCycle("2026-01-31T00:00:00.000Z", month, 1, Date.parse("2026-03-30T00:00:00.000Z"))).toBe(2);
  });

  test("is never over, and leaves out only what is", () => {
    fc.assert(
      fc.property(
        starts,
        periods,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: -50 * DAY_MS, max: 5_000 * DAY_MS }),
        (start, period, cycle, afterMs) => {
          const nowMs = Date.parse(start) + afterMs;
          const next = nextCycle(start, period, cycle, nowMs);
          expect(next).toBeGreaterThan(cycle);
          expect(Date.parse(periodBoundary(start, period, next))).toBeGreaterThan(nowMs);
          if (next > cycle + 1) expect(Date.parse(periodBoundary(start, period, next - 1))).toBeLessThanOrEqual(nowMs);
        },
      ),
    );
  });
});

test("a month is charged three days ahead and waited for seven; anything shorter a tenth ahead, and one period", () => {
  expect([renewLead(month), unpaidGraceMs(month)]).toEqual([{ unit: "DAY", count: 3 }, 7 * DAY_MS]);
  expect([renewLeadMs({ unit: "DAY", count: 1 }), unpaidGraceMs({ unit: "DAY", count: 1 })]).toEqual([
    DAY_MS / 10,
    DAY_MS,
  ]);
  expect(renewLead({ unit: "MINUTE", count: 1 })).toEqual({ unit: "MINUTE", count: 0.1 });
  expect(unpaidGraceMs({ unit: "DAY", count: 30 })).toBe(7 * DAY_MS);
});
