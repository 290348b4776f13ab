import { describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { freePort } from "../support/free-port.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type Answer, askWith } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { dieLeaving, examineHome } from "../support/suite-store.ts";
import { untilCalled, weatherManifest } from "../support/weather-manifest.ts";

const now = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
const report = { provider: "weather", endpoint: "/report", input: { topic: "rain", limit: 2 } };

interface Away extends AsyncDisposable {
  readonly daemon: TestDaemon;
  /** The provider comes up. */
  comeUp(): Promise<FakeProvider>;
}

/** A daemon whose provider is not up. */
async function serveNobody(manifest = weatherManifest): Promise<Away> {
  const port = await freePort();
  const daemon = await startTestDaemon({ manifests: { weather: manifest(`http://127.0.0.1:${port}`) } });
  let provider: FakeProvider | undefined;
  return {
    daemon,
    async comeUp() {
      provider = await startFakeProvider({ port });
      provider.on("GET /now", { json: { temperature: 21 }, delayMs: 20 });
      provider.on("POST /reports", { status: 202, json: { id: "job-1" } });
      provider.on("GET /reports/*", { json: { status: "done", result: { items: [1] } } });
      return provider;
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await provider?.[Symbol.asyncDispose]();
    },
  };
}

const run = async ({ request }: Pick<TestDaemon, "request">, key: string, body: unknown = now): Promise<Answer> =>
  await request("POST", "/v1/run", body, { "idempotency-key": key });
const runsOf = async ({ request }: TestDaemon) => (await request("GET", "/v1/runs?limit=100")).body.items;
const isReplayed = ({ headers }: Answer) => headers.get("idempotent-replayed") === "true";

describe("a run that failed before anything reached its provider", () => {
  test("leaves its key free: the same request tries again, names the earlier run, and is made once", async () => {
    await using away = await serveNobody();
    const first = await run(away.daemon, "nightly");
    const second = await run(away.daemon, "nightly");
    const provider = await away.comeUp();
    const third = await run(away.daemon, "nightly");
    const fourth = await run(away.daemon, "nightly");

    expect(first).toMatchObject({ status: 200, body: { status: "FAILED", cost: { value: 0 } } });
    expect(first.body).not.toHaveProperty("retryOf");
    expect(second.body).toMatchObject({ status: "FAILED", retryOf: first.body.runId });
    expect(third.body).toMatchObject({ status: "COMPLETED", retryOf: second.body.runId, cost: { value: 0.01 } });
    expect([second, third].map(isReplayed)).toEqual([false, false]);
    expect(fourth.text).toBe(third.text);
    expect(isReplayed(fourth)).toBe(true);
    expect(provider.count("GET /now")).toBe(1);
    const read = (await away.daemon.request("GET", `/v1/runs/${third.body.runId}`)).body;
    expect(read.retryOf).toBe(second.body.runId);
  });

  test("leaves its key free also for another request", async () => {
    await using away = await serveNobody();
    await run(away.daemon, "nightly");
    await away.comeUp();

    const other = await run(away.daemon, "nightly", { ...now, input: { city: "Porto" } });

    expect(other.body.status).toBe("COMPLETED");
    expect((await run(away.daemon, "nightly")).status).toBe(422);
  });

  test("of an async endpoint is tried again too", async () => {
    await using away = await serveNobody();
    const first = await run(away.daemon, "nightly", report);
    await expect.poll(async () => (await runsOf(away.daemon))[0].status).toBe("FAILED");
    await away.comeUp();
    const second = await run(away.daemon, "nightly", report);

    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body.runId).not.toBe(first.body.runId);
    await expect.poll(async () => (await runsOf(away.daemon))[0].status).toBe("COMPLETED");
    expect((await run(away.daemon, "nightly", report)).body.runId).toBe(second.body.runId);
  });

  test("is called once when fifty ask at once with its key", async () => {
    await using away = await serveNobody();
    await run(away.daemon, "nightly");
    const provider = await away.comeUp();

    const answers = await Promise.all(Array.from({ length: 50 }, () => run(away.daemon, "nightly")));

    expect(provider.count("GET /now")).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(await runsOf(away.daemon)).toHaveLength(2);
  });

  test("leaves its key free after a restart, and doctor finds nothing wrong with the two runs", async () => {
    using home = mktHome();
    const port = await freePort();
    const options = { home, manifests: { weather: weatherManifest(`http://127.0.0.1:${port}`) } };
    const before = await startTestDaemon(options);
    const first = await run(before, "nightly");
    await before.daemon.close();
    await using provider = await startFakeProvider({ port });
    provider.on("GET /now", { json: { temperature: 21 } });

    const after = await startTestDaemon(options);
    const second = await run(after, "nightly");
    const env = { MKT_API_URL: after.url, MKT_API_KEY: after.key };
    const shown = await runMkt(["get-run", second.body.runId], { env, tty: true });
    await after.daemon.close();
    const last = await startTestDaemon(options);
    const third = await run(last, "nightly");
    await last.daemon.close();
    const doctor = await examineHome(home);

    expect(second.body).toMatchObject({ status: "COMPLETED", retryOf: first.body.runId });
    expect(shown.stdout).toMatch(new RegExp(`earlier try +${first.body.runId}`));
    expect(third.text).toBe(second.text);
    expect(provider.count("GET /now")).toBe(1);
    expect(doctor.findings).toEqual([]);
  });
});

