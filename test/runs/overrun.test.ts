import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlMarket, openControlMarket } from "../controls/control-market.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";

/** `/operator` and `/caller` cost $0.01 + $0.002 a result, at most as many as `limit` says; who bears more is their name. */
function overrunManifest(baseUrl: string): object {
  const endpoint = (overrun: string) => ({
    description: "Results that may be more than were asked for.",
    overrun,
    request: { method: "GET", path: "/results" },
    input: { queryParams: { required: ["limit"], properties: { limit: { type: "integer", maximum: 100 } } } },
    usage: { count: "$.items", estimate: { count: "input:queryParams.limit", max: "input:queryParams.limit" } },
    price: { type: "PER_RESULT", amount: 0.002, flatFee: 0.01 },
  });
  return {
    displayName: "Overrun",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: { "/operator": endpoint("operator"), "/caller": endpoint("caller") },
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

describe("a run that costs more than was held", () => {
  it("is charged what was held; the rest is the operator's, recorded, logged and counted", async () => {
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
    expect(market.warnings).toMatchObject([
      {
        msg: "a run cost more than was held; the operator bears the rest",
        runId: body.runId,
        heldMicroDollars: 20_000,
        overrunMicroDollars: 6_000,
      },
    ]);
  });

  it("is charged whole where the endpoint says that the caller bears it", async () => {
    upstream.on("GET /results", { json: { items: items(8) } });

    const { body } = await run("/caller");

    expect(body.cost).toEqual(money(0.026));
    expect(body).not.toHaveProperty("overrun");
    expect(await balance()).toMatchObject({ balance: money(9.974), held: money(0) });
    expect(market.warnings).toEqual([]);
  });

  it("is never charged above the caller's own maxCost", async () => {
    upstream.on("GET /results", { json: { items: items(8) } });

    const { body } = await run("/caller", { maxCost: money(0.023) });

    expect(body).toMatchObject({ cost: money(0.023), overrun: money(0.003), maxCost: money(0.023) });
    expect(await balance()).toMatchObject({ balance: money(9.977), held: money(0) });
  });

  it("counts in a budget with what was charged, and may take it over its limit where the caller bears it", async () => {
    upstream.on("GET /results", { json: { items: items(8) } });
    const id = await market.budget("DAY", 0.02);

    const { body } = await run("/caller");

    const budget = await market.daemon.request("GET", `/v1/controls/workspace/budgets/${id}`);
    expect(budget.body).toMatchObject({ spentAmount: 0.026, heldAmount: 0, availableAmount: -0.006, alert: 100 });
    expect(body.alerts).toMatchObject([{ percent: 100, spent: money(0.026) }]);
    expect((await run("/caller")).body.status).toBe("BLOCKED");
  });
});

describe("a success that does not say how much it delivered", () => {
  it.each([
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
    expect(market.warnings).toMatchObject([
      { runId: body.runId, msg: expect.stringContaining("could not be read"), notes: body.notes },
    ]);
  });

  it("a measured zero is a zero: the flat part, and nothing to say about it", async () => {
    upstream.on("GET /results", { json: { items: [] } });

    const { body } = await run("/operator");

    expect(body.cost).toEqual(money(0.01));
    expect(body).not.toHaveProperty("notes");
    expect(market.warnings).toEqual([]);
  });
});
