import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request, type RequestOptions } from "../support/request.ts";
import { type Market, openMarket, openNeighbour } from "./market.ts";

/**
 * The reference calls, each with its documented answer: docs/contract.md, "Starting a run", "Discovery", "Categories",
 * "Resources" and "Paging". Every answer is checked against the contract by the daemon itself as well.
 */

let market: Market;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const dollars = (value: number) => ({ value, currency: "USD" });
const microDollars = (value: number) => ({ value, unit: "MICRO_DOLLAR", currency: "USD" });

beforeAll(async () => {
  market = await openMarket();
  market.upstream.on("GET /now", { json: { temperature: 21 } });
});

afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

const call = async (method: string, path: string, body?: unknown) => await market.daemon.request(method, path, body);
const registry = async (path: string, options: RequestOptions = {}) =>
  await request(`${market.daemon.registryUrl}/public/v1/${path}`, options.body === undefined ? "GET" : "POST", options);
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);
const paths = (items: readonly { endpoint: string }[]) => items.map(({ endpoint }) => endpoint);

describe("POST /v1/run and GET /v1/runs/{runId}", () => {
  const nowRun = { provider: "nimbus", endpoint: "/now", input: { city: "Lisbon" } };

  test("a sync run answers 200 with exactly the documented members, and ours beside them", async () => {
    const { status, body } = await call("POST", "/v1/run", nowRun);

    expect(status).toBe(200);
    const { runId, createdAt, completedAt, providerName, cost, manifestHash, attempts, hints, ...documented } = body;
    expect(documented).toEqual({
      provider: "nimbus",
      endpoint: "/now",
      status: "COMPLETED",
      output: { temperature: 21 },
      providerResponse: { httpStatus: 200 },
      price: { type: "PER_CALL", amount: 0.01, currency: "USD" },
      billing: {
        calculatedCost: microDollars(10_000),
        actualCost: microDollars(10_000),
        reportedCost: microDollars(10_000),
      },
      resultCount: null,
    });
    expect(runId).toMatch(ULID);
    expect(createdAt).toMatch(ISO);
    expect(completedAt).toMatch(ISO);
    expect({ providerName, cost, manifestHash, attempts, hints }).toMatchObject({
      providerName: "Nimbus",
      cost: dollars(0.01),
    });
  });

  test("a provider error is a 200 too: COMPLETED, output null, the error's status and message, nothing charged", async () => {
    market.upstream.on("GET /now", { status: 404, json: { message: "no such city" } }, { json: { temperature: 21 } });

    const { status, body } = await call("POST", "/v1/run", nowRun);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "COMPLETED",
      output: null,
      providerResponse: { httpStatus: 404, error: { status: 404, message: expect.stringMatching(/./) } },
      billing: { calculatedCost: microDollars(10_000), reportedCost: microDollars(0) },
      resultCount: null,
    });
  });

  test("an async run answers 202 with runId, provider, endpoint, status, price and createdAt, and is then read by GET", async () => {
    market.upstream.on("POST /reports", { status: 202, json: { id: "job-1" } });
    market.upstream.on(
      "GET /reports/job-1",
      { json: { status: "working" } },
      {
        json: { status: "done", result: { items: [{ day: 1 }, { day: 2 }] } },
      },
    );

    const accepted = await call("POST", "/v1/run", {
      provider: "nimbus",
      endpoint: "/report",
      input: { topic: "rain" },
    });
    const read = await call("GET", `/v1/runs/${accepted.body.runId}?wait=20`);

    expect(accepted.status).toBe(202);
    expect(accepted.body).toMatchObject({
      runId: expect.stringMatching(ULID),
      provider: "nimbus",
      endpoint: "/report",
      status: "RUNNING",
      price: { type: "PER_RESULT", amount: 0.002, currency: "USD" },
      createdAt: expect.stringMatching(ISO),
    });
    expect(accepted.body).not.toHaveProperty("output");
    expect(read).toMatchObject({ status: 200, body: { runId: accepted.body.runId, status: "COMPLETED" } });
    expect(read.body.output).toEqual([{ day: 1 }, { day: 2 }]);
    expect(read.body.resultCount).toBe(2);
  });

  test("resultCount is null when there are no results, a measured zero included", async () => {
    market.upstream.on("POST /reports", { status: 202, json: { id: "job-2" } });
    market.upstream.on("GET /reports/job-2", { json: { status: "done", result: { items: [] } } });

    const { body } = await call("POST", "/v1/run", {
      provider: "nimbus",
      endpoint: "/report",
      input: { topic: "sun" },
      wait: 20,
    });

    expect(body).toMatchObject({ status: "COMPLETED", output: [], resultCount: null, billedUnits: 0 });
    expect(body.billing.reportedCost).toEqual(microDollars(5_000));
  });

  test("runs are listed without input and output", async () => {
    await call("POST", "/v1/run", nowRun);

    const { body } = await call("GET", "/v1/runs?limit=1");

    expect(body.items).toHaveLength(1);
    expect(body.items[0]).toMatchObject({ provider: "nimbus", status: "COMPLETED", cost: dollars(0.01) });
    expect(body.items[0]).not.toHaveProperty("input");
    expect(body.items[0]).not.toHaveProperty("output");
    expect(body.cursor).toMatch(/./);
  });
});

