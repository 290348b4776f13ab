import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DiscoverResult } from "../../shared/contract/discovery.ts";
import { confidenceOf } from "../../daemon/discovery/ranking/confidence/confidence-of.ts";
import { discoveryRoutes } from "../../daemon/discovery/routes.ts";
import { createHttpServer, type HttpServer } from "../../daemon/http/server.ts";
import { createIdempotency } from "../../daemon/idempotency/idempotency.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { endpointName } from "./asks/ask-collection.ts";
import { request } from "../support/request.ts";
import { type IndexedMarket, openIndexedMarket } from "./indexed-market.ts";

let market: IndexedMarket;
let server: HttpServer;

beforeAll(async () => {
  market = await openIndexedMarket();
  server = createHttpServer({
    idempotency: createIdempotency({ store: openMemoryStore(), answerOfRun: async () => undefined }),
    routes: discoveryRoutes({ discovery: market.discovery, catalog: market.catalog, uses: { forget: async () => 0 } }),
    authenticate: async () => ({
      kind: "API_KEY",
      actor: "API_KEY#f00d",
      userId: "u1",
      workspaceId: "w1",
      scopes: ["*"],
      operator: false,
    }),
    allowedHosts: [],
    maxBodyBytes: 65_536,
    version: "0.1.0",
    logger: pino({ level: "silent" }),
    validateResponses: true,
  });
  await server.listen("127.0.0.1", 0);
});

afterAll(async () => {
  await server.close();
  market[Symbol.dispose]();
});

const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
  await request(`${server.url}${path}`, "POST", { key: "mkt_test_x", body, headers });

/** Fits best what lacks a secret. */
const satellite = "weather forecast clouds and rain by satellite";

/** The hints of the best match for a weather forecast, as a caller with these headers gets them. */
async function hintsFor(headers: Record<string, string>) {
  const { body } = await post("/v1/discover", { q: "weather forecast", limit: 1 }, headers);
  return body.results[0].hints;
}

