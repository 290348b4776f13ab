import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** docs/contract.md, "Run statuses", "End of a run" and "Starting a run". */

let provider: FakeProvider;
let market: TestDaemon;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

beforeAll(async () => {
  provider = await startFakeProvider();
  market = await startTestDaemon({ manifests: { weather: weatherManifest(provider.url) } });
});

afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

const run = async (endpoint: string, input: object = {}, more: object = {}) =>
  await market.request("POST", "/v1/run", { provider: "weather", endpoint, input, ...more });

async function untilTerminal(runId: string): Promise<any> {
  const { body } = await market.request("GET", `/v1/runs/${runId}?wait=20`);
  return body;
}

describe("States and transitions", () => {
  test("a sync provider returns the finished result at once: HTTP 200, full result, billing and completedAt", async () => {
    provider.on("GET /now", { status: 200, json: { temperature: 21 } });

    const { status, body } = await run("/now", { city: "Lisbon" });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      provider: "weather",
      endpoint: "/now",
      status: "COMPLETED",
      output: { temperature: 21 },
      providerResponse: { httpStatus: 200 },
      price: { type: "PER_CALL", amount: 0.01, currency: "USD" },
      billing: {
        calculatedCost: { value: 10_000, unit: "MICRO_DOLLAR", currency: "USD" },
        actualCost: { value: 10_000, unit: "MICRO_DOLLAR", currency: "USD" },
        reportedCost: { value: 10_000, unit: "MICRO_DOLLAR", currency: "USD" },
      },
      resultCount: null,
      createdAt: expect.stringMatching(ISO),
      completedAt: expect.stringMatching(ISO),
    });
    expect(body.runId).toMatch(ULID);
    expect(body.providerResponse).not.toHaveProperty("error");
  });

  test("an async provider returns HTTP 202 with a run identifier and continues in the background", async () => {
    scriptReport(provider, { polls: 2, result: { items: [{ n: 1 }, { n: 2 }] } });

    const { status, body } = await run("/report", { topic: "rain" });

    expect(status).toBe(202);
    expect(body).toMatchObject({ provider: "weather", endpoint: "/report", status: "RUNNING" });
    expect(body.price).toMatchObject({ type: "PER_RESULT", currency: "USD" });
    expect(Object.keys(body).sort()).toEqual(
      ["createdAt", "endpoint", "hints", "price", "provider", "runId", "status"].sort(),
    );
    const ended = await untilTerminal(body.runId);
    expect(ended).toMatchObject({ status: "COMPLETED", resultCount: 2, providerResponse: { httpStatus: 200 } });
  });

  test("COMPLETED with providerResponse.httpStatus 404 is normal: output and resultCount are null", async () => {
    provider.on("GET /now", { status: 404, json: { message: "no such city" } });

    const { status, body } = await run("/now", { city: "Nowhere" });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "COMPLETED",
      output: null,
      resultCount: null,
      providerResponse: { httpStatus: 404, error: { status: 404 } },
    });
  });

  test.each([404, 429, 500])(
    "a provider's %i is not charged: reportedCost is 0 while calculatedCost is not",
    async (code) => {
      provider.on("GET /now", { status: code, json: { message: "no" } });
      const before = (await market.client.getWalletBalance({})).balance.value;

      const { body } = await run("/now", { city: "Lisbon" });

      expect(body.providerResponse.httpStatus).toBe(code);
      expect(body.billing.reportedCost.value).toBe(0);
      expect(body.billing.calculatedCost.value).toBe(10_000);
      expect((await market.client.getWalletBalance({})).balance.value).toBe(before);
    },
  );

  test("FAILED means that there was no readable answer, and nothing is charged", async () => {
    provider.on("GET /now", { reset: true });

    const { status, body } = await run("/now", { city: "Lisbon" });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "FAILED",
      output: null,
      error: { source: expect.any(String), message: expect.any(String) },
      billing: { reportedCost: { value: 0 } },
    });
    expect(body).not.toHaveProperty("providerResponse");
  });

  test("a run that reaches its deadline is TIMED_OUT with 408, the run, a code and a message", async () => {
    provider.on("GET /now", { delayMs: 20_000, json: {} });

    const { status, body } = await run("/now", { city: "Lisbon" }, { deadlineMs: 1_000 });

    expect(status).toBe(408);
    expect(body).toMatchObject({ code: 408, message: expect.any(String), status: "TIMED_OUT" });
    expect(body.billing.reportedCost.value).toBe(0);
  });

  test("a vendor's job that failed is an answer: COMPLETED with httpStatus 500 and the vendor's message", async () => {
    scriptReport(provider, { polls: 1, fail: "the archive is empty" });

    const { body } = await run("/report", { topic: "rain" });
    const ended = await untilTerminal(body.runId);

    expect(ended).toMatchObject({
      status: "COMPLETED",
      providerResponse: { httpStatus: 500, error: { message: "the archive is empty" } },
      billing: { reportedCost: { value: 0 } },
    });
  });

  test("an async start answer without a job id is FAILED", async () => {
    provider.on("POST /reports", { status: 200, json: { nothing: true } });

    const { body } = await run("/report", { topic: "rain" });

    expect(await untilTerminal(body.runId)).toMatchObject({ status: "FAILED" });
  });

  test("a stop is accepted with 202 STOPPING, told to the provider, and ends STOPPED without a charge", async () => {
    scriptReport(provider, { polls: 1_000 });
    const polledBefore = provider.count("GET /reports/*");
    const { body: started } = await run("/report", { topic: "rain" });
    await untilCalled(provider, "GET /reports/*", polledBefore);

    const { status, body } = await market.request("POST", `/v1/runs/${started.runId}/stop`);

    expect(status).toBe(202);
    expect(body).toMatchObject({ runId: started.runId, status: "STOPPING", message: expect.any(String) });
    const ended = await untilTerminal(started.runId);
    expect(ended).toMatchObject({ status: "STOPPED", stoppable: false, billing: { reportedCost: { value: 0 } } });
    expect(provider.count("DELETE /reports/*")).toBe(1);
  });

  test("a finished run cannot be stopped: 409 with a message that says why", async () => {
    provider.on("GET /now", { status: 200, json: {} });
    const { body: done } = await run("/now", { city: "Lisbon" });

    const { status, body } = await market.request("POST", `/v1/runs/${done.runId}/stop`);

    expect(status).toBe(409);
    expect(body.message).toContain("COMPLETED");
  });

  test("an async run that is waited for comes back finished", async () => {
    scriptReport(provider, { polls: 1, result: { items: [{}] } });

    const { status, body } = await run("/report", { topic: "rain" }, { wait: 20 });

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "COMPLETED", resultCount: 1 });
  });
});

