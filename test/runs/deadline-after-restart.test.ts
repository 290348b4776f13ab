import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../daemon/base/clock.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";
import { copyFolder } from "../support/copy-folder.ts";

/*
 * A daemon that dies: what it had on disk at that moment, which is all that kill -9 leaves, is copied into another home,
 * and the next daemon starts there, at another time.
 */
let upstream: FakeProvider;
let homes: MktHome[];
let dying: TestDaemon;
let next: TestDaemon | undefined;
/** By so much the clock of the dying daemon is ahead, in milliseconds. */
let aheadMs: number;

const HOUR = 3_600_000;
const report = { provider: "weather", endpoint: "/report", input: { topic: "rain", limit: 2 } };
const now = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };

/** The weather with one place, so that a second run waits; `/now` may be called again. */
function manifests(): { weather: object } {
  const manifest = weatherManifest(upstream.url) as { http: object; endpoints: { "/now": object } };
  return {
    weather: {
      ...manifest,
      http: { ...manifest.http, rateLimit: { requests: 1_000, perMs: 1, concurrency: 1 } },
      endpoints: { ...manifest.endpoints, "/again": { ...manifest.endpoints["/now"], idempotent: true } },
    },
  };
}

beforeEach(async () => {
  upstream = await startFakeProvider();
  scriptReport(upstream, { polls: 1_000_000 });
  homes = [mktHome(), mktHome()];
  aheadMs = 0;
  dying = await startTestDaemon({
    home: homeAt(0),
    clock: { now: () => Date.now() + aheadMs },
    manifests: manifests(),
  });
});

afterEach(async () => {
  // What hangs must not hold the end of the test up.
  await upstream[Symbol.asyncDispose]();
  await dying[Symbol.asyncDispose]();
  await next?.[Symbol.asyncDispose]();
  next = undefined;
  for (const home of homes) home[Symbol.dispose]();
});

function homeAt(index: number): MktHome {
  const home = homes[index];
  if (home === undefined) throw new Error("there is no such home");
  return home;
}

/** Starts again with what is on the disk, when the clock shows `laterMs` more than it does. */
async function restart(laterMs: number): Promise<Ask> {
  copyFolder(homeAt(0).dataDir, homeAt(1).dataDir);
  const clock: Clock = { now: () => Date.now() + laterMs };
  next = await startTestDaemon({
    home: homeAt(1),
    clock,
    manifests: manifests(),
    config: { forceUnlock: true },
  });
  return askWith(next.url, dying.key);
}

const start = async (body: object) => (await dying.request("POST", "/v1/run", body)).body.runId as string;
const read = async (ask: Ask, runId: string) => (await ask("GET", `/v1/runs/${runId}?wait=8`)).body;
const held = async (ask: Ask) => (await ask("GET", "/v1/wallet/balance")).body.held.value;

describe("a run whose deadline passed while the daemon was down", () => {
  test("of a job is TIMED_OUT and costs nothing, also when the job has ended by then; the provider is told", async () => {
    const runId = await start({ ...report, deadlineMs: 20_000 });
    await untilCalled(upstream, "GET /reports/*");
    const ask = await restart(20_000);
    scriptReport(upstream, { polls: 0, result: { items: [1, 2] } });

    const run = await read(ask, runId);

    expect(run).toMatchObject({
      status: "TIMED_OUT",
      cost: { value: 0 },
      providerMayHaveCharged: true,
      error: { message: "The run did not end within its deadline of 20000 ms" },
    });
    expect(await held(ask)).toBe(0);
    await untilCalled(upstream, "DELETE /reports/*");
  });

  test.each(["/now", "/again"])("of a call to %s is TIMED_OUT, and the call is not made again", async (endpoint) => {
    upstream.on("GET /now", { hang: true });
    upstream.on("GET /again", { hang: true });
    void dying.request("POST", "/v1/run", { ...now, endpoint, deadlineMs: 20_000 }).catch(() => {});
    await untilCalled(upstream, "GET /now");
    const runId = (await dying.request("GET", "/v1/runs")).body.items[0].runId;
    const ask = await restart(20_000);

    const run = await read(ask, runId);

    expect(run).toMatchObject({ status: "TIMED_OUT", cost: { value: 0 }, providerMayHaveCharged: true });
    expect(await held(ask)).toBe(0);
    expect(upstream.calls).toHaveLength(1);
  });

  test("in the line before its provider is TIMED_OUT, and its provider never hears of it", async () => {
    const first = await start({ ...report, deadlineMs: 60_000 });
    await untilCalled(upstream, "GET /reports/*");
    const waiting = await start({ ...report, deadlineMs: 20_000 });
    expect((await dying.request("GET", `/v1/runs/${waiting}`)).body.status).toBe("READY");
    const ask = await restart(20_000);

    const run = await read(ask, waiting);

    expect(run).toMatchObject({ status: "TIMED_OUT", cost: { value: 0 } });
    expect(run).not.toHaveProperty("providerMayHaveCharged");
    expect(upstream.count("POST /reports")).toBe(1);
    expect((await ask("GET", `/v1/runs/${first}`)).body.status).toBe("RUNNING");
  });
});