describe("POST /v1/discover (legacy)", () => {
  test("answers results, the query and their count", async () => {
    const { status, body } = await call("POST", "/v1/discover", { q: "weather in a city" });

    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["count", "query", "results"]);
    expect(body.query).toBe("weather in a city");
    expect(body.count).toBe(body.results.length);
    expect(body.results[0]).toEqual({
      provider: "nimbus",
      providerName: "Nimbus",
      endpoint: "/now",
      description: "The weather in a city right now: temperature, wind and rain.",
      price: { type: "PER_CALL", amount: dollars(0.01) },
      score: expect.any(Number),
      confidence: "strong",
      tags: ["weather"],
      metrics: { status: expect.stringMatching(/^(healthy|stable|degraded|outage|unknown)$/) },
      hints: expect.any(Object),
    });
  });

  test("the best match comes first", async () => {
    const { body } = await call("POST", "/v1/discover", { q: "weather", minScore: 0 });

    const scores = body.results.map(({ score }: { score: number }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  test("hints are left out for endpoints without authored ones", async () => {
    const { body } = await call("POST", "/v1/discover", { q: "high and low water at a harbour" });

    expect(body.results[0].endpoint).toBe("/tides");
    expect(body.results[0]).not.toHaveProperty("hints");
  });

  test("minScore is a floor in place of the configured one", async () => {
    const wide = await call("POST", "/v1/discover", { q: "harbour", minScore: 0 });
    const high = await call("POST", "/v1/discover", { q: "harbour", minScore: 2 });

    expect(wide.body.count).toBeGreaterThan(0);
    expect(high.body).toMatchObject({ results: [], count: 0 });
  });

  test("a query that fits nothing finds nothing", async () => {
    const { body } = await call("POST", "/v1/discover", { q: "symphony orchestra rehearsal" });

    expect(body).toEqual({ results: [], query: "symphony orchestra rehearsal", count: 0 });
  });

  test("q wins over query when both are sent, and is what comes back", async () => {
    const { body } = await call("POST", "/v1/discover", { q: "harbour", query: "weather" });

    expect(body.query).toBe("harbour");
    expect(body.results[0].provider).toBe("tidewise");
  });
});

describe("Discover endpoints, categories and providers", () => {
  test.each(["/public/v1/discover", "/v1/discover"])(
    "%s/endpoints answers cards in rank order and the total",
    async (base) => {
      const { status, body } = await call("POST", `${base}/endpoints`, { q: "harbour", limit: 1 });

      expect(status).toBe(200);
      expect(Object.keys(body).sort()).toEqual(["items", "total"]);
      expect(body.items).toHaveLength(1);
      expect(body.total).toBe(4);
      expect(Object.keys(body.items[0]).sort()).toEqual(
        [
          "provider",
          "providerDisplayName",
          "endpoint",
          "displayName",
          "displayDescription",
          "price",
          "tags",
          "categories",
        ].sort(),
      );
    },
  );

  test("total counts what matches after category narrowing and before limit", async () => {
    const narrowed = await registry("discover/endpoints", { body: { q: "harbour", category: "oceans", limit: 1 } });
    const group = await registry("discover/endpoints", { body: { q: "harbour", category: "sky", limit: 1 } });
    const nowhere = await registry("discover/endpoints", { body: { q: "harbour", category: "no-such-node" } });

    expect(narrowed.body).toMatchObject({ total: 1, items: [{ endpoint: "/tides" }] });
    expect(group.body).toMatchObject({ total: 4, items: [{ provider: "tidewise" }] });
    expect(nowhere).toMatchObject({ status: 200, body: { total: 0, items: [] } });
  });

  test.each(["/public/v1/discover", "/v1/discover"])("%s/categories counts the matches of each node", async (base) => {
    const { status, body } = await call("POST", `${base}/categories`, { q: "high and low water" });

    expect(status).toBe(200);
    expect(ids(body.items)).toEqual(["sky", "business", "oceans", "tidewise"]);
    expect(body.items.map((node: { endpointCount: number }) => node.endpointCount)).toEqual([1, 1, 1, 1]);
    expect(body.totalEndpointCount).toBe(1);
  });

  test.each(["/public/v1/discover", "/v1/discover"])(
    "%s/providers answers providers, best match first, with the number of their enabled endpoints",
    async (base) => {
      const { status, body } = await call("POST", `${base}/providers`, {
        q: "rain and wind in a city, near a harbour",
      });

      expect(status).toBe(200);
      expect(body.items).toEqual([
        {
          provider: "nimbus",
          displayName: "Nimbus",
          displayDescription: "Weather of every city.",
          url: "https://nimbus.example",
          endpointCount: 3,
        },
        { provider: "tidewise", displayName: "Tidewise", endpointCount: 4 },
      ]);
    },
  );

  test("the registry address answers the same as the main one", async () => {
    const body = { q: "harbour" };

    const main = await request(`${market.daemon.url}/public/v1/discover/endpoints`, "POST", { body });
    const other = await registry("discover/endpoints", { body });

    expect(other.text).toBe(main.text);
  });

  test("endpoints whose provider lacks a secret are not found unless they are asked for", async () => {
    const hidden = await registry("discover/endpoints", { body: { q: "vaults of a bank" } });
    const shown = await registry("discover/endpoints", { body: { q: "vaults of a bank", includeUnavailable: true } });

    expect(hidden.body).toEqual({ items: [], total: 0 });
    expect(paths(shown.body.items)).toEqual(["/vaults"]);
  });
});

describe("POST /v1/inspect", () => {
  test("answers what is needed to run the endpoint, examples with name and input, and the private docUrl", async () => {
    const { status, body } = await call("POST", "/v1/inspect", { provider: "nimbus", endpoint: "/now" });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      provider: "nimbus",
      providerName: "Nimbus",
      endpoint: "/now",
      description: "The weather in a city right now: temperature, wind and rain.",
      method: "GET",
      price: { type: "PER_CALL", amount: dollars(0.01) },
      docUrl: "https://weather.example/docs",
      tags: ["weather"],
      categories: ["sky/weather", "sky/nimbus"],
      input: { queryParams: { required: ["city"] } },
      examples: [{ name: "Lisbon", input: { queryParams: { city: "Lisbon" } } }],
    });
  });

  test("the example that it shows can be run as it stands", async () => {
    const { body: detail } = await call("POST", "/v1/inspect", { provider: "nimbus", endpoint: "now" });

    const { provider, endpoint } = detail;
    const { status } = await call("POST", "/v1/run", { provider, endpoint, input: detail.examples[0].input });

    expect(status).toBe(200);
  });

  test("docUrl appears nowhere else", async () => {
    const answers = await Promise.all([
      registry("endpoints?limit=100"),
      registry("search?q=weather"),
      registry("categories"),
      registry("providers"),
      registry("providers/nimbus/endpoints"),
      registry("providers/nimbus/endpoints/now"),
      registry("discover/endpoints", { body: { q: "weather in a city" } }),
      request(`${market.daemon.url}/v1/discover`, "POST", { key: market.daemon.key, body: { q: "weather in a city" } }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ text }) => text).join()).not.toMatch(/docUrl|weather\.example\/docs/);
  });
});

