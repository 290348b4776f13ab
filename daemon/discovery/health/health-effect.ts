import type { DiscoverExplanation, EndpointMetrics } from "../../../shared/contract/discovery.ts";

/** The part of a match that health uses. */
export interface HealthyMatch {
  /** Above 0 and below 2. */
  readonly score: number;
  readonly metrics: EndpointMetrics;
  /** What the score was before health lowered it; absent when it did not. */
  readonly scoreBefore?: number;
  /** 0 to 1: how likely it is right, where the ranking alone says it. Health does not change it. */
  readonly chance?: number;
}

/**
 * Lowers degraded endpoints: their score is multiplied by the factor, but never falls below the floor that they have
 * passed, because the floor is about relevance and not health.
 */
export function sinkIfDegraded<Match extends HealthyMatch>(
  match: Match,
  { factor, floor }: { readonly factor: number; readonly floor: number },
): Match {
  const { score, metrics } = match;
  const lowered = Math.min(score, Math.max(floor, score * factor));
  return metrics.status === "degraded" && lowered < score ? { ...match, score: lowered, scoreBefore: score } : match;
}

/** The health of a match and its effect on the ranking, for an explanation. */
export function explainHealth({ metrics, score, scoreBefore }: HealthyMatch): DiscoverExplanation["health"] {
  if (scoreBefore !== undefined) return { ...metrics, effect: { kind: "sunk", scoreBefore, score } };
  return metrics.status === "outage" ? { ...metrics, effect: { kind: "last" } } : metrics;
}
