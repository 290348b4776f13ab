import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { request } from "../../support/request.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../../support/start-daemon.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";

const KEY = "sk-very-secret-0123456789";
/** "Will it rain tonight", in words that no endpoint has. */
const POLISH = "czy wieczorem będzie padać";

let standIn: StandIn;
let home: MktHome;
let log: object[];
beforeEach(async () => {
  [standIn, home, log] = [await startStandIn(), mktHome(), []];
});
afterEach(async () => {
  await standIn[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const endpoint = (displayName: string, description: string) => ({
  displayName,
  description,
  request: { method: "GET", path: "/" },
  price: { type: "PER_CALL", amount: 0.01 },
});

const nimbus = (endpoints: object) => ({
  displayName: "Nimbus",
  http: { baseUrl: "https://api.nimbus.example", auth: { type: "none" } },
  endpoints,
});

const endpoints = {
  "/sky": endpoint("Weather forecast", "Rain and drizzle for the coming days in a city."),
  "/sea": endpoint("Tide tables", "High and low water at a harbour."),
  "/firms": endpoint("Owners of a company", "Shareholders of a firm, with the share that each of them holds."),
};

async function start(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  return await startTestDaemon({
    home,
    manifests: { nimbus: nimbus(endpoints) },
    environment: {
      MKT_EMBEDDINGS_URL: standIn.embeddingsUrl,
      MKT_EMBEDDINGS_MODEL: "small",
      MKT_EMBEDDINGS_KEY: KEY,
      MKT_RERANK_URL: standIn.rerankUrl,
      MKT_RERANK_MODEL: "judge",
      MKT_RERANK_KEY: KEY,
      MKT_DISCOVER_WAIT_MS: "400",
    },
    onLog: (line) => log.push(line),
    ...options,
  });
}

const ask = async (daemon: TestDaemon, q: string, more: object = {}) =>
  (await daemon.request("POST", "/v1/discover", { q, explain: true, ...more })).body;

async function untilUsed(daemon: TestDaemon): Promise<void> {
  await expect.poll(async () => (await ask(daemon, POLISH)).services[0].used).toBe(true);
}

describe("a daemon with services for discovery", () => {
  test("finds by meaning what no word finds, and explains what each service gave", async () => {
    await using daemon = await start();
    await untilUsed(daemon);

    const { results, services } = await ask(daemon, POLISH);

    expect(results.map((result: { endpoint: string }) => result.endpoint)).toEqual(["/sky"]);
    expect(results[0].explanation.words).toEqual([]);
    expect(results[0].explanation.services[0]).toEqual({ name: "embeddings", score: expect.any(Number) });
    expect(services[0]).toEqual({ name: "embeddings", used: true });
  });

  test("is as honest as without: what nothing fits has no results", async () => {
    await using daemon = await start();
    await untilUsed(daemon);

    for (const q of ["tell me a joke", "sdfkjh wlekrj xcvmn", "mon chat dort"]) {
      expect((await ask(daemon, q)).results).toEqual([]);
    }
  });

  test("asks the reranker for the order where there is one to be found", async () => {
    await using daemon = await start();
    await untilUsed(daemon);

    const { services, results } = await ask(daemon, "seaside city days", { minScore: 0 });

    expect(services).toEqual([
      { name: "embeddings", used: true },
      { name: "rerank", used: true },
    ]);
    expect(results[0].endpoint).toBe("/sea");
  });

  test("answers by words when they are away, and says so where it is asked to explain", async () => {
    await using daemon = await start();
    await untilUsed(daemon);
    await standIn.server.close();

    const explained = await ask(daemon, "weather forecast");
    const plain = await daemon.request("POST", "/v1/discover", { q: "weather forecast" });
    const cards = await request(`${daemon.url}/public/v1/discover/endpoints`, "POST", {
      body: { q: "weather forecast", explain: true },
    });

    expect(explained.results[0].endpoint).toBe("/sky");
    expect(explained.services[0]).toEqual({ name: "embeddings", used: false, reason: "the connection was refused" });
    expect(plain.body).not.toHaveProperty("services");
    expect(cards.body.services.map(({ used }: { used: boolean }) => used)).toEqual([false, false]);
    expect(JSON.stringify([explained, cards.body])).not.toContain("127.0.0.1");
  });

  test("sends nothing again after a restart, and after a change only what changed", async () => {
    {
      await using before = await start();
      await untilUsed(before);
    }
    const sent = standIn.texts().length;
    await using daemon = await start();
    await untilUsed(daemon);
    const sentAfterRestart = standIn.texts().length;

    const wind = endpoint("Wind", "Gusts at an airport.");
    home.writeCatalog("trusted", { nimbus: nimbus({ ...endpoints, "/wind": wind }) });
    await expect.poll(() => standIn.texts().length, { timeout: 15_000 }).toBeGreaterThan(sent);

    expect(sentAfterRestart).toBe(sent);
    expect(standIn.texts()[sent]).toMatch(/^Wind\nNimbus\nGusts/);
    expect(standIn.texts().filter((text) => text.startsWith("Weather forecast\n"))).toHaveLength(1);
  });

  test("never shows the key", async () => {
    standIn.embed({ status: 401, json: { error: `no such key: ${KEY}` } });
    await using daemon = await start();
    await expect.poll(async () => JSON.stringify(await ask(daemon, "weather"))).toContain("refuses the key");

    const answers = [await ask(daemon, "weather"), (await daemon.request("GET", "/v1/admin/settings")).body];

    expect(standIn.server.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(log)).toContain("not called for a while");
    expect(JSON.stringify([answers, log])).not.toContain(KEY);
  });

  test("without them has nothing of them in its answers", async () => {
    await using daemon = await start({ environment: {} });

    const answer = await ask(daemon, "weather forecast");

    expect(answer).not.toHaveProperty("services");
    expect(answer.results[0].explanation).not.toHaveProperty("services");
    expect(standIn.server.calls).toEqual([]);
  });
});
