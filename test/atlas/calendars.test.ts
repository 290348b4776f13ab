import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CalendarWriter, findDays, listCalendars } from "../../daemon/atlas/time/calendar-dates.ts";
import { openAtlas } from "../support/open-atlas.ts";

const DAY_MS = 86_400_000;

function findAll(calendar: string, query: Parameters<typeof findDays>[1]): number[] {
  const work = findDays(calendar, query);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

describe("there and back", () => {
  test.each(listCalendars().map(({ id }) => id))(
    "a day in the calendar %s is found again from what is written",
    (id) => {
      const writer = new CalendarWriter(id);
      const days = fc.integer({ min: Date.UTC(1600, 0, 1) / DAY_MS, max: Date.UTC(2400, 0, 1) / DAY_MS });

      fc.assert(
        fc.property(days, (day) => {
          expect(findAll(id, writer.write(day * DAY_MS))).toContain(day * DAY_MS);
        }),
        { numRuns: 6 },
      );
    },
  );

  test("the last day of the shortest Shōwa year is found", () => {
    const days = findAll("japanese", { era: "Showa", year: 64, month: "1", day: 7 });

    expect(days).toEqual([Date.UTC(1989, 0, 7)]);
  });

  test("the day before a Hebrew leap year's second Adar is found by its name", async () => {
    await using atlas = await openAtlas();
    const { body } = await atlas.get("/calendar/convert", { date: "2024-03-10", to: "hebrew" });
    const { year, monthName, day } = body.calendars[0];

    const back = await atlas.get("/calendar/to-iso", { calendar: "hebrew", year, month: monthName, day });

    expect(back.body).toMatchObject({ date: "2024-03-10", year, monthName, day });
  });
});

describe("well-known days", () => {
  test("Chinese New Year 2024 was on 10 February", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/calendar/to-iso", { calendar: "chinese", year: 2024, month: "1", day: 1 });

    expect(body.date).toBe("2024-02-10");
  });

  test("Nowruz 1403 was on 20 March 2024", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/calendar/to-iso", { calendar: "persian", year: 1403, month: "1", day: 1 });

    expect(body.date).toBe("2024-03-20");
  });

  test("the ISO calendar writes a day as it was sent", async () => {
    await using atlas = await openAtlas();

    const { body } = await atlas.get("/calendar/convert", { date: "2026-02-17", to: "iso8601" });

    expect(body).toMatchObject({ weekday: "Tuesday", calendars: [{ year: 2026, month: "2", day: 17 }] });
  });

  test("without calendars a day is written in all of them", async () => {
    await using atlas = await openAtlas({ clock: { now: () => Date.UTC(2026, 1, 17, 23) } });

    const { body } = await atlas.get("/calendar/convert");

    expect(body.date).toBe("2026-02-17");
    expect(body.calendars.map(({ calendar }: { calendar: string }) => calendar)).toEqual(
      Intl.supportedValuesOf("calendar"),
    );
  });
});

describe("wrong dates", () => {
  test("a day that a month does not have is not found", async () => {
    await using atlas = await openAtlas();

    const { status } = await atlas.get("/calendar/to-iso", { calendar: "gregory", year: 2025, month: "2", day: 29 });

    expect(status).toBe(404);
  });

  test("an unknown calendar is answered with those that exist", async () => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get("/calendar/convert", { to: "herbew" });

    expect(status).toBe(404);
    expect(body.error.suggestions).toContain("hebrew");
  });

  test("a Japanese date without its era is refused", async () => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get("/calendar/to-iso", { calendar: "japanese", year: 1, month: "5", day: 8 });

    expect(status).toBe(422);
    expect(body.error.message).toContain("era");
  });

  test.each(["2026-02-30", "17.2.2026", "0999-12-31"])("%s is refused", async (date) => {
    await using atlas = await openAtlas();

    const { status, body } = await atlas.get("/calendar/convert", { date });

    expect(status).toBe(422);
    expect(body.error.message).toContain("date");
  });
});
