import { describe, expect, test } from "vitest";
import type {
  Provider,
  ProviderAnswer,
  ProviderJob,
  ProviderRequest,
} from "../../daemon/providers/protocol/provider.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { openHttpProvider } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const anyTime = { signal: new AbortController().signal };

describe("A: a forecast by GET, with the key in the query", () => {
  const forecast = (vendor: FakeProvider) =>
    entryOf(`
mkt: 1
provider: skywatch
secrets:
  key: {env: SKYWATCH_KEY}
http:
  baseUrl: ${vendor.url}
  allowPrivateNetwork: true
  auth: {type: apiKey, in: query, name: appid, value: "\${secret.key}"}
  timeoutMs: 10000
  retry: {attempts: 3, backoffMs: 1}
errors:
  - when: {status: [2xx], match: {"$.cod": ["404", 404]}}
    as: {status: 404, message: $.message}
endpoints:
  /forecast/{city}:
    request: {method: GET, path: "/v3/forecast/{city}"}
    idempotent: true
    input:
      pathParams: {required: [city], properties: {city: {type: string, minLength: 1}}}
      queryParams: {properties: {days: {type: integer, default: 3}, units: {enum: [metric, imperial], default: metric}}}
    output: {select: $.list}
    usage: {count: $.list}
    price: {type: PER_CALL, amount: 0.002}
`);

  test("a first 503 is passed over and the answer measured and cut to its list", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { key: "K" } });
    vendor.on("GET /v3/forecast/Lisbon", { status: 503 }, { json: { cod: "200", list: [{ t: 1 }, { t: 2 }] } });
    const input = { pathParams: { city: "Lisbon" }, queryParams: { days: 2, units: "metric" } };

    const answer = await provider.start({ runId, entry: forecast(vendor), input }, anyTime);

    expect(vendor.calls.map((call) => `${call.method} ${call.url}`)).toEqual([
      "GET /v3/forecast/Lisbon?days=2&units=metric&appid=K",
      "GET /v3/forecast/Lisbon?days=2&units=metric&appid=K",
    ]);
    expect(answer).toMatchObject({
      kind: "answer",
      httpStatus: 200,
      success: true,
      output: [{ t: 1 }, { t: 2 }],
      measured: { count: 2 },
      attempts: [{ httpStatus: 503 }, { httpStatus: 200 }],
    });
  });

  test("a not-found inside a 200 is a provider error with the provider's words", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { key: "K" } });
    vendor.on("GET /v3/forecast/Nowhere", { json: { cod: "404", message: "city not found" } });

    const answer = await provider.start(
      { runId, entry: forecast(vendor), input: { pathParams: { city: "Nowhere" } } },
      anyTime,
    );

    expect(answer).toMatchObject({
      httpStatus: 404,
      success: false,
      output: null,
      error: { status: 404, message: "city not found" },
    });
  });
});

describe("B: people by POST, with the cost told by the provider", () => {
  const people = (vendor: FakeProvider) =>
    entryOf(`
mkt: 1
provider: leadfinder
secrets:
  token: {env: LEADFINDER_TOKEN}
http:
  baseUrl: ${vendor.url}/api
  allowPrivateNetwork: true
  auth: {type: bearer, token: "\${secret.token}"}
endpoints:
  /people/search:
    request:
      method: POST
      path: /v1/people/search
      body: {source: mkt}
      idempotency: {header: Idempotency-Key}
    input:
      body: {required: [title], properties: {title: {type: string}, depth: {type: string}, limit: {type: integer, maximum: 100}}}
    output: {select: $.people}
    usage:
      count: $.people
      estimate: {count: input:body.limit, max: input:body.limit}
      cost: {from: $.meta.credits_used, usdPerUnit: 0.004}
    price: {type: PER_RESULT, amount: 0.02, flatFee: 0.01}
`);

  test("the caller's fields go over the fixed ones, and count and cost are measured", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "lead-token" } });
    vendor.on("POST /api/v1/people/search", { json: { people: [{}, {}, {}], meta: { credits_used: 15 } } });
    const input = { body: { title: "CTO", depth: "email", limit: 5 } };

    const answer = await provider.start({ runId, entry: people(vendor), input }, anyTime);

    expect(vendor.calls[0]?.text).toBe('{"source":"mkt","title":"CTO","depth":"email","limit":5}');
    expect(vendor.calls[0]?.headers).toMatchObject({
      authorization: "Bearer lead-token",
      "content-type": "application/json",
      "idempotency-key": runId,
    });
    expect(answer).toMatchObject({ output: [{}, {}, {}], measured: { count: 3, costMicroDollars: 60_000 } });
  });

  test("a POST with an idempotency header is repeated after a reset, under the same key", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "lead-token" } });
    vendor.on("POST /api/v1/people/search", { reset: true }, { json: { people: [], meta: { credits_used: 0 } } });

    const answer = await provider.start({ runId, entry: people(vendor), input: { body: { title: "CTO" } } }, anyTime);

    expect(answer).toMatchObject({ success: true, measured: { count: 0, costMicroDollars: 0 } });
    expect(vendor.calls.map((call) => call.headers["idempotency-key"])).toEqual([runId, runId]);
  });
});

