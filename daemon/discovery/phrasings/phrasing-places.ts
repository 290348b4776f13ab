import type { DiscoverExplanation } from "../../../shared/contract/discovery.ts";

type Phrasings = readonly [string, ...string[]];
/** For each phrasing the place of a match there, from 1; undefined where it was not found. */
type Places = readonly (number | undefined)[];

/** The phrasing that has a match highest, of several the first; the query for a match without places. */
export function bestPhrasing(phrasings: Phrasings, places: Places = []): string {
  const best = Math.min(...places.map((place) => place ?? Number.POSITIVE_INFINITY));
  return phrasings[places.indexOf(best)] ?? phrasings[0];
}

/** The phrasings that found a match with its place in each, best place first. */
export function phrasingPlaces(
  phrasings: Phrasings,
  places: Places,
): NonNullable<DiscoverExplanation["phrasings"]>[number][] {
  return phrasings
    .flatMap((phrasing, at) => {
      const place = places[at];
      return place === undefined ? [] : [{ phrasing, place }];
    })
    .sort((one, other) => one.place - other.place);
}
