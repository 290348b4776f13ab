import { type Ask, askWith } from "../support/request.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 24;

const upTo = (value: number, period: string) => ({ spendLimit: { amount: { value, currency: "USD" }, period } });
const KEYS = [
  { label: "nightly-import", ...upTo(2, "DAY") },
  { label: "growth-app", ...upTo(40, "MONTH") },
  { label: "analyst" },
];

export interface BusyWorld extends AsyncDisposable {
  readonly world: ConsoleWorld;
  /** A run with an output that is a table. */
  readonly runId: string;
}

/**
 * A workspace as a team has it after some weeks: runs of several keys, teams and providers on each day, failures, a provider
 * that is down, a run that waits for approval, one under way, and a budget of which 85 percent are spent.
 */
export async function startBusyWorld(): Promise<BusyWorld> {
  let behindMs = DAYS * DAY_MS;
  const vendor = await startFakeProvider();
  const world = await startConsoleWorld({
    clock: { now: () => Date.now() - behindMs },
    environment: { MKT_STARTING_CREDIT: "500" },
    allowPrivateHosts: ["127.0.0.1"],
    manifests: { openrates: ratesManifest(vendor.url), geodata: placesManifest(vendor.url), acme: COMPANIES },
  });
  const { daemon, vendor: meteo } = world;
  answerAll(vendor, meteo);
  const keys = await Promise.all(
    KEYS.map(async (one) => {
      const { body } = await daemon.request("POST", "/v1/api-keys", { role: "member", ...one });
      return askWith(daemon.url, body.key);
    }),
  );
  const calls = callsOfADay();
  for (let day = 0; day < DAYS; day += 1) {
    // Weekends are quiet, and the use grows.
    const isWeekend = [0, 6].includes(new Date(Date.now() - behindMs).getUTCDay());
    const count = isWeekend ? 2 : 5 + Math.floor(day / 4) + (day % 3);
    for (let index = 0; index < count; index += 1) {
      const call = calls[(day * 5 + index * 3) % calls.length];
      const ask = keys[(day + index) % keys.length] ?? daemon.request;
      await ask("POST", "/v1/run", call);
      behindMs -= Math.floor((9 * HOUR_MS) / count);
    }
    behindMs -= DAY_MS - Math.floor((9 * HOUR_MS) / count) * count;
  }
  behindMs = 0;
  const runId = await endOnABadDay(world, vendor, keys);
  return {
    world,
    runId,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

const inMicros = (dollars: number) => ({
  value: Math.round(dollars * 1_000_000),
  unit: "MICRO_DOLLAR",
  currency: "USD",
});

async function endOnABadDay({ daemon }: ConsoleWorld, vendor: FakeProvider, keys: readonly Ask[]): Promise<string> {
  const { request } = daemon;
  vendor.on("GET /rates", { status: 503, json: { message: "maintenance" } });
  for (let count = 0; count < 5; count += 1) {
    await request("POST", "/v1/run", { provider: "openrates", endpoint: "/latest", input: { base: "EUR" } });
  }
  const { body } = await request("POST", "/v1/run", {
    provider: "meteo",
    endpoint: "/now",
    input: { city: "Lisbon" },
    tags: { team: "growth", campaign: "autumn" },
  });
  await request("POST", "/v1/run", {
    provider: "meteo",
    endpoint: "/report",
    input: { topic: "rain in Lisbon", limit: 20 },
  });
  await request("POST", "/v1/controls/approval-rules", { limitAmount: inMicros(1) });
  for (const [index, country] of ["PT", "ES"].entries()) {
    const ask = keys[index] ?? request;
    await ask("POST", "/v1/run", { provider: "geodata", endpoint: "/boundaries", input: { country } });
  }
  const { workspace } = (await request("GET", "/v1/auth/whoami")).body;
  await request("POST", `/v1/admin/workspaces/${workspace.workspaceId}/credits`, {
    amount: { value: 250, currency: "USD" },
    reason: "Budget of the fourth quarter",
  });
  const { spent, wallet } = (await request("GET", "/v1/overview")).body;
  // Rounded up to ten cents, as a person would.
  const limit = Math.ceil(((spent.month.value + wallet.held.value) / 0.85) * 10) / 10;
  const budgets = "/v1/controls/workspace/budgets";
  await request("POST", budgets, { period: "MONTH", limitAmount: inMicros(limit) });
  await request("POST", budgets, { period: "DAY", limitAmount: inMicros(20) });
  return body.runId;
}

function callsOfADay(): readonly object[] {
  const now = (city: string, team: string) => ({
    provider: "meteo",
    endpoint: "/now",
    input: { city },
    tags: { team },
  });
  return [
    now("Lisbon", "growth"),
    { provider: "openrates", endpoint: "/latest", input: { base: "EUR" }, tags: { team: "finance" } },
    now("Porto", "growth"),
    { provider: "geodata", endpoint: "/places", input: { name: "Faro" }, tags: { team: "data" } },
    { provider: "geodata", endpoint: "/boundaries", input: { country: "PT" }, tags: { team: "data" } },
    { provider: "meteo", endpoint: "/plain" },
    { provider: "openrates", endpoint: "/latest", input: { base: "USD" }, tags: { team: "finance" } },
  ];
}

function answerAll(vendor: FakeProvider, meteo: FakeProvider): void {
  const days = Array.from({ length: 7 }, (_, day) => ({
    day: `2026-11-${20 + day}`,
    celsius: [14.2, 15.1, 15.8, 13.9, 12.4, 13, 14.6][day],
    rain: day === 3,
    windKmh: 11 + day * 3,
    summary: ["clear", "clear", "cloudy", "showers", "cloudy", "clear", "clear"][day],
  }));
  meteo.on("GET /now", { json: { city: "Lisbon", country: "PT", days } });
  meteo.on(
    "GET /plain",
    { json: { ok: true } },
    { json: { ok: true } },
    { status: 500, json: { message: "overloaded" } },
  );
  meteo.on("POST /reports", { json: { id: "r1" } });
  meteo.on("GET /reports/r1", { json: { status: "working", progress: 42 } });
  meteo.on("DELETE /reports/r1", { json: {} });
  vendor.on("GET /rates", { json: { base: "EUR", rates: [{ currency: "USD", rate: 1.0824 }] } });
  vendor.on("GET /places", { json: { items: [{ name: "Faro", latitude: 37.0194, longitude: -7.9304 }] } });
  vendor.on("GET /boundaries", { json: { items: [{ name: "Faro" }, { name: "Beja" }] } });
}

const text = (description: string) => ({ type: "string", description });

/** Its secret is not set. */
const COMPANIES = {
  displayName: "Acme Companies",
  http: { baseUrl: "https://api.acme.example", auth: { type: "bearer", token: "${secret.key}" } },
  secrets: { key: { env: "ACME_API_KEY", description: "From the settings of your account" } },
  endpoints: {
    "/companies": {
      description: "A company by its name.",
      request: { method: "GET" },
      price: { type: "PER_CALL", amount: 0.02 },
    },
  },
};

function ratesManifest(baseUrl: string): object {
  return {
    displayName: "Open Rates",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/latest": {
        description: "Exchange rates of central banks, of today.",
        request: { method: "GET", path: "/rates" },
        input: { queryParams: { required: ["base"], properties: { base: text("Currency, as EUR") } } },
        price: { type: "PER_CALL", amount: 0.04 },
      },
    },
  };
}

function placesManifest(baseUrl: string): object {
  return {
    displayName: "Geodata",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/places": {
        description: "Places by name, with their coordinates.",
        request: { method: "GET", path: "/places" },
        input: { queryParams: { required: ["name"], properties: { name: text("Name of the place") } } },
        price: { type: "PER_CALL", amount: 0.12 },
      },
      "/boundaries": {
        description: "Boundaries of districts as polygons.",
        request: { method: "GET", path: "/boundaries" },
        input: { queryParams: { required: ["country"], properties: { country: text("Two letters, as PT") } } },
        price: { type: "PER_CALL", amount: 1.25 },
      },
    },
  };
}