describe("Retrieval", () => {
  test("GET gives the run with input in composite form, caller, cost in dollars and stoppable", async () => {
    provider.on("GET /now", { status: 200, json: { temperature: 3 } });
    const { body: started } = await run("/now", { city: "Oslo" });

    const { status, body } = await market.request("GET", `/v1/runs/${started.runId}`);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      runId: started.runId,
      caller: expect.stringMatching(/^API_KEY#/),
      input: { queryParams: { city: "Oslo" } },
      output: { temperature: 3 },
      cost: { value: 0.01, currency: "USD" },
      stoppable: false,
    });
  });

  test("output and resultCount are null until the run is terminal", async () => {
    scriptReport(provider, { polls: 1_000 });
    const { body: started } = await run("/report", { topic: "rain" });

    const { body } = await market.request("GET", `/v1/runs/${started.runId}`);

    expect(body).toMatchObject({ output: null, resultCount: null, stoppable: true });
    await market.request("POST", `/v1/runs/${started.runId}/stop`);
  });

  test("an unknown run and a run of another workspace get the same 404", async () => {
    const { body } = await market.request("GET", "/v1/runs/01JD0000000000000000000000");

    expect(body).toEqual({ code: 404, message: "Run 01JD0000000000000000000000 not found" });
  });

  test("runs are listed newest first, a page at a time, without the cursor on the last page", async () => {
    provider.on("GET /now", { status: 200, json: {} });
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1)
      ids.unshift((await run("/now", { city: "Rome" }, { tags: { trip: "paging" } })).body.runId);

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await market.request(
        "GET",
        `/v1/runs?limit=2&tag=trip:paging${cursor === undefined ? "" : `&cursor=${cursor}`}`,
      );
      seen.push(...body.items.map((item: { runId: string }) => item.runId));
      cursor = body.cursor;
    } while (cursor !== undefined);

    expect(seen).toEqual(ids);
  });

  test("filters are exact: status in upper case only, provider, endpoint", async () => {
    const lower = await market.request("GET", "/v1/runs?status=completed");
    const upper = await market.request("GET", "/v1/runs?status=COMPLETED,FAILED&provider=weather&endpoint=/now");

    expect(lower.status).toBe(400);
    expect(upper.status).toBe(200);
    expect(upper.body.items.length).toBeGreaterThan(0);
    expect(upper.body.items.every((item: any) => item.endpoint === "/now" && item.status !== "RUNNING")).toBe(true);
  });

  test("a cursor that this service did not issue is 400", async () => {
    expect((await market.request("GET", "/v1/runs?cursor=bm9uc2Vuc2U")).status).toBe(400);
  });
});

