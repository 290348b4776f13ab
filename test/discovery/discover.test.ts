import { beforeAll, describe, expect, test } from "vitest";
import type { Catalog } from "../../daemon/catalog/catalog.ts";
import { loadIndexing } from "../../daemon/discovery/index/load-indexing.ts";
import { createCatalogIndex } from "../../daemon/discovery/index/catalog-index.ts";
import { createDiscovery, type Discovery } from "../../daemon/discovery/discover.ts";
import { catalogFolder, endpoint, manifest } from "../catalog/catalog-folder.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { bundledCatalog, found, openIndexedMarket } from "./indexed-market.ts";

describe("discovery", () => {
  test("finds what is asked for, best first", async () => {
    using market = await openIndexedMarket();

    const matches = await market.discovery.discover({ q: "is it going to rain tomorrow in Lisbon" });

    expect(found(matches)[0]).toBe("nimbus/forecast");
    expect(matches.map(({ score }) => score)).toEqual(matches.map(({ score }) => score).sort((a, b) => b - a));
  });

  test("answers nothing when nothing fits", async () => {
    using market = await openIndexedMarket();

    for (const q of ["best pizza recipe", "asdf qwerty zxcv", "tell me a joke", "😀", "how are you"]) {
      expect(found(await market.discovery.discover({ q }))).toEqual([]);
    }
  });

  test("minScore takes the place of the configured floor", async () => {
    using market = await openIndexedMarket();
    const q = "you were so lovely to me in that awful weather";

    const usual = await market.discovery.discover({ q });
    const open = await market.discovery.discover({ q, minScore: 0 });
    const strict = await market.discovery.discover({ q: "weather forecast", minScore: 2 });

    expect(found(usual)).toEqual([]);
    expect(found(open).sort()).toEqual(["nimbus/forecast", "nimbus/history", "nimbus/tides"]);
    expect(strict).toEqual([]);
  });

  test("a match whose score is exactly the floor is returned", async () => {
    using market = await openIndexedMarket();
    const q = "weather forecast";
    const [best] = await market.discovery.discover({ q });
    const score = best?.score ?? 0;

    const atTheFloor = await market.discovery.discover({ q, minScore: score });

    expect(score).toBeGreaterThan(0);
    expect(found(atTheFloor)[0]).toBe(found([best as NonNullable<typeof best>])[0]);
  });

  test("asks one wording after the other, and others search between two of them", async () => {
    using market = await openIndexedMarket();
    const question = {
      q: "shall I take an umbrella",
      also: ["rain forecast", "weather of tomorrow", "chance of rain"],
    };
    const alone = await market.discovery.find(question);
    const between: string[][] = [];
    const pause = async () => {
      between.push(found(await market.discovery.discover({ q: "is it going to rain tomorrow in Lisbon" })));
    };

    const paused = await market.discovery.find({ ...question, pause });

    expect(between.map(([first]) => first)).toEqual(["nimbus/forecast", "nimbus/forecast", "nimbus/forecast"]);
    expect(paused.matches.map(({ score, places }) => [score, places])).toEqual(
      alone.matches.map(({ score, places }) => [score, places]),
    );
    expect(found(paused.matches)).toEqual(found(alone.matches));
  });

  test("asks no further wording after its pause has failed", async () => {
    using market = await openIndexedMarket();
    const pause = () => Promise.reject(new Error("the client hung up"));

    await expect(market.discovery.find({ q: "rain", also: ["wind"], pause })).rejects.toThrow("the client hung up");
    await expect(market.discovery.find({ q: "rain", also: [], pause })).resolves.toMatchObject({ phrasings: ["rain"] });
  });

  test("looks at no more candidates than the pool holds", async () => {
    using market = await openIndexedMarket({ settings: { discoverPool: 1, discoverFloor: 0 } });

    expect(await market.discovery.discover({ q: "weather" })).toHaveLength(1);
    expect(market.discovery.poolSize()).toBe(1);
  });

  test("puts what covers the place and the day before what does not", async () => {
    await using daemon = await startTestDaemon({
      manifests: {
        "a-north": holidays("a-north", { regions: ["CA"] }),
        "b-world": holidays("b-world", { regions: "world" }),
        "c-past": holidays("c-past", { period: { to: 1990 } }),
      },
    });
    const find = async (q: string, also: string[] = []) => {
      const { body } = await daemon.request("POST", "/v1/discover", { q, also, minScore: 0 });
      return body.results.map(({ provider }: { provider: string }) => provider);
    };

    expect(await find("public holidays")).toHaveLength(3);
    expect((await find("public holidays in Brazil in 1980"))[2]).toBe("a-north");
    expect((await find("public holidays in Brazil tomorrow"))[0]).toBe("b-world");
    expect((await find("public holidays in Brazil tomorrow", ["public holidays", "holiday names"]))[0]).toBe("b-world");
    expect((await find("public holidays", ["holidays tomorrow", "holidays of Brazil"]))[0]).toBe("b-world");
  });

  test("puts twins in the order of provider and path, one that was tried at its provider first", async () => {
    using folder = catalogFolder();
    const twin = (verified: boolean) =>
      endpoint({ description: "Glaciers seen by a lookout.", verified, request: { method: "GET" }, input: {} });
    const http = { baseUrl: "https://twins.example", auth: { type: "none" } };
    folder.write("bexq", { mkt: 1, provider: "bexq", http, endpoints: { "/yqx": twin(false), "/xqx": twin(false) } });
    folder.write("anxq", { mkt: 1, provider: "anxq", http, endpoints: { "/zqx": twin(false) } });
    folder.write("caxq", { mkt: 1, provider: "caxq", http, endpoints: { "/zqx": twin(true) } });
    const catalog = await folder.load({ trusted: true });
    const discovery = createDiscovery({
      catalog,
      index: createCatalogIndex({ entries: () => catalog.entries() }),
      health: { metrics: () => ({ status: "unknown" }) },
      settings: () => ({ discoverPool: 200, discoverFloor: 0 }),
    });

    const matches = await discovery.discover({ q: "glaciers" });

    expect(new Set(matches.map(({ score }) => score)).size).toBe(1);
    expect(found(matches)).toEqual(["caxq/zqx", "anxq/zqx", "bexq/xqx", "bexq/yqx"]);
  });

  test("is no worse in a language that it was not taught, where the catalog is in it", async () => {
    using folder = catalogFolder();
    const http = { baseUrl: "https://wetter.example", auth: { type: "none" } };
    const forecast = endpoint({
      displayName: "Wettervorhersage",
      description: "Temperatur, Wind und Regen der kommenden Tage an einem Ort.",
      request: { method: "GET" },
      input: {},
    });
    folder.write("wetter", { mkt: 1, provider: "wetter", http, endpoints: { "/vorhersage": forecast } });
    const discovery = await discoveryOn(await folder.load({ trusted: true }));

    expect(found(await discovery.discover({ q: "Temperatur Hamburg heute" }))).toEqual(["wetter/vorhersage"]);
    expect(found(await discovery.discover({ q: "guten Morgen, wie geht es dir" }))).toEqual([]);
  });

  test("gives the same answer twice", async () => {
    using market = await openIndexedMarket();

    const once = found(await market.discovery.discover({ q: "weather in a city", minScore: 0 }));

    expect(found(await market.discovery.discover({ q: "weather in a city", minScore: 0 }))).toEqual(once);
  });
});

