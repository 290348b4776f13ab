import { describe, expect, test, vi } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type Answer, request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";

const now = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
const report = { provider: "weather", endpoint: "/report", input: { topic: "rain", limit: 2 } };
const result = { items: [1, 2] };

async function serve(provider: FakeProvider, environment: Record<string, string> = {}): Promise<TestDaemon> {
  return await startTestDaemon({ manifests: { weather: weatherManifest(provider.url) }, environment });
}

const run = async ({ request: ask }: TestDaemon, key: string, body: unknown = now, headers = {}): Promise<Answer> =>
  await ask("POST", "/v1/run", body, { "idempotency-key": key, ...headers });

const runsOf = async ({ request: ask }: TestDaemon) => (await ask("GET", "/v1/runs?limit=100")).body.items;

const isReplayed = ({ headers }: Answer) => headers.get("idempotent-replayed");

/** The weather, whose author advises to look for something else. */
function advisingManifest(baseUrl: string, query: string): object {
  const manifest = weatherManifest(baseUrl) as { endpoints: { "/now": object } };
  const advising = { ...manifest.endpoints["/now"], hints: { "more of it": { kind: "discover", query } } };
  return { ...manifest, endpoints: { ...manifest.endpoints, "/now": advising } };
}

/** Asks once, and stops the daemon. */
async function answerOf(daemon: TestDaemon, key: string): Promise<Answer> {
  await using asked = daemon;
  return await run(asked, key);
}

/** A key of a workspace of its own, with credit. */
async function keyOfAnotherWorkspace({ request: ask }: TestDaemon): Promise<string> {
  await ask("POST", "/v1/admin/workspaces", { name: "Other", slug: "other" });
  const amount = { value: 5, currency: "USD" };
  await ask("POST", "/v1/admin/workspaces/other/credits", { amount, reason: "test" });
  return (await ask("POST", "/v1/admin/workspaces/other/api-keys", { label: "other" })).body.key;
}

