import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Market, openMarket } from "./market.ts";
import { anyCharacter } from "../support/any-text.ts";

/** docs/contract.md, "Lengths and limits" and "Page size", and the constraints of each request. */

let market: Market;

beforeAll(async () => {
  market = await openMarket();
  market.upstream.on("GET /plain", { json: {} });
});

afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

const post = async (path: string, body: unknown) => await market.daemon.request("POST", path, body);
const get = async (path: string) => await market.daemon.request("GET", path);
const statusOf = async (path: string, body: unknown) => (await post(path, body)).status;

const discoverPaths = [
  "/v1/discover",
  "/v1/discover/endpoints",
  "/v1/discover/categories",
  "/v1/discover/providers",
  "/public/v1/discover/endpoints",
  "/public/v1/discover/categories",
  "/public/v1/discover/providers",
];
/** Any Unicode scalar value but those that are two UTF-16 units weigh as much as the others. */
const textOf = (length: number) => anyCharacter.map((one) => one.repeat(length));

describe("q has 1 to 1000 characters", () => {
  test.each(discoverPaths)("of %s", async (path) => {
    const statuses = [];
    for (const length of [0, 1, 1_000, 1_001]) statuses.push(await statusOf(path, { q: "x".repeat(length) }));

    expect(statuses).toEqual([400, 200, 200, 400]);
    expect(await statusOf(path, {})).toBe(400);
  });

  test("characters are Unicode code points: an emoji counts once", async () => {
    expect(await statusOf("/v1/discover", { q: "🌧".repeat(1_000) })).toBe(200);
    expect(await statusOf("/v1/discover", { q: "🌧".repeat(1_001) })).toBe(400);
    expect(await statusOf("/v1/discover", { query: "🌧".repeat(1_000) })).toBe(200);
  });

  test("whatever the character", async () => {
    await fc.assert(
      fc.asyncProperty(textOf(1_000), async (q) => {
        expect(await statusOf("/public/v1/discover/endpoints", { q })).toBe(200);
        expect(await statusOf("/public/v1/discover/endpoints", { q: `${q}x` })).toBe(400);
      }),
      { numRuns: 30, examples: [["🌧".repeat(1_000)], [" ".repeat(1_000)], ["\0".repeat(1_000)]] },
    );
  });

  test("the refusal names the field and the limit", async () => {
    const { body } = await post("/v1/discover", { q: "🌧".repeat(1_001) });

    expect(body.message).toMatch(/^q: must have at most 1000 characters/);
  });

  test.each(["categories", "endpoints", "providers", "search"])(
    "of GET /public/v1/%s it has 1 to 200",
    async (list) => {
      const statuses = [];
      for (const length of [0, 1, 200, 201]) {
        statuses.push((await get(`/public/v1/${list}?q=${encodeURIComponent("🌧".repeat(length))}`)).status);
      }

      expect(statuses).toEqual([400, 200, 200, 400]);
    },
  );
});

describe("minScore is 0 to 2 inclusive", () => {
  test.each(discoverPaths)("of %s", async (path) => {
    const statuses = [];
    for (const minScore of [-0.1, 0, 0.2, 2, 2.1, "1", null])
      statuses.push(await statusOf(path, { q: "rain", minScore }));

    expect(statuses).toEqual([400, 200, 200, 200, 400, 400, 400]);
  });

  test("and nothing below it is returned", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 2, noNaN: true }), async (minScore) => {
        const { status, body } = await post("/v1/discover", { q: "weather of a harbour city", minScore, limit: 50 });

        expect(status).toBe(200);
        expect(body.results.every(({ score }: { score: number }) => score >= minScore && score <= 2)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test("whatever lies outside is refused", async () => {
    const outside = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value < 0 || value > 2);

    await fc.assert(
      fc.asyncProperty(outside, async (minScore) => {
        expect(await statusOf("/public/v1/discover/endpoints", { q: "rain", minScore })).toBe(400);
      }),
      { numRuns: 30, examples: [[-Number.MIN_VALUE], [2 + 2 * Number.EPSILON]] },
    );
  });
});

describe("category has at most 60 characters of its pattern", () => {
  const narrow = async (category: unknown) => await statusOf("/public/v1/discover/endpoints", { q: "rain", category });

  test.each([
    ["a", 200],
    ["3d-maps", 200],
    ["no-such-node", 200],
    ["x".repeat(60), 200],
    ["x".repeat(61), 400],
    ["", 400],
    ["-a", 400],
    ["a-", 400],
    ["a--b", 400],
    ["Sky", 400],
    ["sky/weather", 400],
    ["wetter_ü", 400],
    ["sky\n", 400],
    [7, 400],
  ])("%j is %i", async (category, status) => {
    expect(await narrow(category)).toBe(status);
  });

  test("is checked in the query of the lists as well", async () => {
    const statuses = [];
    for (const list of ["categories", "endpoints"]) {
      for (const category of ["no-such-node", "a--b", "x".repeat(61)]) {
        statuses.push((await get(`/public/v1/${list}?category=${category}`)).status);
      }
    }

    expect(statuses).toEqual([200, 400, 400, 200, 400, 400]);
  });

  test("exactly the texts of the pattern are taken", async () => {
    const pattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
    const likely = fc.string({
      unit: fc.constantFrom("a", "z", "0", "9", "-", "-", "A", "_", " ", "\n", "é"),
      maxLength: 8,
    });

    await fc.assert(
      fc.asyncProperty(likely, async (category) => {
        expect(await narrow(category)).toBe(pattern.test(category) ? 200 : 400);
      }),
      { numRuns: 60 },
    );
  });
});

