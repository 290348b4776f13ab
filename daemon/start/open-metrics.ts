import type { OpenParts } from "../base/open-parts.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { ReadWhenAsked } from "../metrics/read-when-asked.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import { listening } from "./listening.ts";

/** What counts, where the configuration asks for it. The code for it is loaded here: without metrics it costs no start anything. */
export async function openMetrics({
  metricsListen,
  version,
}: Pick<DaemonConfig, "metricsListen" | "version">): Promise<ServiceMetrics | undefined> {
  if (metricsListen === undefined) return undefined;
  const { ServiceMetrics: Metrics } = await import("../metrics/service-metrics.ts");
  return new Metrics(version);
}

const SETTING = "MKT_METRICS_LISTEN";

/** The URL of the metrics; undefined where there are none. Throws `ConfigRefused` if the address cannot be used. */
export async function serveMetrics(
  { metricsListen, allowedHosts }: Pick<DaemonConfig, "metricsListen" | "allowedHosts">,
  opened: OpenParts,
  metrics: ServiceMetrics | undefined,
  sources: ReadWhenAsked,
): Promise<string | undefined> {
  if (metrics === undefined || metricsListen === undefined) return undefined;
  metrics.readAlso(sources);
  const { openMetricsServer } = await import("../metrics/metrics-server.ts");
  const { host, port } = metricsListen;
  const server = await listening({ host, port, setting: SETTING, hostSetting: SETTING }, () =>
    openMetricsServer(metrics, { host, port, allowedHosts }),
  );
  opened.use(server);
  return server.url;
}
