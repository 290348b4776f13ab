import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";

let upstream: FakeProvider;
let daemon: TestDaemon;
beforeEach(async () => {
  upstream = await startFakeProvider();
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** A daemon with the weather provider, its `http` and its endpoints changed as given. */
async function serve(http: object = {}, endpoints: Readonly<Record<string, object>> = {}): Promise<void> {
  const manifest = weatherManifest(upstream.url) as { http: object; endpoints: Record<string, object> };
  const merged = Object.fromEntries(
    Object.entries(manifest.endpoints).map(([path, endpoint]) => [path, { ...endpoint, ...endpoints[path] }]),
  );
  daemon = await startTestDaemon({
    manifests: { nimbus: { ...manifest, http: { ...manifest.http, ...http }, endpoints: merged } },
  });
}

const one = { requests: 1_000, perMs: 1_000, concurrency: 1 };
const plain = { provider: "nimbus", endpoint: "/plain" };
const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };

async function start(body: object): Promise<string> {
  const answer = await daemon.request("POST", "/v1/run", body);
  expect(answer.status).toBe(202);
  return answer.body.runId;
}
const read = async (runId: string, query = "") => (await daemon.request("GET", `/v1/runs/${runId}${query}`)).body;
const stop = async (runId: string) => await daemon.request("POST", `/v1/runs/${runId}/stop`);
const held = async () => (await daemon.request("GET", "/v1/wallet/balance")).body;
const untouched = { balance: { value: 10, currency: "USD" }, held: { value: 0, currency: "USD" } };

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + 10_000; !(await holds());) {
    if (Date.now() > giveUpAt) throw new Error("it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The first run that waits for a place, as lists show it. */
async function waitingRun(): Promise<string> {
  let runId = "";
  await until(async () => {
    const { body } = await daemon.request("GET", "/v1/runs?status=READY");
    runId = body.items[0]?.runId ?? "";
    return runId !== "";
  });
  return runId;
}

/** A workspace of its own, and requests with its key. */
async function newWorkspace(slug: string): Promise<Ask> {
  await daemon.request("POST", "/v1/admin/workspaces", { name: slug, slug });
  await daemon.request("POST", `/v1/admin/workspaces/${slug}/credits`, {
    amount: { value: 10, currency: "USD" },
    reason: "a start",
  });
  const key = await daemon.request("POST", `/v1/admin/workspaces/${slug}/api-keys`, { label: "first" });
  return askWith(daemon.url, key.body.key);
}

describe("a stop", () => {
  test("of a run that waits for a place ends it STOPPED without a call, and nothing is charged", async () => {
    await serve({ rateLimit: one });
    scriptReport(upstream, { polls: 1_000 });
    const first = await start(report);
    await untilCalled(upstream, "GET /reports/*");
    const second = await start(report);
    expect(await read(second)).toMatchObject({ status: "READY", stoppable: true });

    const answer = await stop(second);

    expect(answer).toMatchObject({ status: 202, body: { runId: second, status: "STOPPING" } });
    const ended = await read(second, "?wait=10");
    expect(ended).toMatchObject({ status: "STOPPED", stoppable: false, cost: { value: 0 } });
    expect(ended).not.toHaveProperty("startedAt");
    expect(upstream.count("POST /reports")).toBe(1);
    await stop(first);
    expect(await read(first, "?wait=10")).toMatchObject({ status: "STOPPED", cost: { value: 0 } });
    expect(upstream.count("DELETE /reports/*")).toBe(1);
    expect(await held()).toEqual(untouched);
  });

  test("under way shows STOPPING and cannot be asked for again", async () => {
    await serve();
    scriptReport(upstream, { polls: 1_000 });
    const looked = gate();
    upstream.on("DELETE /reports/*", { status: 204, after: looked.opened });
    const runId = await start(report);
    await untilCalled(upstream, "GET /reports/*");

    await stop(runId);

    expect(await read(runId)).toMatchObject({ status: "STOPPING", stoppable: false, output: null });
    expect(await stop(runId)).toMatchObject({
      status: 409,
      body: { code: 409, message: `Run ${runId} cannot be stopped: a stop is already under way` },
    });
    looked.open();
  });

  test.each([
    ["STOPPED", { polls: 1_000 }],
    ["COMPLETED", { polls: 0, result: { items: [1] } }],
  ])("of a run that is %s is 409 and changes nothing", async (status, script) => {
    await serve();
    scriptReport(upstream, script);
    const runId = await start(report);
    if (status === "STOPPED") await stop(runId);
    const ended = await read(runId, "?wait=10");

    const answer = await stop(runId);

    expect(answer).toMatchObject({ status: 409, body: { message: `Run ${runId} cannot be stopped: it is ${status}` } });
    expect(await read(runId)).toEqual(ended);
  });

  test("of a sync run is 409 while it goes on, and the run ends as it would have", async () => {
    await serve();
    const asked = gate();
    upstream.on("GET /plain", { json: { sky: "grey" }, after: asked.opened });
    const answer = daemon.request("POST", "/v1/run", plain);
    await untilCalled(upstream, "GET /plain");
    const { body } = await daemon.request("GET", "/v1/runs");

    const refused = await stop(body.items[0].runId);
    asked.open();

    expect(body.items[0]).toMatchObject({ status: "RUNNING", stoppable: false });
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining("has no job to stop") } });
    expect((await answer).body).toMatchObject({ status: "COMPLETED", output: { sky: "grey" } });
  });

  test("of a run of another workspace is the 404 of an unknown one", async () => {
    await serve();
    scriptReport(upstream, { polls: 1_000 });
    const other = await newWorkspace("other");
    const runId = await start(report);

    const foreign = await other("POST", `/v1/runs/${runId}/stop`);
    const unknown = await other("POST", "/v1/runs/01JD0000000000000000000000/stop");

    expect(foreign.status).toBe(404);
    expect(foreign.text.replace(runId, "?")).toBe(unknown.text.replace("01JD0000000000000000000000", "?"));
    expect((await read(runId)).status).toBe("RUNNING");
  });
});

