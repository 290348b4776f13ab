import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

const GOOD = "good-key-123456";

let home: MktHome;
let upstream: FakeProvider;
let daemon: TestDaemon;
/** What the provider answers to a good key in place of 200. */
let trouble: number | undefined;

beforeEach(async () => {
  trouble = undefined;
  home = mktHome();
  upstream = await startFakeProvider();
  const answer = ({ headers }: { headers: Record<string, unknown> }) => {
    if (trouble !== undefined) return { status: trouble, json: { error: "trouble" } };
    return headers["authorization"] === `Bearer ${GOOD}`
      ? { json: { ok: true } }
      : { status: 401, json: { error: "bad key" } };
  };
  upstream.on("GET /me", answer as never);
  upstream.on("GET /data", answer as never);
  daemon = await open();
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

async function open(): Promise<TestDaemon> {
  const routes = join(home.path, "trusted", "routes");
  mkdirSync(routes, { recursive: true });
  const members = [{ endpoint: "keyed/data" }, { endpoint: "spare/data" }];
  writeFileSync(join(routes, "data.json"), JSON.stringify({ mkt: 1, route: "data", members }));
  const manifest = {
    secrets: { key: { env: "KEYED_API_KEY" } },
    verify: { method: "GET", path: "/me" },
    http: {
      baseUrl: upstream.url,
      allowPrivateNetwork: true,
      retry: { attempts: 1 },
      auth: { type: "bearer", token: "${secret.key}" },
    },
    endpoints: {
      "/data": {
        request: { method: "GET", path: "/data" },
        reuse: { maxAgeSeconds: 3_600 },
        price: { type: "PER_CALL", amount: 0.01 },
      },
    },
  };
  return await startTestDaemon({
    home,
    manifests: {
      keyed: manifest,
      spare: { ...manifest, secrets: {}, verify: undefined, http: { ...manifest.http, auth: undefined } },
    },
  });
}

const set = async (value: string) => await daemon.request("PUT", "/v1/admin/secrets/KEYED_API_KEY", { value });
const testKey = async () => await daemon.request("POST", "/v1/admin/secret-verdicts/keyed/test");
const run = async (more = {}) =>
  (await daemon.request("POST", "/v1/run", { provider: "keyed", endpoint: "/data", ...more })).body;
const verdict = async () => (await daemon.request("GET", "/v1/admin/secret-verdicts")).body.items[0]?.verdict;

describe("a secret", () => {
  test("proves itself by the free call of its file, and shows when", async () => {
    await set(GOOD);
    expect(await verdict()).toBe("unknown");

    expect(await testKey()).toMatchObject({ status: 200, body: { verdict: "works", httpStatus: 200 } });

    const { body } = await daemon.request("GET", "/v1/admin/catalog");
    expect(body.providers[0]).toMatchObject({ secretVerdict: "works", secretVerdictAt: expect.any(String) });
    const inspected = await daemon.request("POST", "/v1/inspect", { provider: "keyed", endpoint: "/data" });
    expect(inspected.body.secret).toMatchObject({ verdict: "works", at: expect.any(String) });
    expect(JSON.stringify([body, inspected.body])).not.toContain(GOOD);
    expect(upstream.count("GET /data")).toBe(0);
  });

  test("that a run shows to be refused is failing, until a run or another value shows otherwise", async () => {
    await set("stale-key-123456");
    expect((await run()).providerResponse.httpStatus).toBe(401);
    expect(await verdict()).toBe("failing");

    await set(GOOD);
    expect(await verdict()).toBe("unknown");
    await run();
    expect(await verdict()).toBe("works");
    await set("stale-key-123456");
    expect(await verdict()).toBe("unknown");
  });

  test("that is refused does not work again because an earlier answer is given again", async () => {
    await set(GOOD);
    await run();
    trouble = 401;
    await run();
    expect(await verdict()).toBe("failing");

    expect(await run({ maxAge: 60 })).toHaveProperty("answeredFrom");
    trouble = 429;
    await run();

    expect(await verdict()).toBe("failing");
  });

  test("that a member of a route refused is failing, although the run went on to the next one", async () => {
    await set("stale-key-123456");
    const asked = { provider: "routes", endpoint: "/data", allowUncertainRepeats: true };

    const { body } = await daemon.request("POST", "/v1/run", asked);

    expect(body.route.attempts).toMatchObject([{ provider: "keyed", httpStatus: 401 }, { provider: "spare" }]);
    expect(await verdict()).toBe("failing");
  });

  test("that is refused leaves a route to its other members, until it works again", async () => {
    const answer =
      (status: number) =>
      ({ headers }: { headers: Record<string, unknown> }) =>
        headers["authorization"] === `Bearer ${GOOD}` || headers["authorization"] === undefined
          ? { json: { ok: true } }
          : { status, json: { error: "no" } };
    const asked = { provider: "routes", endpoint: "/data" };
    const runRoute = async () => (await daemon.request("POST", "/v1/run", asked)).body;
    upstream.on("GET /data", answer(403) as never);

    await set("stale-key-123456");
    await run();
    expect(await verdict()).toBe("failing");
    // What one caller asked for may be the reason of a 403, and says nothing of the others.
    expect(await runRoute()).toMatchObject({ provider: "keyed", providerResponse: { httpStatus: 403 } });
    upstream.on("GET /data", answer(401) as never);
    expect(await runRoute()).toMatchObject({ provider: "keyed", providerResponse: { httpStatus: 401 } });
    expect(await verdict()).toBe("failing");
    await daemon[Symbol.asyncDispose]();
    daemon = await open();
    const passedOver = [{ provider: "keyed", reason: "keyed refuses its secret (mkt secrets test keyed)" }];
    expect(await runRoute()).toMatchObject({ provider: "spare", route: { passedOver } });
    const quote = await daemon.request("POST", "/v1/quote", asked);
    const inspected = await daemon.request("POST", "/v1/inspect", asked);
    await set(GOOD);
    const healed = await runRoute();
    trouble = 401;
    await testKey();
    const tested = await runRoute();
    trouble = undefined;
    await testKey();

    expect(quote.body.route).toMatchObject({ members: [{ provider: "spare" }], passedOver });
    expect(inspected.body.route.members).toMatchObject([
      { provider: "spare", now: "first" },
      { provider: "keyed", now: "passedOver", why: passedOver[0]?.reason },
    ]);
    expect([healed.provider, tested.provider, (await runRoute()).provider]).toEqual(["keyed", "spare", "keyed"]);
  });

  test("that is refused is tried through a route all the same where there is no other member", async () => {
    writeFileSync(
      join(home.path, "trusted", "routes", "alone.json"),
      JSON.stringify({ mkt: 1, route: "alone", members: [{ endpoint: "keyed/data" }] }),
    );
    const alone = { provider: "routes", endpoint: "/alone" };
    await daemon[Symbol.asyncDispose]();
    daemon = await open();
    await set("stale-key-123456");
    await testKey();

    const refused = await daemon.request("POST", "/v1/run", alone);
    upstream.on("GET /data", { json: { ok: true } });
    const restored = await daemon.request("POST", "/v1/run", alone);

    expect(refused.body).toMatchObject({ providerResponse: { httpStatus: 401 }, cost: { value: 0 } });
    expect(restored.body).toMatchObject({ providerResponse: { httpStatus: 200 } });
    expect(await verdict()).toBe("works");
  });

  test.each([429, 500, 503, 404])("keeps its verdict when the provider answers %i", async (status) => {
    await set(GOOD);
    await testKey();
    trouble = status;

    expect((await testKey()).body).toMatchObject({ verdict: "works", httpStatus: status });
    await run();
    expect(await verdict()).toBe("works");
  });

  test("keeps its verdict when nobody answers, and over a restart", async () => {
    await set("stale-key-123456");
    await testKey();
    upstream.on("GET /me", { reset: true });

    expect((await testKey()).body).toMatchObject({ verdict: "failing" });
    expect((await testKey()).body).not.toHaveProperty("httpStatus");
    await daemon[Symbol.asyncDispose]();
    daemon = await open();

    expect(await verdict()).toBe("failing");
  });

  test("that is not set is told with its own code, and no advice to wait", async () => {
    const answer = await testKey();

    expect(answer).toMatchObject({ status: 503, body: { errorCode: "MISSING_SECRET" } });
    expect(answer.headers.get("retry-after")).toBeNull();
    expect((await daemon.request("POST", "/v1/admin/secret-verdicts/nobody/test")).status).toBe(404);
    const env = { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir };
    expect((await runMkt(["run", "keyed/data"], { env })).exitCode).toBe(12);
  });

  test("is tested by a command, whose exit code tells that one is refused", async () => {
    const env = { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir };
    await set(GOOD);
    expect(await runMkt(["secrets", "test"], { env })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('"verdict":"works"'),
    });
    await set("stale-key-123456");

    const refused = await runMkt(["secrets", "test", "keyed"], { env });

    expect(refused).toMatchObject({ exitCode: 12, stdout: expect.stringContaining('"verdict":"failing"') });
    expect(refused.stdout + refused.stderr).not.toContain("stale-key-123456");
  });
});
