import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { jsonLines, lastLine, runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";
import { startStandIn } from "./stand-in-service.ts";

const price = { type: "PER_CALL", amount: 0.01 };

const badPrice = [
  "mkt: 1",
  "provider: torn",
  "http: {baseUrl: https://torn.example}",
  "endpoints:",
  "  /rags:",
  "    request: {method: GET}",
  "    price:",
  "      {type: PER_CALL, amount: -1}",
  "",
].join("\n");

let home: MktHome;
let upstream: FakeProvider;
let daemon: TestDaemon;

beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /now", { json: { temperature: 21 } });
  home = mktHome();
  const own = join(home.configDir, "catalog");
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const wanting = {
    mkt: 1,
    provider: "wanting",
    secrets: { key: { env: "WANTING_KEY" } },
    http: { baseUrl: "https://wanting.example", auth: { type: "bearer", token: "${secret.key}" } },
    endpoints: { "/x": { request: { method: "GET" }, price } },
  };
  writeFileSync(join(own, "wanting.yaml"), JSON.stringify(wanting));
  daemon = await startTestDaemon({
    home,
    manifests: {
      weather: weatherManifest(upstream.url),
      locked: {
        secrets: { key: { env: "LOCKED_KEY" } },
        http: { baseUrl: "https://locked.example", auth: { type: "bearer", token: "${secret.key}" } },
        endpoints: { "/vaults": { request: { method: "GET", path: "/vaults" }, price } },
      },
      vast: {
        http: { baseUrl: upstream.url, allowPrivateNetwork: true },
        endpoints: {
          "/millions": {
            request: { method: "GET" },
            input: { queryParams: { required: ["n"], properties: { n: { type: "integer", maximum: 9000 } } } },
            usage: { count: "$.items", estimate: { count: "input:queryParams.n", max: "input:queryParams.n" } },
            price: { type: "PER_RESULT", amount: 1_000_000 },
          },
        },
      },
    },
  });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const mkt = async (words: string, env: Readonly<Record<string, string>> = {}) =>
  await runMkt([...words.split(" "), "--json"], { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key, ...env } });

const errorOf = ({ stderr }: { stderr: string }) => JSON.parse(lastLine(stderr));

describe("a key whose limit is used up", () => {
  test("ends with 7 and says KEY_LIMIT, run and quoted alike", async () => {
    const { body: made } = await daemon.request("POST", "/v1/api-keys", {
      label: "pocket",
      spendLimit: { amount: { value: 0.005, currency: "USD" }, period: "DAY" },
    });

    const ran = await mkt("run weather/now city=Lisbon", { MKT_API_KEY: made.key });
    const quoted = await mkt("quote weather/now city=Lisbon", { MKT_API_KEY: made.key });

    expect([ran.exitCode, quoted.exitCode]).toEqual([7, 7]);
    expect(errorOf(ran)).toMatchObject({ code: 403, errorCode: "KEY_LIMIT", next: "mkt whoami" });
    expect(errorOf(quoted)).toMatchObject({ code: 0, errorCode: "KEY_LIMIT", next: "mkt whoami" });
  });
});

describe("what is not set up", () => {
  test("for want of a secret ends with 12 and the command that stores it", async () => {
    const outcome = await mkt("run locked/vaults");

    expect(outcome.exitCode).toBe(12);
    expect(errorOf(outcome)).toMatchObject({
      code: 503,
      errorCode: "MISSING_SECRET",
      next: "mkt secrets set LOCKED_KEY",
    });
  });

  test("is answered without Retry-After, also to a quote", async () => {
    const asked = { provider: "locked", endpoint: "/vaults" };

    const answers = [await daemon.request("POST", "/v1/run", asked), await daemon.request("POST", "/v1/quote", asked)];

    for (const { status, body, headers } of answers) {
      expect([status, body.errorCode, headers.get("retry-after")]).toEqual([503, "MISSING_SECRET", null]);
    }
  });

  test("for want of a grant ends with 12, a code of its own, and the command that grants it", async () => {
    const { body: made } = await daemon.request("POST", "/v1/inspect", { provider: "wanting", endpoint: "/x" });
    const outcome = await mkt("run wanting/x");

    expect(made.unavailable).toMatchObject({ reason: "needsGrant" });
    expect(outcome.exitCode).toBe(12);
    expect(errorOf(outcome)).toMatchObject({ errorCode: "MISSING_GRANT", next: "mkt catalog grant wanting" });
  });

  test("because others can read the file of secrets says so, and nothing of waiting", async () => {
    const store = async () => await daemon.request("PUT", "/v1/admin/secrets/OTHER_KEY", { value: "some-value" });
    expect((await store()).status).toBeLessThan(300);
    const path = join(home.configDir, "secrets.json");
    chmodSync(path, 0o644);

    const { status, body, headers } = await store();
    chmodSync(path, 0o600);

    expect([status, body.errorCode, headers.get("retry-after")]).toEqual([503, "NOT_CONFIGURED", null]);
    expect(body.message).toContain("secrets.json");
  });

  test("is asked once, whatever a header says of waiting", async () => {
    await using service = await startStandIn({
      "GET /v1/runs/01RUN": {
        status: 503,
        headers: { "retry-after": "1" },
        body: { code: 503, message: "not set up", errorCode: "NOT_CONFIGURED" },
      },
    });

    const outcome = await runMkt(["get-run", "01RUN", "--wait", "--json"], service);

    expect(outcome.exitCode).toBe(12);
    expect(errorOf(outcome).message).toBe("not set up");
    expect(service.requests).toHaveLength(1);
  });
});

