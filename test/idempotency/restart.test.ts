import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import type { Answer, Ask } from "../support/request.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000 });

const now = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
const report = { provider: "weather", endpoint: "/report", input: { topic: "rain", limit: 2 } };
const credit = { amount: { value: 2, currency: "USD" }, reason: "April" };
const credits = "/v1/admin/workspaces/default/credits";

const isReplayed = ({ headers }: Answer) => headers.get("idempotent-replayed");

/** One request of every kind, each with its key. */
async function makeEverything(ask: Ask): Promise<Answer[]> {
  const post = async (key: string, path: string, body: unknown) =>
    await ask("POST", path, body, { "idempotency-key": key });
  return [
    await post("run", "/v1/run", now),
    await post("accepted", "/v1/run", report),
    await post("waited", "/v1/run", { ...report, wait: 20 }),
    await post("workspace", "/v1/admin/workspaces", { name: "Research" }),
    await post("user", "/v1/admin/users", { username: "ada", workspaceId: "default" }),
    await post("credit", credits, credit),
    await post("debit", "/v1/admin/workspaces/default/debits", credit),
  ];
}

async function untilNothingIsOpen(ask: Ask): Promise<void> {
  await vi.waitUntil(async () => (await ask("GET", "/v1/runs?status=READY,RUNNING,STOPPING")).body.items.length === 0, {
    timeout: 20_000,
  });
}

