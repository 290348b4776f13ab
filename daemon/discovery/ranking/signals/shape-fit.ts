import { dayOf } from "../../../catalog/entries/covered-days.ts";
import type { Covers } from "../../../manifest/parts/covers.ts";
import type { EndpointEffect, EndpointShape } from "../../documents/endpoint-shape.ts";
import type { Intents, WantedEffect } from "../query/intents.ts";
import type { AskedDays } from "../query/asked-days.ts";

/** How what an endpoint takes, does and covers fits what a query brings and wants. */
export interface ShapeFit {
  /** The number of constraints of the query that it cannot meet: the place, the time, the language. */
  readonly uncovered: number;
  /** It takes something that the query brings, such as an address of the internet. */
  readonly takesBrought: number;
  /** Whether it answers only for an identifier or a title, and the query has none. */
  readonly lacksId: boolean;
  /** Whether it searches by words. */
  readonly searches: boolean;
  /** It answers only for coordinates, and these are what the query asks for. */
  readonly takesWanted: number;
  /** It deletes what the query only wants to see, or only shows what is to be deleted. */
  readonly otherEffect: number;
  /** It changes what the query only wants to see, or does not delete what is to be deleted: a little lower in the order. */
  readonly otherOrder: number;
}

export const NO_SHAPE: ShapeFit = {
  uncovered: 0,
  takesBrought: 0,
  lacksId: false,
  searches: false,
  takesWanted: 0,
  otherEffect: 0,
  otherOrder: 0,
};

/** `today`: the number of the day since 1970. */
export function fitShape(intents: Intents, shape: EndpointShape | undefined, today: number): ShapeFit {
  if (shape === undefined) return NO_SHAPE;
  const { brings, bringsId, hasTopic, wantsCoordinates, regions, days, languages, effect } = intents;
  return {
    uncovered:
      Number(!coversRegion(shape.covers, regions)) +
      Number(!coversDays(shape.covers, days, today)) +
      Number(!coversLanguage(shape.covers, languages)),
    takesBrought: Number([...brings].some((kind) => kind !== "coordinates" && shape.takes.has(kind))),
    lacksId: (shape.needsId && !bringsId && !brings.has("code")) || (shape.needsTitle && hasTopic),
    searches: shape.takes.has("text") && !shape.needsId && !shape.needsTitle,
    takesWanted: Number(wantsCoordinates && shape.needsCoordinates),
    otherEffect: Number(effect !== undefined && isOther(effect, shape.effect)),
    otherOrder: Number(effect !== undefined && isLower(effect, shape)),
  };
}

function coversRegion({ regions = "world" }: Covers, asked: ReadonlySet<string>): boolean {
  return regions === "world" || asked.size === 0 || regions.some((region) => asked.has(region));
}

function coversLanguage({ languages }: Covers, asked: ReadonlySet<string>): boolean {
  return languages === undefined || asked.size === 0 || languages.some((language) => asked.has(language));
}

function coversDays({ period }: Covers, asked: AskedDays | undefined, today: number): boolean {
  if (period === undefined || asked === undefined) return true;
  const from = period.from === undefined ? Number.NEGATIVE_INFINITY : dayOf(period.from, "from", today);
  const to = period.to === undefined ? Number.POSITIVE_INFINITY : dayOf(period.to, "to", today);
  return asked.from <= to && asked.to >= from;
}

/**
 * Only where the contradiction is plain: what is to go is not read or created, and what is to be seen not deleted. Asks to
 * send, create or change something contradict nothing: their verbs are too often nouns, and many a GET makes something.
 */
function isOther(wanted: WantedEffect, does: EndpointEffect): boolean {
  return (
    (wanted === "deletes" && (does === "reads" || does === "creates")) || (wanted === "reads" && does === "deletes")
  );
}

/** By the method alone, unless something is to go: a call by POST says by its name that it deletes. */
function isLower(wanted: WantedEffect, { effect, byMethod }: EndpointShape): boolean {
  if (wanted === "deletes") return effect !== "deletes";
  return wanted === "reads" ? byMethod !== undefined : byMethod === "deletes";
}
