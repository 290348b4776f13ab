import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";
import { untilCalled, weatherManifest } from "../support/weather-manifest.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** What a daemon may take to end, ten seconds, and a slow machine on top. */
const endWithinMs = 20_000;

const nowRun = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
const reportRun = { provider: "weather", endpoint: "/report", input: { topic: "rain", limit: 2 } };

async function untilTerminal(daemon: SpawnedDaemon, runId: string) {
  return await vi.waitUntil(
    async () => {
      const { body } = await daemon.request("GET", `/v1/runs/${runId}`);
      return ["COMPLETED", "FAILED", "STOPPED", "TIMED_OUT"].includes(body.status) ? body : undefined;
    },
    { timeout: endWithinMs },
  );
}

async function untilDraining(daemon: SpawnedDaemon): Promise<void> {
  await vi.waitUntil(() => daemon.stderr().includes('"msg":"draining"'), { timeout: endWithinMs });
}

describe.concurrent("a daemon that is told to stop", () => {
  test("still answers the call in flight, takes no new work, and ends with 0", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: { temperature: 21 }, delayMs: 3_000 });
    await using daemon = await spawnDaemon({ manifests: { weather: weatherManifest(provider.url) } });
    const running = daemon.request("POST", "/v1/run", nowRun);
    await untilCalled(provider, "GET /now");

    const ended = daemon.kill("SIGTERM");
    await untilDraining(daemon);
    const refused = await daemon.request("POST", "/v1/run", nowRun);
    const health = await daemon.request("GET", "/health");
    const answer = await running;
    const { code } = await ended;
    const later = daemon.request("GET", "/health");

    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED", output: { temperature: 21 } } });
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 503, message: expect.stringContaining("shutting down") },
    });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(health.body).toMatchObject({ status: "draining" });
    expect(code).toBe(0);
    await expect(later).rejects.toThrow();
    expect(provider.count("GET /now")).toBe(1);
  });

  test("records a call that does not end as FAILED, answers with it, and ends with 0", async () => {
    using home = mktHome();
    await using provider = await startFakeProvider();
    provider.on("GET /now", { hang: true });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await spawnDaemon({ home, manifests });
    const running = daemon.request("POST", "/v1/run", nowRun);
    await untilCalled(provider, "GET /now");

    const toldAt = performance.now();
    const { code } = await daemon.kill("SIGTERM");
    const tookMs = performance.now() - toldAt;
    const answer = await running;
    await using again = await spawnDaemon({ home, manifests });
    const recorded = await again.request("GET", `/v1/runs/${answer.body.runId}`);
    const wallet = await again.request("GET", "/v1/wallet/balance");

    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(endWithinMs);
    expect(answer).toMatchObject({ status: 200, body: { status: "FAILED", output: null } });
    expect(recorded.body).toMatchObject({ status: "FAILED", output: null, providerMayHaveCharged: true });
    expect(wallet.body).toMatchObject({ balance: { value: 10 }, held: { value: 0 } });
    expect(provider.count("GET /now")).toBe(1);
  });

  test("leaves an async run to the next start, which asks for it again and does not start it twice", async () => {
    using home = mktHome();
    await using provider = await startFakeProvider();
    provider.on("POST /reports", { status: 202, json: { id: "job-1" } });
    provider.on("GET /reports/*", { json: { status: "working" } });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await spawnDaemon({ home, manifests });
    const { status, body: accepted } = await daemon.request("POST", "/v1/run", reportRun);
    await untilCalled(provider, "GET /reports/job-1");

    const { code } = await daemon.kill("SIGTERM");
    provider.on("GET /reports/*", { json: { status: "done", result: { items: [{ mm: 1 }, { mm: 2 }] } } });
    await using again = await spawnDaemon({ home, manifests });
    const run = await untilTerminal(again, accepted.runId as string);

    expect([status, code]).toEqual([202, 0]);
    expect(run).toMatchObject({ status: "COMPLETED", output: [{ mm: 1 }, { mm: 2 }], resultCount: 2 });
    expect(run.cost).toMatchObject({ value: 0.009 });
    expect(provider.count("POST /reports")).toBe(1);
  });

  test("answers those who wait for an async run with the run as it stands", async () => {
    await using provider = await startFakeProvider();
    provider.on("POST /reports", { status: 202, json: { id: "job-1" } });
    provider.on("GET /reports/*", { json: { status: "working" } });
    await using daemon = await spawnDaemon({ manifests: { weather: weatherManifest(provider.url) } });
    const waiting = daemon.request("POST", "/v1/run", { ...reportRun, wait: 60 });
    await untilCalled(provider, "GET /reports/job-1");

    const { code } = await daemon.kill("SIGTERM");

    expect(await waiting).toMatchObject({ status: 202, body: { status: "RUNNING" } });
    expect(code).toBe(0);
  });

  test("twice ends at once", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { hang: true });
    await using daemon = await spawnDaemon({ manifests: { weather: weatherManifest(provider.url) } });
    const running = daemon.request("POST", "/v1/run", nowRun).catch(() => "no answer");
    await untilCalled(provider, "GET /now");
    void daemon.kill("SIGTERM");
    await untilDraining(daemon);

    const { code } = await daemon.kill("SIGTERM");

    expect(code).toBe(130);
    expect(await running).toBe("no answer");
  });

  test("ends also where something was left open, and says what", async () => {
    const left = "data:text/javascript,setInterval(() => {}, 1e6)";
    await using daemon = await spawnDaemon({ environment: { NODE_OPTIONS: `--import "${left}"` } });

    const { code, stderr } = await daemon.kill("SIGTERM");

    expect(code).toBe(0);
    expect(stderr).toMatch(/mkt daemon: it has stopped, but is held by .*Timeout.*: ending it/);
  });

  test("is not held up by a connection on which nothing comes", async () => {
    await using daemon = await spawnDaemon();
    const idle = connect(Number(new URL(daemon.url).port), "127.0.0.1");
    await once(idle, "connect");
    const closed = once(idle, "close");

    const { code } = await daemon.kill("SIGTERM");

    expect(code).toBe(0);
    await closed;
  });
});

test("a daemon that was killed polls an async run again, and a call that may have happened is not made twice", async () => {
  using home = mktHome();
  await using provider = await startFakeProvider();
  provider.on("POST /reports", { status: 202, json: { id: "job-1" } });
  provider.on("GET /reports/*", { json: { status: "working" } });
  provider.on("GET /now", { hang: true });
  const manifests = { weather: weatherManifest(provider.url) };
  await using daemon = await spawnDaemon({ home, manifests });
  const { body: report } = await daemon.request("POST", "/v1/run", reportRun);
  const cutOff = daemon.request("POST", "/v1/run", nowRun).catch(() => "no answer");
  await untilCalled(provider, "GET /now");
  await untilCalled(provider, "GET /reports/job-1");

  await daemon.kill("SIGKILL");
  provider.on("GET /reports/*", { json: { status: "done", result: { items: [{ mm: 1 }] } } });
  await using again = await spawnDaemon({ home, manifests });
  const finished = await untilTerminal(again, report.runId as string);
  const { body: runs } = await again.request("GET", "/v1/runs?endpoint=/now");
  const lost = await untilTerminal(again, runs.items[0].runId as string);

  expect(await cutOff).toBe("no answer");
  expect(finished).toMatchObject({ status: "COMPLETED", resultCount: 1 });
  expect(lost).toMatchObject({ status: "FAILED", providerMayHaveCharged: true });
  expect([provider.count("POST /reports"), provider.count("GET /now")]).toEqual([1, 1]);
});