describe("C: posts by a job, with paged results", () => {
  const posts = (vendor: FakeProvider) =>
    entryOf(`
mkt: 1
provider: scrapeworks
secrets:
  token: {env: SCRAPEWORKS_TOKEN}
http:
  baseUrl: ${vendor.url}
  allowPrivateNetwork: true
  retry: {backoffMs: 1}
  auth: {type: bearer, token: "\${secret.token}"}
async:
  start: {id: $.data.id, keep: {dataset: $.data.defaultDatasetId}}
  poll:
    method: GET
    path: /v2/runs/\${run.externalId}
    everyMs: 2000
    factor: 1.5
    maxEveryMs: 10000
    status: $.data.status
    states: {running: [READY, RUNNING], done: [SUCCEEDED], failed: [FAILED, TIMED-OUT], stopped: [ABORTED]}
    message: $.data.statusMessage
    progress: $.data.stats.itemCount
  result:
    method: GET
    path: /v2/datasets/\${state.dataset}/items
    queryParams: {limit: "100"}
    pages: {items: $.items, cursor: $.next, param: cursor, max: 50}
  stop: {method: POST, path: "/v2/runs/\${run.externalId}/abort"}
errors:
  - when: {status: [4xx, 5xx]}
    as: {message: $.error.message}
endpoints:
  /instagram/posts:
    request: {method: POST, path: /v2/actors/ig-posts/runs, body: {proxy: residential}}
    input:
      body: {required: [profile], properties: {profile: {type: string}, maxItems: {type: integer, maximum: 500, default: 20}}}
    output: {select: $.items}
    usage: {count: $.items, estimate: {count: input:body.maxItems, max: input:body.maxItems}}
    price: {type: PER_RESULT, amount: 0.0023, flatFee: 0.005}
    async: {}
`);
  const request = (vendor: FakeProvider): ProviderRequest => ({
    runId,
    entry: posts(vendor),
    input: { body: { profile: "nasa", maxItems: 5 } },
  });
  const startAnswer = { status: 201, json: { data: { id: "job-1", defaultDatasetId: "set-9" } } };

  async function startJob(provider: Provider, vendor: FakeProvider): Promise<ProviderJob> {
    vendor.on("POST /v2/actors/ig-posts/runs", startAnswer);
    const job = await provider.start(request(vendor), anyTime);
    if (job.kind !== "job") throw new Error("not a job");
    return job;
  }

  test("the start answer becomes a job that keeps what later calls need", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });

    const job = await startJob(provider, vendor);

    expect(job).toMatchObject({ externalId: "job-1", state: { dataset: "set-9" }, pollAfterMs: 2_000, polls: 0 });
    expect(vendor.calls[0]?.json).toEqual({ proxy: "residential", profile: "nasa", maxItems: 5 });
  });

  test("a poll that is answered 502 is passed over, and three result pages become one output", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on(
      "GET /v2/runs/job-1",
      { status: 502, text: "bad gateway" },
      { json: { data: { status: "RUNNING", stats: { itemCount: 3 } } } },
      { json: { data: { status: "SUCCEEDED" } } },
    );
    vendor.on(
      "GET /v2/datasets/set-9/items",
      { json: { items: [1, 2], next: "p2" } },
      { json: { items: [3, 4], next: "p3" } },
      { json: { items: [5], next: null } },
    );
    const started = await startJob(provider, vendor);

    const passedOver = (await provider.poll(request(vendor), started, anyTime)) as ProviderJob;
    const running = (await provider.poll(request(vendor), passedOver, anyTime)) as ProviderJob;
    const answer = await provider.poll(request(vendor), running, anyTime);

    expect(passedOver).toMatchObject({ kind: "job", polls: 1, pollAfterMs: 3_000, attempts: [{ httpStatus: 502 }] });
    expect(running).toMatchObject({ kind: "job", polls: 2, pollAfterMs: 4_500, progress: 3, attempts: [] });
    expect(answer).toMatchObject({ kind: "answer", httpStatus: 200, output: [1, 2, 3, 4, 5], measured: { count: 5 } });
    expect(vendor.calls.filter((call) => call.path.includes("items")).map((call) => call.url)).toEqual([
      "/v2/datasets/set-9/items?limit=100",
      "/v2/datasets/set-9/items?limit=100&cursor=p2",
      "/v2/datasets/set-9/items?limit=100&cursor=p3",
    ]);
  });

  test("a failed job is the provider's answer 500 with the provider's words", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("GET /v2/runs/job-1", { json: { data: { status: "FAILED", statusMessage: "profile is private" } } });
    const job = await startJob(provider, vendor);

    const answer = await provider.poll(request(vendor), job, anyTime);

    expect(answer).toMatchObject({
      kind: "answer",
      httpStatus: 500,
      success: false,
      output: null,
      error: { status: 500, message: "profile is private" },
    });
  });

  test("a poll that is answered 404 is the provider's answer", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("GET /v2/runs/job-1", { status: 404, json: { error: { message: "no such run" } } });
    const job = await startJob(provider, vendor);

    const answer = await provider.poll(request(vendor), job, anyTime);

    expect(answer).toMatchObject({ httpStatus: 404, success: false, error: { message: "no such run" } });
  });

  test("a job in a state that nobody declared is still running", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("GET /v2/runs/job-1", { json: { data: { status: "MIGRATING" } } });
    const job = await startJob(provider, vendor);

    const news = await provider.poll(request(vendor), job, anyTime);

    expect(news).toMatchObject({ kind: "job", polls: 1 });
  });

  test("a poll whose connection breaks says nothing about the job", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("GET /v2/runs/job-1", { reset: true });
    const job = await startJob(provider, vendor);

    const news = (await provider.poll(request(vendor), job, anyTime)) as ProviderJob;

    expect(news).toMatchObject({ kind: "job", polls: 1 });
    expect(news.attempts[0]?.error).toContain("the connection broke");
    expect(vendor.count("GET /v2/runs/job-1")).toBe(1);
  });

  test("a job that the provider ended as stopped is stopped", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("GET /v2/runs/job-1", { json: { data: { status: "ABORTED" } } });
    const job = await startJob(provider, vendor);

    const news = await provider.poll(request(vendor), job, anyTime);

    expect(news.kind).toBe("stopped");
  });

  test("a stop calls the provider's abort", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("POST /v2/runs/job-1/abort", { json: {} });
    const job = await startJob(provider, vendor);

    const outcome = await provider.stop(request(vendor), job, anyTime);

    expect(outcome).toMatchObject({ outcome: "stopped", httpStatus: 200 });
    expect(vendor.count("POST /v2/runs/job-1/abort")).toBe(1);
  });

  test("a stop that the provider refuses is told as refused", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("POST /v2/runs/job-1/abort", { status: 403, json: {} });
    const job = await startJob(provider, vendor);

    const outcome = await provider.stop(request(vendor), job, anyTime);

    expect(outcome).toMatchObject({ outcome: "refused", httpStatus: 403 });
  });

  test("a start answer without a job id is no readable answer", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("POST /v2/actors/ig-posts/runs", { json: { data: {} } });

    const start = provider.start(request(vendor), anyTime);

    await expect(start).rejects.toMatchObject({ name: "NoAnswerError", source: "provider", maybeExecuted: true });
  });

  test("a start that the provider refuses is its answer", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("POST /v2/actors/ig-posts/runs", { status: 402, json: { error: { message: "out of credits" } } });

    const answer = (await provider.start(request(vendor), anyTime)) as ProviderAnswer;

    expect(answer).toMatchObject({ httpStatus: 402, success: false, error: { message: "out of credits" } });
  });

  test("a job goes on under another daemon from its plain data", async () => {
    await using vendor = await startFakeProvider();
    const before = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    const job = await startJob(before, vendor);
    await before.close();
    await using after = openHttpProvider([vendor.host], { secrets: { token: "scrape-token" } });
    vendor.on("GET /v2/runs/job-1", { json: { data: { status: "SUCCEEDED" } } });
    vendor.on("GET /v2/datasets/set-9/items", { json: { items: ["post"] } });

    const answer = await after.poll(request(vendor), JSON.parse(JSON.stringify(job)) as ProviderJob, anyTime);

    expect(answer).toMatchObject({ output: ["post"], measured: { count: 1 } });
  });
});
