import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptReport, untilCalled } from "../support/weather-manifest.ts";
import { type Market, openMarket } from "./market.ts";

/** docs/contract.md, "Additions": beside the contract, never in the way of it. */

let market: Market;

beforeAll(async () => {
  market = await openMarket();
  market.upstream.on("GET /now", { json: { temperature: 21 } });
  market.upstream.on("GET /plain", { json: {} });
  market.upstream.on("GET /tides", { json: { high: "09:12" } });
});

afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

const request = async (method: string, path: string, body?: unknown) => await market.daemon.request(method, path, body);
const run = async (endpoint: string, more: object = {}) =>
  await request("POST", "/v1/run", { provider: "nimbus", endpoint, ...more });
const report = async (more: object = {}) => await run("/report", { input: { topic: "rain", limit: 10 }, ...more });
const stop = async (runId: string) => {
  await request("POST", `/v1/runs/${runId}/stop`);
  return (await request("GET", `/v1/runs/${runId}?wait=20`)).body;
};

describe("wait", () => {
  test("an async run is waited for, then answered with 200 and the finished run", async () => {
    scriptReport(market.upstream, { polls: 1, result: { items: [{}, {}] } });

    const { status, body } = await report({ wait: 20 });

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "COMPLETED", resultCount: 2, billing: { reportedCost: { value: 9_000 } } });
  });

  test("202 when it takes longer", async () => {
    scriptReport(market.upstream, { polls: 10_000 });

    const { status, body } = await report({ wait: 0.05 });

    expect(status).toBe(202);
    expect(body.status).toBe("RUNNING");
    await stop(body.runId);
  });

  test("GET ?wait answers when the run is terminal, or after the seconds given", async () => {
    scriptReport(market.upstream, { polls: 5, result: { items: [{}] } });
    const { body: accepted } = await report();

    const early = await request("GET", `/v1/runs/${accepted.runId}?wait=0`);
    const late = await request("GET", `/v1/runs/${accepted.runId}?wait=30`);

    expect(["READY", "RUNNING"]).toContain(early.body.status);
    expect(late.body.status).toBe("COMPLETED");
  });

  test("a run that has ended is answered at once", async () => {
    const { body } = await run("/plain");

    const read = await request("GET", `/v1/runs/${body.runId}?wait=60`);

    expect(read.body.status).toBe("COMPLETED");
  });
});

describe("maxCost", () => {
  test("a run that may cost more is refused with 402 before the call, and nothing is held", async () => {
    const calls = market.upstream.calls.length;
    const before = await request("GET", "/v1/wallet/balance");

    const { status, body } = await report({ maxCost: { value: 0.0249, currency: "USD" } });

    expect(status).toBe(402);
    expect(body.message).toMatch(/up to \$0\.025.*maxCost of \$0\.0249/);
    // Not the wallet's fault, and not for the wallet to mend.
    expect(Object.keys(body).sort()).toEqual(["code", "message"]);
    expect(market.upstream.calls.length).toBe(calls);
    expect((await request("GET", "/v1/wallet/balance")).body).toEqual(before.body);
  });

  test("a run within it goes ahead, and the run says what it was", async () => {
    const { status, body } = await run("/plain", { maxCost: { value: 0.01, currency: "USD" } });
    const read = await request("GET", `/v1/runs/${body.runId}`);

    expect(status).toBe(200);
    expect(body.maxCost).toEqual({ value: 0.01, currency: "USD" });
    expect(read.body.maxCost).toEqual({ value: 0.01, currency: "USD" });
  });
});

describe("deadlineMs", () => {
  test("an async run that is not done by then is TIMED_OUT, its job is stopped and nothing is charged", async () => {
    scriptReport(market.upstream, { polls: 10_000 });
    const stopped = market.upstream.count("DELETE /reports/*");

    const { body: accepted } = await report({ deadlineMs: 1_000 });
    const { body } = await request("GET", `/v1/runs/${accepted.runId}?wait=20`);
    await untilCalled(market.upstream, "DELETE /reports/*", stopped);

    expect(body).toMatchObject({ status: "TIMED_OUT", stoppable: false, billing: { reportedCost: { value: 0 } } });
    expect((await request("GET", "/v1/wallet/balance")).body.held.value).toBe(0);
  });

  test("may not be beyond the endpoint's own, which the refusal names", async () => {
    const { status, body } = await report({ deadlineMs: 60_001 });

    expect(status).toBe(400);
    expect(body.message).toMatch(/deadlineMs must be at most 60000/);
  });
});

