import { z } from "zod";
import { AtlasError } from "../basics/atlas-error.ts";
import { atlasRoute, ok, type AtlasContext, type AtlasRoute } from "./atlas-route.ts";
import { isoDate, queryInteger, queryIntegerOr, queryList } from "./query-values.ts";
import { formatInstant, formatOffset, ZoneOffsets } from "../time/zone-offset.ts";
import { describeTransition, findTransitions } from "../time/zone-transitions.ts";

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;

const zoneName = z.string().min(1).max(100);

/** Clocks: the current time here and elsewhere, and when clocks change. */
export const timeRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "GET",
    path: "/time/now",
    query: z.strictObject({ zone: zoneName.default("UTC") }),
    answer({ query }, { tables, clock }) {
      return ok(describeMoment(clock.now(), tables.getZone(query.zone)));
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/time/convert",
    query: z.strictObject({ time: z.string().max(40).optional(), from: zoneName.default("UTC"), to: queryList(50) }),
    answer({ query }, context) {
      const from = context.tables.getZone(query.from);
      const { instantMs, localTime } = readTime(query.time, new ZoneOffsets(from), context);
      return ok({
        ...describeMoment(instantMs, from),
        localTime,
        converted: query.to.map((zone) => describeMoment(instantMs, context.tables.getZone(zone))),
      });
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/time/transitions",
    query: z.strictObject({
      zone: zoneName,
      fromYear: queryInteger(1850, 2100),
      toYear: queryInteger(1850, 2100),
      limit: queryIntegerOr(100, 1, 500),
    }),
    async answer({ query }, { tables, slices, closing }) {
      const { fromYear, toYear, limit } = query;
      if (toYear < fromYear) throw new AtlasError(422, "toYear: must not be before fromYear.");
      const zone = tables.getZone(query.zone);
      const work = findTransitions(new ZoneOffsets(zone), Date.UTC(fromYear, 0, 1), Date.UTC(toYear + 1, 0, 1));
      const transitions = await slices.run(work, { signal: closing });
      return ok({
        zone,
        tzVersion: process.versions["tz"] ?? null,
        total: transitions.length,
        transitions: transitions.slice(0, limit).map(describeTransition),
      });
    },
  }),
];

type LocalTimeKind = "unique" | "ambiguous" | "skipped";

/** Reads a local time or an instant; `ambiguous` and `skipped` mark times at which clocks change. */
function readTime(
  time: string | undefined,
  offsets: ZoneOffsets,
  { clock }: AtlasContext,
): { instantMs: number; localTime: LocalTimeKind } {
  if (time === undefined) return { instantMs: clock.now(), localTime: "unique" };
  const iso = time.replace(" ", "T");
  if (isoDate.safeParse(iso.slice(0, 10)).success) {
    const instantMs = INSTANT.test(time) ? Date.parse(iso) : Number.NaN;
    if (!Number.isNaN(instantMs)) return { instantMs, localTime: "unique" };
    const localMs = LOCAL_TIME.test(time) ? Date.parse(`${iso}Z`) : Number.NaN;
    if (!Number.isNaN(localMs)) {
      const instants = offsets.instantsOf(localMs);
      const localTime = instants.length === 0 ? "skipped" : instants.length === 1 ? "unique" : "ambiguous";
      return { instantMs: offsets.instantOf(localMs), localTime };
    }
  }
  throw new AtlasError(
    422,
    `time: "${time}" is no time. Send one like 2026-03-29T10:30, or with an offset like 2026-03-29T10:30:00Z.`,
  );
}

function describeMoment(instantMs: number, zone: string) {
  const offsets = new ZoneOffsets(zone);
  const offsetSeconds = offsets.offsetSeconds(instantMs);
  const abbreviation = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "short" })
    .formatToParts(instantMs)
    .find((part) => part.type === "timeZoneName")?.value;
  return {
    zone,
    time: formatInstant(instantMs, offsets),
    utc: formatInstant(instantMs),
    offset: formatOffset(offsetSeconds),
    offsetSeconds,
    abbreviation: abbreviation ?? null,
    weekday: new Intl.DateTimeFormat("en-US", { timeZone: zone, weekday: "long" }).format(instantMs),
  };
}