describe("the same run asked for again with the same Idempotency-Key", () => {
  test("is made once, and answered as the first time", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: { temperature: 21 } }, { json: { temperature: 22 } });
    await using daemon = await serve(provider);

    const first = await run(daemon, "order-1");
    const second = await run(daemon, "order-1");

    expect(first).toMatchObject({ status: 200, body: { status: "COMPLETED", output: { temperature: 21 } } });
    expect(isReplayed(first)).toBeNull();
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(isReplayed(second)).toBe("true");
    expect(provider.count("GET /now")).toBe(1);
    expect(await runsOf(daemon)).toHaveLength(1);
  });

  test("is charged once", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    await using daemon = await serve(provider);

    await run(daemon, "order-1");
    await run(daemon, "order-1");

    expect((await daemon.client.getWalletBalance()).balance.value).toBe(9.99);
  });

  test("is the same whatever the order of members, and in the words of the first caller's kind", async () => {
    await using provider = await startFakeProvider();
    scriptReport(provider, { polls: 0, result });
    await using daemon = await serve(provider);
    const turned = { input: { limit: 2, topic: "rain" }, endpoint: "/report", provider: "weather" };

    const first = await run(daemon, "k", report, { "x-mkt-client": "mcp" });
    const second = await run(daemon, "k", turned, { "x-mkt-client": "cli" });

    expect(first.status).toBe(202);
    expect(first.body.hints).toBeDefined();
    expect(second.text).toBe(first.text);
    expect(isReplayed(second)).toBe("true");
  });

  test("is replayed also where the provider answered an error, and where there was no answer", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { status: 404, json: { error: "no such city" } });
    provider.on("GET /plain", { reset: true });
    await using daemon = await serve(provider);
    const plain = { provider: "weather", endpoint: "/plain" };

    const firsts = [await run(daemon, "a"), await run(daemon, "b", plain)];
    const seconds = [await run(daemon, "a"), await run(daemon, "b", plain)];

    expect(firsts.map(({ body }) => body.status)).toEqual(["COMPLETED", "FAILED"]);
    expect(seconds.map(({ text }) => text)).toEqual(firsts.map(({ text }) => text));
    expect(provider.calls).toHaveLength(2);
  });

  test("is replayed with 408 when it timed out", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { hang: true });
    await using daemon = await serve(provider);

    const first = await run(daemon, "k", { ...now, deadlineMs: 1_000 });
    const second = await run(daemon, "k", { ...now, deadlineMs: 1_000 });

    expect(first).toMatchObject({ status: 408, body: { status: "TIMED_OUT", code: 408 } });
    expect(second).toMatchObject({ status: 408, text: first.text });
  });

  test("keeps the mirrored status of the first time, whatever the setting is by then", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { status: 404, json: { error: "no such city" } });
    await using daemon = await serve(provider);
    const mirror = (mirrorProviderStatus: boolean) =>
      daemon.request("PATCH", "/v1/admin/settings", { mirrorProviderStatus });

    const plain = await run(daemon, "plain");
    await mirror(true);
    const mirrored = await run(daemon, "mirrored");
    const plainAgain = await run(daemon, "plain");
    await mirror(false);
    const mirroredAgain = await run(daemon, "mirrored");

    expect([plain.status, mirrored.status]).toEqual([200, 404]);
    expect(plainAgain).toMatchObject({ status: 200, text: plain.text });
    expect(mirroredAgain).toMatchObject({ status: 404, text: mirrored.text });
  });

  test("keeps the next steps that the author advised then, whatever the catalog says by now", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    using home = mktHome();
    const serveAdvising = async (query: string) =>
      await startTestDaemon({ home, manifests: { weather: advisingManifest(provider.url, query) } });
    const first = await answerOf(await serveAdvising("rain"), "k");

    const changed = await answerOf(await serveAdvising("snow"), "k");
    const gone = await answerOf(await startTestDaemon({ home, manifests: {} }), "k");

    expect(first.body.hints).toEqual({ "more of it": 'POST /v1/discover {"q":"rain"}' });
    expect([changed.text, gone.text]).toEqual([first.text, first.text]);
  });

  test("is a run of its own in another workspace", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    await using daemon = await serve(provider);
    const key = await keyOfAnotherWorkspace(daemon);

    const own = await run(daemon, "order-1");
    const headers = { "idempotency-key": "order-1" };
    const others = await request(`${daemon.url}/v1/run`, "POST", { key, body: now, headers });

    expect(others.status).toBe(200);
    expect(isReplayed(others)).toBeNull();
    expect(others.body.runId).not.toBe(own.body.runId);
    expect(provider.count("GET /now")).toBe(2);
  });

  test("without a key is another run", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    await using daemon = await serve(provider);

    await daemon.request("POST", "/v1/run", now);
    await daemon.request("POST", "/v1/run", now);

    expect(provider.count("GET /now")).toBe(2);
  });
});

