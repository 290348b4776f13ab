import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeChecked } from "../../daemon/storage/journal/segments/checked-text.ts";
import { type ControlMarket, openControlMarket } from "../controls/control-market.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";

/** $0.01 + $0.002 a result, about as many as `limit` says; the name of an endpoint says who bears what is above that. */
function overrunManifest(baseUrl: string): object {
  const endpoint = (overrun: unknown) => ({
    description: "Results that may be more than were asked for.",
    overrun,
    request: { method: "GET", path: "/results" },
    input: {
      queryParams: {
        required: ["limit"],
        properties: { limit: { type: "integer", maximum: 100 }, atMost: { type: "integer", maximum: 400, default: 7 } },
      },
    },
    usage: { count: "$.items", estimate: { count: "input:queryParams.limit", max: "input:queryParams.limit" } },
    price: { type: "PER_RESULT", amount: 0.002, flatFee: 0.01 },
  });
  return {
    displayName: "Overrun",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/operator": endpoint("operator"),
      "/seven": endpoint({ caller: 7 }),
      "/at-most": endpoint({ caller: "input:queryParams.atMost" }),
      "/unbounded": endpoint("caller"),
    },
  };
}

let upstream: FakeProvider;
let market: ControlMarket;
beforeEach(async () => {
  upstream = await startFakeProvider();
  market = await openControlMarket({ manifests: { overrun: overrunManifest(upstream.url) } });
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const money = (value: number) => ({ value, currency: "USD" });
const items = (count: number) => Array.from({ length: count }, () => ({}));
const balance = async () => (await market.daemon.request("GET", "/v1/wallet/balance")).body;
const run = async (endpoint: string, more: object = {}) =>
  await market.daemon.request("POST", "/v1/run", { provider: "overrun", endpoint, input: { limit: 5 }, ...more });
const quote = async (endpoint: string, more: object = {}) =>
  await market.daemon.request("POST", "/v1/quote", { provider: "overrun", endpoint, input: { limit: 5 }, ...more });
const warningsOfRuns = () => market.warnings.filter((warning) => "runId" in warning);

describe("a run that costs more than was held", () => {
  test("is charged what was held; the rest is the operator's, recorded, logged and counted", async () => {
    upstream.on("GET /results", { json: { items: items(8) } });

    const { body } = await run("/operator");
    const read = await market.daemon.request("GET", `/v1/runs/${body.runId}`);

    expect(body).toMatchObject({
      cost: money(0.02),
      overrun: money(0.006),
      resultCount: 8,
      billing: { calculatedCost: { value: 26_000 }, reportedCost: { value: 20_000 } },
    });
    expect(read.body).toMatchObject({ cost: money(0.02), overrun: money(0.006) });
    expect(await balance()).toMatchObject({ balance: money(9.98), held: money(0) });
    expect(warningsOfRuns()).toMatchObject([
      {
        msg: "a run cost more than was held; the operator bears the rest",
        runId: body.runId,
        heldMicroDollars: 20_000,
        overrunMicroDollars: 6_000,
      },
    ]);
  });

  test.each([
    ["a number", "/seven", 8, 0.024, 0.002],
    ["an input", "/at-most", 8, 0.024, 0.002],
    ["an input of the run's own", "/at-most", 600, 0.81, 0.4],
  ])("is charged up to the bound where callers bear it: by %s", async (_, endpoint, count, charged, over) => {
    upstream.on("GET /results", { json: { items: items(count) } });
    const input = count === 600 ? { limit: 5, atMost: 400 } : { limit: 5 };

    const quoted = await quote(endpoint, { input });
    const { body } = await run(endpoint, { input });

    expect(quoted.body).toMatchObject({ estimate: money(0.02), maximum: money(charged) });
    expect(body).toMatchObject({ cost: money(charged), overrun: money(over) });
    expect(await balance()).toMatchObject({ balance: money(Math.round((10 - charged) * 1e6) / 1e6), held: money(0) });
  });

  test("is charged whole within the bound, with nothing over", async () => {
    upstream.on("GET /results", { json: { items: items(6) } });

    const { body } = await run("/seven");

    expect(body.cost).toEqual(money(0.022));
    expect(body).not.toHaveProperty("overrun");
    expect(warningsOfRuns()).toEqual([]);
  });

  test("says in inspect that it may be charged beyond its estimate", async () => {
    const { body } = await market.daemon.request("POST", "/v1/inspect", { provider: "overrun", endpoint: "/seven" });

    expect(body.notes.join()).toContain("charged for it up to the most that a quote says");
  });
});

describe("the bound of what callers bear is what money has to suffice for", () => {
  test("maxCost, the limit of a key, a budget, a run cap and the wallet all see it", async () => {
    upstream.on("GET /results", { json: { items: items(500) } });
    const ask = market.daemon.request;
    const spendLimit = { amount: money(0.05), period: "DAY" };
    const limited = (await ask("POST", "/v1/api-keys", { label: "limited", spendLimit })).body.key;
    const body = { provider: "overrun", endpoint: "/at-most", input: { limit: 5, atMost: 400 } };

    const byKey = await request(`${market.daemon.url}/v1/run`, "POST", { key: limited, body });
    const byMaxCost = await run("/at-most", { input: body.input, maxCost: money(0.8) });
    await ask("POST", "/v1/admin/workspaces/default/debits", { amount: money(9.5), reason: "test" });
    const byWallet = await run("/at-most", { input: body.input });
    await market.budget("DAY", 0.1);
    const byBudget = await run("/at-most", { input: body.input });

    expect(byKey.status).toBe(403);
    expect(byMaxCost.status).toBe(402);
    expect(byWallet).toMatchObject({ status: 402, body: { errorCode: "WALLET_INSUFFICIENT_FUNDS" } });
    expect(byBudget.body.status).toBe("BLOCKED");
    expect(upstream.count("GET /results")).toBe(0);
  });

  test("whatever comes back, a run is charged at most its quote, and what is over is what it came to less the charge", async () => {
    const endpoints = ["/operator", "/seven", "/at-most", "/unbounded"] as const;
    const situations = fc.record({
      endpoint: fc.constantFrom(...endpoints),
      count: fc.nat(500),
      limit: fc.integer({ min: 0, max: 100 }),
      atMost: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
    });

    await fc.assert(
      fc.asyncProperty(situations, async ({ endpoint, count, ...given }) => {
        upstream.on("GET /results", { json: { items: items(count) } });
        const input = JSON.parse(JSON.stringify(given));
        const before = (await balance()).balance.value;

        const quoted = (await quote(endpoint, { input })).body;
        const ran = (await run(endpoint, { input })).body;

        const [hold] = (await market.daemon.request("GET", "/v1/wallet/activities?limit=3")).body.items.filter(
          ({ type, runId }: { type: string; runId: string }) => type === "RUN_HOLD" && runId === ran.runId,
        );
        const charged = Math.round(ran.cost.value * 1e6);
        const over = Math.round((ran.overrun?.value ?? 0) * 1e6);
        expect(hold.amount.value).toBe(-quoted.maximum.value);
        expect(quoted.estimate.value).toBeLessThanOrEqual(quoted.maximum.value);
        expect(charged).toBeLessThanOrEqual(Math.round(quoted.maximum.value * 1e6));
        expect(charged + over).toBe(ran.billing.calculatedCost.value);
        expect("overrun" in ran).toBe(over > 0);
        expect(Math.round((before - (await balance()).balance.value) * 1e6)).toBe(charged);
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});

describe("a file from before there was a bound", () => {
  test("is served, told to the operator with the line that mends it, and charges nobody more than was held", async () => {
    upstream.on("GET /results", { json: { items: items(500) } });

    const { body } = await run("/unbounded");

    expect(body).toMatchObject({ cost: money(0.02), overrun: money(0.99) });
    expect(market.warnings).toContainEqual(
      expect.objectContaining({
        problem: expect.objectContaining({
          path: "endpoints./unbounded.overrun",
          takesDown: "nothing",
          message: expect.stringContaining("overrun: {caller: 100}"),
        }),
      }),
    );
  });

  test("a run that was under way across the upgrade is charged at most what was held", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    scriptReport(vendor, { polls: 1_000_000 });
    const manifests = { weather: weatherManifest(vendor.url) };
    let runId: string;
    {
      await using daemon = await startTestDaemon({ home, manifests });
      const body = { provider: "weather", endpoint: "/report", input: { topic: "rain", limit: 2 } };
      runId = (await daemon.request("POST", "/v1/run", body)).body.runId;
      await untilCalled(vendor, `GET /reports/job-0`);
    }
    letCallersBear(home.dataDir);
    scriptReport(vendor, { polls: 0, result: { items: items(500) } });

    await using daemon = await startTestDaemon({ home, manifests });
    const { body } = await daemon.request("GET", `/v1/runs/${runId}?wait=20`);

    expect(body).toMatchObject({ status: "COMPLETED", cost: money(0.009), overrun: money(0.996) });
  });
});

/** Turns a journal into one of a version in which a run could be charged beyond its hold; snapshots are made anew. */
function letCallersBear(dataDir: string): void {
  rmSync(join(dataDir, "state"), { recursive: true, force: true });
  let changed = 0;
  for (const name of readdirSync(join(dataDir, "log"))) {
    const file = join(dataDir, "log", name);
    if (!name.endsWith(".ndjson")) {
      rmSync(file);
      continue;
    }
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    const old = lines.map((line) => {
      const { c: _, ...value } = JSON.parse(line);
      if (value.t !== "run.accepted") return `${line}\n`;
      changed += 1;
      return encodeChecked({ ...value, rec: { ...value.rec, overrun: "caller" } }).toString();
    });
    writeFileSync(file, old.join(""));
  }
  if (changed !== 1) throw new Error(`there are ${changed} runs in the journal`);
}

describe("a success that does not say how much it delivered", () => {
  test.each([
    ["nothing", {}],
    ["text", { items: "many" }],
    ["less than nothing", { items: -3 }],
    ["a fraction", { items: 2.5 }],
  ])("but %s is charged the flat part, says so on the run, and is logged", async (_, json) => {
    upstream.on("GET /results", { json });

    const { body } = await run("/operator");

    expect(body).toMatchObject({ status: "COMPLETED", cost: money(0.01), resultCount: null });
    expect(body.notes.join()).toContain("The number of results could not be read; only the flat part");
    expect(await balance()).toMatchObject({ balance: money(9.99), held: money(0) });
    expect(warningsOfRuns()).toMatchObject([
      { runId: body.runId, msg: expect.stringContaining("could not be read"), notes: body.notes },
    ]);
  });

  test("a measured zero is a zero: the flat part, and nothing to say about it", async () => {
    upstream.on("GET /results", { json: { items: [] } });

    const { body } = await run("/operator");

    expect(body.cost).toEqual(money(0.01));
    expect(body).not.toHaveProperty("notes");
    expect(warningsOfRuns()).toEqual([]);
  });
});
