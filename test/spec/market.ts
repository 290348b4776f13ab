import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/** A daemon with four providers in a category tree, and the provider behind three of them. */
export interface Market extends AsyncDisposable {
  readonly upstream: FakeProvider;
  readonly daemon: TestDaemon;
}

const ownersRequest = {
  method: "GET",
  path: "/harbours/{harbour}/owners",
};

/**
 * What stands where, so that every rule about nodes has its case: a hidden top and a hidden leaf, a leaf that no top links,
 * one without endpoints, one under two tops, a provider that is placed as a whole.
 */
const categories = {
  mkt: 1,
  tops: [
    {
      id: "sky",
      displayName: "Sky",
      description: "What comes from above",
      children: ["weather", "oceans", "empty", "secret"],
    },
    { id: "business", displayName: "Business", children: ["companies", "oceans"] },
    { id: "attic", displayName: "Attic", hidden: true, children: ["ghosts"] },
    { id: "void", displayName: "Void", children: ["empty"] },
  ],
  leaves: [
    { id: "weather", displayName: "Weather" },
    { id: "oceans", displayName: "Oceans" },
    { id: "companies", displayName: "Companies" },
    { id: "secret", displayName: "Secret", hidden: true },
    { id: "ghosts", displayName: "Ghosts" },
    { id: "empty", displayName: "Empty" },
    { id: "unlinked", displayName: "Unlinked" },
  ],
  providers: { nimbus: ["sky"], tidewise: ["sky"] },
};

function nimbus(baseUrl: string): object {
  const weather = weatherManifest(baseUrl) as { endpoints: Record<string, object> };
  return {
    ...weather,
    displayName: "Nimbus",
    description: "Weather of every city.",
    url: "https://nimbus.example",
    categories: ["sky/weather"],
    endpoints: {
      ...weather.endpoints,
      "/now": {
        ...weather.endpoints["/now"],
        hints: { "look back": { kind: "inspect", endpoint: "/report", comment: "takes a while" }, unit: "In Celsius" },
      },
    },
  };
}

function tidewise(baseUrl: string): object {
  const endpoint = (name: string, more: object) => ({
    displayName: name,
    request: { method: "GET", path: "/tides" },
    price: { type: "PER_CALL", amount: 0.05 },
    ...more,
  });
  return {
    displayName: "Tidewise",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/tides": endpoint("Tide tables", {
        description: "High and low water at a harbour.",
        tags: ["Harbour", "sea"],
        categories: ["sky/oceans", "business/oceans"],
      }),
      "/harbours/{harbour}/owners": endpoint("Owners of a harbour", {
        description: "Companies that own a harbour.",
        request: ownersRequest,
        input: { pathParams: { required: ["harbour"], properties: { harbour: { type: "string" } } } },
        categories: ["business/companies"],
        price: {
          type: "TIERED",
          default: { type: "PER_CALL", amount: 0.001 },
          selectors: [{ label: "Harbour", key: "harbour", in: "pathParam" }],
          tiers: [{ label: "Large", when: { harbour: "rotterdam" }, price: { type: "PER_CALL", amount: 0.002 } }],
        },
      }),
      "/wrecks": endpoint("Wrecks", { description: "Sunken ships near a harbour.", categories: ["attic/ghosts"] }),
      "/cargo": endpoint("Cargo", { description: "Freight that lies in a harbour.", categories: ["sky/secret"] }),
      "/pirates": endpoint("Pirates", { description: "Pirates near a harbour.", enabled: false }),
    },
  };
}

const shuttered = {
  displayName: "Shuttered",
  http: { baseUrl: "https://shuttered.example" },
  endpoints: {
    "/gone": {
      description: "Nothing at a harbour any more.",
      enabled: false,
      request: { method: "GET", path: "/gone" },
      price: { type: "PER_CALL", amount: 0.01 },
    },
  },
};

const locked = {
  displayName: "Locked",
  secrets: { key: { env: "LOCKED_KEY" } },
  http: { baseUrl: "https://locked.example", auth: { type: "bearer", token: "${secret.key}" } },
  endpoints: {
    "/vaults": {
      description: "Vaults of a bank, with a secret key.",
      request: { method: "GET", path: "/vaults" },
      price: { type: "PER_CALL", amount: 0.01 },
    },
  },
};

/** `more`: manifests beside those that all have, out of the address of the provider behind them. */
export async function openMarket(more: (baseUrl: string) => Record<string, object> = () => ({})): Promise<Market> {
  const upstream = await startFakeProvider();
  const home = mktHome();
  writeFileSync(join(home.writeCatalog("trusted", {}), "categories.json"), JSON.stringify(categories));
  const daemon = await startTestDaemon({
    home,
    manifests: {
      nimbus: nimbus(upstream.url),
      tidewise: tidewise(upstream.url),
      shuttered,
      locked,
      ...more(upstream.url),
    },
  });
  return {
    upstream,
    daemon,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** A workspace beside the owner's, with a key of its own that is no operator's. */
export async function openNeighbour(
  daemon: TestDaemon,
): Promise<{ readonly workspaceId: string; readonly key: string }> {
  const made = await daemon.request("POST", "/v1/admin/workspaces", { name: "Neighbour" });
  const { workspaceId } = made.body as { workspaceId: string };
  const minted = await daemon.request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "theirs" });
  return { workspaceId, key: minted.body.key as string };
}
