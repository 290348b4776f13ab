import type * as AstronomyEngine from "astronomy-engine";
import { formatInstant, ZoneOffsets } from "./zone-offset.ts";

/** The package, loaded at first use. */
export type Astronomy = typeof AstronomyEngine;

const DAY_MS = 86_400_000;
const RISING = 1;
const SETTING = -1;
/** Altitude of the sun's centre when its upper edge touches the horizon, including refraction. */
const HORIZON_DEGREES = -0.833;

const PHASES = [
  "New moon",
  "Waxing crescent",
  "First quarter",
  "Waxing gibbous",
  "Full moon",
  "Waning gibbous",
  "Last quarter",
  "Waning crescent",
] as const;

/** Degrees; north and east are positive. */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
}

/** A day at a place: `[startMs, endMs)`, 24 hours except when a zone's clocks change. */
export interface LocalDay {
  readonly date: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly offsets?: ZoneOffsets;
}

/** The calendar day in a zone, or, without one, from one mean solar midnight at the place to the next. */
export function localDay(date: string, place: GeoPoint, offsets: ZoneOffsets | undefined): LocalDay {
  const midnightMs = Date.parse(date);
  if (offsets !== undefined) {
    return {
      date,
      startMs: offsets.instantOf(midnightMs),
      endMs: offsets.instantOf(midnightMs + DAY_MS),
      offsets,
    };
  }
  const startMs = midnightMs - (place.longitude / 360) * DAY_MS;
  return { date, startMs, endMs: startMs + DAY_MS };
}

/**
 * Sunrise, sunset, noon and twilights of a day at sea level. A time is null when the event does not occur on the day.
 */
export function sunOfDay(astronomy: Astronomy, place: GeoPoint, day: LocalDay) {
  const observer = new astronomy.Observer(place.latitude, place.longitude, 0);
  const start = new Date(day.startMs);
  const days = (day.endMs - day.startMs) / DAY_MS;
  const within = (time: { date: Date } | null): number | null =>
    time === null || time.date.getTime() >= day.endMs ? null : time.date.getTime();
  const riseMs = within(astronomy.SearchRiseSet(astronomy.Body.Sun, observer, RISING, start, days));
  const setMs = within(astronomy.SearchRiseSet(astronomy.Body.Sun, observer, SETTING, start, days));
  const noon = astronomy.SearchHourAngle(astronomy.Body.Sun, observer, 0, start);
  const write = (timeMs: number | null) => (timeMs === null ? null : formatInstant(timeMs, day.offsets));
  const twilight = (degrees: number) => ({
    dawn: write(within(astronomy.SearchAltitude(astronomy.Body.Sun, observer, RISING, start, days, degrees))),
    dusk: write(within(astronomy.SearchAltitude(astronomy.Body.Sun, observer, SETTING, start, days, degrees))),
  });
  return {
    date: day.date,
    sunrise: write(riseMs),
    solarNoon: write(noon.time.date.getTime()),
    sunset: write(setMs),
    noonAltitudeDegrees: round(noon.hor.altitude, 2),
    ...daylight(riseMs, setMs, day, noon.hor.altitude),
    civilTwilight: twilight(-6),
    nauticalTwilight: twilight(-12),
    astronomicalTwilight: twilight(-18),
  };
}

function daylight(riseMs: number | null, setMs: number | null, day: LocalDay, noonAltitude: number) {
  if (riseMs === null && setMs === null) {
    const up = noonAltitude > HORIZON_DEGREES;
    return { daylightMinutes: up ? (day.endMs - day.startMs) / 60_000 : 0, sun: up ? "up all day" : "down all day" };
  }
  const fromMs = riseMs ?? day.startMs;
  const toMs = setMs ?? day.endMs;
  // Where it is light at midnight, the sun may set before it rises on the same day.
  const lightMs = toMs >= fromMs ? toMs - fromMs : day.endMs - day.startMs - (fromMs - toMs);
  return { daylightMinutes: round(lightMs / 60_000, 1), sun: "rises or sets" };
}

/** Moonrise and moonset of a day; about once a month one of them does not occur and is null. */
export function moonOfDay(astronomy: Astronomy, place: GeoPoint, day: LocalDay) {
  const observer = new astronomy.Observer(place.latitude, place.longitude, 0);
  const days = (day.endMs - day.startMs) / DAY_MS;
  const search = (direction: number) => {
    const time = astronomy.SearchRiseSet(astronomy.Body.Moon, observer, direction, new Date(day.startMs), days);
    const found = time !== null && time.date.getTime() < day.endMs;
    return found ? formatInstant(time.date.getTime(), day.offsets) : null;
  };
  return { moonrise: search(RISING), moonset: search(SETTING) };
}

/** The moon as seen from the centre of the earth at an instant. */
export function moonAt(astronomy: Astronomy, instantMs: number) {
  const at = new Date(instantMs);
  const phaseDegrees = astronomy.MoonPhase(at);
  return {
    phase: PHASES[Math.round(phaseDegrees / 45) % 8] ?? PHASES[0],
    phaseDegrees: round(phaseDegrees, 2),
    illuminatedPercent: round(astronomy.Illumination(astronomy.Body.Moon, at).phase_fraction * 100, 1),
  };
}

/** The next events after an instant: four quarters, the nearest and farthest points, and an eclipse of the moon. */
export function moonAhead(astronomy: Astronomy, instantMs: number) {
  const at = new Date(instantMs);
  let quarter = astronomy.SearchMoonQuarter(at);
  const quarters = [];
  for (let count = 0; count < 4; count += 1) {
    quarters.push({ phase: PHASES[(quarter.quarter * 2) % 8] ?? PHASES[0], at: writeTime(quarter.time) });
    quarter = astronomy.NextMoonQuarter(quarter);
  }
  const first = astronomy.SearchLunarApsis(at);
  const apsides = [first, astronomy.NextLunarApsis(first)].map((apsis) => ({
    kind: apsis.kind === astronomy.ApsisKind.Pericenter ? "perigee" : "apogee",
    at: writeTime(apsis.time),
    distanceKilometres: Math.round(apsis.dist_km),
  }));
  const eclipse = astronomy.SearchLunarEclipse(at);
  return { quarters, apsides, nextLunarEclipse: { kind: eclipse.kind, at: writeTime(eclipse.peak) } };
}

/** Distance between the centres of earth and moon. */
export function moonDistanceKilometres(astronomy: Astronomy, instantMs: number): number {
  return Math.round(astronomy.GeoMoon(new Date(instantMs)).Length() * astronomy.KM_PER_AU);
}

/** A time of astronomy-engine in UTC. */
export function writeTime(time: { date: Date }): string {
  return formatInstant(time.date.getTime());
}

export function round(value: number, places: number): number {
  return Number(value.toFixed(places));
}