describe("tags", () => {
  test("are kept with the run and come back with it", async () => {
    const tags = { job: "nightly", "Team name": "Ärla 🌧", empty: "" };

    const { body } = await run("/plain", { tags });
    const read = await request("GET", `/v1/runs/${body.runId}`);
    const listed = await request("GET", "/v1/runs?limit=1");

    expect(body.tags).toEqual(tags);
    expect(read.body.tags).toEqual(tags);
    expect(listed.body.items).toMatchObject([{ runId: body.runId, tags }]);
  });

  test("are no member of a listed run that has none", async () => {
    await run("/plain");

    const { body } = await request("GET", "/v1/runs?limit=1");

    expect(body.items[0]).not.toHaveProperty("tags");
  });

  test("whose name is too long are refused in words", async () => {
    const { status, body } = await run("/plain", { tags: { ["x".repeat(65)]: "" } });

    expect(status).toBe(400);
    expect(body.message).toMatch(/^tags: a name .*64 characters/);
    expect(body.message.length).toBeLessThan(200);
  });
});

describe("GET /v1/runs filters", () => {
  /** Made once, in this order; the filters below look only at runs with this tag. */
  const made: { now: string; plain: string; tides: string; missed: string; other: string } = {
    now: "",
    plain: "",
    tides: "",
    missed: "",
    other: "",
  };
  const names = (items: { runId: string }[]) =>
    items.map(({ runId }) => Object.entries(made).find(([, id]) => id === runId)?.[0]);
  const list = async (query: string) => await request("GET", `/v1/runs?limit=100&tag=set:filters&${query}`);
  let between = "";

  beforeAll(async () => {
    const tags = { set: "filters", step: "a:b" };
    made.now = (await run("/now", { input: { city: "Rome" }, tags })).body.runId;
    made.plain = (await run("/plain", { tags: { set: "filters" } })).body.runId;
    await new Promise((resolve) => setTimeout(resolve, 5));
    between = new Date().toISOString();
    made.tides = (await request("POST", "/v1/run", { provider: "tidewise", endpoint: "/tides", tags })).body.runId;
    market.upstream.on("GET /plain", { reset: true }, { json: {} });
    made.missed = (await run("/plain", { tags: { set: "filters" } })).body.runId;
    const { body: minted } = await request("POST", "/v1/api-keys", { label: "batch job" });
    const answer = await market.daemon.request(
      "POST",
      "/v1/run",
      { provider: "nimbus", endpoint: "/plain", tags: { set: "filters" } },
      { authorization: `Bearer ${minted.key}` },
    );
    made.other = answer.body.runId;
  });

  test.each([
    ["", ["other", "missed", "tides", "plain", "now"]],
    ["provider=tidewise", ["tides"]],
    ["provider=nobody", []],
    ["endpoint=/now", ["now"]],
    ["endpoint=now", ["now"]],
    ["status=FAILED", ["missed"]],
    ["status=FAILED,TIMED_OUT", ["missed"]],
    ["status=COMPLETED", ["other", "tides", "plain", "now"]],
    ["status=RUNNING", []],
    ["keyLabel=batch%20job", ["other"]],
    ["keyLabel=nobody", []],
    ["provider=nimbus&endpoint=/plain&status=COMPLETED", ["other", "plain"]],
    ["until=2020-01-01T00:00:00Z", []],
    ["since=2020-01-01T00:00:00%2B02:00", ["other", "missed", "tides", "plain", "now"]],
  ])("?%s", async (query, expected) => {
    const { status, body } = await list(query);

    expect(status).toBe(200);
    expect(names(body.items)).toEqual(expected);
  });

  test("a key that is renamed keeps its runs, in lists, exports and sums", async () => {
    const labelled = async (label: string) => names((await list(`keyLabel=${encodeURIComponent(label)}`)).body.items);
    const rename = async (from: string, label: string) =>
      await request("PATCH", `/v1/api-keys/${encodeURIComponent(from)}`, { label });

    const { status } = await rename("batch job", "nightly job");
    const usage = (await request("GET", "/v1/usage?groupBy=key")).body.items;
    const file = (await request("GET", "/v1/runs/export?format=csv&keyLabel=nightly%20job")).text;

    expect(status).toBe(200);
    expect(await labelled("nightly job")).toEqual(["other"]);
    expect(await labelled("batch job")).toEqual([]);
    expect(usage.map(({ group }: { group: string }) => group)).toContain("nightly job");
    expect(usage.map(({ group }: { group: string }) => group)).not.toContain("batch job");
    expect(file.trimEnd().split("\n")).toEqual([expect.any(String), expect.stringContaining("nightly job")]);
    await rename("nightly job", "batch job");
  });

  test("since is at or after, until is before", async () => {
    const since = await list(`since=${between}`);
    const until = await list(`until=${between}`);

    expect(names(since.body.items)).toEqual(["other", "missed", "tides"]);
    expect(names(until.body.items)).toEqual(["plain", "now"]);
  });

  test("a tag's value may have a colon in it", async () => {
    const { body } = await request("GET", "/v1/runs?limit=100&tag=step:a:b");

    expect(names(body.items)).toEqual(["tides", "now"]);
  });

  test("and so may its name", async () => {
    const body = { provider: "nimbus", endpoint: "/plain", tags: { "team:red": "ann" } };
    const { runId } = (await request("POST", "/v1/run", body)).body;

    const found = await request("GET", "/v1/runs?tag=team:red:ann");

    expect(found.body.items).toMatchObject([{ runId }]);
  });

  test("a page goes on where the one before ended, with the filters as they were", async () => {
    const page = await request("GET", "/v1/runs?limit=2&tag=set:filters&status=COMPLETED");
    const next = await request("GET", `/v1/runs?limit=2&tag=set:filters&status=COMPLETED&cursor=${page.body.cursor}`);

    expect(names([...page.body.items, ...next.body.items])).toEqual(["other", "tides", "plain", "now"]);
    expect(next.body).not.toHaveProperty("cursor");
  });
});

