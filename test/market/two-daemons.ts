import type { FakeProvider } from "../support/fake-provider.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/start-daemon.ts";

/** A team's daemon with a vendor behind it, and a laptop's daemon that has the team's as a market. */
export interface TwoDaemons extends AsyncDisposable {
  readonly vendor: FakeProvider;
  readonly team: TestDaemon;
  readonly laptop: TestDaemon;
  /** Runs an endpoint of the team's provider on the laptop. */
  run(endpoint: string, more?: object): ReturnType<TestDaemon["request"]>;
}

/** What a call or a result costs at the team's, in dollars. */
export interface TeamPrices {
  readonly buy?: number;
  readonly list?: number;
}

/** Endpoints of the team: one at once, one whose price is by results, one with jobs, and one that a vendor refuses. */
export function teamManifest(vendorUrl: string, { buy = 0.010001, list = 0.000333 }: TeamPrices = {}): object {
  return {
    displayName: "Acme",
    http: { baseUrl: vendorUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/buy": {
        description: "Buys one thing by its name.",
        request: { method: "POST", path: "/buy" },
        input: { body: { type: "object", properties: { thing: { type: "string" } } } },
        price: { type: "PER_CALL", amount: buy },
      },
      "/list": {
        description: "Lists up to so many things.",
        request: { method: "GET", path: "/list" },
        input: {
          queryParams: {
            type: "object",
            properties: { limit: { type: "integer", minimum: 1, maximum: 50, default: 10 } },
          },
        },
        usage: { count: "$.items", estimate: { count: "input:queryParams.limit", max: "input:queryParams.limit" } },
        output: { select: "$.items" },
        price: { type: "PER_RESULT", amount: list },
      },
      "/work": {
        description: "Works for a while.",
        request: { method: "POST", path: "/work" },
        price: { type: "PER_CALL", amount: 0.02 },
        async: {
          start: { id: "$.id" },
          poll: {
            method: "GET",
            path: "/work/${run.externalId}",
            everyMs: 20,
            status: "$.status",
            states: { running: ["working"], done: ["done"], stopped: ["stopped"] },
          },
          stop: { method: "DELETE", path: "/work/${run.externalId}" },
          runMs: 60_000,
        },
      },
      "/refused": { request: { method: "GET", path: "/refused" }, price: { type: "PER_CALL", amount: 0.5 } },
      "/cut": { request: { method: "GET", path: "/cut" }, price: { type: "PER_CALL", amount: 0.5 } },
    },
  };
}

/** The laptop's file of the team's provider, as `mkt catalog add-market` writes it. */
export function marketManifest(teamUrl: string, more: object = {}, endpoints: object = {}): object {
  const at = (endpoint: string, run: object = {}) => ({
    request: { run: { provider: "acme", endpoint, mode: "sync", deadlineMs: 30_000, ...run } },
    price: { type: "PER_CALL", amount: 0.010001 },
  });
  const thing = { body: { type: "object", properties: { thing: { type: "string" } } } };
  const limit = { queryParams: { type: "object", properties: { limit: { type: "integer" } } } };
  return {
    displayName: "Acme (via the team)",
    secrets: { key: { env: "TEAM_KEY" } },
    http: {
      baseUrl: teamUrl,
      allowPrivateNetwork: true,
      auth: { type: "bearer", token: "${secret.key}" },
      retry: { attempts: 1 },
    },
    source: { kind: "market", ref: `${teamUrl}#acme` },
    endpoints: {
      "/buy": { ...at("/buy"), input: thing },
      "/list": { ...at("/list"), input: limit, price: { type: "PER_RESULT", amount: 0.000333 } },
      "/work": at("/work", { mode: "async", deadlineMs: 60_000 }),
      "/work-at-once": at("/work", { mode: "sync", deadlineMs: 60_000 }),
      "/refused": at("/refused"),
      "/cut": at("/cut"),
      "/gone": at("/gone"),
      "/list-without-quotes": {
        ...at("/list", { additions: false }),
        input: limit,
        price: { type: "PER_RESULT", amount: 0.000333 },
      },
      "/buy-without-quotes": { ...at("/buy", { additions: false }), input: thing },
      ...endpoints,
    },
    ...more,
  };
}

export interface TwoDaemonsOptions {
  /** Further members of the laptop's file. */
  readonly file?: object;
  /** Further endpoints of it. */
  readonly endpoints?: object;
  readonly team?: TestDaemonOptions;
  readonly laptop?: TestDaemonOptions;
  /** The key that the laptop has; without it the team's owner's. */
  readonly keyOf?: (team: TestDaemon) => Promise<string>;
}

export async function startTwoDaemons({
  file = {},
  endpoints = {},
  team: teamOptions = {},
  laptop: laptopOptions = {},
  keyOf,
}: TwoDaemonsOptions = {}): Promise<TwoDaemons> {
  const vendor = await startFakeProvider();
  script(vendor);
  const team = await startTestDaemon({
    ...teamOptions,
    manifests: { acme: teamManifest(vendor.url), ...teamOptions.manifests },
  });
  const key = keyOf === undefined ? team.key : await keyOf(team);
  const laptop = await startTestDaemon({
    environment: { TEAM_KEY: key },
    ...laptopOptions,
    manifests: { "team-acme": marketManifest(team.url, file, endpoints), ...laptopOptions.manifests },
  });
  return {
    vendor,
    team,
    laptop,
    run: async (endpoint, more = {}) =>
      await laptop.request("POST", "/v1/run", { provider: "team-acme", endpoint, ...more }),
    async [Symbol.asyncDispose]() {
      await laptop[Symbol.asyncDispose]();
      await team[Symbol.asyncDispose]();
      await vendor.close();
    },
  };
}

function script(vendor: FakeProvider): void {
  const stopped = new Set<string>();
  const asked = new Map<string, number>();
  let jobs = 0;
  vendor.on("POST /buy", ({ json }) => ({ json: { bought: json } }));
  vendor.on("GET /list", ({ query }) => ({
    json: { items: Array.from({ length: Number(query.get("limit") ?? 3) }, (_, index) => ({ index })) },
  }));
  vendor.on("POST /work", () => ({ status: 202, json: { id: `job-${(jobs += 1)}` } }));
  vendor.on("GET /work/*", ({ path }) => {
    asked.set(path, (asked.get(path) ?? 0) + 1);
    if (stopped.has(path)) return { json: { status: "stopped" } };
    return { json: { status: (asked.get(path) ?? 0) > 3 && !path.includes("long") ? "done" : "working" } };
  });
  vendor.on("DELETE /work/*", ({ path }) => {
    stopped.add(path);
    return { status: 204 };
  });
  vendor.on("GET /refused", { status: 404, json: { message: "no such thing" } });
  vendor.on("GET /cut", { reset: true });
}
