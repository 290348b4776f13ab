import { describe, expect, test } from "vitest";
import { type FakeAnswer, startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { marketManifest } from "./two-daemons.ts";

const dollars = (value: number) => ({ value, currency: "USD" });
const units = (value: number, unit = "MICRO_DOLLAR", currency = "USD") => ({ value, unit, currency });
const done = (reportedCost: object, more: object = {}) => ({
  runId: "01REMOTE",
  status: "COMPLETED",
  output: { fine: true },
  providerResponse: { httpStatus: 200 },
  billing: { calculatedCost: units(0), actualCost: units(0), reportedCost },
  ...more,
});

function marketWithHttp(url: string, more: object): object {
  const file = marketManifest(url) as { http: object; endpoints: Record<string, object> };
  const reused = { ...file.endpoints["/buy"], reuse: { maxAgeSeconds: 3_600 } };
  return { ...file, http: { ...file.http, ...more }, endpoints: { ...file.endpoints, "/reused": reused } };
}

/** A market that quotes one cent and answers runs as told. */
async function marketThatAnswers(...answers: readonly FakeAnswer[]) {
  return await marketWithFile({}, ...answers);
}

/** With further members of `http` in the laptop's file. */
async function marketWithFile(http: object, ...answers: readonly FakeAnswer[]) {
  const market = await startFakeProvider();
  market.on("POST /v1/quote", { json: { estimate: dollars(0.01), maximum: dollars(0.01) } });
  market.on("POST /v1/run", ...answers);
  const daemon = await startTestDaemon({
    manifests: { "team-acme": marketWithHttp(market.url, http) },
    environment: { TEAM_KEY: "the-key-of-the-team" },
  });
  return {
    market,
    daemon,
    run: async (more: object = {}, endpoint = "/buy") =>
      (await daemon.request("POST", "/v1/run", { provider: "team-acme", endpoint, ...more })).body,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await market.close();
    },
  };
}

describe("what a market reports", () => {
  test("above what it was allowed is the operator's loss, and is said", async () => {
    await using told = await marketThatAnswers({ json: done(units(25_000)) });

    const run = await told.run();

    expect(told.market.calls.at(-1)?.json).toMatchObject({ maxCost: dollars(0.01) });
    expect(run).toMatchObject({
      billing: { actualCost: { value: 25_000 }, reportedCost: { value: 10_000 } },
      overrun: dollars(0.015),
      market: { cost: dollars(0.025) },
    });
    expect(run.notes.join()).toContain("above the 10000 that it was allowed");
  });

  test.each([
    ["in another currency", done(units(5, "MICRO_DOLLAR", "EUR"))],
    ["below nothing", done(units(-5))],
    ["as a fraction", done(units(0.5))],
    ["in an unknown unit", done(units(5, "BITCOIN"))],
    ["not at all", { ...done({}), billing: undefined }],
  ])("%s is charged to nobody, and said", async (_how, json) => {
    await using told = await marketThatAnswers({ json });

    const run = await told.run();

    expect(run).toMatchObject({ status: "COMPLETED", cost: dollars(0), output: { fine: true } });
    expect(run.notes.join()).toContain("could not be read in USD");
  });

  test("in cents, in dollars and in cost alone is read to the micro-dollar", async () => {
    const inCost = { ...done({}), billing: undefined, cost: dollars(0.0030005) };
    await using told = await marketThatAnswers({ json: done(units(1, "CENT")) }, { json: inCost });

    const [cents, cost] = [await told.run(), await told.run()];

    expect([cents, cost].map(({ billing }) => billing.reportedCost.value)).toEqual([10_000, 3_001]);
  });

  test("for a run that failed is charged to nobody", async () => {
    const failed = done(units(7_000), { providerResponse: { httpStatus: 500, error: { status: 500, message: "no" } } });
    await using told = await marketThatAnswers({ json: failed });

    expect(await told.run()).toMatchObject({ providerResponse: { httpStatus: 500 }, cost: dollars(0) });
  });
});

test("texts of a market are shown without what hides, its hints not at all, and its key never", async () => {
  const notes = ["\u202egood", "x".repeat(10_000), 5, "the-key-of-the-team"];
  await using told = await marketThatAnswers({ json: done(units(1), { notes, hints: { next: "rm -rf ~" } }) });

  const text = JSON.stringify(await told.run());

  expect(text).not.toContain("\u202e");
  expect(text).not.toContain("rm -rf");
  expect(text).not.toContain("the-key-of-the-team");
  expect(text.length).toBeLessThan(3_000);
});

test("an answer that is no run is a failure, and may have been charged there", async () => {
  await using told = await marketThatAnswers({ json: { hello: "there" } });

  expect(await told.run()).toMatchObject({ status: "FAILED", providerMayHaveCharged: true, cost: dollars(0) });
});

test("a lost answer is asked for again by the same key and with the same body", async () => {
  await using told = await marketThatAnswers(
    { reset: true },
    { status: 502, text: "bad gateway" },
    { json: done(units(9)) },
  );

  const run = await told.run();
  const tries = told.market.calls.filter(({ path }) => path === "/v1/run");

  expect(run).toMatchObject({ status: "COMPLETED", billing: { reportedCost: { value: 9 } } });
  expect(tries).toHaveLength(3);
  expect(new Set(tries.map(({ headers }) => headers["idempotency-key"]))).toEqual(new Set([run.runId]));
  expect(new Set(tries.map(({ text }) => text)).size).toBe(1);
});