describe("a wallet that has too little", () => {
  test("is never to be credited with more than may be credited at once", async () => {
    const outcome = await mkt("run vast/millions n=3");

    const { errorCode, message, next } = errorOf(outcome);
    expect([outcome.exitCode, errorCode]).toEqual([7, "WALLET_INSUFFICIENT_FUNDS"]);
    expect(message).toContain("mkt wallet credit 1000000, 3 times: a credit is at most $1000000");
    expect(next).toBe("mkt wallet credit 1000000");
    expect((await mkt(next.slice("mkt ".length))).exitCode).toBe(0);
    await mkt("wallet debit 1000000 --reason back");
  });

  test("is not to be credited at all for what no credit covers", async () => {
    const { message, next } = errorOf(await mkt("run vast/millions n=3000"));

    expect(message).toContain("No credit covers that");
    expect(next).toBe("mkt inspect vast/millions");
  });
});

describe("maxCost of a wrong shape", () => {
  test.each([
    ["a number", 0.07, 'maxCost: must be an amount, as in {"value": 0.07, "currency": "USD"} (got 0.07)'],
    ["a text", "$0.05", 'maxCost: must be an amount, as in {"value": 0.05, "currency": "USD"} (got "$0.05")'],
    [
      "without a currency",
      { value: 0.05 },
      'maxCost.currency: must be "USD", as in {"value": 0.05, "currency": "USD"}',
    ],
    [
      "with a text as value",
      { value: "0.05", currency: "USD" },
      'maxCost.value: must be a number, as in {"value": 0.05, "currency": "USD"} (got "0.05")',
    ],
  ])("%s is told with the right one", async (_what, maxCost, message) => {
    const asked = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" }, maxCost };

    const { status, body } = await daemon.request("POST", "/v1/run", asked);

    expect([status, body.message]).toEqual([400, message]);
  });

  test("a limit of a budget is told with the right one, too", async () => {
    const { body } = await daemon.request("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount: 5 });

    expect(body.message).toContain(
      'limitAmount: must be an amount, as in {"value": 5, "unit": "DOLLAR", "currency": "USD"}',
    );
  });
});

describe("a provider file with mistakes", () => {
  const file = () => join(home.path, "trusted", "torn.yaml");
  const loads = (text: string) => writeFileSync(file(), text);
  const reload = async () =>
    await vi.waitUntil(async () => (await mkt("catalog list")).stdout.includes("torn"), 10_000);

  test.each([
    ["whose price is none", badPrice, /line 8, endpoints\.\/rags\.price/],
    ["that is no YAML", "mkt: 1\nprovider: torn\nhttp: [\n", /line \d/],
  ])("%s is named by run, quote, inspect, grant and catalog list, with the line", async (_what, text, place) => {
    loads(text);
    await reload();

    const outcomes = await Promise.all(
      ["run torn/rags", "quote torn/rags", "inspect torn/rags", "catalog grant torn --yes"].map((words) => mkt(words)),
    );
    const list = await runMkt(["catalog", "list"], { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

    for (const outcome of outcomes) {
      expect(outcome.exitCode).toBe(16);
      expect(errorOf(outcome).message).toMatch(/^Provider "torn" is not loaded: /);
      expect(errorOf(outcome).message).toMatch(place);
    }
    expect(errorOf(outcomes[0] ?? { stderr: "" })).toMatchObject({
      code: 503,
      errorCode: "PROVIDER_NOT_LOADED",
      next: "mkt catalog list",
    });
    expect(list.stderr).toMatch(/torn: not loaded: /);
    expect(list.stderr).toMatch(place);
  });

  test("is told to others without places and paths, and not at all to whoever has no credential", async () => {
    loads(badPrice);
    await reload();
    const { body: made } = await daemon.request("POST", "/v1/api-keys", { label: `other ${Date.now()}` });

    const outcome = await mkt("run torn/rags", { MKT_API_KEY: made.key });
    const stranger = await request(`${daemon.registryUrl}/public/v1/providers/torn/endpoints/rags`);

    expect(outcome.exitCode).toBe(16);
    expect(errorOf(outcome)).toMatchObject({ errorCode: "PROVIDER_NOT_LOADED" });
    expect(errorOf(outcome).message).toBe(
      'Provider "torn" is not loaded: its file has mistakes; ask the operator to fix it',
    );
    expect(outcome.stderr).not.toContain(home.path);
    expect(stranger.status).toBe(404);
  });
});

describe("the local daemon's key", () => {
  const local = () => ({ MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir });
  const whoami = async (url: string) => await runMkt(["whoami", "--json"], { env: { ...local(), MKT_API_URL: url } });

  test("is sent where localhost is asked, to the daemon's own address and not to who has the name besides", async () => {
    const { port } = new URL(daemon.url);
    const asked: unknown[] = [];
    const stranger = createServer((incoming, response) => {
      asked.push(incoming.headers.authorization);
      response.writeHead(401, { "content-type": "application/json" }).end('{"code":401,"message":"No"}');
    });
    const listens = await new Promise<boolean>((resolve) => {
      stranger.once("error", () => resolve(false));
      stranger.listen(Number(port), "::1", () => resolve(true));
    });

    const outcome = await whoami(`http://localhost:${port}/`);
    const bySixth = listens ? await whoami(`http://[::1]:${port}`) : undefined;
    stranger.close();

    expect([outcome.exitCode, outcome.stderr]).toEqual([0, ""]);
    expect(asked.filter((key) => key !== undefined)).toEqual([]);
    if (bySixth !== undefined) expect(errorOf(bySixth).message).toContain(`and http://[::1]:${port} was asked`);
  });

  test("is withheld from every other address, and the refusal says so and what to type", async () => {
    const refusal = { status: 401, body: { code: 401, message: "Unauthorized" } };
    await using stranger = await startStandIn({ "GET /v1/auth/whoami": refusal });

    const outcome = await whoami(stranger.url);

    expect(outcome.exitCode).toBe(4);
    expect(errorOf(outcome)).toMatchObject({
      code: 401,
      message: `Unauthorized (no key was sent: that of the local daemon belongs to ${daemon.url}, and ${stranger.url} was asked)`,
      next: `mkt whoami --api-url ${daemon.url}`,
    });
    expect(stranger.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

describe("an error object", () => {
  test("never has the code of a success: what became of a run is told by its status", async () => {
    upstream.on("GET /plain", { status: 404, json: { message: "No such place" } });
    const answered = await mkt("run weather/plain");
    upstream.on("GET /plain", { reset: true });
    const failed = await mkt("run weather/plain");
    const { body: cap } = await daemon.request("POST", "/v1/controls/workspace/run-caps", {
      limitAmount: { value: 1, unit: "MICRO_DOLLAR", currency: "USD" },
    });
    const blocked = await mkt("run weather/now city=Lisbon");
    const quoted = await mkt("quote weather/now city=Lisbon");
    await daemon.request("DELETE", `/v1/controls/workspace/run-caps/${cap.runCapControlId}`);
    scriptReport(upstream, { polls: Infinity });
    const waiting = await mkt("run weather/report topic=rain --wait-seconds 1");
    const stopped = await mkt(`stop ${errorOf(waiting).runId}`);
    const shown = await mkt(`get-run ${errorOf(waiting).runId} --wait`);

    expect([answered, failed, blocked, waiting, shown].map(errorOf)).toMatchObject([
      { code: 0, status: "COMPLETED", runId: expect.any(String) },
      { code: 0, status: "FAILED" },
      { code: 0, status: "BLOCKED" },
      { code: 0, status: "RUNNING" },
      { code: 0, status: "STOPPED" },
    ]);
    expect(errorOf(quoted)).toMatchObject({ code: 0, message: expect.stringContaining("would be refused") });
    expect([answered, failed, blocked, quoted, waiting, stopped, shown].map(({ exitCode }) => exitCode)).toEqual([
      3, 1, 7, 7, 6, 0, 10,
    ]);
    expect(jsonLines(failed.stdout)).toMatchObject([{ status: "FAILED", error: { message: expect.any(String) } }]);
  });

  test("has none for a page that is no service either", async () => {
    await using service = await startStandIn({ "GET /v1/wallet/balance": { status: 200, text: "<html>Hello</html>" } });

    const outcome = await runMkt(["wallet", "--json"], service);

    expect(errorOf(outcome)).toMatchObject({ code: 0, message: expect.stringContaining("not JSON") });
  });
});

describe("a flag that says which place, key or workspace, and is empty", () => {
  test.each(["--workspace", "--profile", "--api-url", "--key-file", "--data-dir", "-o"])(
    "%s is refused",
    async (flag) => {
      const env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };

      const outcomes = [await runMkt(["whoami", flag, ""], { env }), await runMkt(["whoami", flag, " "], { env })];

      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
        expect(outcome.stderr).toContain("It must not be empty");
      }
    },
  );

  test("credits nobody: not the operator's own wallet, as without --workspace", async () => {
    const before = await daemon.request("GET", "/v1/wallet/balance");

    const outcome = await mkt("wallet credit 5 --workspace ");

    expect(outcome.exitCode).toBe(2);
    expect((await daemon.request("GET", "/v1/wallet/balance")).body).toEqual(before.body);
  });
});