describe("a deadline", () => {
  test("closes the connection of a sync call, and the caller gets 408 with nothing charged", async () => {
    await serve({ timeoutMs: 250 });
    upstream.on("GET /plain", { hang: true });

    const answer = await daemon.request("POST", "/v1/run", plain);

    expect(answer).toMatchObject({
      status: 408,
      body: { code: 408, status: "TIMED_OUT", providerMayHaveCharged: true, cost: { value: 0 } },
    });
    await until(() => upstream.connections() === 0);
    expect(await held()).toEqual(untouched);
  });

  test("ends a sync run that still waits for a place: TIMED_OUT, never called, never charged", async () => {
    await serve({ rateLimit: one, timeoutMs: 20_000 });
    const ended = gate();
    upstream.on("GET /plain", { json: {}, after: ended.opened });
    const first = daemon.request("POST", "/v1/run", plain);
    await untilCalled(upstream, "GET /plain");

    const second = await daemon.request("POST", "/v1/run", { ...plain, deadlineMs: 1_000 });
    ended.open();

    expect(second).toMatchObject({ status: 408, body: { status: "TIMED_OUT", cost: { value: 0 } } });
    expect(second.body).not.toHaveProperty("providerMayHaveCharged");
    expect((await first).body.status).toBe("COMPLETED");
    expect(upstream.count("GET /plain")).toBe(1);
    expect(await held()).toMatchObject({ balance: { value: 9.99 }, held: { value: 0 } });
  });

  test("ends an async run that still waits for a place, and one whose job goes on is stopped there", async () => {
    await serve({ rateLimit: one });
    scriptReport(upstream, { polls: 1_000 });
    const first = await start({ ...report, deadlineMs: 1_500 });
    const second = await start({ ...report, deadlineMs: 1_000 });

    const ends = await Promise.all([read(first, "?wait=10"), read(second, "?wait=10")]);

    expect(ends.map(({ status }) => status)).toEqual(["TIMED_OUT", "TIMED_OUT"]);
    expect(ends[1]).not.toHaveProperty("startedAt");
    await untilCalled(upstream, "DELETE /reports/*");
    expect(upstream.count("POST /reports")).toBe(1);
    expect(await held()).toEqual(untouched);
  });
});

describe("waiting for a run", () => {
  test("ends with the run, whatever ends it, and takes no time when it has ended", async () => {
    await serve();
    scriptReport(upstream, { polls: 1_000 });
    const runId = await start(report);
    await untilCalled(upstream, "GET /reports/*");

    const waiting = read(runId, "?wait=60");
    await stop(runId);

    expect((await waiting).status).toBe("STOPPED");
    expect((await read(runId, "?wait=60")).status).toBe("STOPPED");
  });
});

