import { z } from "zod";
import { reportKind } from "./report-kind.ts";
import type { SlicedWork } from "../basics/slices.ts";
import { localDay, moonAt, moonOfDay, sunOfDay, type Astronomy, type GeoPoint } from "../time/sun-and-moon.ts";
import { ZoneOffsets } from "../time/zone-offset.ts";

const DAY_MS = 86_400_000;

/** Sun and moon of a place, one row for each day. */
export const almanacReport = reportKind({
  input: (clock) =>
    z.strictObject({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      zone: z.string().min(1).max(100).optional(),
      start: z.iso.date().default(() => `${new Date(clock.now()).getUTCFullYear()}-01-01`),
      days: z.int().min(1).max(1830).default(365),
    }),
  async prepare(input, tables) {
    const offsets = input.zone === undefined ? undefined : new ZoneOffsets(tables.getZone(input.zone));
    return tabulate(await import("astronomy-engine"), input, input.start, input.days, offsets);
  },
});

function* tabulate(
  astronomy: Astronomy,
  { latitude, longitude }: GeoPoint,
  start: string,
  days: number,
  offsets: ZoneOffsets | undefined,
): SlicedWork<object> {
  const place = { latitude, longitude };
  const rows: object[] = [];
  for (let count = 0; count < days; count += 1) {
    yield (100 * count) / days;
    const date = new Date(Date.parse(start) + count * DAY_MS).toISOString().slice(0, 10);
    const day = localDay(date, place, offsets);
    const sun = sunOfDay(astronomy, place, day);
    yield (100 * (count + 0.5)) / days;
    const { phase, illuminatedPercent } = moonAt(astronomy, (day.startMs + day.endMs) / 2);
    rows.push({
      date,
      sunrise: sun.sunrise,
      sunset: sun.sunset,
      solarNoon: sun.solarNoon,
      civilDawn: sun.civilTwilight.dawn,
      civilDusk: sun.civilTwilight.dusk,
      daylightMinutes: sun.daylightMinutes,
      ...moonOfDay(astronomy, place, day),
      moonPhase: phase,
      moonIlluminatedPercent: illuminatedPercent,
    });
  }
  return { ...place, zone: offsets?.zone ?? null, days: rows };
}