/** What stands in the files of a folder and of those below it. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
}

function secretPartOf(key: string): string {
  return key.slice(key.lastIndexOf("_") + 1);
}

async function moneyOf(ask: Ask): Promise<unknown> {
  return (await ask("GET", "/v1/wallet/balance")).body;
}

function scriptWeather(provider: FakeProvider): Record<string, object> {
  provider.on("GET /now", { json: { temperature: 21 } });
  scriptReport(provider, { polls: 1, result: { items: [1, 2] } });
  return { weather: weatherManifest(provider.url) };
}

describe("after the daemon was stopped and started again", () => {
  test("every request with a key finds its answer, and makes nothing", async () => {
    await using provider = await startFakeProvider();
    using home = mktHome();
    const manifests = scriptWeather(provider);
    const options = { home, manifests };
    const before = await startTestDaemon(options);
    const firsts = await makeEverything(before.request);
    await untilNothingIsOpen(before.request);
    const money = await moneyOf(before.request);
    await before.daemon.close();

    await using after = await startTestDaemon(options);
    const seconds = await makeEverything(after.request);
    const other = await after.request("POST", credits, { ...credit, reason: "May" }, { "idempotency-key": "credit" });

    expect(firsts.map(({ status }) => status)).toEqual([200, 202, 200, 201, 201, 201, 201]);
    expect(firsts.map(isReplayed)).toEqual(firsts.map(() => null));
    expect(seconds.map(({ status, text }) => [status, text])).toEqual(firsts.map(({ status, text }) => [status, text]));
    expect(seconds.map(isReplayed)).toEqual(seconds.map(() => "true"));
    expect(other.status).toBe(422);
    expect([provider.count("GET /now"), provider.count("POST /reports")]).toEqual([1, 2]);
    expect(await moneyOf(after.request)).toEqual(money);
  });

  test("a key's secret is not told, and not on the disk", async () => {
    await using provider = await startFakeProvider();
    using home = mktHome();
    const options = { home, manifests: scriptWeather(provider) };
    const create = async (ask: Ask) => await ask("POST", "/v1/api-keys", { label: "ci" }, { "idempotency-key": "k" });
    const before = await startTestDaemon(options);
    const first = await create(before.request);
    await before.daemon.close();

    await using after = await startTestDaemon(options);
    const second = await create(after.request);

    const { key: secret, ...record } = first.body;
    expect(second).toMatchObject({ status: 201, body: record });
    expect(second.text).not.toContain(secret);
    expect(filesOf(home.dataDir).filter((text) => text.includes(secretPartOf(secret)))).toEqual([]);
  });

  test("a caller who waited for a run is answered as it ended, if that was in time", async () => {
    await using provider = await startFakeProvider();
    scriptReport(provider, { polls: 40, result: { items: [1, 2] } });
    using home = mktHome();
    const options = { home, manifests: { weather: weatherManifest(provider.url) } };
    const headers = { "idempotency-key": "k" };
    const body = { ...report, wait: 30 };
    const before = await startTestDaemon(options);
    const running = before.request("POST", "/v1/run", body, headers);
    await untilCalled(provider, "GET /reports/*");
    await before.daemon.close();
    const cutShort = await running;

    await using after = await startTestDaemon(options);
    const tooSoon = await after.request("POST", "/v1/run", body, headers);
    await untilNothingIsOpen(after.request);
    const answer = await after.request("POST", "/v1/run", body, headers);

    expect(cutShort).toMatchObject({ status: 503, body: { runId: answer.body.runId } });
    expect(tooSoon).toMatchObject({ status: 409, body: { runId: answer.body.runId } });
    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED", output: [1, 2] } });
    expect(provider.count("POST /reports")).toBe(1);
  });
});

describe("after kill -9", () => {
  test("every request that was answered finds its answer, and makes nothing", async () => {
    await using provider = await startFakeProvider();
    using home = mktHome();
    const options = { home, manifests: scriptWeather(provider) };
    await using before = await spawnDaemon(options);
    const firsts = await makeEverything(before.request);
    await before.kill("SIGKILL");

    await using after = await spawnDaemon(options);
    const seconds = await makeEverything(after.request);

    expect(seconds.map(({ status, text }) => [status, text])).toEqual(firsts.map(({ status, text }) => [status, text]));
    expect(seconds.map(isReplayed)).toEqual(seconds.map(() => "true"));
    expect([provider.count("GET /now"), provider.count("POST /reports")]).toEqual([1, 2]);
    expect((await after.request("GET", "/v1/admin/workspaces")).body.items).toHaveLength(2);
  });

  test("a call that may have happened is not made again, and those who ask again are told how it ended", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /plain", { hang: true });
    using home = mktHome();
    const options = { home, manifests: { weather: weatherManifest(provider.url) } };
    const plain = { provider: "weather", endpoint: "/plain" };
    const headers = { "idempotency-key": "k" };
    await using before = await spawnDaemon(options);
    const lost = before.request("POST", "/v1/run", plain, headers);
    lost.catch(() => {});
    await untilCalled(provider, "GET /plain");
    await before.kill("SIGKILL");
    await expect(lost).rejects.toThrow();

    await using after = await spawnDaemon(options);
    const answer = await vi.waitUntil(async () => {
      const again = await after.request("POST", "/v1/run", plain, headers);
      return again.status === 200 ? again : undefined;
    }, 20_000);

    expect(answer.body).toMatchObject({ status: "FAILED", providerMayHaveCharged: true });
    expect(isReplayed(answer)).toBe("true");
    expect(provider.count("GET /plain")).toBe(1);
    expect(await moneyOf(after.request)).toMatchObject({ balance: { value: 10 }, held: { value: 0 } });
  });

  test("a call that may be repeated is repeated, and until it has ended those who ask again are told of the run", async () => {
    await using provider = await startFakeProvider();
    provider.on("POST /buy", { hang: true }, { delayMs: 1_000, json: { bought: true } });
    using home = mktHome();
    const buy = {
      request: { method: "POST", path: "/buy" },
      idempotent: true,
      price: { type: "PER_CALL", amount: 0.01 },
    };
    const shop = { http: { baseUrl: provider.url, allowPrivateNetwork: true }, endpoints: { "/buy": buy } };
    const options = { home, manifests: { shop } };
    const ask = async (request: Ask) =>
      await request("POST", "/v1/run", { provider: "shop", endpoint: "/buy" }, { "idempotency-key": "k" });
    await using before = await spawnDaemon(options);
    const lost = ask(before.request);
    lost.catch(() => {});
    await untilCalled(provider, "POST /buy");
    await before.kill("SIGKILL");
    await expect(lost).rejects.toThrow();

    await using after = await spawnDaemon(options);
    await untilCalled(provider, "POST /buy", 1);
    const tooSoon = await ask(after.request);
    await untilNothingIsOpen(after.request);
    const answer = await ask(after.request);

    expect(tooSoon).toMatchObject({ status: 409, body: { runId: answer.body.runId } });
    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED", output: { bought: true } } });
    expect((await after.request("GET", "/v1/runs")).body.items).toHaveLength(1);
  });

  test("50 requests with one key, killed among them, make one run and one charge", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {}, delayMs: 50 });
    using home = mktHome();
    const options = { home, manifests: { weather: weatherManifest(provider.url) } };
    const headers = { "idempotency-key": "k" };
    const ask50 = async (ask: Ask) =>
      await Promise.allSettled(Array.from({ length: 50 }, async () => await ask("POST", "/v1/run", now, headers)));
    await using before = await spawnDaemon(options);
    const cutOff = ask50(before.request);
    await untilCalled(provider, "GET /now");
    await before.kill("SIGKILL");
    await cutOff;

    await using after = await spawnDaemon(options);
    await ask50(after.request);
    await untilNothingIsOpen(after.request);

    const { items } = (await after.request("GET", "/v1/runs")).body;
    expect(items).toHaveLength(1);
    expect(provider.count("GET /now")).toBe(1);
    expect(await moneyOf(after.request)).toMatchObject({ held: { value: 0 } });
  });
});
