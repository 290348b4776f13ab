import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { DiscoverResult } from "../../../shared/contract/discovery.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { type Ask, askWith } from "../../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../../support/start-daemon.ts";

/** What docs/discovery.md says in "Learning from use", through the routes of a real daemon. */

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** Two providers of the same, so that nothing but use can tell them apart; the one of the first slug comes first. */
const q = "weather forecast with rain and wind";
const LIKE = "will there be wind and rain, what is the weather forecast";

let upstream: FakeProvider;
let home: MktHome;
let clock: { nowMs: number; now(): number };

beforeEach(async () => {
  upstream = await startFakeProvider();
  home = mktHome();
  clock = { nowMs: Date.now(), now: () => clock.nowMs };
  for (const slug of ["wxqa", "wxqb", "wxqc", "wxqd", "wxqe"]) upstream.on(`GET /${slug}`, { json: { ok: true } });
  upstream.on("GET /tickets", { json: { ok: true } });
  onTestFinished(async () => {
    await upstream.close();
    home[Symbol.dispose]();
  });
});

async function start(environment: Record<string, string> = {}): Promise<TestDaemon> {
  const http = { baseUrl: upstream.url, allowPrivateNetwork: true, retry: { attempts: 1 } };
  const endpoint = (path: string, displayName: string, description: string) => ({
    http,
    endpoints: { [path]: { request: { method: "GET", path }, displayName, description, price: { type: "FREE" } } },
  });
  const weather = (slug: string) =>
    endpoint(`/${slug}`, "Weather forecast", "Weather forecast: rain and wind in a city such as Porto.");
  const manifests = {
    ...Object.fromEntries(["wxqa", "wxqb", "wxqc", "wxqd", "wxqe"].map((slug) => [slug, weather(slug)])),
    trains: endpoint("/tickets", "Train tickets", "Railway tickets and their fares."),
  };
  return await startTestDaemon({ home, manifests, clock, environment });
}

async function discover(ask: Ask, body: object = { q }): Promise<DiscoverResult[]> {
  const answer = await ask("POST", "/v1/discover", { explain: true, ...body });
  expect(answer.status).toBe(200);
  return answer.body.results;
}
const orderOf = (results: readonly DiscoverResult[]) => results.map(({ provider }) => provider);
const usesOf = (results: readonly DiscoverResult[]) =>
  Object.fromEntries(
    results.flatMap(({ provider, explanation }) => (explanation?.use ? [[provider, explanation.use]] : [])),
  );

async function run(ask: Ask, slug: string, status = "COMPLETED"): Promise<void> {
  const { body } = await ask("POST", "/v1/run", { provider: slug, endpoint: `/${slug}`, input: {} });
  expect(body.status).toBe(status);
}

async function askAndRun(ask: Ask, slug: string, times = 1): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    await discover(ask);
    await run(ask, slug);
  }
}

const forget = async (ask: Ask) => (await ask("DELETE", "/v1/discover/learned")).body.erased;

/** A key of a workspace of its own, or of the owner's. */
async function newcomer(daemon: TestDaemon, name: string): Promise<Ask> {
  await daemon.request("POST", "/v1/admin/workspaces", { name });
  const { body } = await daemon.request("POST", `/v1/admin/workspaces/${name}/api-keys`, { label: name });
  return askWith(daemon.url, body.key);
}
async function keyOf(daemon: TestDaemon, label: string, grant: object): Promise<Ask> {
  const { body } = await daemon.request("POST", "/v1/api-keys", { label, ...grant });
  return askWith(daemon.url, body.key);
}

const filePath = () => join(home.dataDir, "learned", "uses.ndjson");
const AS_FOUND = ["wxqa", "wxqb", "wxqc", "wxqd", "wxqe"];

