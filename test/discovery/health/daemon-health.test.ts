import { describe, expect, onTestFinished, test } from "vitest";
import type { DiscoverResult } from "../../../shared/contract/discovery.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { type Ask, askWith } from "../../support/request.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../../support/start-daemon.ts";
import { MINUTE } from "./run-history.ts";
import { copyFolder } from "../../support/copy-folder.ts";

/** Two providers of the same data at one upstream: `/first` fits what is asked better, `/second` fits, too. */
interface Market {
  readonly upstream: FakeProvider;
  readonly clock: { nowMs: number; now(): number };
  readonly home: MktHome;
  start(options?: Partial<TestDaemonOptions>): Promise<TestDaemon>;
}

/** `atOnce`: how many calls the providers take at a time. */
async function openMarket({ atOnce = 100 } = {}): Promise<Market> {
  const upstream = await startFakeProvider();
  const home = mktHome();
  onTestFinished(async () => {
    await upstream.close();
    home[Symbol.dispose]();
  });
  upstream.on("GET /first", { status: 500, json: { error: "down" } });
  upstream.on("GET /second", { json: { ok: true } });
  const http = {
    baseUrl: upstream.url,
    allowPrivateNetwork: true,
    retry: { attempts: 1 },
    timeoutMs: 20_000,
    rateLimit: { concurrency: atOnce },
  };
  const endpoint = (path: string, description: string) => ({
    [path]: { request: { method: "GET", path }, displayName: "Weather forecast", description, price: { type: "FREE" } },
  });
  const manifests = {
    nimbus: { http, endpoints: endpoint("/first", "Weather forecast: rain and wind in a city.") },
    cirrus: { http, endpoints: endpoint("/second", "Weather forecast for the coming days, among other things.") },
  };
  const clock = {
    nowMs: Date.now(),
    now: () => clock.nowMs,
  };
  return {
    upstream,
    clock,
    home,
    start: async (options = {}) => await startTestDaemon({ home, manifests, clock, ...options }),
  };
}

const FIRST = { provider: "nimbus", endpoint: "/first" };
const q = "weather forecast with rain and wind in a city";

async function run(ask: Ask, times: number, more: object = {}): Promise<void> {
  for (let i = 0; i < times; i += 1) await ask("POST", "/v1/run", { ...FIRST, input: {}, ...more });
}

async function discover(ask: Ask, more: object = {}): Promise<DiscoverResult[]> {
  const { status, body } = await ask("POST", "/v1/discover", { q, minScore: 0, ...more });
  expect(status).toBe(200);
  return body.results;
}

const endpointsOf = (results: readonly DiscoverResult[]) => results.map(({ endpoint }) => endpoint);

async function statusFor(ask: Ask): Promise<string> {
  return (await ask("POST", "/v1/inspect", FIRST)).body.metrics.status;
}

/** A key of a workspace of its own. */
async function newcomer(daemon: TestDaemon, name: string): Promise<Ask> {
  await daemon.request("POST", "/v1/admin/workspaces", { name });
  const { body } = await daemon.request("POST", `/v1/admin/workspaces/${name}/api-keys`, { label: name });
  return askWith(daemon.url, body.key);
}

describe("an upstream that fails five times", () => {
  test("takes its endpoint out of every discovery, and the next takes its place", async () => {
    const market = await openMarket();
    await using daemon = await market.start();
    const before = await discover(daemon.request, { limit: 1 });

    await run(daemon.request, 4);
    const after4 = await discover(daemon.request);
    await run(daemon.request, 1);
    const after5 = await discover(daemon.request, { limit: 1 });
    const cards = await daemon.request("POST", "/v1/discover/endpoints", { q, minScore: 0 });
    const inPublic = await daemon.request("POST", "/public/v1/discover/endpoints", { q, minScore: 0 });
    const providers = await daemon.request("POST", "/v1/discover/providers", { q, minScore: 0 });

    expect([before, after4, after5].map(endpointsOf)).toEqual([["/first"], ["/second", "/first"], ["/second"]]);
    expect(after4[1]?.metrics?.status).toBe("degraded");
    expect([cards.body.total, inPublic.body.total]).toEqual([1, 1]);
    expect(providers.body.items.map(({ provider }: { provider: string }) => provider)).toEqual(["cirrus"]);
    expect(await statusFor(daemon.request)).toBe("outage");
  });

  test("shows it last to who asks for what is unavailable, and tells why", async () => {
    const market = await openMarket();
    await using daemon = await market.start();

    await run(daemon.request, 5);
    const results = await discover(daemon.request, { includeUnavailable: true, explain: true });

    expect(endpointsOf(results)).toEqual(["/second", "/first"]);
    expect(results[1]).toMatchObject({
      metrics: { status: "outage", runTimeMs: { p50: expect.any(Number), p95: expect.any(Number) } },
      explanation: { health: { status: "outage", effect: { kind: "last" } } },
    });
  });

  test("is shown to nobody unasked while it lasts, can be run all the same, and is back when that succeeds", async () => {
    const market = await openMarket();
    await using daemon = await market.start();
    await run(daemon.request, 5);
    market.clock.nowMs += 14 * MINUTE;

    const during = await discover(daemon.request);
    market.upstream.on("GET /first", { json: { ok: true } });
    await run(daemon.request, 1);
    const back = await discover(daemon.request);
    await run(daemon.request, 4);
    const well = await discover(daemon.request);

    expect(endpointsOf(during)).toEqual(["/second"]);
    expect(endpointsOf(back).toSorted()).toEqual(["/first", "/second"]);
    expect(back.find(({ endpoint }) => endpoint === "/first")?.metrics?.status).toBe("degraded");
    expect([endpointsOf(well), well[0]?.metrics?.status]).toEqual([["/first", "/second"], "stable"]);
  });

  test("is still out after a restart", async () => {
    const market = await openMarket();
    {
      await using daemon = await market.start();
      await run(daemon.request, 5);
    }

    await using daemon = await market.start();

    expect(endpointsOf(await discover(daemon.request))).toEqual(["/second"]);
    expect((await daemon.request("POST", "/public/v1/discover/endpoints", { q, minScore: 0 })).body.total).toBe(1);
  });

  test("is still out after a crash before anything was written beside the journal", async () => {
    const market = await openMarket();
    await using daemon = await market.start();
    using crashed = mktHome();
    await run(daemon.request, 5);
    copyFolder(market.home.dataDir, crashed.dataDir);
    copyFolder(market.home.configDir, crashed.configDir);

    await using after = await market.start({ home: crashed, config: { forceUnlock: true } });

    expect(await statusFor(askWith(after.url, daemon.key))).toBe("outage");
  });
});

