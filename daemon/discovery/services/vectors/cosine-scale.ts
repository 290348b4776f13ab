/** What cosines of one model mean for one catalog: every model has a scale of its own. */
export interface CosineScale {
  /** What is off topic has no better match than this. */
  readonly offTopic: number;
  /** What an ask and its own endpoint have, in the middle. */
  readonly right: number;
}

/** A model that does not tell the two apart by so much tells nothing. */
const LEAST_GAP = 0.02;
/** Of the best cosines of off-topic sentences: the highest may be of one that a catalog does serve. */
const OFF_TOPIC_SHARE = 0.95;
/** Of the gap, added to that: there are more such sentences than were tried. */
const MARGIN = 0.25;

/**
 * Out of the best cosine of each off-topic sentence, and of the cosines between asks and their own endpoints, whose texts
 * were read without that ask. Undefined when the model does not tell the catalog's asks from what is off topic.
 */
export function fitCosineScale(
  offTopicBest: readonly number[],
  ownCosines: readonly number[],
): CosineScale | undefined {
  const [nearest, right] = [quantile(offTopicBest, OFF_TOPIC_SHARE), quantile(ownCosines, 0.5)];
  const gap = right - nearest;
  return gap < LEAST_GAP ? undefined : { offTopic: nearest + MARGIN * gap, right };
}

/**
 * A cosine as a score from 0 to 2, on the scale that the ranking by words has: what is not nearer than off-topic sentences
 * come gets at most twice the floor, so that the mean of it and of no words at all does not pass the floor; what is as near
 * as asks are gets 1 + floor. Between and around the two it is linear.
 */
export function meaningScore(cosine: number, { offTopic, right }: CosineScale, floor: number): number {
  const atOffTopic = Math.min(2 * floor, HIGHEST_AT_OFF_TOPIC);
  const atRight = (2 + atOffTopic) / 2;
  const nearness = (cosine - offTopic) / (right - offTopic);
  const score = nearness < 0 ? atOffTopic * (1 + nearness) : atOffTopic + (atRight - atOffTopic) * nearness;
  return Math.min(MAX_SCORE, Math.max(0, score));
}

const MAX_SCORE = 2;
const HIGHEST_AT_OFF_TOPIC = 1.8;

/** The value that so large a share of all does not exceed; 0 of none. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0;
}