describe("Refusals before anything is called", () => {
  test("an unknown provider is 404 with near misses", async () => {
    const { status, body } = await market.request("POST", "/v1/run", {
      provider: "wether",
      endpoint: "/now",
      input: {},
    });

    expect(status).toBe(404);
    expect(body.message).toContain("weather");
  });

  test("an unknown endpoint is 404 with near misses", async () => {
    const { status, body } = await run("/nwo");

    expect(status).toBe(404);
    expect(body.message).toContain("/now");
  });

  test.each([
    ["a missing field", {}, /queryParams\.city/],
    ["a wrong value", { city: "Lisbon", days: 99 }, /queryParams\.days.*16.*99/s],
    ["a wrong type", { city: "Lisbon", days: "many" }, /queryParams\.days/],
    ["a field that nobody declares", { city: "Lisbon", wind: true }, /wind/],
  ])("%s is 400 and names the field, the rule and the value", async (_what, input, message) => {
    const { status, body } = await run("/now", input);

    expect(status).toBe(400);
    expect(body.message).toMatch(message);
  });

  test("unknown members of the body are refused by name", async () => {
    const { status, body } = await run("/now", { city: "Lisbon" }, { inputs: {} });

    expect(status).toBe(400);
    expect(body.message).toContain("inputs");
  });

  test("a run above its maxCost is 402, and the provider is not called", async () => {
    const calls = provider.calls.length;

    const { status, body } = await run("/now", { city: "Lisbon" }, { maxCost: { value: 0.001, currency: "USD" } });

    expect(status).toBe(402);
    expect(body.message).toContain("maxCost");
    expect(provider.calls.length).toBe(calls);
  });

  test("the input may be left out, may be flat, may be composite, and the path may come without its slash", async () => {
    provider.on("GET /plain", { status: 200, json: {} });
    provider.on("GET /now", { status: 200, json: {} });

    const without = await market.request("POST", "/v1/run", { provider: "weather", endpoint: "plain" });
    const composite = await run("now", { queryParams: { city: "Lisbon" } });

    expect(without.status).toBe(200);
    expect(composite.status).toBe(200);
    expect(composite.body.endpoint).toBe("/now");
  });
});

describe("The wallet", () => {
  test("refuses with 402 what it cannot cover, naming the command that credits, and calls nobody", async () => {
    await using poor = await startTestDaemon({
      manifests: { weather: weatherManifest(provider.url) },
      environment: { MKT_STARTING_CREDIT: "0.005" },
    });
    const calls = provider.calls.length;

    const { status, body } = await poor.request("POST", "/v1/run", {
      provider: "weather",
      endpoint: "/now",
      input: { city: "Lisbon" },
    });

    expect(status).toBe(402);
    expect(body).toMatchObject({ code: 402, errorCode: "WALLET_INSUFFICIENT_FUNDS", next: "mkt wallet credit 10" });
    expect(body.message).toContain("mkt wallet credit 10");
    expect(provider.calls.length).toBe(calls);
  });

  test("holds the maximum while a run goes on and charges what it cost", async () => {
    scriptReport(provider, { polls: 3, result: { items: [{}, {}] } });
    const before = await market.client.getWalletBalance({});

    const { body: started } = await run("/report", { topic: "rain", limit: 10 });
    const during = await market.client.getWalletBalance({});
    const ended = await untilTerminal(started.runId);
    const after = await market.client.getWalletBalance({});

    expect(during.held.value).toBeCloseTo(before.held.value + 0.005 + 10 * 0.002, 9);
    expect(ended.billing.reportedCost.value).toBe(5_000 + 2 * 2_000);
    expect(after.held.value).toBeCloseTo(before.held.value, 9);
    expect(after.balance.value).toBeCloseTo(before.balance.value - 0.009, 9);
  });

  test("unlimited refuses nothing and writes the ledger all the same", async () => {
    provider.on("GET /now", { status: 200, json: {} });
    await using rich = await startTestDaemon({
      manifests: { weather: weatherManifest(provider.url) },
      environment: { MKT_STARTING_CREDIT: "unlimited" },
    });

    await rich.request("POST", "/v1/run", { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } });

    expect(await rich.client.getWalletBalance({})).toMatchObject({ unlimited: true, balance: { value: -0.01 } });
  });

  test("cannot be spent twice by runs side by side", async () => {
    provider.on("GET /now", { delayMs: 30, json: {} });
    await using tight = await startTestDaemon({
      manifests: { weather: weatherManifest(provider.url) },
      environment: { MKT_STARTING_CREDIT: "0.10" },
    });

    const answers = await Promise.all(
      Array.from({ length: 60 }, async () =>
        tight.request("POST", "/v1/run", { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } }),
      ),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(50);
    expect(await tight.client.getWalletBalance({})).toMatchObject({ balance: { value: 0 }, held: { value: 0 } });
  });
});