describe("what cannot be called", () => {
  const q = "weather forecast clouds and rain by satellite";

  test("is hidden while its provider lacks a secret", async () => {
    using market = await openIndexedMarket();

    expect(found(await market.discovery.discover({ q }))).not.toContain("skywatch/v2/getWeatherForecast");
  });

  test("is found once the secret is set", async () => {
    using market = await openIndexedMarket({ environment: { SKYWATCH_KEY: "sk-1" } });

    expect(found(await market.discovery.discover({ q }))[0]).toBe("skywatch/v2/getWeatherForecast");
  });

  test("comes last when the caller asks for it, however well it fits", async () => {
    using market = await openIndexedMarket();

    const matches = await market.discovery.discover({ q, includeUnavailable: true });

    expect(found(matches).at(-1)).toBe("skywatch/v2/getWeatherForecast");
    expect(matches.length).toBeGreaterThan(1);
  });

  test("leaves its place to the next best while it is in outage", async () => {
    using market = await openIndexedMarket({ settings: { discoverPool: 1, discoverFloor: 0 } });
    market.setStatus("nimbus", "/forecast", "outage");

    expect(found(await market.discovery.discover({ q: "weather forecast" }))).toEqual(["nimbus/history"]);
  });

  test("says outage when the caller asks to see it", async () => {
    using market = await openIndexedMarket();
    market.setStatus("nimbus", "/forecast", "outage");

    const matches = await market.discovery.discover({ q: "weather forecast", includeUnavailable: true });

    expect(matches.find(({ entry }) => entry.path === "/forecast")?.metrics.status).toBe("outage");
    expect(found(matches)[0]).toBe("nimbus/history");
  });

  test("a degraded endpoint stays", async () => {
    using market = await openIndexedMarket();
    market.setStatus("nimbus", "/forecast", "degraded");

    expect(found(await market.discovery.discover({ q: "weather forecast" }))).toContain("nimbus/forecast");
  });
});