describe("a run of which something may have reached its provider", () => {
  test.each([
    ["whose connection was lost", { reset: true as const }],
    ["that ran into its deadline during the call", { hang: true as const }],
  ])("%s binds its key", async (_title, answer) => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", answer);
    await using daemon = await startTestDaemon({ manifests: { weather: weatherManifest(provider.url) } });
    const body = { ...now, deadlineMs: 1_000 };

    const first = await run(daemon, "nightly", body);
    const second = await run(daemon, "nightly", body);

    expect(isReplayed(second)).toBe(true);
    expect(second.text).toBe(first.text);
    expect(provider.count("GET /now")).toBe(1);
  });

  test("binds its key when an attempt was answered before the provider went away", async () => {
    const retrying = (url: string) => ({
      ...weatherManifest(url),
      http: { baseUrl: url, allowPrivateNetwork: true, retry: { attempts: 2, backoffMs: 200 } },
    });
    const provider = await startFakeProvider();
    provider.on("GET /now", { status: 429 });
    await using daemon = await startTestDaemon({ manifests: { weather: retrying(provider.url) } });
    const running = run(daemon, "nightly");
    await expect.poll(provider.answered).toBe(1);
    await provider[Symbol.asyncDispose]();

    const first = await running;
    const second = await run(daemon, "nightly");

    expect(first.body).toMatchObject({ status: "FAILED", attempts: [{ httpStatus: 429 }, {}] });
    expect(isReplayed(second)).toBe(true);
  });

  test("binds its key when the daemon died during a call that may be repeated, whatever the repetition met", async () => {
    using home = mktHome();
    using copy = mktHome();
    const repeatable = (url: string) => {
      const manifest = weatherManifest(url) as { endpoints: { "/now": object } };
      return {
        ...manifest,
        endpoints: { ...manifest.endpoints, "/now": { ...manifest.endpoints["/now"], idempotent: true } },
      };
    };
    const provider = await startFakeProvider();
    provider.on("GET /now", { hang: true });
    const manifests = { weather: repeatable(provider.url) };
    const dying = await startTestDaemon({ home, manifests });
    const lost = run(dying, "nightly").catch(() => undefined);
    await untilCalled(provider, "GET /now");
    await dieLeaving(home, copy);
    await provider[Symbol.asyncDispose]();

    await using next = await startTestDaemon({ home: copy, manifests, config: { forceUnlock: true } });
    const request = askWith(next.url, dying.key);
    await expect
      .poll(async () => (await request("GET", "/v1/runs")).body.items[0].status, { timeout: 10_000 })
      .toBe("FAILED");
    const again = await run({ request }, "nightly");

    expect(isReplayed(again)).toBe(true);
    expect(again.body).toMatchObject({ status: "FAILED", providerMayHaveCharged: true });
    await dying.daemon.close();
    await lost;
  });
});
