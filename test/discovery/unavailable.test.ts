import { describe, expect, test } from "vitest";
import type { Found } from "../../daemon/discovery/found.ts";
import type { Unavailability } from "../../daemon/discovery/unavailability.ts";
import { toUnavailableMatches } from "../../daemon/discovery/unavailable-matches.ts";
import { entryOf } from "../support/provider-entry.ts";
import { found, openIndexedMarket } from "./indexed-market.ts";

const q = "weather forecast clouds and rain by satellite";

describe("what a discovery hides because it cannot be run", () => {
  test("is told with the reason and what is missing, beside the matches", async () => {
    using market = await openIndexedMarket();

    const { matches, unavailable } = await market.discovery.find({ q });

    expect(found(matches)).not.toContain("skywatch/v2/getWeatherForecast");
    expect(found(unavailable)).toEqual(["skywatch/v2/getWeatherForecast"]);
    expect(unavailable[0]?.unavailability).toEqual({ reason: "missingSecret", missing: ["SKYWATCH_KEY"] });
  });

  test("is nothing once the secret is set", async () => {
    using market = await openIndexedMarket({ environment: { SKYWATCH_KEY: "sk-1" } });

    expect((await market.discovery.find({ q })).unavailable).toEqual([]);
  });

  test("is in outage, and told so", async () => {
    using market = await openIndexedMarket();
    market.setStatus("nimbus", "/forecast", "outage");

    const { unavailable } = await market.discovery.find({ q: "weather forecast", provider: ["nimbus"] });

    expect(unavailable.map(({ entry, unavailability }) => [entry.path, unavailability.reason])).toEqual([
      ["/forecast", "outage"],
    ]);
  });

  test.each([
    ["below the floor", { minScore: 2 }],
    ["outside of the category", { category: "companies" }],
    ["of another provider", { provider: ["nimbus"] }],
    ["too expensive", { maxPrice: { value: 0.001, currency: "USD" as const } }],
  ])("is not told when it is %s", async (_, filter) => {
    using market = await openIndexedMarket();

    expect((await market.discovery.find({ q, ...filter })).unavailable).toEqual([]);
  });

  test("takes no place of the pool, and comes from its best", async () => {
    using market = await openIndexedMarket({ settings: { discoverPool: 1, discoverFloor: 0 } });

    const { matches, unavailable } = await market.discovery.find({ q });

    expect(found(unavailable)).toEqual(["skywatch/v2/getWeatherForecast"]);
    expect(matches).toHaveLength(1);
  });

  test("has no say in how the others rank", async () => {
    using market = await openIndexedMarket();

    const { matches } = await market.discovery.find({ q, minScore: 0 });
    const others = await market.discovery.discover({ q, minScore: 0, provider: ["nimbus", "ledgerly"] });

    expect(matches).toEqual(others);
  });

  test("is among the matches when it was asked for, and told all the same", async () => {
    using market = await openIndexedMarket();

    const { matches, unavailable } = await market.discovery.find({ q, includeUnavailable: true });

    expect(matches.at(-1)).toBe(unavailable[0]);
  });
});

describe("an answer about what cannot be run", () => {
  const missesKey: Unavailability = { reason: "missingSecret", missing: ["SHOP_KEY"] };

  test("is absent when everything can", () => {
    expect(toUnavailableMatches(foundOf([0.5], []), { namesSecrets: true })).toBeUndefined();
  });

  test("counts those that are better than the best that can be run", () => {
    const answer = toUnavailableMatches(
      foundOf(
        [0.5],
        [
          ["a", 1.2, missesKey],
          ["b", 0.5, missesKey],
          ["c", 0.3, missesKey],
        ],
      ),
      { namesSecrets: true },
    );

    expect(answer).toMatchObject({ count: 3, better: 1 });
  });

  test("counts all but weak ones as better when nothing can be run", () => {
    const unavailable = [
      ["a", 1.1, missesKey],
      ["b", 0.3, missesKey],
    ] as const;

    expect(toUnavailableMatches(foundOf([], unavailable), { namesSecrets: true })).toMatchObject({
      count: 2,
      better: 1,
    });
  });

  test("names each provider once for a reason, with its best match, and at most ten of them", () => {
    const outage: Unavailability = { reason: "outage", missing: [] };
    const others = Array.from({ length: 12 }, (_, place) => [`p${place}`, 0.3, missesKey] as const);

    const answer = toUnavailableMatches(
      foundOf([0.5], [["a", 1.4, missesKey, "/best"], ["a", 1.3, missesKey], ["a", 1.2, outage], ...others]),
      { namesSecrets: true },
    );

    expect(answer?.count).toBe(15);
    expect(answer?.providers).toHaveLength(10);
    expect(answer?.providers.slice(0, 2)).toEqual([
      { provider: "a", endpoint: "/best", count: 2, better: 2, reason: "missingSecret", missing: ["SHOP_KEY"] },
      { provider: "a", endpoint: "/x", count: 1, better: 1, reason: "outage" },
    ]);
  });

  test("has no names of secrets for callers without a credential", () => {
    const answer = toUnavailableMatches(foundOf([], [["a", 0.3, missesKey]]), { namesSecrets: false });

    expect(JSON.stringify(answer)).not.toContain("SHOP_KEY");
    expect(answer?.providers[0]?.reason).toBe("missingSecret");
  });
});

const shop = entryOf(`
mkt: 1
provider: shop
http: { baseUrl: "https://shop.example", auth: { type: none } }
endpoints:
  /x: { request: { method: GET, path: /x }, price: { type: PER_CALL, amount: 1 }, input: {}, displayName: X, description: X }
`);

/** Callable matches by their scores, and others by provider, score, reason and path. */
function foundOf(
  callable: readonly number[],
  unavailable: readonly (readonly [provider: string, score: number, why: Unavailability, path?: string])[],
): Pick<Found, "matches" | "unavailable"> {
  const metrics = { status: "unknown" } as const;
  return {
    matches: callable.map((score) => ({ entry: shop, score, metrics })),
    unavailable: unavailable.map(([provider, score, unavailability, path = "/x"]) => ({
      entry: { ...shop, path, provider: { ...shop.provider, provider } },
      score,
      metrics,
      unavailability,
    })),
  };
}