describe("what was run with success after an ask", () => {
  test("rises for like asks, is explained, and keeps its score", async () => {
    await using daemon = await start();
    const before = await discover(daemon.request);

    await run(daemon.request, "wxqc");
    const after = await discover(daemon.request, { q: LIKE });
    const other = await discover(daemon.request, { q: "fares of railway tickets" });

    expect(orderOf(before)).toEqual(AS_FOUND);
    expect(usesOf(before)).toEqual({});
    expect(orderOf(after)).toEqual(["wxqc", "wxqa", "wxqb", "wxqd", "wxqe"]);
    expect(usesOf(after)).toEqual({ wxqc: { times: 1, raised: 2 } });
    expect(new Set(after.map(({ score }) => score)).size).toBe(1);
    const wordsOf = (results: readonly DiscoverResult[]) =>
      Object.fromEntries(results.map(({ provider, confidence }) => [provider, confidence]));
    expect(wordsOf(after)).toEqual(wordsOf(await discover(await newcomer(daemon, "other"), { q: LIKE })));
    expect(usesOf(other)).toEqual({});
  });

  test("is learned from every route that lists endpoints, and raises in all of them but the public ones", async () => {
    await using daemon = await start();

    await daemon.request("POST", "/v1/discover/endpoints", { q, also: ["rain and wind tomorrow"] });
    await run(daemon.request, "wxqb");
    const first = async (path: string) => (await daemon.request("POST", path, { q })).body.items[0].provider;

    expect(await first("/v1/discover/endpoints")).toBe("wxqb");
    expect(await first("/v1/discover/providers")).toBe("wxqb");
    expect(await first("/public/v1/discover/endpoints")).toBe("wxqa");
    expect(await first("/public/v1/discover/providers")).toBe("wxqa");
  });

  test("rises by three places at most, however often it is run", async () => {
    await using daemon = await start();

    await askAndRun(daemon.request, "wxqe", 5);
    const results = await discover(daemon.request);

    expect(orderOf(results)).toEqual(["wxqa", "wxqe", "wxqb", "wxqc", "wxqd"]);
    expect(usesOf(results)).toEqual({ wxqe: { times: 5, raised: 3 } });
  });

  test("counts once for each ask", async () => {
    await using daemon = await start();
    await discover(daemon.request);

    for (let i = 0; i < 5; i += 1) await run(daemon.request, "wxqb");

    expect(usesOf(await discover(daemon.request))).toEqual({ wxqb: { times: 1, raised: 1 } });
  });

  test("is no use when it failed, when nobody had asked, or when the ask was long ago or is in the future", async () => {
    await using daemon = await start();
    await run(daemon.request, "wxqb");
    upstream.on("GET /wxqc", { status: 404, json: { error: "nothing" } });
    await discover(daemon.request);
    await run(daemon.request, "wxqc");
    clock.nowMs += 11 * MINUTE;
    await run(daemon.request, "wxqd");
    await discover(daemon.request);
    clock.nowMs -= 2 * DAY;
    await run(daemon.request, "wxqe");

    expect(usesOf(await discover(daemon.request))).toEqual({});
  });

  test("is forgotten after ninety days without use", async () => {
    await using daemon = await start();
    await askAndRun(daemon.request, "wxqb");

    clock.nowMs += 90 * DAY;
    const onTheLastDay = await discover(daemon.request);
    clock.nowMs += DAY;

    expect(orderOf(onTheLastDay)[0]).toBe("wxqb");
    expect(orderOf(await discover(daemon.request))).toEqual(AS_FOUND);
  });
});

describe("who learns from what", () => {
  test("another workspace finds what it found before, and erases nothing of it", async () => {
    await using daemon = await start();
    const other = await newcomer(daemon, "other");

    await askAndRun(daemon.request, "wxqb");

    expect(orderOf(await discover(other))).toEqual(AS_FOUND);
    expect(await forget(other)).toBe(0);
    expect(orderOf(await discover(daemon.request))[0]).toBe("wxqb");
  });

  test("a member's key learns from its own runs and erases those alone; the owner from all", async () => {
    await using daemon = await start();
    const member = await keyOf(daemon, "member", { role: "member" });
    await askAndRun(daemon.request, "wxqb");
    await askAndRun(member, "wxqc");

    expect(usesOf(await discover(member))).toEqual({ wxqc: { times: 1, raised: 2 } });
    expect(Object.keys(usesOf(await discover(daemon.request))).toSorted()).toEqual(["wxqb", "wxqc"]);
    expect(await forget(member)).toBe(1);
    expect(Object.keys(usesOf(await discover(daemon.request)))).toEqual(["wxqb"]);
    expect(orderOf(await discover(member))).toEqual(AS_FOUND);
  });

  test("a key that only reads runs profits, and may not erase", async () => {
    await using daemon = await start();
    const reader = await keyOf(daemon, "reader", { scopes: ["runs:read"] });
    await askAndRun(daemon.request, "wxqb");

    expect(orderOf(await discover(reader))[0]).toBe("wxqb");
    expect(await reader("DELETE", "/v1/discover/learned")).toMatchObject({
      status: 403,
      body: { errorCode: "INSUFFICIENT_SCOPE" },
    });
  });
});