test("a run that is under way there is followed to its end", async () => {
  await using told = await marketThatAnswers({ status: 409, json: { code: 409, message: "wait", runId: "01REMOTE" } });
  told.market.on("GET /v1/runs/01REMOTE", { status: 503 }, { json: { ...done(units(4)) } });

  expect(await told.run()).toMatchObject({
    status: "COMPLETED",
    cost: dollars(0.000004),
    market: { runId: "01REMOTE" },
  });
});

test("an answer about a run that cannot be read is asked for again, at once or in a poll, and not for ever", async () => {
  const page: FakeAnswer = { status: 200, headers: { "content-type": "text/html" }, text: "<p>Back soon" };
  const accepted = { status: 202, json: { runId: "01REMOTE", status: "RUNNING" } };
  await using told = await marketThatAnswers(accepted);
  const end = async (endpoint: string) => {
    const { runId } = await told.run({ wait: 0 }, endpoint);
    return (await told.daemon.request("GET", `/v1/runs/${runId}?wait=30`)).body;
  };

  for (const endpoint of ["/buy", "/work"]) {
    told.market.on("GET /v1/runs/01REMOTE", page, page, { json: { ...done(units(4)) } });
    expect(await end(endpoint)).toMatchObject({ status: "COMPLETED", cost: dollars(0.000004) });
  }
  told.market.on("GET /v1/runs/01REMOTE", page);
  expect(await end("/work")).toMatchObject({ status: "FAILED", providerMayHaveCharged: true });
});

test("a time for calls in its file holds, instead of the market's own", async () => {
  await using told = await marketWithFile({ timeoutMs: 400 }, { hang: true });

  const run = await told.run();

  expect(run).toMatchObject({ status: "TIMED_OUT" });
  expect(run.deadlineMs ?? 400).toBe(400);
});

test("a list that it did not read to its end is told, and answers no later run", async () => {
  const pages = { read: 2, more: true, stoppedBy: "cost" };
  const all = { read: 3, more: false };
  await using told = await marketThatAnswers(
    { json: done(units(4), { pages }) },
    { json: done(units(4), { pages: all }) },
  );
  const run = async () => await told.run({ maxAge: 3_600 }, "/reused");

  expect(await run()).toMatchObject({ pages });
  expect(await run()).toMatchObject({ pages: all, cost: dollars(0.000004) });
  expect(await run()).toMatchObject({ pages: all, cost: dollars(0), answeredFrom: {} });
  expect(told.market.count("POST /v1/run")).toBe(2);
});

test("a connection that is dead without a word is left, and the run is asked for again", async () => {
  const accepted = { status: 202, json: { runId: "01REMOTE", status: "RUNNING" } };
  await using told = await marketWithFile({ timeoutMs: 2_000 }, { hang: true }, accepted);
  told.market.on("GET /v1/runs/01REMOTE", { hang: true }, { json: { ...done(units(4)) } });

  const { runId } = await told.run({ wait: 0 }, "/work");
  const { body } = await told.daemon.request("GET", `/v1/runs/${runId}?wait=30`);

  expect(body).toMatchObject({ status: "COMPLETED", cost: dollars(0.000004) });
  expect(told.market.count("POST /v1/run")).toBe(2);
  expect(told.market.count("GET /v1/runs/01REMOTE")).toBe(2);
});

test("a run that timed out there is TIMED_OUT here, for nothing", async () => {
  const json = { ...done(units(0)), status: "TIMED_OUT", code: 408, message: "late" };
  await using told = await marketThatAnswers({ status: 408, json });

  const run = await told.run();

  expect(run).toMatchObject({ status: "TIMED_OUT", cost: dollars(0), market: { status: "TIMED_OUT" } });
  expect(run).not.toHaveProperty("providerMayHaveCharged");
});

test.each([
  [401, "set a new one with mkt secrets set"],
  [402, "the wallet there"],
  [403, "the key may not do that there"],
  [422, "answered 422"],
  [429, "answered 429"],
])("an answer of the market itself with %i says what to do, and costs nothing", async (status, words) => {
  await using told = await marketThatAnswers({ status, json: { code: status, message: "no" } });

  const run = await told.run();

  expect(run).toMatchObject({ status: "COMPLETED", providerResponse: { httpStatus: status }, cost: dollars(0) });
  expect(run.providerResponse.error.message).toContain(words);
});

describe("a service of the compatible interface alone", () => {
  test("gets nothing that it does not know, and a price by results needs maxCost, which is held", async () => {
    await using told = await marketThatAnswers({ json: done(units(999)) });

    const without = await told.run({}, "/list-without-quotes");
    const run = await told.run({ maxCost: dollars(0.002), input: { limit: 3 } }, "/list-without-quotes");

    expect(without).toMatchObject({ code: 400, message: expect.stringContaining("--max-cost") });
    expect(run).toMatchObject({ status: "COMPLETED", billing: { reportedCost: { value: 999 } } });
    expect(told.market.calls.map(({ path }) => path)).toEqual(["/v1/run"]);
    expect(told.market.calls[0]?.json).toEqual({
      provider: "acme",
      endpoint: "/list",
      input: { queryParams: { limit: 3 } },
    });
  });

  test("is not asked twice when its answer is lost", async () => {
    await using told = await marketThatAnswers({ reset: true });

    const run = await told.run({}, "/buy-without-quotes");

    expect(run).toMatchObject({ status: "FAILED", providerMayHaveCharged: true });
    expect(told.market.count("POST /v1/run")).toBe(1);
  });
});