describe("Discover filters, in every discover body", () => {
  const paths = async (path: string, body: object) => {
    const answer = await request("POST", path, { minScore: 0, limit: 50, ...body });
    expect(answer.status).toBe(200);
    return (answer.body.items ?? answer.body.results).map(({ endpoint }: { endpoint: string }) => endpoint).sort();
  };
  const q = "weather of a city or a harbour, with a report, an input, a vault";

  test.each(["/v1/discover", "/v1/discover/endpoints", "/public/v1/discover/endpoints"])("%s", async (path) => {
    expect(await paths(path, { q, provider: ["tidewise"] })).toEqual([
      "/cargo",
      "/harbours/{harbour}/owners",
      "/tides",
      "/wrecks",
    ]);
    expect(await paths(path, { q, provider: ["nimbus", "nobody"], mode: "sync" })).toEqual(["/now", "/plain"]);
    expect(await paths(path, { q, mode: "async" })).toEqual(["/report"]);
    expect(await paths(path, { q, tags: ["harbour", "SEA"] })).toEqual(["/tides"]);
    expect(await paths(path, { q, tags: ["harbour", "weather"] })).toEqual([]);
    expect(await paths(path, { q, maxPrice: { value: 0.002, currency: "USD" } })).toEqual([
      "/harbours/{harbour}/owners",
      "/report",
    ]);
    expect(await paths(path, { q, category: "business" })).toEqual(["/harbours/{harbour}/owners", "/tides"]);
    expect(await paths(path, { q, category: "nimbus" })).toEqual(["/now", "/plain", "/report"]);
    expect(await paths(path, { q, category: "no-such-node" })).toEqual([]);
    expect(await paths(path, { q, provider: ["locked"] })).toEqual([]);
    expect(await paths(path, { q, provider: ["locked"], includeUnavailable: true })).toEqual(["/vaults"]);
  });

  test("what is unavailable comes last, whatever its score", async () => {
    const { body } = await request("POST", "/v1/discover", {
      q: "vaults of a bank with a secret key, or the weather",
      minScore: 0,
      limit: 50,
      includeUnavailable: true,
    });

    const [first, last] = [body.results[0], body.results.at(-1)];
    expect(last.endpoint).toBe("/vaults");
    expect(first.score).toBeLessThan(last.score);
  });

  test.each(["/v1/discover", "/public/v1/discover"])("%s/categories and /providers take them as well", async (base) => {
    const categories = await request("POST", `${base}/categories`, { q, minScore: 0, mode: "async" });
    const providers = await request("POST", `${base}/providers`, { q, minScore: 0, tags: ["sea"] });

    expect(categories.body.totalEndpointCount).toBe(1);
    expect(providers.body.items).toMatchObject([{ provider: "tidewise" }]);
  });

  test.each([
    ["mode", { mode: "slow" }],
    ["provider", { provider: [] }],
    ["provider", { provider: "tidewise" }],
    ["tags", { tags: [""] }],
    ["maxPrice", { maxPrice: 0.01 }],
    ["includeUnavailable", { includeUnavailable: "true" }],
  ])("a wrong %s is 400 and named", async (field, wrong) => {
    const { status, body } = await request("POST", "/v1/discover", { q, ...wrong });

    expect(status).toBe(400);
    expect(body.message).toMatch(new RegExp(`^${field}`));
  });

  test("lists and counts ignore that something is unavailable", async () => {
    const list = await request("GET", "/public/v1/endpoints?provider=locked");
    const stats = await request("GET", "/public/v1/stats");

    expect(list.body.total).toBe(1);
    expect(stats.body.endpointCount).toBe(8);
  });
});

describe("Members of a run that are ours", () => {
  test("manifestHash and attempts say what was called, and notes what was not measured", async () => {
    const { body } = await run("/plain");

    expect(body.manifestHash).toMatch(/./);
    expect(body.attempts).toEqual([
      { at: expect.stringMatching(/Z$/), httpStatus: 200, durationMs: expect.any(Number) },
    ]);
  });
});
