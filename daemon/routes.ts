import { catalogRoutes } from "./catalog/routes.ts";
import type { Clock } from "./clock.ts";
import { discoveryRoutes } from "./discovery/routes.ts";
import { healthRoute } from "./http/health-route.ts";
import { openApiRoute } from "./http/openapi-route.ts";
import type { Route } from "./http/route.ts";
import { identityRoutes } from "./identity/routes.ts";
import { adminRoutes } from "./operator/admin-routes.ts";
import { registryRoutes } from "./registry/routes.ts";
import { resourceRoutes } from "./resources/routes.ts";
import { runRoutes } from "./runs/routes.ts";
import type { Services } from "./services.ts";
import { walletRoutes } from "./wallet/routes.ts";

export interface RouteFacts {
  readonly version: string;
  readonly clock: Clock;
  readonly draining: () => boolean;
}

/** Every route of the service. */
export function serviceRoutes(services: Services, { version, clock, draining }: RouteFacts): Route[] {
  const { settings, catalog, index, health, discovery, runs, identity, wallet } = services;
  const startedAtMs = clock.now();
  return [
    healthRoute({ version, uptimeMs: () => clock.now() - startedAtMs, draining }),
    openApiRoute(),
    ...identityRoutes({ identity }),
    ...walletRoutes({ wallet }),
    ...catalogRoutes({ catalog, health, clock }),
    ...discoveryRoutes({ discovery, catalog }),
    ...registryRoutes({ catalog, index }),
    ...runRoutes({ runs, catalog, mirrorProviderStatus: () => settings.get().mirrorProviderStatus }),
    ...resourceRoutes(),
    ...adminRoutes({ identity, wallet, settings }),
  ];
}
