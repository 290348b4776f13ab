import { z } from "zod";
import type { AtlasTables } from "../tables/atlas-tables.ts";
import { AtlasError } from "../basics/atlas-error.ts";
import { zonesOfCountry } from "../tables/locales.ts";
import { reportKind } from "./report-kind.ts";
import type { SlicedWork } from "../basics/slices.ts";
import { formatInstant, formatOffset, ZoneOffsets } from "../time/zone-offset.ts";
import { findTransitions, type ZoneTransition } from "../time/zone-transitions.ts";

interface TimeZoneReportInput {
  readonly fromYear: number;
  readonly toYear: number;
  readonly country?: string | undefined;
}

/** All past and future clock changes of every zone over a span of years. */
export const timeZoneReport = reportKind({
  input: () =>
    z.strictObject({
      fromYear: z.int().min(1900).max(2100).default(2000),
      toYear: z.int().min(1900).max(2100).default(2030),
      country: z.string().min(2).max(100).optional(),
    }),
  async prepare(input, tables) {
    if (input.toYear < input.fromYear) throw new AtlasError(422, "toYear: must not be before fromYear.");
    const zones = input.country === undefined ? tables.zones() : zonesOfCountry(tables.getCountryCode(input.country));
    return reportZones(zones, input, tables);
  },
});

function* reportZones(zones: readonly string[], input: TimeZoneReportInput, tables: AtlasTables): SlicedWork<object> {
  const fromMs = Date.UTC(input.fromYear, 0, 1);
  const toMs = Date.UTC(input.toYear + 1, 0, 1);
  const countriesByZone = yield* tables.countriesByZoneWork();
  const reported = [];
  for (const [index, zone] of zones.entries()) {
    const percent = (done: number) => (100 * (index + done)) / zones.length;
    yield percent(0);
    const offsets = new ZoneOffsets(zone);
    const search = findTransitions(offsets, fromMs, toMs);
    let step = search.next();
    for (; step.done !== true; step = search.next()) yield percent(step.value / 100);
    reported.push({
      zone,
      countries: countriesByZone.get(zone) ?? [],
      ...summarise(offsets.offsetSeconds(fromMs), step.value),
    });
  }
  return {
    fromYear: input.fromYear,
    toYear: input.toYear,
    tzVersion: process.versions["tz"] ?? null,
    zoneCount: reported.length,
    transitionCount: reported.reduce((sum, { transitions }) => sum + transitions, 0),
    zones: reported,
  };
}

function summarise(startOffset: number, transitions: readonly ZoneTransition[]) {
  const offsets = new Set([startOffset, ...transitions.map((transition) => transition.offsetAfterSeconds)]);
  const [first] = transitions;
  const last = transitions.at(-1);
  return {
    offsets: [...offsets].sort((a, b) => a - b).map(formatOffset),
    transitions: transitions.length,
    firstTransition: first === undefined ? null : formatInstant(first.atMs),
    lastTransition: last === undefined ? null : formatInstant(last.atMs),
  };
}
