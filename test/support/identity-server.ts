import { createSealer } from "../../daemon/http/cursors/sealer.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "../../daemon/http/server.ts";
import type { Route } from "../../daemon/http/routes/route.ts";
import { createIdempotency } from "../../daemon/idempotency/idempotency.ts";
import { DEFAULT_HEALTH_SETTINGS, healthSettings } from "../../daemon/discovery/health/health-settings.ts";
import { createAuthenticate } from "../../daemon/identity/authenticate.ts";
import { createIdentityService } from "../../daemon/identity/identity-service.ts";
import { identityRoutes } from "../../daemon/identity/routes.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { adminRoutes } from "../../daemon/operator/admin-routes.ts";
import { createResourceService } from "../../daemon/resources/resource-service.ts";
import { resourceRoutes } from "../../daemon/resources/routes.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { walletRoutes } from "../../daemon/wallet/routes.ts";
import { createWalletService } from "../../daemon/wallet/wallet-service.ts";
import type { AdminSettings, UpdateAdminSettingsRequest } from "../../shared/contract/admin.ts";
import { microDollars } from "../../shared/micro-dollars.ts";
import { memoryKeyUse } from "./memory-key-use.ts";
import { type Answer, request, type RequestOptions } from "./request.ts";

export interface IdentityServer extends AsyncDisposable {
  readonly http: HttpServer;
  readonly store: Store;
  readonly ownerKey: string;
  /** What the log got, as JSON text. */
  readonly log: string[];
  /** Time as the service sees it; tests move it. */
  readonly clock: { nowMs: number };
  /** With the owner's key unless another is given; `null` sends none. */
  call(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

export interface IdentityServerOptions extends Partial<
  Pick<HttpServerOptions, "allowedHosts" | "maxBodyBytes" | "publicOnly" | "connections">
> {
  readonly routes?: readonly Route[];
  readonly unlimited?: boolean;
}

/** A real HTTP server on a free port with identity, wallet and operator routes, on a store in memory. */
export async function startIdentityServer(options: IdentityServerOptions = {}): Promise<IdentityServer> {
  const time = { nowMs: Date.now() };
  const clock = { now: () => time.nowMs };
  const keyUse = memoryKeyUse(clock);
  const parts = { store: openMemoryStore(), clock, newId: createIdSource(), keyUse };
  const identity = createIdentityService(parts);
  const unlimited = options.unlimited === true;
  const owner = await identity.ensureOwner({ startingCredit: unlimited ? "unlimited" : microDollars(10_000_000) });
  if (owner === undefined) {
    throw new Error("a new store has an owner already");
  }
  const wallet = createWalletService({ ...parts, unlimited });
  const log: string[] = [];
  const write = (facts: object, message: string) => void log.push(JSON.stringify({ ...facts, message }));
  const http = createHttpServer({
    idempotency: createIdempotency({ store: parts.store, answerOfRun: async () => undefined }),
    routes: [
      ...identityRoutes({ identity }),
      ...walletRoutes({ wallet, sealer: createSealer(new Uint8Array(32)) }),
      ...adminRoutes({ identity, wallet, settings: memorySettings() }),
      ...resourceRoutes({
        ids: identity.ids,
        resources: createResourceService({ ...parts, ...noThings, onChanged: () => {} }),
      }),
      ...(options.routes ?? []),
    ],
    authenticate: createAuthenticate(parts),
    allowedHosts: options.allowedHosts ?? [],
    maxBodyBytes: options.maxBodyBytes ?? 1_048_576,
    version: "0.1.0-test",
    logger: { debug: write, info: write, warn: write, error: write },
    validateResponses: true,
    publicOnly: options.publicOnly === true,
    connections: options.connections,
  });
  await http.listen("127.0.0.1", 0);
  return {
    http,
    store: parts.store,
    ownerKey: owner.key,
    log,
    clock: time,
    call: async (method, path, call) => await request(http.url + path, method, { key: owner.key, ...call }),
    [Symbol.asyncDispose]: async () => {
      await http.close();
      await keyUse.close();
      await parts.store.close();
    },
  };
}

const noThings = {
  catalog: { findResource: () => undefined },
  provider: { verify: async () => undefined, giveBack: async () => undefined },
};

function memorySettings() {
  let settings: AdminSettings = {
    mirrorProviderStatus: false,
    discoverFloor: 0.2,
    discoverPool: 200,
    health: DEFAULT_HEALTH_SETTINGS,
  };
  return {
    get: () => settings,
    async update({ health, ...change }: UpdateAdminSettingsRequest) {
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      settings = { ...settings, ...given, health: healthSettings(settings.health, health) };
      return settings;
    },
  };
}
