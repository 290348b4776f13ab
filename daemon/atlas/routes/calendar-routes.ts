import { z } from "zod";
import { AtlasError } from "../basics/atlas-error.ts";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import { CalendarWriter, findDays, FIRST_DAY, LAST_DAY, listCalendars } from "../time/calendar-dates.ts";
import { indexNearMisses } from "../basics/near-misses.ts";
import { isoDate, queryInteger, queryList } from "./query-values.ts";

/** Dates in the world's calendars, from ISO dates and back to them. */
export const calendarRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "GET",
    path: "/calendar/convert",
    query: z.strictObject({ date: isoDate.optional(), to: queryList(30).optional() }),
    answer({ query }, { clock }) {
      const date = query.date ?? new Date(clock.now()).toISOString().slice(0, 10);
      if (date < FIRST_DAY || date > LAST_DAY) {
        throw new AtlasError(422, `date: ${date} is out of range. Send a day from ${FIRST_DAY} to ${LAST_DAY}.`);
      }
      const calendars = query.to?.map(getCalendar) ?? listCalendars();
      const dayMs = Date.parse(date);
      return ok({
        date,
        weekday: new Intl.DateTimeFormat("en-US", { timeZone: "UTC", weekday: "long" }).format(dayMs),
        calendars: calendars.map(({ id, name }) => ({ ...new CalendarWriter(id).write(dayMs), calendarName: name })),
      });
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/calendar/to-iso",
    query: z.strictObject({
      calendar: z.string().min(1).max(100),
      year: queryInteger(-5000, 10_000),
      month: z.string().min(1).max(40),
      day: queryInteger(1, 32),
      era: z.string().min(1).max(60).optional(),
    }),
    async answer({ query }, { slices, closing }) {
      const calendar = getCalendar(query.calendar);
      if (calendar.id === "japanese" && query.era === undefined) {
        throw new AtlasError(
          422,
          "era: the Japanese calendar starts counting years again in each era. Send era, for example Reiwa.",
        );
      }
      const days = await slices.run(findDays(calendar.id, query), { signal: closing });
      const [only, another] = days;
      const asked = `day ${query.day} of month ${query.month} of the year ${query.year}`;
      if (only === undefined) {
        throw new AtlasError(
          404,
          `The calendar "${calendar.id}" has no ${asked} between ${FIRST_DAY} and ${LAST_DAY}. ` +
            "Send month (its number or English name) and era as /calendar/convert writes them.",
        );
      }
      const writer = new CalendarWriter(calendar.id);
      if (another !== undefined) {
        const eras = [...new Set(days.map((dayMs) => writer.write(dayMs).era ?? ""))];
        throw new AtlasError(
          422,
          `era: the calendar "${calendar.id}" has ${asked} in several eras. Send era, one of: ${eras.slice(-8).join(", ")}.`,
        );
      }
      return ok({
        date: new Date(only).toISOString().slice(0, 10),
        ...writer.write(only),
        calendarName: calendar.name,
      });
    },
  }),
];

function getCalendar(given: string): { id: string; name: string } {
  const calendars = listCalendars();
  const found = calendars.find(({ id }) => id === given.toLowerCase());
  if (found !== undefined) return found;
  const index = indexNearMisses(calendars.map(({ id, name }) => ({ id, label: name })));
  throw new AtlasError(
    404,
    `There is no calendar "${given}". Known are ${calendars.map(({ id }) => id).join(", ")}.`,
    index.find(given),
  );
}