describe("GET /public/v1/categories", () => {
  test("is flat: tops in priority order, then leaves, then providers alphabetically; hidden, unlinked and empty nodes are left out", async () => {
    const { body } = await registry("categories");

    expect(ids(body.items)).toEqual(["sky", "business", "companies", "oceans", "weather", "nimbus", "tidewise"]);
    expect(body.totalEndpointCount).toBe(8);
  });

  test("a top has children: linked leaves in display order, then provider nodes; an endpoint below two of them counts once", async () => {
    const { body } = await registry("categories");

    expect(body.items[0]).toEqual({
      kind: "top",
      id: "sky",
      displayName: "Sky",
      description: "What comes from above",
      endpointCount: 7,
      children: ["weather", "oceans", "nimbus", "tidewise"],
    });
  });

  test("a category has parents, several where several tops link it", async () => {
    const { body } = await registry("categories?category=oceans");

    expect(body.items).toEqual([
      { kind: "category", id: "oceans", displayName: "Oceans", endpointCount: 1, parents: ["sky", "business"] },
    ]);
  });

  test("a provider node has its slug, parents, and its url only where one is declared", async () => {
    const { body } = await registry("categories");

    expect(body.items.slice(-2)).toEqual([
      {
        kind: "provider",
        id: "nimbus",
        displayName: "Nimbus",
        description: "Weather of every city.",
        endpointCount: 3,
        provider: "nimbus",
        parents: ["sky"],
        url: "https://nimbus.example",
      },
      {
        kind: "provider",
        id: "tidewise",
        displayName: "Tidewise",
        endpointCount: 4,
        provider: "tidewise",
        parents: ["sky"],
      },
    ]);
  });

  test("q is a query parameter: counts become hits, nodes without any drop out, the total is that of the hits", async () => {
    const { body } = await registry("categories?q=tide");

    expect(ids(body.items)).toEqual(["sky", "business", "oceans", "tidewise"]);
    expect(body.items[0]).toMatchObject({ children: ["oceans", "tidewise"], endpointCount: 1 });
    expect(body.totalEndpointCount).toBe(1);
  });

  test("a top's id gives the top and its members", async () => {
    const { body } = await registry("categories?category=business");

    expect(ids(body.items)).toEqual(["business", "companies", "oceans"]);
  });
});

