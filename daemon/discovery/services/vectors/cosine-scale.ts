/** What cosines of one model mean for one catalog: every model has its own scale. */
export interface CosineScale {
  /** The best match of an off-topic query has at most this cosine. */
  readonly offTopic: number;
  /** The median cosine of an ask and its own endpoint. */
  readonly right: number;
}

/** The minimum distance between the two; a model below it cannot be used. */
const LEAST_GAP = 0.02;
/** The quantile of the best cosines of off-topic sentences: the catalog may actually serve the highest of them. */
const OFF_TOPIC_SHARE = 0.95;
/** The share of the gap that is added to that, because only some such sentences were tried. */
const MARGIN = 0.25;

/**
 * Computed from the best cosine of each off-topic sentence, and the cosines between asks and their own endpoints, whose
 * texts were read without that ask. Undefined when the model does not separate the catalog's asks from off-topic
 * sentences.
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
 * Converts a cosine to a score from 0 to 2, on the scale of the ranking by words. A cosine in the range of off-topic
 * sentences gets at most twice the floor, so that its mean with a score of 0 by words does not pass the floor; one as
 * high as those of asks gets 1 + floor. Between and around the two it is linear.
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

/** The quantile: the value that this share of all values does not exceed; 0 for an empty list. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0;
}