describe("limit is an integer greater than 0, capped at the pool size", () => {
  test.each(["/v1/discover", "/v1/discover/endpoints", "/public/v1/discover/endpoints"])("of %s", async (path) => {
    const statuses = [];
    for (const limit of [-1, 0, 1, 1.5, 1_000_000_000, "1"])
      statuses.push(await statusOf(path, { q: "harbour", limit }));

    expect(statuses).toEqual([400, 400, 200, 400, 200, 400]);
  });

  test("a larger one is clamped, not refused, and total stays the number of matches within the pool", async () => {
    await market.daemon.request("PATCH", "/v1/admin/settings", { discoverPool: 2 });

    const { body } = await post("/public/v1/discover/endpoints", { q: "harbour", limit: 1_000_000_000 });
    await market.daemon.request("PATCH", "/v1/admin/settings", { discoverPool: 200 });

    expect(body.items).toHaveLength(2);
    expect(body.total).toBe(2);
  });

  test("never are there more items than it says", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000_000 }), async (limit) => {
        const { status, body } = await post("/public/v1/discover/endpoints", { q: "harbour", limit });

        expect(status).toBe(200);
        expect(body.items).toHaveLength(Math.min(limit, body.total));
        expect(body.total).toBe(4);
      }),
      { numRuns: 20, examples: [[1], [3], [4], [5]] },
    );
  });

  test.each([
    ["/v1/runs", [400, 200, 200, 400]],
    ["/v1/resources", [400, 200, 200, 400]],
    ["/v1/api-keys", [400, 200, 200, 200]],
    ["/public/v1/endpoints", [400, 200, 200, 200]],
    ["/public/v1/providers", [400, 200, 200, 200]],
  ])("of GET %s it is at most 100 where a maximum is published, else clamped", async (path, expected) => {
    const statuses = [];
    for (const limit of [0, 1, 100, 1_000_000_000]) statuses.push((await get(`${path}?limit=${limit}`)).status);

    expect(statuses).toEqual(expected);
  });
});

describe("Limits of a run request", () => {
  const run = async (more: object) => await post("/v1/run", { provider: "nimbus", endpoint: "/plain", ...more });
  const manyTags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`tag${n}`, "x"]));

  test.each([
    ["ten tags", { tags: manyTags(10) }, 200],
    ["eleven tags", { tags: manyTags(11) }, 400],
    ["a tag name of 64 characters", { tags: { ["🏷".repeat(64)]: "" } }, 200],
    ["a tag name of 65 characters", { tags: { ["x".repeat(65)]: "" } }, 400],
    ["a tag name of none", { tags: { "": "x" } }, 400],
    ["a tag value of 256 characters", { tags: { a: "🏷".repeat(256) } }, 200],
    ["a tag value of 257 characters", { tags: { a: "x".repeat(257) } }, 400],
    ["a tag value that is a number", { tags: { a: 1 } }, 400],
    ["a deadline of 1,000 ms", { deadlineMs: 1_000 }, 200],
    ["a deadline of 999 ms", { deadlineMs: 999 }, 400],
    ["a deadline beyond the endpoint's own", { deadlineMs: 1_000_000_000 }, 400],
    ["a wait of 0 s", { wait: 0 }, 200],
    ["a wait of 60 s", { wait: 60 }, 200],
    ["a wait below 0 s", { wait: -1 }, 400],
    ["a wait above 60 s", { wait: 60.1 }, 400],
    ["a maxCost that is just enough", { maxCost: { value: 0.01, currency: "USD" } }, 200],
    ["a maxCost that is a micro-dollar short", { maxCost: { value: 0.009999, currency: "USD" } }, 402],
    ["a maxCost below zero", { maxCost: { value: -1, currency: "USD" } }, 400],
    ["a maxCost finer than a micro-dollar", { maxCost: { value: 0.0100001, currency: "USD" } }, 400],
    ["a maxCost in another currency", { maxCost: { value: 1, currency: "EUR" } }, 400],
  ])("%s", async (_what, more, status) => {
    expect((await run(more)).status).toBe(status);
  });

  test.each([
    ["wait=0", 200],
    ["wait=60", 200],
    ["wait=61", 400],
    ["wait=-1", 400],
    ["wait=soon", 400],
  ])("GET /v1/runs/{runId}?%s is %i", async (query, status) => {
    const { body } = await run({});

    expect((await get(`/v1/runs/${body.runId}?${query}`)).status).toBe(status);
  });
});
