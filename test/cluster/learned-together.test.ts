import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openUseFile } from "../../daemon/storage/documents/use-file.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

const HANG_MS = 120_000;
const SOON = { timeout: 15_000 };
const QUERY = "weather forecast for a city";
const PROVIDERS = ["calm", "dry", "wet"];

let upstream: FakeProvider;
beforeEach(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /now", { json: { rain: 0 } });
});
afterEach(async () => {
  await upstream[Symbol.asyncDispose]();
});

async function startOn(url: string, home: MktHome = mktHome()): Promise<TestDaemon> {
  const endpoint = {
    description: "Weather forecast for a city: rain, wind and temperature.",
    request: { method: "GET", path: "/now" },
    price: { type: "PER_CALL", amount: 0.01 },
  };
  const http = { baseUrl: upstream.url, allowPrivateNetwork: true };
  return await startTestDaemon({
    home,
    manifests: Object.fromEntries(PROVIDERS.map((name) => [name, { http, endpoints: { "/forecast": endpoint } }])),
    environment: { MKT_DATABASE_URL: url, MKT_DATABASE_KEY: "ab".repeat(32) },
  });
}

describe.skipIf(!hasPostgres)(`what daemons on one database learn (${NEEDS_POSTGRES})`, { timeout: HANG_MS }, () => {
  test("raises the same matches at all of them, also at one that joins later, until it is erased at any", async () => {
    await using database = await emptyDatabase();
    await using a = await startOn(database.url);
    await using b = await startOn(database.url);
    const orderAt = async ({ url }: TestDaemon) => {
      const { body } = await askWith(url, a.key)("POST", "/v1/discover", { query: QUERY });
      return body.results.map(({ provider }: { provider: string }) => provider);
    };
    // At one that is gone then: an ask that no run follows may be followed by a later one.
    const first = await startOn(database.url);
    const before = await orderAt(first);
    await first[Symbol.asyncDispose]();
    const last = before.at(-1);
    const use = async (asked: TestDaemon, ran: TestDaemon) => {
      await orderAt(asked);
      const wish = { provider: last, endpoint: "/forecast", input: {} };
      expect((await askWith(ran.url, a.key)("POST", "/v1/run", wish)).status).toBe(200);
    };

    await use(a, b);
    await use(b, a);

    // Each daemon has learned of its own answers, whichever drove the runs.
    const learned = async () => {
      const rows = await database.query("select body from documents where name like 'learned/%'");
      return rows.flatMap(({ body }) => JSON.parse(String(body)).uses.map((one: unknown[]) => one[4]));
    };
    await expect.poll(learned, SOON).toEqual([2]);
    const raised = await orderAt(a);
    expect(raised).not.toEqual(before);
    expect(await orderAt(b)).toEqual(raised);
    await using c = await startOn(database.url);
    expect(await orderAt(c)).toEqual(raised);

    const erased = await askWith(c.url, a.key)("DELETE", "/v1/discover/learned");

    expect(erased.body).toEqual({ erased: 1 });
    expect([await orderAt(a), await orderAt(b), await orderAt(c)]).toEqual([before, before, before]);
    expect(await learned()).toEqual([]);
  });

  test("goes on from what a daemon learned for itself before, unless it was erased in the meantime", async () => {
    await using database = await emptyDatabase();
    await using first = await startOn(database.url);
    const { workspaceId } = (await first.request("GET", "/v1/auth/whoami")).body.workspace;
    const use = { workspaceId, actor: "a", provider: "calm", endpoint: "/forecast", stems: ["weather"], count: 2 };
    const day = Math.floor(Date.now() / 86_400_000);
    const homeThatLearned = async () => {
      const home = mktHome();
      mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
      await openUseFile(home.dataDir).write([{ ...use, day }]);
      return home;
    };
    const rows = async () => await database.query("select body from documents where name like 'learned/%'");

    const home = await homeThatLearned();
    await using second = await startOn(database.url, home);

    expect((await rows()).map(({ body }) => JSON.parse(String(body)).uses)).toEqual([
      [["a", "calm", "/forecast", ["weather"], 2, day]],
    ]);
    expect(readFileSync(join(home.dataDir, "learned", "uses.ndjson"), "utf8")).not.toContain("calm");
    expect((await askWith(second.url, first.key)("DELETE", "/v1/discover/learned")).body).toEqual({ erased: 1 });
    await using third = await startOn(database.url, await homeThatLearned());
    expect((await fetch(`${third.url}/ready`)).status).toBe(200);
    expect((await rows()).map(({ body }) => JSON.parse(String(body)).uses)).toEqual([[]]);
  });
});
