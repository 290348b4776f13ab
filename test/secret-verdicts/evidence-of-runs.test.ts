import { Webhook as Verifier } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { startTwoDaemons } from "../market/two-daemons.ts";

const KEY = "key-of-today-123456";
const OTHER_KEY = "key-of-tomorrow-123456";

let home: MktHome;
let upstream: FakeProvider;
let daemon: TestDaemon;
let log: string[];

beforeEach(async () => {
  log = [];
  home = mktHome();
  upstream = await startFakeProvider();
  upstream.on("GET /*", { json: { ok: true } });
  daemon = await startTestDaemon({
    home,
    manifests: { keyed: manifest() },
    onLog: (line) => log.push(JSON.stringify(line)),
  });
  await set(KEY);
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

function manifest(more: object = {}): object {
  const get = (path: string) => ({ request: { method: "GET", path }, price: { type: "PER_CALL", amount: 0.01 } });
  return {
    secrets: { key: { env: "KEYED_API_KEY" } },
    verify: { method: "GET", path: "/me" },
    http: {
      baseUrl: upstream.url,
      allowPrivateNetwork: true,
      retry: { attempts: 1 },
      auth: { type: "bearer", token: "${secret.key}" },
    },
    endpoints: {
      "/data": { ...get("/data"), reuse: { maxAgeSeconds: 3600 } },
      "/slow": get("/slow"),
      "/dear": get("/dear"),
      "/list": {
        ...get("/list"),
        pages: { items: "$.items", cursor: "$.next", param: "cursor", max: 5 },
        input: { queryParams: { properties: { cursor: { type: "string" } } } },
      },
    },
    ...more,
  };
}

const set = async (value: string) => await daemon.request("PUT", "/v1/admin/secrets/KEYED_API_KEY", { value });
const testKey = async () => await daemon.request("POST", "/v1/admin/secret-verdicts/keyed/test");
const run = async (endpoint: string, more: object = {}) =>
  (await daemon.request("POST", "/v1/run", { provider: "keyed", endpoint, ...more })).body;
const verdict = async (of = daemon) =>
  (await of.request("GET", "/v1/admin/secret-verdicts")).body.items[0]?.verdict as string;
const refused = { status: 403, json: { error: "not in your plan" } };

/** Starts a run whose answer comes when the test says so. */
async function startSlowRun(answer: object) {
  const { opened, open } = gate();
  upstream.on("GET /slow", { after: opened, ...answer });
  const ended = run("/slow");
  await expect.poll(() => upstream.count("GET /slow")).toBe(1);
  return {
    async end() {
      open();
      await ended;
    },
  };
}

/** A receiver of everything that happens to secrets. */
async function listen() {
  upstream.on("POST /hook", { status: 204 });
  const events = ["secret.failing"];
  const { body } = await daemon.request("POST", "/v1/webhooks", { url: `${upstream.url}/hook`, events });
  return { secret: body.secret as string, calls: () => upstream.calls.filter(({ path }) => path === "/hook") };
}

describe("a webhook", () => {
  test("hears once of a secret that begins to fail, without its value", async () => {
    const { secret, calls } = await listen();
    upstream.on("GET /data", { status: 401, json: { error: `bad key ${KEY}` } });

    await run("/data");
    await run("/data");
    await testKey();
    await run("/data");

    await expect.poll(() => calls().length).toBe(1);
    const [call] = calls();
    const told = new Verifier(secret).verify(call?.text ?? "", call?.headers as Record<string, string>);
    expect(told).toMatchObject({ type: "secret.failing", data: { provider: "keyed", since: expect.any(String) } });
    expect(call?.text).not.toContain(KEY);
    expect(log.join()).toContain("a provider refuses its secret");
    expect(log.join()).not.toContain(KEY);
  });

  test("hears of a key that is refused at a later page of a list", async () => {
    const { calls } = await listen();
    upstream.on("GET /list", { json: { items: [1], next: "two" } }, { status: 401, json: { error: "no" } });

    const ran = await run("/list");

    expect(ran).toMatchObject({ status: "COMPLETED", providerResponse: { httpStatus: 200 } });
    await expect.poll(() => calls().length, { timeout: 20_000 }).toBe(1);
    expect(await verdict()).toBe("failing");
  });

  test("hears once of an endpoint that refuses a key which works elsewhere, whatever runs beside it", async () => {
    const { calls } = await listen();
    upstream.on("GET /dear", refused);

    await run("/dear");
    expect(await verdict()).toBe("failing");
    for (let round = 0; round < 3; round++) await Promise.all([run("/data"), run("/dear"), run("/dear"), run("/data")]);
    await run("/data");
    await run("/dear");

    expect(await verdict()).toBe("works");
    await expect.poll(() => calls().length).toBe(1);
    upstream.on("GET /data", refused);
    await run("/data");
    expect(await verdict()).toBe("failing");
    await expect.poll(() => calls().length).toBe(2);
  });
});

describe("a verdict", () => {
  test("on a new value is not that of a run which began with the value before", async () => {
    const slow = await startSlowRun({ status: 401, json: { error: "bad key" } });
    await set(OTHER_KEY);

    await slow.end();

    expect(await verdict()).toBe("unknown");
  });

  test("stays failing when a run succeeds that began before the refusal", async () => {
    const slow = await startSlowRun({ json: { ok: true } });
    upstream.on("GET /data", { status: 401, json: { error: "revoked" } });
    await run("/data");

    await slow.end();

    expect(await verdict()).toBe("failing");
    upstream.on("GET /slow", { json: { ok: true } });
    await run("/slow");
    expect(await verdict()).toBe("works");
  });

  test("is not changed by the answer of an earlier run", async () => {
    await run("/data");
    upstream.on("GET /slow", { status: 401, json: { error: "revoked" } });
    await run("/slow");

    expect(await run("/data", { maxAge: 3600 })).toMatchObject({ answeredFrom: expect.anything() });

    expect(await verdict()).toBe("failing");
  });

  test("follows the file where a status says something else than a bad key", async () => {
    await using other = await startTestDaemon({
      manifests: { keyed: manifest({ verify: { method: "GET", path: "/me", refusedIf: [400, 401] } }) },
      environment: { KEYED_API_KEY: KEY },
    });
    const ask = async () => await other.request("POST", "/v1/run", { provider: "keyed", endpoint: "/data" });
    upstream.on("GET /data", { status: 403 }, { status: 400 }, { status: 401 });

    await ask();
    await ask();
    expect(await verdict(other)).toBe("unknown");
    await ask();
    expect(await verdict(other)).toBe("failing");
  });
});

test("the key of a market works when the provider behind it refuses the market's own", async () => {
  await using daemons = await startTwoDaemons();
  daemons.vendor.on("GET /refused", { status: 401, json: { error: "bad key" } });

  const { body } = await daemons.run("/refused");

  expect(body.providerResponse.httpStatus).toBe(401);
  expect(await verdict(daemons.laptop)).toBe("works");
});

test("the key of a market fails when the market itself refuses it", async () => {
  await using daemons = await startTwoDaemons({ keyOf: async () => `mkt_live_${"0".repeat(32)}` });

  await daemons.run("/buy");

  expect(await verdict(daemons.laptop)).toBe("failing");
});
