import { z } from "zod";
import { AtlasError } from "../basics/atlas-error.ts";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import { isoDate, latitude, longitude, queryInteger } from "./query-values.ts";
import {
  localDay,
  moonAhead,
  moonAt,
  moonDistanceKilometres,
  moonOfDay,
  sunOfDay,
  writeTime,
} from "../time/sun-and-moon.ts";
import { formatInstant, ZoneOffsets } from "../time/zone-offset.ts";

const zoneName = z.string().min(1).max(100).optional();

/** Sun and moon by astronomy-engine: within about a minute for the centuries around now, on a flat horizon. */
export const skyRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "GET",
    path: "/sun",
    query: z.strictObject({ latitude, longitude, date: isoDate.optional(), zone: zoneName }),
    async answer({ query }, { clock, tables }) {
      const astronomy = await import("astronomy-engine");
      const offsets = query.zone === undefined ? undefined : new ZoneOffsets(tables.getZone(query.zone));
      const day = localDay(query.date ?? today(clock.now(), offsets), query, offsets);
      const { latitude: north, longitude: east } = query;
      return ok({
        latitude: north,
        longitude: east,
        zone: offsets?.zone ?? null,
        ...sunOfDay(astronomy, query, day),
      });
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/moon",
    query: z.strictObject({
      date: isoDate.optional(),
      detail: z.enum(["basic", "full"]).default("basic"),
      latitude: latitude.optional(),
      longitude: longitude.optional(),
      zone: zoneName,
    }),
    async answer({ query }, { clock, tables }) {
      const astronomy = await import("astronomy-engine");
      const instantMs = query.date === undefined ? clock.now() : Date.parse(query.date) + 43_200_000;
      const basic = { at: formatInstant(instantMs), ...moonAt(astronomy, instantMs) };
      if (query.detail === "basic") return ok(basic);
      if ((query.latitude === undefined) !== (query.longitude === undefined)) {
        throw new AtlasError(422, "latitude and longitude: send both for moonrise and moonset, or neither.");
      }
      const offsets = query.zone === undefined ? undefined : new ZoneOffsets(tables.getZone(query.zone));
      const { latitude: north, longitude: east } = query;
      const place = north === undefined || east === undefined ? undefined : { latitude: north, longitude: east };
      const day = place && localDay(query.date ?? today(clock.now(), offsets), place, offsets);
      return ok({
        ...basic,
        distanceKilometres: moonDistanceKilometres(astronomy, instantMs),
        ...moonAhead(astronomy, instantMs),
        ...(place && day ? { date: day.date, ...moonOfDay(astronomy, place, day) } : {}),
      });
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/seasons/{year}",
    params: z.strictObject({ year: queryInteger(1600, 2400) }),
    async answer({ params }) {
      const astronomy = await import("astronomy-engine");
      const seasons = astronomy.Seasons(params.year);
      return ok({
        year: params.year,
        marchEquinox: writeTime(seasons.mar_equinox),
        juneSolstice: writeTime(seasons.jun_solstice),
        septemberEquinox: writeTime(seasons.sep_equinox),
        decemberSolstice: writeTime(seasons.dec_solstice),
      });
    },
  }),
];

function today(nowMs: number, offsets: ZoneOffsets | undefined): string {
  return new Date(offsets?.localMs(nowMs) ?? nowMs).toISOString().slice(0, 10);
}