describe("GET /public/v1/providers", () => {
  test("lists providers with enabled endpoints and how many those are; a name that is missing is the slug, a url is absent", async () => {
    const { body } = await registry("providers");

    expect(body).toEqual({
      items: [
        { provider: "locked", displayName: "Locked", endpointCount: 1 },
        {
          provider: "nimbus",
          displayName: "Nimbus",
          displayDescription: "Weather of every city.",
          endpointCount: 3,
          url: "https://nimbus.example",
        },
        { provider: "tidewise", displayName: "Tidewise", endpointCount: 4 },
      ],
    });
  });

  test("comes in pages; the last one has no cursor", async () => {
    const first = await registry("providers?limit=2");
    const last = await registry(`providers?limit=2&cursor=${first.body.cursor}`);

    expect(first.body.items).toHaveLength(2);
    expect(last.body.items.map(({ provider }: { provider: string }) => provider)).toEqual(["tidewise"]);
    expect(last.body).not.toHaveProperty("cursor");
  });

  test("q keeps those with matching endpoints", async () => {
    const { body } = await registry("providers?q=harbour");

    expect(body.items.map(({ provider }: { provider: string }) => provider)).toEqual(["tidewise"]);
  });
});

describe("GET /public/v1/endpoints", () => {
  test("gives every card once, page by page, without a cursor on the last one", async () => {
    const seen: string[] = [];
    const totals = new Set<number>();

    let cursor: string | undefined;
    do {
      const { body } = await registry(`endpoints?limit=3${cursor === undefined ? "" : `&cursor=${cursor}`}`);
      seen.push(...paths(body.items));
      totals.add(body.total);
      cursor = body.cursor;
    } while (cursor !== undefined);

    expect(seen.sort()).toEqual(
      ["/cargo", "/harbours/{harbour}/owners", "/now", "/plain", "/report", "/tides", "/vaults", "/wrecks"].sort(),
    );
    expect([...totals]).toEqual([8]);
  });

  test.each([
    ["q=tide", ["/tides"]],
    ["category=companies", ["/harbours/{harbour}/owners"]],
    ["category=nimbus", ["/now", "/plain", "/report"]],
    ["provider=tidewise&category=oceans", ["/tides"]],
    ["provider=nobody", []],
    ["category=no-such-node", []],
    ["q=symphony", []],
  ])("%s filters", async (query, expected) => {
    const { status, body } = await registry(`endpoints?${query}`);

    expect(status).toBe(200);
    expect(paths(body.items).sort()).toEqual(expected);
    expect(body.total).toBe(expected.length);
    expect(body).not.toHaveProperty("cursor");
  });

  test("a card always has a name, tags, and categories of depth two, functional and by provider", async () => {
    const { body } = await registry("endpoints?provider=nimbus&q=input");

    expect(body.items[0]).toEqual({
      provider: "nimbus",
      providerDisplayName: "Nimbus",
      providerDisplayDescription: "Weather of every city.",
      endpoint: "/plain",
      displayName: "/plain",
      displayDescription: "An endpoint without any input.",
      price: { type: "PER_CALL", amount: dollars(0.01) },
      tags: [],
      categories: ["sky/weather", "sky/nimbus"],
    });
  });

  test("categories are empty for an endpoint outside the catalog", async () => {
    const { body } = await registry("endpoints?provider=locked");

    expect(body.items[0]).toMatchObject({ endpoint: "/vaults", categories: [] });
  });
});