describe("a run whose deadline is still to come after a restart", () => {
  test("goes on for what is left of its time", async () => {
    const runId = await start({ ...report, deadlineMs: 60_000 });
    await untilCalled(upstream, "GET /reports/*");
    const ask = await restart(58_000);

    expect(await read(ask, runId)).toMatchObject({ status: "TIMED_OUT", cost: { value: 0 } });
  });

  test("is COMPLETED when its job ends in time", async () => {
    const runId = await start({ ...report, deadlineMs: 60_000 });
    await untilCalled(upstream, "GET /reports/*");
    const ask = await restart(30_000);
    scriptReport(upstream, { polls: 0, result: { items: [1, 2] } });

    expect(await read(ask, runId)).toMatchObject({ status: "COMPLETED", cost: { value: 0.009 } });
  });

  test("has no more than its time again where the clock was set back meanwhile", async () => {
    const runId = await start({ ...report, deadlineMs: 2_000 });
    await untilCalled(upstream, "GET /reports/*");
    const ask = await restart(-HOUR);

    expect(await read(ask, runId)).toMatchObject({ status: "TIMED_OUT", cost: { value: 0 } });
  });

  test("has no more than its time again in line either, where the clock was set back meanwhile", async () => {
    await start(report);
    await untilCalled(upstream, "GET /reports/*");
    const runId = await start({ ...report, deadlineMs: 2_000 });
    const ask = await restart(-HOUR);

    const run = await read(ask, runId);

    expect(run).toMatchObject({ status: "TIMED_OUT", cost: { value: 0 } });
    expect(run).not.toHaveProperty("startedAt");
  });

  test.each([
    ["has only the time that it had not waited in line", 59_000],
    ["is over at once when it had waited in line for all of it", 60_000],
  ])("%s, where the clock was set back meanwhile", async (_title, waitedMs) => {
    const first = await start(report);
    await untilCalled(upstream, "GET /reports/*");
    const runId = await start({ ...report, deadlineMs: 60_000 });
    aheadMs = waitedMs;
    await dying.request("POST", `/v1/runs/${first}/stop`);
    await untilCalled(upstream, "POST /reports", 1);
    // Its job is durable before it is asked about.
    await untilCalled(upstream, "GET /reports/*", upstream.count("GET /reports/*"));
    const ask = await restart(-HOUR);

    const run = await read(ask, runId);

    expect(run).toMatchObject({ status: "TIMED_OUT", cost: { value: 0 } });
    expect(Date.parse(run.startedAt) - Date.parse(run.createdAt)).toBeGreaterThanOrEqual(waitedMs);
  });
});

describe("a job whose start was under way when the daemon died", () => {
  test("is not started again: FAILED, nothing charged, and it is said that the provider may have charged", async () => {
    upstream.on("POST /reports", { hang: true });
    const runId = await start(report);
    await untilCalled(upstream, "POST /reports");
    const ask = await restart(0);

    const run = await read(ask, runId);

    expect(run).toMatchObject({
      status: "FAILED",
      cost: { value: 0 },
      providerMayHaveCharged: true,
      error: { source: "mkt", message: expect.stringContaining("the call is not repeated") },
    });
    expect(upstream.count("POST /reports")).toBe(1);
    expect(await held(ask)).toBe(0);
  });
});
