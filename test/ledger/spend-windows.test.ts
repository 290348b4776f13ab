import fc from "fast-check";
import { expect, test } from "vitest";
import { PERIODS, type SpendPeriod, windowEnd, windowStart } from "../../daemon/ledger/money/spend-windows.ts";

/** The beginning of a window, worked out step by step from the calendar: the minutes first, then back to its first day. */
function startByCalendar(period: SpendPeriod, at: string): string {
  const time = new Date(at);
  time.setUTCMinutes(0, 0, 0);
  if (period !== "HOUR") time.setUTCHours(0);
  const isFirstDay = () =>
    period === "WEEK" ? time.getUTCDay() === 1 : period === "MONTH" ? time.getUTCDate() === 1 : true;
  while (!isFirstDay()) time.setUTCDate(time.getUTCDate() - 1);
  return time.toISOString();
}

const anyMoment = fc.date({
  min: new Date("1000-01-10T00:00:00Z"),
  max: new Date("+012000-01-01T00:00:00Z"),
  noInvalidDate: true,
});
/** Moments around one another, as runs ask about them: the hour and the day change in between, and the clock goes back. */
const nearMoments = fc
  .tuple(anyMoment, fc.array(fc.integer({ min: -90 * 60_000, max: 90 * 60_000 }), { minLength: 1 }))
  .map(([first, steps]) => steps.map((ms) => new Date(first.getTime() + ms)));

test("a window begins where the calendar says, in whatever order moments are asked about", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          nearMoments,
          anyMoment.map((one) => [one]),
        ),
      ),
      (groups) => {
        for (const moment of groups.flat()) {
          const at = moment.toISOString();
          for (const period of PERIODS) expect(windowStart(period, at)).toBe(startByCalendar(period, at));
        }
      },
    ),
  );
});

test("a moment lies between the beginning and the end of its window", () => {
  fc.assert(
    fc.property(anyMoment, fc.constantFrom(...PERIODS), (moment, period) => {
      const start = windowStart(period, moment.toISOString());

      expect(Date.parse(start)).toBeLessThanOrEqual(moment.getTime());
      expect(Date.parse(windowEnd(period, start))).toBeGreaterThan(moment.getTime());
    }),
  );
});

test("a moment that is written another way than the service writes it lies in the same window", () => {
  expect(windowStart("DAY", "2026-11-22T23:59:59Z")).toBe("2026-11-22T00:00:00.000Z");
  expect(windowStart("DAY", "2026-11-22T23:59:59+02:00")).toBe("2026-11-22T00:00:00.000Z");
  expect(windowStart("HOUR", "2026-11-22T23:59:59.000+02:00")).toBe("2026-11-22T21:00:00.000Z");
});
