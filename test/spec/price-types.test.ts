import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/**
 * Every endpoint of atlas end to end: its examples are run over HTTP and charged what its file says they cost.
 * docs/contract.md, "Prices", "Price selection", "Price of a run", "Costs" and "Charges".
 */

interface Example {
  readonly name: string;
  readonly input: object;
  readonly expect: { readonly count?: number; readonly costMicroDollars?: number; readonly httpStatus: number };
}
interface Endpoint {
  readonly price: { readonly type: string };
  readonly async?: object;
  readonly resources?: { readonly uses?: object; readonly releases?: object };
  readonly examples: readonly Example[];
}

const atlas: { endpoints: Record<string, Endpoint> } = parse(readFileSync(`${bundledCatalogDir}/atlas.yaml`, "utf8"));
const endpoints = Object.entries(atlas.endpoints);
const examplesOf = (isAsync: boolean) =>
  endpoints
    .filter(([, endpoint]) => (endpoint.async !== undefined) === isAsync)
    // Those that need something of the workspace's own are tried in test/resources.
    .filter(([, { resources }]) => resources?.uses === undefined && resources?.releases === undefined)
    .flatMap(([path, { price, examples }]) =>
      examples.map((example) => [price.type, path, example.name, example] as const),
    );

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
});

afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
});

const run = async (endpoint: string, input: object, more: object = {}) =>
  await daemon.request("POST", "/v1/run", { provider: "atlas", endpoint, input, ...more });
const balance = async () => (await daemon.request("GET", "/v1/wallet/balance")).body.balance.value as number;
const shownPrice = async (endpoint: string) =>
  (await daemon.request("POST", "/v1/inspect", { provider: "atlas", endpoint })).body.price;

describe("What an example says it costs is what it is charged", () => {
  test.each(examplesOf(false))("%s %s: %s", async (_type, path, _name, { input, expect: expected }) => {
    const before = await balance();

    const { status, body } = await run(path, input);

    expect(status).toBe(200);
    expect(body.status).toBe("COMPLETED");
    expect(body.providerResponse.httpStatus).toBe(expected.httpStatus);
    expect(body.billing.reportedCost).toEqual({
      value: expected.costMicroDollars,
      unit: "MICRO_DOLLAR",
      currency: "USD",
    });
    expect(body.cost.value).toBe((expected.costMicroDollars ?? Number.NaN) / 1e6);
    expect(body.resultCount).toBe(expected.count ?? null);
    expect(await balance()).toBeCloseTo(before - body.cost.value, 9);
  });

  test("PER_RESULT /reports/almanac, in the background: a flat fee and so much for each day", async () => {
    const [, , , example] = examplesOf(true).find(([, path]) => path === "/reports/almanac") ?? [];
    const { input = {}, expect: expected } = example ?? {};

    const { status, body } = await run("/reports/almanac", input, { wait: 60 });

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "COMPLETED", resultCount: expected?.count });
    expect(body.billing.reportedCost.value).toBe(expected?.costMicroDollars);
  });

  test("METERED /reports/time-zones, in the background: the share of the minute that it took, rounded up", async () => {
    const { status, body } = await run("/reports/time-zones", { country: "PT" }, { wait: 60 });

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "COMPLETED", price: { type: "METERED", amount: 0.02 } });
    expect(body.resultCount).toBeGreaterThan(0);
    const wholeRunMs = Date.parse(body.completedAt) - Date.parse(body.createdAt);
    expect(body.billing.reportedCost.value).toBeGreaterThan(0);
    expect(body.billing.reportedCost.value).toBeLessThanOrEqual(Math.ceil((wholeRunMs / 60_000) * 20_000));
    expect(body.billing.calculatedCost).toEqual(body.billing.reportedCost);
  });
});

