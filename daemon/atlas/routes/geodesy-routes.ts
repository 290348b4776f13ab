import type * as GeographicLib from "geographiclib-geodesic";
import { z } from "zod";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import { latitude, longitude, queryNumber } from "./query-values.ts";
import type { SlicedWork } from "../basics/slices.ts";
import { round, type GeoPoint } from "../time/sun-and-moon.ts";

type Geodesy = Pick<typeof GeographicLib, "Geodesic">;

const MILLIMETRES = 3;
/** About a centimetre on the ground. */
const DEGREE_PLACES = 7;

const point = z.strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) });

/** Distances, directions and areas on the WGS 84 ellipsoid by GeographicLib, to the millimetre. */
export const geodesyRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "POST",
    path: "/distance",
    body: z.strictObject({
      points: z.array(point).min(2).max(100),
      waypoints: z.int().min(0).max(1000).default(0),
      area: z.boolean().default(false),
    }),
    async answer({ body }, { slices, closing }) {
      const geodesy = await loadGeodesy();
      return ok(await slices.run(measurePath(geodesy, body), { signal: closing }));
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/destination",
    query: z.strictObject({
      latitude,
      longitude,
      bearing: queryNumber(-360, 360),
      meters: queryNumber(0, 40_000_000),
    }),
    async answer({ query }) {
      const { Geodesic } = await loadGeodesy();
      const end = Geodesic.WGS84.Direct(query.latitude, query.longitude, query.bearing, query.meters);
      return ok({
        latitude: round(end.lat2 ?? Number.NaN, DEGREE_PLACES),
        longitude: round(end.lon2 ?? Number.NaN, DEGREE_PLACES),
        finalBearing: compass(end.azi2),
      });
    },
  }),
];

/** The package is CommonJS: in Node all of it is the default export. */
async function loadGeodesy(): Promise<Geodesy> {
  return (await import("geographiclib-geodesic")).default;
}

function* measurePath(
  { Geodesic }: Geodesy,
  { points, waypoints, area }: { points: readonly GeoPoint[]; waypoints: number; area: boolean },
): SlicedWork<object> {
  const legs: { meters: number; initialBearing: number; finalBearing: number }[] = [];
  const lines: { line: { Position(meters: number): { lat2?: number; lon2?: number } }; meters: number }[] = [];
  const polygon = Geodesic.WGS84.Polygon(false);
  for (const [index, to] of points.entries()) {
    yield 0;
    polygon.AddPoint(to.latitude, to.longitude);
    const from = points[index - 1];
    if (from === undefined) continue;
    const leg = Geodesic.WGS84.Inverse(from.latitude, from.longitude, to.latitude, to.longitude);
    const meters = leg.s12 ?? Number.NaN;
    legs.push({
      meters: round(meters, MILLIMETRES),
      initialBearing: compass(leg.azi1),
      finalBearing: compass(leg.azi2),
    });
    lines.push({
      line: Geodesic.WGS84.InverseLine(from.latitude, from.longitude, to.latitude, to.longitude),
      meters,
    });
  }
  const totalMeters = lines.reduce((sum, { meters }) => sum + meters, 0);
  const along: GeoPoint[] = [];
  for (let count = 1; count <= waypoints; count += 1) {
    if (count % 20 === 0) yield 0;
    along.push(positionAt(lines, (totalMeters * count) / (waypoints + 1)));
  }
  return {
    totalMeters: round(totalMeters, MILLIMETRES),
    legs,
    waypoints: along,
    ...(area ? { area: describeArea(polygon.Compute(false, true)) } : {}),
  };
}

/** The position at this many metres from the start of the path. */
function positionAt(
  lines: readonly { line: { Position(meters: number): { lat2?: number; lon2?: number } }; meters: number }[],
  metersFromStart: number,
): GeoPoint {
  let left = metersFromStart;
  const leg = lines.find(({ meters }, index) => {
    if (left <= meters || index === lines.length - 1) return true;
    left -= meters;
    return false;
  });
  const position = leg?.line.Position(left);
  return {
    latitude: round(position?.lat2 ?? Number.NaN, DEGREE_PLACES),
    longitude: round(position?.lon2 ?? Number.NaN, DEGREE_PLACES),
  };
}

/**
 * The area inside the points, closed by a line from the last to the first; its sign (the direction of rotation) is
 * dropped.
 */
function describeArea({ area, perimeter }: { area?: number; perimeter: number }) {
  return { squareMeters: Math.abs(round(area ?? Number.NaN, 2)), perimeterMeters: round(perimeter, MILLIMETRES) };
}

/** Degrees clockwise from north, 0 to 360. */
function compass(azimuth: number | undefined): number {
  return round(((azimuth ?? Number.NaN) + 360) % 360, 4);
}