describe("The other registry routes", () => {
  test("the endpoints of a provider are listed; a provider without enabled ones, or none at all, is 404", async () => {
    const own = await registry("providers/nimbus/endpoints");
    const shuttered = await registry("providers/shuttered/endpoints");
    const unknown = await registry("providers/nobody/endpoints");

    expect(paths(own.body.items).sort()).toEqual(["/now", "/plain", "/report"]);
    expect([shuttered, unknown].map(({ body }) => body)).toMatchObject([
      { code: 404, message: expect.stringContaining("shuttered") },
      { code: 404, message: expect.stringContaining("nobody") },
    ]);
  });

  test.each(["harbours/{harbour}/owners", "harbours/%7Bharbour%7D/owners", "harbours%2F%7Bharbour%7D%2Fowners"])(
    "an endpoint's card is found by its path, slashes and all: %s",
    async (path) => {
      const { status, body } = await registry(`providers/tidewise/endpoints/${path}`);

      expect(status).toBe(200);
      expect(body).toMatchObject({ endpoint: "/harbours/{harbour}/owners", method: "GET", price: { type: "TIERED" } });
    },
  );

  test("an endpoint that is disabled is 404", async () => {
    expect((await registry("providers/tidewise/endpoints/pirates")).status).toBe(404);
  });

  test("stats count the enabled endpoints and their providers", async () => {
    expect((await registry("stats")).body).toEqual({ endpointCount: 8, providerCount: 3 });
  });

  test("search answers cards, the query and counts", async () => {
    const { body } = await registry("search?q=harbour&limit=2");

    expect(body).toMatchObject({ query: "harbour", count: 2, total: 4, totalIsCapped: false });
    expect(body.items).toHaveLength(2);
    expect(body.cursor).toMatch(/./);
  });

  test("the registry address serves nothing but /public/v1", async () => {
    const { registryUrl, key } = market.daemon;

    const answers = await Promise.all(
      ["/v1/auth/whoami", "/v1/runs", "/health", "/openapi.json", "/"].map((path) =>
        request(`${registryUrl}${path}`, "GET", { key }),
      ),
    );

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 404]));
  });
});

