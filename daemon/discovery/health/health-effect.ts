import type { DiscoverExplanation, EndpointMetrics } from "../../../shared/contract/discovery.ts";

/** A match as far as health has to do with it. */
export interface HealthyMatch {
  /** Above 0 and below 2. */
  readonly score: number;
  readonly metrics: EndpointMetrics;
  /** What the score was before health lowered it; absent when it did not. */
  readonly scoreBefore?: number;
}

/**
 * Degraded endpoints sink: their score is times the factor, but never below the floor that they have passed, which asks
 * what fits and not what is well.
 */
export function sinkIfDegraded<Match extends HealthyMatch>(
  match: Match,
  { factor, floor }: { readonly factor: number; readonly floor: number },
): Match {
  const { score, metrics } = match;
  const lowered = Math.min(score, Math.max(floor, score * factor));
  return metrics.status === "degraded" && lowered < score ? { ...match, score: lowered, scoreBefore: score } : match;
}

/** The health of a match and what it did to its place, as an explanation has them. */
export function explainHealth({ metrics, score, scoreBefore }: HealthyMatch): DiscoverExplanation["health"] {
  if (scoreBefore !== undefined) return { ...metrics, effect: { kind: "sunk", scoreBefore, score } };
  return metrics.status === "outage" ? { ...metrics, effect: { kind: "last" } } : metrics;
}