describe("what is kept", () => {
  test("is in a file for the owner alone: stems that the catalog has, no names, numbers, keys or addresses", async () => {
    {
      await using daemon = await start();
      const secretive =
        "rain wind forecast for Porto porto-2 anna@weather.example sk-live-wind-93ab https://x.example/city Hans hunter2 zebrafish 10 USD";
      await discover(daemon.request, { q: secretive, minScore: 0 });
      await run(daemon.request, "wxqb");
    }
    const [header = "", use = "", ...rest] = readFileSync(filePath(), "utf8").trimEnd().split("\n");

    expect([JSON.parse(header), rest]).toEqual([{ format: 1, uses: 1 }, []]);
    expect(JSON.parse(use).slice(2)).toEqual(["wxqb", "/wxqb", ["forecast", "rain"], 1, Math.floor(clock.nowMs / DAY)]);
    expect(statSync(filePath()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.dataDir, "learned")).mode & 0o777).toBe(0o700);
  });

  test("holds after a restart, and what was erased stays erased", async () => {
    {
      await using daemon = await start();
      await askAndRun(daemon.request, "wxqb");
    }
    {
      await using daemon = await start();
      expect(orderOf(await discover(daemon.request))[0]).toBe("wxqb");
      // Run after the erasure, so that the ask before it would be learned from.
      expect(await forget(daemon.request)).toBe(1);
      expect(readFileSync(filePath(), "utf8")).toBe('{"format":1,"uses":0}\n');
      await run(daemon.request, "wxqc");
      expect(orderOf(await discover(daemon.request))).toEqual(AS_FOUND);
    }
    await using daemon = await start();
    expect(orderOf(await discover(daemon.request))).toEqual(AS_FOUND);
    expect(await forget(daemon.request)).toBe(0);
  });

  test("starts empty where the file is damaged, and is no reason not to start", async () => {
    {
      await using daemon = await start();
      await askAndRun(daemon.request, "wxqb");
    }
    writeFileSync(filePath(), readFileSync(filePath(), "utf8").slice(0, -9));

    await using daemon = await start();

    expect(orderOf(await discover(daemon.request))).toEqual(AS_FOUND);
    await forget(daemon.request);
    expect(readFileSync(filePath(), "utf8")).toBe('{"format":1,"uses":0}\n');
  });
});

describe("MKT_DISCOVER_LEARNING=off", () => {
  test("neither uses nor keeps anything, but still erases", async () => {
    {
      await using daemon = await start();
      await askAndRun(daemon.request, "wxqb");
    }
    const kept = readFileSync(filePath(), "utf8");
    {
      await using daemon = await start({ MKT_DISCOVER_LEARNING: "off" });
      await askAndRun(daemon.request, "wxqc");
      expect(orderOf(await discover(daemon.request))).toEqual(AS_FOUND);
    }
    expect(readFileSync(filePath(), "utf8")).toBe(kept);

    await using daemon = await start({ MKT_DISCOVER_LEARNING: "off" });
    expect(await forget(daemon.request)).toBe(1);
    expect(readFileSync(filePath(), "utf8")).toBe('{"format":1,"uses":0}\n');
  });

  test("makes no file in a new folder", async () => {
    {
      await using daemon = await start({ MKT_DISCOVER_LEARNING: "off" });
      await askAndRun(daemon.request, "wxqb");
      expect(await forget(daemon.request)).toBe(0);
    }
    expect(existsSync(filePath())).toBe(false);
  });
});