describe("a second workspace", () => {
  test("sees neither outage nor degradation by what the first one met alone, and by both it does", async () => {
    const market = await openMarket();
    await using daemon = await market.start();
    const other = await newcomer(daemon, "other");
    const third = await newcomer(daemon, "third");
    await run(daemon.request, 30);
    const alone = await discover(other);

    await run(other, 5);

    expect(alone[0]).toMatchObject({ endpoint: "/first", metrics: { status: "unknown" } });
    expect(endpointsOf(await discover(other))).toEqual(["/second"]);
    expect(endpointsOf(await discover(third))).toEqual(["/second"]);
  });

  test("cannot sink a rival's endpoint by inputs that make it fail, nor by deadlines that it cannot meet", async () => {
    const market = await openMarket();
    market.upstream.on("GET /first", { json: { ok: true } });
    await using daemon = await market.start();
    const rival = await newcomer(daemon, "rival");
    await run(daemon.request, 3);

    market.upstream.on("GET /first", { status: 500 });
    await run(rival, 30);
    market.upstream.on("GET /first", { hang: true });
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => run(rival, 1, { deadlineMs: 1_000 })));

    const [forOwner] = await discover(daemon.request);
    expect(forOwner).toMatchObject({ endpoint: "/first", metrics: { status: "healthy" } });
    const inPublic = await daemon.request("POST", "/public/v1/discover/endpoints", { q, minScore: 0 });
    expect(inPublic.body.total).toBe(2);
    expect(endpointsOf(await discover(rival))).toEqual(["/second"]);
  });

  test("cannot sink it by filling its line, so that others wait in vain", async () => {
    const market = await openMarket({ atOnce: 2 });
    market.upstream.on("GET /first", { hang: true });
    await using daemon = await market.start();
    const rival = await newcomer(daemon, "rival");

    const hogs = Array.from({ length: 20 }, () => run(rival, 1, { deadlineMs: 4_000 }));
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => run(daemon.request, 1, { deadlineMs: 1_000 })));
    await Promise.all(hogs);

    const { body } = await daemon.request("GET", "/v1/runs?limit=50");
    const waited = body.items.filter(({ startedAt }: { startedAt?: string }) => startedAt === undefined);
    expect(waited.length).toBeGreaterThan(0);
    expect(await statusFor(daemon.request)).not.toBe("outage");
  });
});

describe("the operator", () => {
  test("says how many errors are an outage, while the daemon runs", async () => {
    const market = await openMarket();
    await using daemon = await market.start();
    await run(daemon.request, 2);

    const before = await statusFor(daemon.request);
    const change = await daemon.request("PATCH", "/v1/admin/settings", { health: { outageRuns: 2 } });

    expect(before).toBe("degraded");
    expect(change.body.health).toMatchObject({ outageRuns: 2, freshMinutes: 15, degradedFactor: 0.75 });
    expect(await statusFor(daemon.request)).toBe("outage");
  });

  test("says so in the environment, which wins", async () => {
    const market = await openMarket();
    await using daemon = await market.start({ environment: { MKT_HEALTH_OUTAGE_RUNS: "3" } });
    await daemon.request("PATCH", "/v1/admin/settings", { health: { outageRuns: 2 } });

    await run(daemon.request, 2);
    const after2 = await statusFor(daemon.request);
    await run(daemon.request, 1);

    expect([after2, await statusFor(daemon.request)]).toEqual(["degraded", "outage"]);
  });

  test.each([
    ["an outage of one run: one failure hides nothing", { outageRuns: 1 }],
    ["a share above 1", { degradedShare: 1.5 }],
    ["a setting that does not exist", { outageRun: 5 }],
  ])("is refused %s", async (_, health) => {
    const market = await openMarket();
    await using daemon = await market.start();

    const { status, body } = await daemon.request("PATCH", "/v1/admin/settings", { health });

    expect(status).toBe(400);
    expect(body.message).toContain(Object.keys(health)[0]);
  });

  test("is refused a start with a setting that cannot be, by its name", async () => {
    const market = await openMarket();

    const start = market.start({ environment: { MKT_HEALTH_DEGRADED_SHARE: "2" } });

    await expect(start).rejects.toThrow("MKT_HEALTH_DEGRADED_SHARE");
  });
});
