import type { EndpointMetrics } from "../../shared/contract/discovery.ts";
import { durationWords } from "../../shared/words/duration-words.ts";

/** `healthy, 12 ms`: how an endpoint does and how long half of its runs take; undefined where nothing is known. */
export function healthWords(metrics: EndpointMetrics | undefined): string | undefined {
  if (metrics === undefined || metrics.status === "unknown") return undefined;
  const median = metrics.runTimeMs?.p50;
  return median === undefined ? metrics.status : `${metrics.status}, ${durationWords(median)}`;
}