describe("filters", () => {
  test.each([
    ["a leaf keeps its endpoints", { category: "weather" }, ["nimbus/forecast", "nimbus/history"]],
    ["a top covers its group", { category: "environment" }, ["nimbus/forecast", "nimbus/history", "nimbus/tides"]],
    [
      "a leaf under two tops is in both groups",
      { category: "business" },
      ["ledgerly/companies/{id}/owners", "nimbus/tides"],
    ],
    [
      "a provider node keeps the provider",
      { category: "nimbus" },
      ["nimbus/forecast", "nimbus/history", "nimbus/tides"],
    ],
    ["an id that names no node lets nothing through", { category: "no-such-node" }, []],
    ["a provider that is not placed has no node", { category: "ledgerly" }, []],
    ["providers by their slugs", { provider: ["ledgerly", "nobody"] }, ["ledgerly/companies/{id}/owners"]],
    ["all of the tags, in any letter case", { tags: ["weather", "Daily"] }, ["nimbus/forecast"]],
    ["up to a price", { maxPrice: { value: 0.002, currency: "USD" as const } }, ["nimbus/forecast"]],
    ["those that answer later", { mode: "async" as const }, ["nimbus/history"]],
    [
      "those that answer at once, of one provider",
      { mode: "sync" as const, provider: ["nimbus"] },
      ["nimbus/forecast", "nimbus/tides"],
    ],
    ["nothing takes x402 payments", { supportsX402: true }, []],
    ["a network implies x402", { x402Network: "eip155:8453" }, []],
    ["what changes resources, which nothing here does", { readonly: false }, []],
    ["effects win over readonly", { effects: ["creates" as const], readonly: true }, []],
    [
      "reading only, without x402, is everything",
      { readonly: true, supportsX402: false, category: "weather" },
      ["nimbus/forecast", "nimbus/history"],
    ],
  ])("%s", async (_, filter, expected) => {
    using market = await openIndexedMarket();

    const q = "weather forecast history, tide tables, owners of a company";
    const matches = await market.discovery.discover({ q, minScore: 0, ...filter });

    expect(found(matches).sort()).toEqual(expected);
  });

  test("a filter does not lose what is beyond the pool of the unfiltered query", async () => {
    using market = await openIndexedMarket({ settings: { discoverPool: 1, discoverFloor: 0 } });

    const matches = await market.discovery.discover({ q: "weather forecast, owners", provider: ["ledgerly"] });

    expect(found(matches)).toEqual(["ledgerly/companies/{id}/owners"]);
  });
});

describe("categories of the matches", () => {
  test("nodes carry the number of matches, and those without any are left out", async () => {
    using market = await openIndexedMarket();

    const { items, totalEndpointCount } = await market.discovery.categories({ q: "weather" });

    expect(totalEndpointCount).toBe(3);
    expect(items.map(({ id, kind, endpointCount }) => [id, kind, endpointCount])).toEqual([
      ["environment", "top", 3],
      ["business", "top", 1],
      ["oceans", "category", 1],
      ["weather", "category", 2],
      ["nimbus", "provider", 3],
    ]);
  });

  test("there are none when nothing fits", async () => {
    using market = await openIndexedMarket();

    expect(await market.discovery.categories({ q: "best pizza recipe" })).toEqual({ items: [], totalEndpointCount: 0 });
  });
});

async function discoveryOn(catalog: Catalog): Promise<Discovery> {
  const indexing = await loadIndexing();
  return createDiscovery({
    catalog,
    index: createCatalogIndex({ entries: () => catalog.entries(), indexing: indexing.options }),
    knowledge: { vectors: indexing.vectors },
    health: { metrics: () => ({ status: "unknown" }) },
    settings: () => ({ discoverPool: 200, discoverFloor: 0.2 }),
  });
}

describe("the bundled catalog", () => {
  let discovery: Discovery;

  beforeAll(async () => {
    discovery = await discoveryOn(await bundledCatalog());
  });

  test.each([
    ["what time is it in Tokyo", "/time/now"],
    ["convert 3pm London time to Sydney time", "/time/convert"],
    ["sunrise in Lisbon tomorrow", "/sun"],
    ["next full moon", "/moon"],
    ["how far is Berlin from Paris", "/distance"],
    ["country code for Germany", "/countries"],
    ["today's date in the Hebrew calendar", "/calendar/convert"],
    ["write 1234.5 as euros in German", "/numbers/format"],
    ["split text into sentences", "/text/segments"],
    ["when do the clocks change for daylight saving time", "/time/transitions"],
  ])("%s → %s", async (q, path) => {
    expect((await discovery.discover({ q }))[0]?.entry.path).toBe(path);
  });

  test.each(["best pizza recipe", "asdf qwerty zxcv", "stock price of Apple", "who owns this company", "I love you"])(
    "%s → nothing",
    async (q) => {
      expect(found(await discovery.discover({ q }))).toEqual([]);
    },
  );
});

const ANYWHERE = { secrets: {}, http: { baseUrl: "https://holidays.example", auth: { type: "none" } } };

function holidays(provider: string, covers: object): Record<string, unknown> {
  const description = "Public holidays of a country in a year, with their names and dates.";
  return manifest({
    ...ANYWHERE,
    provider,
    covers,
    endpoints: {
      "/holidays": { displayName: "Public holidays", description, request: { method: "GET" }, price: { type: "FREE" } },
    },
  });
}