describe("an Idempotency-Key", () => {
  test("that was used for another request is refused with 422, and nothing is called", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    await using daemon = await serve(provider);
    await run(daemon, "order-1");

    const other = await run(daemon, "order-1", { ...now, input: { city: "Porto" } });
    const otherRoute = await daemon.request("POST", "/v1/api-keys", { label: "ci" }, { "idempotency-key": "order-1" });

    expect(other).toMatchObject({
      status: 422,
      body: { code: 422, message: expect.stringContaining("Idempotency-Key") },
    });
    expect(otherRoute.status).toBe(422);
    expect(provider.count("GET /now")).toBe(1);
  });

  test.each([
    ["of one character", "k", 200],
    ["of 255 characters", "k".repeat(255), 200],
    ["of every visible character", String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index)), 200],
    ["of 256 characters", "k".repeat(256), 400],
    ["that is empty", "", 400],
    ["with a space in it", "order 1", 400],
    ["with a tab in it", "order\t1", 400],
    ["with a letter beyond ASCII", "caf\u00e9", 400],
  ])("%s", async (_what, key, status) => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    await using daemon = await serve(provider);

    const answer = await run(daemon, key);

    expect(answer.status).toBe(status);
    expect(provider.count("GET /now")).toBe(status === 200 ? 1 : 0);
    if (status === 400)
      expect(answer.body).toMatchObject({ code: 400, message: expect.stringMatching(/^Idempotency-Key: /) });
  });

  test("means nothing on routes that make nothing", async () => {
    await using provider = await startFakeProvider();
    await using daemon = await serve(provider);
    const headers = { "idempotency-key": "not a key" };

    const answers = [
      await daemon.request("GET", "/v1/runs", undefined, headers),
      await daemon.request("POST", "/v1/discover", { query: "weather" }, headers),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("is free again after an answer that made nothing", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    await using daemon = await serve(provider, { MKT_STARTING_CREDIT: "0.005" });
    const listens = await daemon.request("POST", "/v1/api-keys", { label: "reader", scopes: ["runs:read"] });
    const headers = { "idempotency-key": "k" };
    const runAs = async (key: string, body: unknown) =>
      (await request(`${daemon.url}/v1/run`, "POST", { key, body, headers })).status;

    const refusals = [
      await runAs("mkt_live_nobody", now),
      await runAs(listens.body.key, now),
      await runAs(daemon.key, { ...now, unknown: 1 }),
      await runAs(daemon.key, { ...now, input: {} }),
      await runAs(daemon.key, { ...now, endpoint: "/nowhere" }),
      await runAs(daemon.key, { ...now, maxCost: { value: 0.001, currency: "USD" } }),
      await runAs(daemon.key, now),
    ];
    const amount = { value: 1, currency: "USD" };
    await daemon.request("POST", "/v1/admin/workspaces/default/credits", { amount, reason: "test" });
    const answer = await run(daemon, "k");

    expect(refusals).toEqual([401, 403, 400, 400, 404, 402, 402]);
    expect(answer.status).toBe(200);
    expect(isReplayed(answer)).toBeNull();
  });
});

describe("while the first request with a key is under way", () => {
  test("50 requests at once make one call of the provider, and nobody is answered by another run", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: { temperature: 21 }, delayMs: 200 });
    await using daemon = await serve(provider);

    const answers = await Promise.all(Array.from({ length: 50 }, async () => await run(daemon, "order-1")));
    const after = await run(daemon, "order-1");

    expect(provider.count("GET /now")).toBe(1);
    expect(await runsOf(daemon)).toHaveLength(1);
    const [first, ...others] = answers.filter((answer) => answer.status === 200 && isReplayed(answer) === null);
    expect(others).toEqual([]);
    expect(first?.body.output).toEqual({ temperature: 21 });
    expect(after.text).toBe(first?.text);
    // Who came when the run had ended is told of it as the first was; all others that it is under way.
    expect(answers.filter(({ status, text }) => status !== 409 && text !== first?.text)).toEqual([]);
    const named = answers.filter(({ status }) => status === 409).flatMap(({ body }) => body.runId ?? []);
    expect(named.filter((runId) => runId !== first?.body.runId)).toEqual([]);
  });

  test("another is told 409 with the run, once that is recorded", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {}, delayMs: 300 });
    await using daemon = await serve(provider);

    const running = run(daemon, "k");
    await untilCalled(provider, "GET /now");
    const second = await run(daemon, "k");
    const other = await run(daemon, "k", { ...now, input: { city: "Porto" } });
    const first = await running;

    expect(second).toMatchObject({ status: 409, body: { code: 409, runId: first.body.runId } });
    expect(second.body.message).toContain(`/v1/runs/${first.body.runId}`);
    expect(other.status).toBe(422);
    expect(provider.count("GET /now")).toBe(1);
  });

  test("a caller who hung up finds the run under way, and then its answer", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: { temperature: 21 }, delayMs: 400 });
    await using daemon = await serve(provider);
    const hangUp = new AbortController();
    const lost = fetch(`${daemon.url}/v1/run`, {
      method: "POST",
      headers: { authorization: `Bearer ${daemon.key}`, "content-type": "application/json", "idempotency-key": "k" },
      body: JSON.stringify(now),
      signal: hangUp.signal,
    });
    await untilCalled(provider, "GET /now");
    hangUp.abort();
    await expect(lost).rejects.toThrow();

    const underWay = await run(daemon, "k");
    const answer = await vi.waitUntil(async () => {
      const again = await run(daemon, "k");
      return again.status === 200 ? again : undefined;
    }, 10_000);

    expect(underWay).toMatchObject({ status: 409, body: { runId: answer.body.runId } });
    expect(answer.body.output).toEqual({ temperature: 21 });
    expect(isReplayed(answer)).toBe("true");
    expect(provider.count("GET /now")).toBe(1);
  });
});

