import type { EndpointMetrics } from "../../shared/contract/discovery.ts";
import { createCatalogIndex } from "../../daemon/discovery/index/catalog-index.ts";
import { loadIndexing } from "../../daemon/discovery/index/load-indexing.ts";
import { createDiscovery, type Discovery, type DiscoverySettings } from "../../daemon/discovery/discover.ts";
import type { HealthSource } from "../../daemon/discovery/health/health.ts";
import type { Catalog } from "../../daemon/catalog/catalog.ts";
import { loadCatalog } from "../../daemon/catalog/catalog.ts";
import { catalogFolder, type CatalogFolderFixture } from "../catalog/catalog-folder.ts";
import { atlasCatalogDir } from "../support/bundled-catalog.ts";
import { MemoryGrantStore } from "../support/memory-grant-store.ts";

type Json = Record<string, unknown>;

/** The catalog that comes with the program. */
export async function bundledCatalog(): Promise<Catalog> {
  const folders = [{ dir: atlasCatalogDir(), bundled: true, trusted: true }];
  return await loadCatalog({ folders, grants: new MemoryGrantStore(), environment: {} });
}

/** Three providers in two tops; `skywatch` needs the secret SKYWATCH_KEY. */
export function marketFolder(): CatalogFolderFixture {
  const folder = catalogFolder();
  folder.write("categories", {
    mkt: 1,
    tops: [
      { id: "environment", displayName: "Environment", children: ["weather", "oceans"] },
      { id: "business", displayName: "Business", children: ["companies", "oceans"] },
    ],
    leaves: [
      { id: "weather", displayName: "Weather" },
      { id: "oceans", displayName: "Oceans" },
      { id: "companies", displayName: "Companies" },
    ],
    providers: { nimbus: ["environment"] },
  });
  folder.write("nimbus", {
    ...manifest("nimbus", "Nimbus"),
    url: "https://nimbus.example",
    endpoints: {
      "/forecast": endpoint({
        displayName: "Weather forecast",
        description: "Temperature, wind and rain for the coming days in a city.",
        asks: ["Is it going to rain tomorrow in Porto?"],
        tags: ["Weather", "daily"],
        categories: ["environment/weather"],
        price: { type: "PER_CALL", amount: 0.002 },
        hints: {
          "see what it was like": { kind: "inspect", endpoint: "/history" },
          "good to know": "Days are counted in UTC",
        },
      }),
      "/history": endpoint({
        displayName: "Weather history",
        description: "Past weather in a city, day by day, made in the background.",
        tags: ["weather"],
        categories: ["environment/weather"],
        price: { type: "PER_CALL", amount: 0.05 },
        async: {
          start: { id: "$.id" },
          poll: {
            method: "GET",
            path: "/jobs/${run.externalId}",
            status: "$.s",
            states: { running: ["r"], done: ["d"] },
          },
          runMs: 60_000,
        },
      }),
      "/tides": endpoint({
        displayName: "Tide tables",
        description: "High and low water at a harbour.",
        categories: ["environment/oceans"],
      }),
    },
  });
  folder.write("skywatch", {
    ...manifest("skywatch", "Skywatch"),
    secrets: { key: { env: "SKYWATCH_KEY" } },
    http: { baseUrl: "https://api.skywatch.example", auth: { type: "bearer", token: "${secret.key}" } },
    endpoints: {
      "/v2/getWeatherForecast": endpoint({
        displayName: "Weather forecast by satellite",
        description: "Forecast of clouds and rain out of satellite pictures.",
        categories: ["environment/weather"],
      }),
    },
  });
  folder.write("ledgerly", {
    ...manifest("ledgerly", "Ledgerly"),
    endpoints: {
      "/companies/{id}/owners": endpoint({
        displayName: "Owners of a company",
        description: "Who owns a company, with the share of each owner.",
        tags: ["companies"],
        categories: ["business/companies"],
        request: { method: "GET", path: "/companies/{id}/owners" },
        input: { pathParams: { required: ["id"], properties: { id: { type: "string" } } } },
      }),
    },
  });
  return folder;
}

export interface IndexedMarket extends Disposable {
  readonly catalog: Catalog;
  readonly discovery: Discovery;
  /** Sets how an endpoint did lately. */
  setStatus(provider: string, path: string, status: EndpointMetrics["status"]): void;
}

/** The folder loaded, trusted, with a discovery on it. */
export async function openIndexedMarket({
  environment = {},
  settings = { discoverPool: 200, discoverFloor: 0.2 },
  health: own,
}: {
  readonly environment?: Readonly<Record<string, string>>;
  readonly settings?: DiscoverySettings;
  /** In place of what `setStatus` sets. */
  readonly health?: HealthSource;
} = {}): Promise<IndexedMarket> {
  const folder = marketFolder();
  const catalog = await folder.load({ trusted: true, environment });
  const statuses = new Map<string, EndpointMetrics["status"]>();
  const set = {
    metrics: (provider: string, path: string): EndpointMetrics => ({
      status: statuses.get(provider + path) ?? "unknown",
    }),
  };
  const indexing = await loadIndexing();
  return {
    catalog,
    discovery: createDiscovery({
      catalog,
      index: createCatalogIndex({ entries: () => catalog.entries(), indexing: indexing.options }),
      knowledge: { vectors: indexing.vectors },
      health: own ?? set,
      settings: () => settings,
    }),
    setStatus: (provider, path, status) => statuses.set(provider + path, status),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Paths with their provider, in the order of the matches. */
export function found(matches: Awaited<ReturnType<Discovery["discover"]>>): string[] {
  return matches.map(({ entry }) => `${entry.provider.provider}${entry.path}`);
}

function manifest(provider: string, displayName: string): Json {
  return {
    mkt: 1,
    provider,
    displayName,
    http: { baseUrl: `https://api.${provider}.example`, auth: { type: "none" } },
  };
}

function endpoint(members: Json): Json {
  return {
    request: { method: "GET", path: "/" },
    input: { queryParams: { properties: { city: { type: "string", description: "Name of the city" } } } },
    price: { type: "PER_CALL", amount: 0.01 },
    ...members,
  };
}
