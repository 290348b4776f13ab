import { approvalRuleRoutes } from "../approvals/rule-routes.ts";
import { catalogRoutes } from "../catalog/routes.ts";
import { secretVerdictRoutes } from "../secret-verdicts/routes.ts";
import { secretRoutes } from "../catalog/secret-routes.ts";
import type { Clock } from "../base/clock.ts";
import { connectionRoutes } from "../connections/routes.ts";
import { catalogViewRoutes } from "../console/catalog/routes.ts";
import { overviewRoutes } from "../console/overview/routes.ts";
import { eventRoutes } from "../console/events/routes.ts";
import { consoleRoutes } from "../console/routes.ts";
import { controlRoutes } from "../controls/routes.ts";
import { discoveryRoutes } from "../discovery/routes.ts";
import { healthRoute } from "../http/routes/health-route.ts";
import { llmsRoute } from "../http/routes/llms-route.ts";
import { readyRoute } from "../http/routes/ready-route.ts";
import { openApiRoute } from "../http/routes/openapi-route.ts";
import type { Route } from "../http/routes/route.ts";
import { identityRoutes } from "../identity/routes.ts";
import { adminRoutes } from "../operator/admin-routes.ts";
import { backupRoutes } from "../operator/backup-routes.ts";
import type { BackupStore } from "../operator/backup-store.ts";
import { registryRoutes } from "../registry/routes.ts";
import { resourceRoutes } from "../resources/routes.ts";
import { approvalRoutes } from "../runs/approval-routes.ts";
import { runRoutes } from "../runs/routes.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import type { Services } from "./open-services.ts";
import { usageRoutes } from "../usage/routes.ts";
import { scheduleRoutes } from "../schedules/routes.ts";
import { sealCursors } from "../http/cursors/seal-cursors.ts";
import { walletRoutes } from "../wallet/routes.ts";
import { webhookRoutes } from "../webhooks/routes.ts";

export interface RouteFacts {
  readonly version: string;
  readonly clock: Clock;
  readonly store: DaemonStore;
  /** Whether browsers are served a console. */
  readonly console: boolean;
  /** The folder of the catalog that comes with the program; undefined without one. */
  readonly bundledDir: string | undefined;
  readonly draining: () => boolean;
  /** False while the disk is full. */
  readonly hasRoom: () => boolean;
  /** Since when the storage does not answer, ISO 8601. */
  readonly awaySince: () => string | undefined;
  /** Number of places on the disk that are known to be damaged. */
  readonly damagedPlaces: () => number;
  readonly backups: BackupStore;
  /** The version installed on the disk, if it is another build than the running one. */
  readonly replacedBy: () => Promise<string | undefined>;
}

/** Every route of the service. */
export function serviceRoutes(services: Services, facts: RouteFacts): Route[] {
  const { version, clock, draining, hasRoom, awaySince, damagedPlaces, backups, replacedBy } = facts;
  const { settings, secrets, catalog, index, health, discovery, runs, identity, wallet, usage, controls, resources } =
    services;
  const startedAtMs = clock.now();
  return [
    healthRoute({ version, uptimeMs: () => clock.now() - startedAtMs, draining, hasRoom, damagedPlaces, replacedBy }),
    readyRoute({ draining, awaySince }),
    openApiRoute(),
    llmsRoute(),
    ...identityRoutes({ identity }),
    ...walletRoutes({ wallet, sealer: services.sealer }),
    ...catalogRoutes({ catalog, health, clock, verdicts: services.secretVerdicts, accounts: services.connections }),
    ...catalogViewRoutes({
      catalog,
      health,
      verdicts: services.secretVerdicts,
      accounts: services.connections,
      imports: services.documentImports,
      bundledDir: facts.bundledDir,
    }),
    ...secretRoutes({ secrets, catalog }),
    ...secretVerdictRoutes({ secretVerdicts: services.secretVerdicts, catalog }),
    ...discoveryRoutes({ discovery, catalog, uses: services.uses }),
    ...registryRoutes({ catalog, index }),
    ...runRoutes({
      runs,
      catalog,
      ids: identity.ids,
      marketId: services.marketId,
      mirrorProviderStatus: () => settings.get().mirrorProviderStatus,
    }),
    ...scheduleRoutes({ schedules: services.schedules, catalog }),
    ...usageRoutes({ usage }),
    ...controlRoutes({ controls, ids: identity.ids }),
    ...approvalRoutes({ runs, ids: identity.ids }),
    ...approvalRuleRoutes({ approvalRules: services.approvalRules, ids: identity.ids }),
    ...resourceRoutes({ resources, ids: identity.ids }),
    ...webhookRoutes({ webhooks: services.webhooks }),
    ...connectionRoutes({ connections: services.connections }),
    ...adminRoutes({ identity, wallet, settings }),
    ...overviewRoutes({ ...services, store: facts.store, clock, approvals: runs.approvals }),
    ...eventRoutes({ hub: services.events, sealer: services.sealer, store: facts.store, clock }),
    ...consoleRoutes({ sessions: services.consoleSessions, way: services.signInWay, isOn: facts.console }),
    ...backupRoutes({ backups }),
  ].map((one) => sealCursors(one, services.sealer));
}