describe("a run that goes on in the background", () => {
  test("is replayed as it was accepted, also when it has ended", async () => {
    await using provider = await startFakeProvider();
    scriptReport(provider, { polls: 1, result });
    await using daemon = await serve(provider);

    const first = await run(daemon, "k", report);
    await daemon.client.getRun({ params: { runId: first.body.runId }, query: { wait: 10 } });
    const second = await run(daemon, "k", report);

    expect(first).toMatchObject({ status: 202, body: { status: "RUNNING" } });
    expect(second).toMatchObject({ status: 202, text: first.text });
    expect(provider.count("POST /reports")).toBe(1);
  });

  test("is replayed as it ended to those who waited for that", async () => {
    await using provider = await startFakeProvider();
    scriptReport(provider, { polls: 1, result });
    await using daemon = await serve(provider);

    const first = await run(daemon, "k", { ...report, wait: 10 });
    const second = await run(daemon, "k", { ...report, wait: 10 });

    expect(first).toMatchObject({ status: 200, body: { status: "COMPLETED", output: [1, 2] } });
    expect(second).toMatchObject({ status: 200, text: first.text });
  });

  test("is replayed as accepted to those whose wait was over when it ended", async () => {
    await using provider = await startFakeProvider();
    scriptReport(provider, { polls: 20, result });
    await using daemon = await serve(provider);

    const running = run(daemon, "k", { ...report, wait: 0.15 });
    await untilCalled(provider, "POST /reports");
    const tooSoon = await run(daemon, "k", { ...report, wait: 0.15 });
    const first = await running;
    await daemon.client.getRun({ params: { runId: first.body.runId }, query: { wait: 10 } });
    const second = await run(daemon, "k", { ...report, wait: 0.15 });

    expect(tooSoon).toMatchObject({ status: 409, body: { runId: first.body.runId } });
    expect(first.status).toBe(202);
    expect(second).toMatchObject({ status: 202, text: first.text });
  });

  test("is answered the same at once and later, however close its end is to that of the wait", async () => {
    await using provider = await startFakeProvider();
    scriptReport(provider, { polls: 1, result });
    await using daemon = await serve(provider);
    const waits = Array.from({ length: 40 }, (_, index) => 0.005 * 1.2 ** index);

    const firsts = await Promise.all(waits.map(async (wait) => await run(daemon, `k${wait}`, { ...report, wait })));
    for (const { body } of firsts) await daemon.client.getRun({ params: { runId: body.runId }, query: { wait: 10 } });
    const seconds = await Promise.all(waits.map(async (wait) => await run(daemon, `k${wait}`, { ...report, wait })));

    expect(new Set(firsts.map(({ status }) => status))).toEqual(new Set([200, 202]));
    expect(seconds.map(({ status }) => status)).toEqual(firsts.map(({ status }) => status));
    expect(seconds.map(({ text }) => text)).toEqual(firsts.map(({ text }) => text));
  });
});
