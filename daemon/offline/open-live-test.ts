import { askedFolders, type ForeignPaths } from "../catalog/reading/named-paths.ts";
import { systemClock } from "../base/clock.ts";
import { parseDaemonConfig } from "../config/daemon-config.ts";
import { openOperatorCatalog } from "./open-operator-catalog.ts";
import { type LivePlan, planLive } from "../rehearsal/live/live-plan.ts";
import type { LiveTestParts } from "../rehearsal/live/live-test.ts";
import { isChosen, noSuchEndpoint } from "../rehearsal/chosen-endpoints.ts";

export interface LiveSettings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataDir: string;
  readonly allowPrivateHosts: string[] | undefined;
  /** Only this endpoint. */
  readonly endpoint: string | undefined;
}

export type OpenLiveTest = Pick<LiveTestParts, "catalog" | "clock" | "allowPrivateHosts"> & { readonly plan: LivePlan };

/**
 * What `mkt catalog test --live` would do, with the settings, grants and secrets that a daemon of this configuration
 * has; makes no calls. Rejects with `ConfigRefused`, and with notFound for a path or an endpoint that does not exist.
 */
export async function openLiveTest(named: ForeignPaths, settings: LiveSettings): Promise<OpenLiveTest> {
  const { environment, dataDir, allowPrivateHosts, endpoint } = settings;
  const config = parseDaemonConfig(
    { dataDir, ...(allowPrivateHosts !== undefined && { allowPrivateHost: allowPrivateHosts }) },
    { environment, version: "", bundledCatalogDir: named.bundledDir ?? "" },
  );
  const { folders, isAsked } = await askedFolders(named);
  const catalog = await openOperatorCatalog(config, folders, named.readerScript);
  const entries = catalog
    .entries()
    .filter((entry) => isAsked(entry.provider.file) && (endpoint === undefined || isChosen(entry, endpoint)));
  if (endpoint !== undefined && entries.length === 0) throw noSuchEndpoint(endpoint);
  const clock = systemClock;
  const plan = await planLive(catalog, entries, { clock, named: endpoint !== undefined });
  return { plan, catalog, clock, allowPrivateHosts: config.allowPrivateHosts };
}
