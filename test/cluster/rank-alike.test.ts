import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeRoute } from "../runs/routes/serve-route.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

const HANG_MS = 120_000;
const QUERY = "weather forecast for a city";

let upstream: FakeProvider;
beforeEach(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /dry", { json: { rain: 0 } });
  upstream.on("GET /wet", { status: 500, json: {} });
  upstream.on("GET /closed", { status: 429, json: {} });
});
afterEach(async () => {
  await upstream[Symbol.asyncDispose]();
});

function manifests(): Record<string, object> {
  const endpoint = (path: string) => ({
    description: "Weather forecast for a city: rain, wind and temperature.",
    request: { method: "GET", path },
    price: { type: "PER_CALL", amount: 0.01 },
  });
  const http = { baseUrl: upstream.url, allowPrivateNetwork: true, retry: { attempts: 1 } };
  return {
    dry: { http, endpoints: { "/forecast": endpoint("/dry") } },
    wet: { http, endpoints: { "/forecast": endpoint("/wet") } },
    closed: { http, endpoints: { "/forecast": endpoint("/closed") } },
  };
}

/** A daemon with folders of its own. */
async function join(url: string): Promise<TestDaemon> {
  const home = mktHome();
  writeRoute(home, "forecast", {
    input: {},
    members: [{ endpoint: "closed/forecast" }, { endpoint: "dry/forecast" }],
  });
  return await startTestDaemon({
    home,
    manifests: manifests(),
    environment: { MKT_DATABASE_URL: url, MKT_DATABASE_KEY: "ab".repeat(32) },
  });
}

describe.skipIf(!hasPostgres)(`daemons on one database (${NEEDS_POSTGRES})`, { timeout: HANG_MS }, () => {
  test("give the same order and figures, whichever drove the runs and members, and so does one that joins later", async () => {
    await using database = await emptyDatabase();
    await using a = await join(database.url);
    await using b = await join(database.url);
    const run = async (daemon: TestDaemon, provider: string) => {
      const wish = { provider, endpoint: "/forecast", input: {} };
      const { status, text } = await askWith(daemon.url, a.key)("POST", "/v1/run", wish);
      expect([status, text]).toEqual([200, expect.any(String)]);
    };
    const found = async (daemon: TestDaemon) => {
      const { body } = await askWith(daemon.url, a.key)("POST", "/v1/discover", { query: QUERY });
      return body.results.map(({ provider, endpoint, score, metrics }: any) => ({
        provider,
        endpoint,
        score,
        metrics,
      }));
    };

    for (let turn = 0; turn < 4; turn += 1) {
      await run(a, "dry");
      await run(b, "wet");
      // Its first member refuses, which says something of that member at both.
      await run(turn % 2 === 0 ? a : b, "routes");
    }

    const atA = await found(a);
    expect(Object.fromEntries(atA.map(({ provider, metrics }: any) => [provider, metrics.status]))).toMatchObject({
      dry: "healthy",
      wet: "degraded",
      closed: "degraded",
    });
    expect(await found(b)).toEqual(atA);
    await using c = await join(database.url);
    expect(await found(c)).toEqual(atA);

    await run(c, "wet");
    await run(b, "dry");
    const later = await found(c);
    expect(later).not.toEqual(atA);
    expect([await found(a), await found(b)]).toEqual([later, later]);
  });
});