describe("the line before a provider", () => {
  test("takes the workspaces in turn: many runs of one delay another by one run at most", async () => {
    await serve({ rateLimit: one });
    const other = await newWorkspace("other");
    upstream.on("GET /now", { json: {}, delayMs: 20 });
    const now = (city: string) => ({ provider: "nimbus", endpoint: "/now", input: { city } });
    const crowd = Array.from({ length: 20 }, (_, n) => daemon.request("POST", "/v1/run", now(`crowd ${n}`)));
    await waitingRun();
    await until(async () => (await daemon.request("GET", "/v1/runs?limit=100")).body.items.length === 20);
    const before = upstream.count("GET /now");

    const alone = await other("POST", "/v1/run", now("alone"));

    expect(alone.status).toBe(200);
    await Promise.all(crowd);
    const order = upstream.calls.map(({ query }) => query.get("city"));
    expect(order.indexOf("alone")).toBeLessThanOrEqual(before + 2);
  });

  test("is not paid for: a METERED run is charged from startedAt, not from createdAt", async () => {
    const price = { type: "METERED", amount: 0.6, per: { unit: "MINUTE", count: 1 } };
    await serve({ rateLimit: one }, { "/plain": { price } });
    const othersWait = gate();
    upstream.on("GET /plain", { json: {}, after: othersWait.opened, delayMs: 250 }, { json: {}, delayMs: 20 });

    const asked = [plain, plain, plain].map((body) => daemon.request("POST", "/v1/run", body));
    await until(async () => (await daemon.request("GET", "/v1/runs?status=READY")).body.items.length === 2);
    othersWait.open();
    const answers = await Promise.all(asked);

    const runs = await Promise.all(answers.map(({ body }) => read(body.runId)));
    const waitsMs = runs.map((run) => Date.parse(run.startedAt) - Date.parse(run.createdAt));
    expect(waitsMs.filter((ms) => ms >= 240)).toHaveLength(2);
    for (const run of runs) {
      const tookMs = Date.parse(run.completedAt) - Date.parse(run.startedAt);
      expect(run.billing.calculatedCost.value).toBe(Math.ceil((tookMs * 600_000) / 60_000));
    }
  });

  test("keeps the provider's pace: a run waits as READY for its turn, and none is lost", async () => {
    await serve({ rateLimit: { requests: 2, perMs: 400 } });
    const arrivals: number[] = [];
    upstream.on("GET /plain", () => (arrivals.push(performance.now()), { json: {} }));
    const begunAt = performance.now();

    const runs = Array.from({ length: 5 }, () => daemon.request("POST", "/v1/run", plain));
    await waitingRun();
    const answers = await Promise.all(runs);

    expect(answers.map(({ body }) => body.status)).toEqual(Array.from({ length: 5 }, () => "COMPLETED"));
    // From before the first: how long a call takes to arrive differs from call to call. Timers end a little early.
    const atTheEarliest = [0, 0, 400, 400, 800].map((ms) => Math.max(0, ms - 20));
    expect(arrivals.map((at, index) => at - begunAt >= (atTheEarliest[index] ?? 0))).toEqual(arrivals.map(() => true));
  });

  test("of the pace is no exchange's time: a start that has to wait longer than one may take is made in its turn", async () => {
    await serve({ rateLimit: { requests: 1, perMs: 3_000 }, timeoutMs: 2_000 });
    scriptReport(upstream, { polls: 0, result: { items: [1] } });

    const runs = await Promise.all([start(report), start(report)]);

    const ends = await Promise.all(runs.map((runId) => read(runId, "?wait=20")));
    expect(ends.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED"]);
  });

  test("gives its turn to the next when a run is refused for lack of money", async () => {
    await serve({ rateLimit: { requests: 1, perMs: 60_000 } });
    const poor = await newWorkspace("poor");
    await daemon.request("POST", "/v1/admin/workspaces/poor/debits", {
      amount: { value: 10, currency: "USD" },
      reason: "all of it",
    });
    upstream.on("GET /plain", { json: {} });

    expect((await poor("POST", "/v1/run", plain)).status).toBe(402);

    expect((await daemon.request("POST", "/v1/run", plain)).status).toBe(200);
  });
});