describe("Prices as they are shown", () => {
  test("there is an endpoint of each type", async () => {
    const { body } = await daemon.request("GET", "/public/v1/endpoints?limit=100");

    const types = new Set(body.items.map(({ price }: { price: { type: string } }) => price.type));
    expect(types).toEqual(
      new Set(["PER_CALL", "PER_RESULT", "METERED", "PER_UNIT", "BY_PERIOD", "PER_UNIT_MATRIX", "TIERED"]),
    );
  });

  test("PER_CALL has an amount; what is free costs nothing a call", async () => {
    expect(await shownPrice("/sun")).toEqual({ type: "PER_CALL", amount: { value: 0.001, currency: "USD" } });
    expect(await shownPrice("/time/now")).toEqual({ type: "PER_CALL", amount: { value: 0, currency: "USD" } });
  });

  test("PER_RESULT may have a flat fee", async () => {
    expect(await shownPrice("/countries")).toEqual({
      type: "PER_RESULT",
      amount: { value: 0.0001, currency: "USD" },
      flatFee: { value: 0.001, currency: "USD" },
    });
    expect(await shownPrice("/languages")).toEqual({ type: "PER_RESULT", amount: { value: 0.00005, currency: "USD" } });
  });

  test("METERED has a period, PER_UNIT a number and a unit", async () => {
    expect(await shownPrice("/reports/time-zones")).toEqual({
      type: "METERED",
      amount: { value: 0.02, currency: "USD" },
      per: { unit: "MINUTE", count: 1 },
    });
    expect(await shownPrice("/text/segments")).toEqual({
      type: "PER_UNIT",
      amount: { value: 0.002, currency: "USD" },
      per: 1000,
      unit: "character",
    });
  });

  test("PER_UNIT_MATRIX has selectors and variants, each with when and price", async () => {
    const price = await shownPrice("/moon");

    expect(price).toMatchObject({
      type: "PER_UNIT_MATRIX",
      amount: { value: 0.0005, currency: "USD" },
      selectors: [{ label: "Detail", key: "detail", in: "queryParam" }],
      variants: [
        { when: { detail: "basic" }, price: { type: "PER_CALL", amount: { value: 0.0005 } } },
        { when: { detail: "full" }, price: { type: "PER_CALL", amount: { value: 0.002 } } },
      ],
    });
  });

  test("TIERED has a default and tiers, each with label, when and price; the quantity that is included is not shown", async () => {
    const price = await shownPrice("/distance");

    expect(price).toMatchObject({
      type: "TIERED",
      amount: { value: 0.001, currency: "USD" },
      default: { type: "PER_CALL", amount: { value: 0.001 } },
      tiers: [
        { label: expect.any(String), when: { area: true }, price: { type: "PER_CALL", amount: { value: 0.001 } } },
        {
          label: expect.any(String),
          when: {},
          selector: { label: expect.any(String), key: "waypoints", in: "body" },
          price: { type: "PER_RESULT", amount: { value: 0.00001 } },
        },
      ],
    });
    expect(JSON.stringify(price)).not.toContain("offset");
  });

  test("in a run the price is flat: type, a plain amount, and the structure in detail where that is not all", async () => {
    const flat = await run("/sun", { latitude: 38.7, longitude: -9.1, date: "2026-06-21" });
    const tiered = await run("/distance", {
      points: [
        { latitude: 38.7, longitude: -9.1 },
        { latitude: 41.1, longitude: -8.6 },
      ],
    });

    expect(flat.body.price).toEqual({ type: "PER_CALL", amount: 0.001, currency: "USD" });
    expect(tiered.body.price).toMatchObject({
      type: "TIERED",
      amount: 0.001,
      currency: "USD",
      detail: { type: "TIERED" },
    });
  });

  test("tiers add up: the default and every tier whose when matches", async () => {
    const points = [
      { latitude: 38.7, longitude: -9.1 },
      { latitude: 41.1, longitude: -8.6 },
      { latitude: 40.4, longitude: -3.7 },
    ];

    const { body } = await run("/distance", { points, area: true, waypoints: 60 });

    expect(body.billing.reportedCost.value).toBe(1_000 + 1_000 + (60 - 10) * 10);
  });
});
