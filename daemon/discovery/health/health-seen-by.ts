import type { EndpointMetrics } from "../../../shared/contract/discovery.ts";
import type { HealthSource } from "./health.ts";

/** Health in the eyes of one workspace, as it is now; each endpoint is looked up once. For a single discovery. */
export function healthSeenBy(source: HealthSource, viewer: string | undefined): Pick<HealthSource, "metrics"> {
  const known = new Map<string, EndpointMetrics>();
  return {
    metrics(provider, endpoint) {
      const key = `${provider}${endpoint}`;
      const metrics = known.get(key) ?? source.metrics(provider, endpoint, viewer);
      known.set(key, metrics);
      return metrics;
    },
  };
}