describe("POST /v1/discover", () => {
  test("answers results with price, score, tags and health, the query and the count", async () => {
    const { status, body } = await post("/v1/discover", { q: "weather forecast" });

    expect(status).toBe(200);
    expect(body.query).toBe("weather forecast");
    expect(body.count).toBe(body.results.length);
    expect(body.results[0]).toMatchObject({
      provider: "nimbus",
      providerName: "Nimbus",
      endpoint: "/forecast",
      description: "Temperature, wind and rain for the coming days in a city.",
      price: { type: "PER_CALL", amount: { value: 0.002, currency: "USD" } },
      tags: ["Weather", "daily"],
      metrics: { status: "unknown" },
    });
    expect(body.results[0].score).toBeGreaterThan(0.2);
    expect(body.results[0].score).toBeLessThanOrEqual(2);
  });

  describe("also", () => {
    const also = ["daily weather forecast by city", "rain and wind of the coming days"];

    test("finds by a rephrasing what the query does not find, and says which were asked", async () => {
      const alone = await post("/v1/discover", { q: "shall I hang the washing out" });
      const { status, body } = await post("/v1/discover", { q: "shall I hang the washing out", also });

      expect(alone.body.results.map(({ endpoint }: { endpoint: string }) => endpoint)).not.toContain("/forecast");
      expect(status).toBe(200);
      expect(body.results[0].endpoint).toBe("/forecast");
      expect([body.query, body.also]).toEqual(["shall I hang the washing out", also]);
    });

    test("changes nothing when it repeats the query, and neither does an empty list", async () => {
      const q = "weather forecast";
      const alone = await post("/v1/discover", { q, explain: true });
      const repeated = await post("/v1/discover", { q, explain: true, also: [" Weather  FORECAST", q, "  "] });
      const empty = await post("/v1/discover", { q, explain: true, also: [] });

      expect(repeated.body).toEqual({ ...alone.body, also: [] });
      expect(empty.body).toEqual({ ...alone.body, also: [] });
      expect(alone.body).not.toHaveProperty("also");
    });

    test("counts each phrasing once, however often it is sent", async () => {
      const once = await post("/v1/discover", { q: "is it wet", also: [also[0]] });
      const thrice = await post("/v1/discover", { q: "is it wet", also: [also[0], also[0], `${also[0]} `] });

      expect(thrice.body).toEqual(once.body);
    });

    test("is bound by filters, limit and floor as the query is", async () => {
      const { body } = await post("/v1/discover/endpoints", {
        q: "washing",
        also: ["owners of a company", ...also],
        provider: ["ledgerly"],
        minScore: 0,
      });
      const one = await post("/v1/discover/endpoints", { q: "washing", also, limit: 1, minScore: 0 });
      const all = await post("/v1/discover/endpoints", { q: "washing", also, limit: 1_000, minScore: 0 });

      expect(new Set(body.items.map(({ provider }: { provider: string }) => provider))).toEqual(new Set(["ledgerly"]));
      expect([one.body.items.length, one.body.total]).toEqual([1, all.body.items.length]);
      expect(new Set(all.body.items.map(endpointName)).size).toBe(all.body.items.length);
    });

    test("tells a hidden match that only a rephrasing finds", async () => {
      const { body } = await post("/v1/discover", {
        q: "shall I hang the washing out",
        also: [satellite],
        explain: true,
      });

      expect(body.unavailable.providers[0]).toMatchObject({ provider: "skywatch", reason: "missingSecret" });
      expect(body.results.map(({ provider }: { provider: string }) => provider)).not.toContain("skywatch");
    });

    test("an explanation says which phrasings found a result, best first, and has the words of the first", async () => {
      const { body } = await post("/v1/discover", { q: "shall I hang the washing out", also, explain: true });
      const { explanation } = body.results[0];

      expect(explanation.phrasings[0]).toEqual({ phrasing: also[0], place: 1 });
      expect(explanation.words.map(({ word }: { word: string }) => word)).toContain("forecast");
      expect(explanation.confidence).toBe(body.results[0].confidence);
    });

    test("is asked by the lists of endpoints, providers and categories too, with and without a key", async () => {
      for (const tier of ["/v1", "/public/v1"]) {
        const endpoints = await post(`${tier}/discover/endpoints`, { q: "hang the washing out", also });
        const providers = await post(`${tier}/discover/providers`, { q: "hang the washing out", also });
        const categories = await post(`${tier}/discover/categories`, { q: "hang the washing out", also });

        expect(endpoints.body.items[0].endpoint).toBe("/forecast");
        expect(endpoints.body.confidence).toMatch(/^(strong|possible)$/);
        expect(providers.body.items[0].provider).toBe("nimbus");
        expect(categories.body.items.map(({ id }: { id: string }) => id)).toContain("weather");
      }
    });

    test.each([
      ["more than eight", Array.from({ length: 9 }, (_, at) => `weather ${at}`), /^also: .*8/],
      ["nine, and says how many there are", Array.from({ length: 9 }, (_, at) => `weather ${at}`), /\(got 9\)$/],
      ["an empty one", ["weather", ""], /^also\[?\.?1/],
      [
        "a placeholder of our own hints",
        ["weather", " <kind of data>"],
        /^also\[1\]: is a placeholder: write your own/,
      ],
      ["one of more than 300 characters", ["a".repeat(301)], /^also.*300/],
      ["a text in place of a list", "weather", /^also: /],
    ])("refuses %s", async (_, refused, message) => {
      const { status, body } = await post("/v1/discover", { q: "weather", also: refused });

      expect(status).toBe(400);
      expect(body.message).toMatch(message);
    });
  });

  test("says in a word how certain each match is, and calls only the best of them strong", async () => {
    const { body } = await post("/v1/discover", { q: "weather in a city", minScore: 0, limit: 50, explain: true });
    const [first, ...others] = body.results;

    expect(first.confidence).toBe("strong");
    expect(others.filter(({ score }: DiscoverResult) => confidenceOf(score) === "strong")).not.toEqual([]);
    for (const { score, confidence, explanation } of others) {
      expect(confidence).toBe(confidenceOf(score) === "weak" ? "weak" : "possible");
      expect(explanation.confidence).toBe(confidence);
    }
    expect(others.at(-1).confidence).toBe("weak");
  });

  test("takes the query under the name of the reference client; q wins when both are sent", async () => {
    const one = await post("/v1/discover", { query: "tide tables" });
    const both = await post("/v1/discover", { q: "owners of a company", query: "tide tables" });

    expect([one.body.query, one.body.results[0].endpoint]).toEqual(["tide tables", "/tides"]);
    expect([both.body.query, both.body.results[0].provider]).toEqual(["owners of a company", "ledgerly"]);
  });

  test("gives at most limit results; more than fifty are cut, not refused", async () => {
    const one = await post("/v1/discover", { q: "weather", limit: 1 });
    const many = await post("/v1/discover", { q: "weather", limit: 1_000 });

    expect(one.body.count).toBe(1);
    expect(many.status).toBe(200);
  });

  test("when nothing fits well, our clients are told to ask in other words and where the nearest are", async () => {
    const q = "prospect of downpours for gardeners";
    const cli = { "x-mkt-client": "cli" };
    const { body } = await post("/v1/discover", { q, minScore: 0 }, cli);
    const spoken = await post("/v1/discover", { q, minScore: 0 }, { "x-mkt-client": "mcp" });
    const rephrased = await post("/v1/discover", { q, also: ["who sells tractors"], minScore: 0 }, cli);
    const other = await post("/v1/discover", { q, minScore: 0 });
    const fitting = await post("/v1/discover", { q: "weather forecast" }, cli);

    expect(body.results[0]?.confidence ?? "weak").toBe("weak");
    expect(body.hints["Ask again in other words"]).toMatchObject({
      kind: "discover",
      query: q,
      also: expect.any(Array),
    });
    expect(Object.values(body.hints)).toContainEqual({ kind: "discover", query: q, category: expect.any(String) });
    expect(spoken.body.hints["Ask again in other words"]).toMatch(/^discover \{"query":.*"also":\["<kind of data>"/);
    expect(rephrased.body.hints).not.toHaveProperty("Ask again in other words");
    expect(other.body).not.toHaveProperty("hints");
    expect(fitting.body).not.toHaveProperty("hints");
  });

  test("is an empty answer when nothing fits", async () => {
    const { status, body } = await post("/v1/discover", { q: "best pizza recipe" });

    expect(status).toBe(200);
    expect(body).toEqual({ results: [], query: "best pizza recipe", count: 0 });
  });

  test.each([
    ["no query", {}],
    ["an empty query", { q: "" }],
    ["a query of more than 1000 characters", { q: "a".repeat(1001) }],
    ["a floor above 2", { q: "weather", minScore: 2.1 }],
    ["a floor below 0", { q: "weather", minScore: -0.1 }],
    ["a limit of 0", { q: "weather", limit: 0 }],
    ["a category that is no slug", { q: "weather", category: "Big Things" }],
  ])("refuses %s", async (_, body) => {
    const { status, body: error } = await post("/v1/discover", body);

    expect([status, error.code]).toEqual([400, 400]);
    expect(error.message).toEqual(expect.any(String));
  });

  test("tells what cannot be run and why, with the names of what is missing", async () => {
    const { body } = await post("/v1/discover", { q: satellite, explain: true });

    expect(body.unavailable).toEqual({
      count: 1,
      better: 1,
      providers: [
        {
          provider: "skywatch",
          endpoint: "/v2/getWeatherForecast",
          count: 1,
          better: 1,
          reason: "missingSecret",
          missing: ["SKYWATCH_KEY"],
        },
      ],
    });
  });

  test("says it of each result when they were asked for, and of no other", async () => {
    const { body } = await post("/v1/discover", { q: satellite, includeUnavailable: true });

    expect(body.results.at(-1)).toMatchObject({
      provider: "skywatch",
      unavailable: { reason: "missingSecret", missing: ["SKYWATCH_KEY"] },
    });
    expect(body.results[0]).not.toHaveProperty("unavailable");
  });

  test("?explain=true asks for explanations as the body does", async () => {
    const byQuery = await post("/v1/discover?explain=true", { q: "weather forecast" });
    const byBody = await post("/v1/discover?explain=false", { q: "weather forecast", explain: true });
    const neither = await post("/v1/discover?explain=false", { q: "weather forecast" });
    const wrong = await post("/v1/discover?explain=yes", { q: "weather forecast" });

    expect(byQuery.body.results[0].explanation.words.length).toBeGreaterThan(0);
    expect(byBody.body).toEqual(byQuery.body);
    expect(neither.body.results[0]).not.toHaveProperty("explanation");
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringMatching(/^query\.explain: /)]);
  });

  describe("hints", () => {
    const structured = { kind: "inspect", provider: "nimbus", endpoint: "/history" };

    test("our command line and the web get structured targets", async () => {
      expect((await hintsFor({ "x-mkt-client": "cli" }))["see what it was like"]).toEqual(structured);
      expect((await hintsFor({ "x-mkt-client": "web" }))["see what it was like"]).toEqual(structured);
    });

    test("the reference client gets commands in its own words", async () => {
      const hints = await hintsFor({ "x-monid-client": "cli" });

      expect(hints["see what it was like"]).toBe("monid inspect -p nimbus -e /history");
    });

    test.each(["api", "mcp"])("a client of the kind %s gets a string", async (kind) => {
      const hints = await hintsFor({ "x-mkt-client": kind });

      expect(hints["see what it was like"]).toEqual(expect.stringContaining("/history"));
      expect(hints["good to know"]).toBe("Days are counted in UTC");
    });

    test("a client of an unknown kind gets none", async () => {
      expect(await hintsFor({ "x-mkt-client": "toaster" })).toBeUndefined();
    });

    test("an endpoint without authored hints has none, whoever asks", async () => {
      const { body } = await post("/v1/discover", { q: "tide tables", limit: 1 }, { "x-mkt-client": "cli" });

      expect(body.results[0].hints).toBeUndefined();
      expect(body.hints).toBeUndefined();
    });
  });
});

describe.each(["/v1", "/public/v1"])("%s/discover/…", (prefix) => {
  test("endpoints: cards in rank order; total counts the matches before the limit", async () => {
    const { status, body } = await post(`${prefix}/discover/endpoints`, { q: "weather forecast", limit: 1 });

    expect(status).toBe(200);
    expect(body.items).toHaveLength(1);
    expect(body.total).toBe(3);
    expect(body.items[0]).toMatchObject({
      provider: "nimbus",
      providerDisplayName: "Nimbus",
      displayName: "Weather forecast",
    });
    expect(body.items[0]).not.toHaveProperty("docUrl");
    expect(body).not.toHaveProperty("cursor");
  });

  test("endpoints: total counts after the category narrowing", async () => {
    const q = "weather, tide tables";

    const all = await post(`${prefix}/discover/endpoints`, { q, minScore: 0 });
    const narrowed = await post(`${prefix}/discover/endpoints`, { q, minScore: 0, category: "oceans" });
    const nowhere = await post(`${prefix}/discover/endpoints`, { q, minScore: 0, category: "no-such-node" });

    expect([all.body.total, narrowed.body.total]).toEqual([3, 1]);
    expect(nowhere).toMatchObject({ status: 200, body: { items: [], total: 0 } });
  });

  test("endpoints: what cannot be run is told; names of secrets to callers with a credential alone", async () => {
    const { body } = await post(`${prefix}/discover/endpoints`, { q: satellite, explain: true });

    expect(body.unavailable).toMatchObject({
      count: 1,
      providers: [{ provider: "skywatch", reason: "missingSecret" }],
    });
    expect(JSON.stringify(body).includes("SKYWATCH_KEY")).toBe(prefix === "/v1");
  });

  test("endpoints: ?explain=true explains each card", async () => {
    const { body } = await post(`${prefix}/discover/endpoints?explain=true`, { q: "weather forecast", limit: 1 });

    expect(body.explanations).toHaveLength(1);
  });

  test("endpoints: a limit above the pool is cut, not refused", async () => {
    const { status } = await post(`${prefix}/discover/endpoints`, { q: "weather", limit: 1_000_000 });

    expect(status).toBe(200);
  });

  test("categories: nodes with the number of matches", async () => {
    const { body } = await post(`${prefix}/discover/categories`, { q: "weather" });

    expect(body.totalEndpointCount).toBe(3);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([
      "environment",
      "business",
      "oceans",
      "weather",
      "nimbus",
    ]);
  });

  test("categories: each node counts what a search narrowed to it finds", async () => {
    const q = "weather, tide tables, owners of a company";

    const { body } = await post(`${prefix}/discover/categories`, { q, minScore: 0 });
    const narrowed = await Promise.all(
      body.items.map(({ id }: { id: string }) =>
        post(`${prefix}/discover/endpoints`, { q, minScore: 0, category: id, limit: 1 }),
      ),
    );

    expect(body.items.length).toBeGreaterThan(4);
    expect(narrowed.map((answer) => answer.body.total)).toEqual(
      body.items.map(({ endpointCount }: { endpointCount: number }) => endpointCount),
    );
  });

  test("providers: best match first, each once, with all its enabled endpoints counted", async () => {
    const { body } = await post(`${prefix}/discover/providers`, { q: "owners of a company, weather", minScore: 0 });

    expect(body.items).toEqual([
      { provider: "ledgerly", displayName: "Ledgerly", endpointCount: 1 },
      { provider: "nimbus", displayName: "Nimbus", endpointCount: 3, url: "https://nimbus.example" },
    ]);
    expect(body).not.toHaveProperty("cursor");
  });
});

test("an explanation says which words were translated, and from what language", async () => {
  const { status, body } = await post("/v1/discover/endpoints", { q: "wetter in berlin", explain: true, minScore: 0 });

  expect(status).toBe(200);
  expect(body.explanations[0].expanded).toContainEqual({ word: "wetter", to: "weather", by: "German" });
});