describe("Identity operations", () => {
  test("whoami answers the user and the workspace", async () => {
    const { status, body } = await call("GET", "/v1/auth/whoami");

    expect(status).toBe(200);
    expect(body.user).toMatchObject({
      userId: expect.stringMatching(/./),
      username: expect.any(String),
      metadata: {},
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
    });
    expect(body.workspace).toMatchObject({
      workspaceId: expect.stringMatching(/./),
      name: expect.any(String),
      slug: expect.any(String),
      metadata: {},
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
    });
  });

  test("a key lists exactly the workspace that it is bound to", async () => {
    const neighbour = await openNeighbour(market.daemon);
    const { body: whoami } = await call("GET", "/v1/auth/whoami");

    const own = await call("GET", "/v1/auth/workspaces");
    const theirs = await request(`${market.daemon.url}/v1/auth/workspaces`, "GET", { key: neighbour.key });

    expect(own.body).toEqual({
      workspaces: [{ workspaceId: whoami.workspace.workspaceId, slug: whoami.workspace.slug }],
    });
    expect(theirs.body).toEqual({ workspaces: [{ workspaceId: neighbour.workspaceId, slug: "neighbour" }] });
  });
});

describe("The wallet and resources", () => {
  test("the balance is what may be spent, beside what is held, in dollars", async () => {
    const { status, body } = await call("GET", "/v1/wallet/balance");

    expect(status).toBe(200);
    expect(body).toMatchObject({ balance: { currency: "USD" }, held: dollars(0) });
    expect(body.balance.value).toBeLessThanOrEqual(10);
  });

  test("a workspace without resources has an empty page without a cursor", async () => {
    const { status, body } = await call("GET", "/v1/resources");

    expect(status).toBe(200);
    expect(body).toEqual({ items: [] });
  });

  test.each([
    ["GET", ""],
    ["GET", "/external/messages"],
    ["GET", "/events"],
    ["POST", "/release"],
  ])("%s /v1/resources/{id}%s is 404, the same for every id", async (method, rest) => {
    const { status, body } = await call(method, `/v1/resources/01JD0000000000000000000000${rest}`);

    expect(status).toBe(404);
    expect(body).toEqual({ code: 404, message: "Resource 01JD0000000000000000000000 not found" });
  });
});

describe("Versioning", () => {
  test("the interface declares version 0.1.0, in its document and on every answer", async () => {
    const { body, headers } = await call("GET", "/openapi.json");

    expect(body.info.version).toBe("0.1.0");
    expect(headers.get("x-mkt-version")).toBe("0.1.0");
  });

  test("POST /v1/discover is marked as deprecated beside the public discover operations", async () => {
    const { body } = await call("GET", "/openapi.json");

    expect(body.paths["/v1/discover"].post.deprecated).toBe(true);
    expect(body.paths["/public/v1/discover/endpoints"].post.deprecated).toBeUndefined();
  });
});
