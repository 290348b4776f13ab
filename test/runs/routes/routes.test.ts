import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gate } from "../../support/gate.ts";
import { startFakeProvider } from "../../support/fake-provider.ts";
import { mktHome } from "../../support/mkt-home.ts";
import { askWith } from "../../support/request.ts";
import { runMkt } from "../../support/run-cli.ts";
import { spawnDaemon } from "../../support/spawn-mkt.ts";
import { QUERY, runRoute, type ServedRoutes, serveRoutes, writeRoute } from "./serve-route.ts";

const ROUTES = ["now-both", "now-busy", "now-keys", "now-out", "now-late", "job-busy", "job-stop", "now-twice"];
const both = (name: string) => [{ endpoint: `first/${name}` }, { endpoint: `second/${name}` }];
const mapped = (name: string) => [
  { endpoint: `first/${name}`, output: { found: "$.rows[0]", asked: "input:queryParams.q" } },
  { endpoint: `second/${name}`, output: { found: "$.rows[0]", asked: "input:queryParams.q" } },
];

let served: ServedRoutes;
const busy = { status: 429, json: { error: "slow down" } };

beforeAll(async () => {
  served = await serveRoutes({
    names: ROUTES,
    routes: {
      "now-both": {
        description: "Looks up marmalade recipes, whichever cook answers.",
        asks: ["how do I cook marmalade"],
        members: mapped("now-both"),
        sort: "price",
      },
      "now-busy": { members: mapped("now-busy") },
      "cheap-only": { members: both("now-both"), order: ["second/now-both"], maxPrice: 0.015 },
      "no-fallbacks": { members: both("now-busy"), allowFallbacks: false },
      "locked-first": { members: [{ endpoint: "locked/now-both" }, { endpoint: "second/now-both" }] },
      "all-locked": { members: [{ endpoint: "locked/now-both" }, { endpoint: "locked/now-busy" }] },
      "by-success": { members: both("now-out"), sort: "success" },
      "by-latency": { members: both("now-late"), sort: "latency" },
    },
    files: {},
    manifests: {
      locked: {
        secrets: { key: { env: "LOCKED_KEY" } },
        http: { baseUrl: "https://locked.example", auth: { type: "bearer", token: "${secret.key}" } },
        endpoints: Object.fromEntries(
          ["/now-both", "/now-busy"].map((path) => [
            path,
            { request: { method: "POST" }, input: QUERY, price: { type: "FREE" } },
          ]),
        ),
      },
    },
  });
  for (const name of ["now-busy", "now-keys", "job-busy", "now-twice"]) served.first.on(`POST /${name}`, busy);
});
afterAll(async () => await served[Symbol.asyncDispose]());

const ask = async (body: object) => await served.daemon.request("POST", "/v1/run", body);
const asked = (name: string, more: object = {}) => ({
  provider: "routes",
  endpoint: `/${name}`,
  input: { q: "x" },
  ...more,
});

describe("a route", () => {
  test("is found by its own words, and listed beside the endpoints of its members", async () => {
    const { results } = await served.daemon.client.discover({ body: { query: "how do I cook marmalade" } });

    expect(results[0]).toMatchObject({ provider: "routes", endpoint: "/now-both" });
  });

  test("is inspected with its members, their prices, and which would be tried now", async () => {
    const { client } = served.daemon;

    const { route, price, unavailable } = await client.inspectEndpoint({
      body: { provider: "routes", endpoint: "/locked-first" },
    });

    expect([price.amount.value, unavailable]).toEqual([0.02, undefined]);
    expect(route?.members).toMatchObject([
      { provider: "second", now: "first", why: "in the order of the route's file", price: { amount: 0.02 } },
      { provider: "locked", now: "passedOver", why: expect.stringContaining("LOCKED_KEY") },
    ]);
  });

  test("is quoted by its likely and by its dearest member", async () => {
    const quote = await served.daemon.client.quoteRun({ body: asked("now-both") });

    expect(quote).toMatchObject({
      provider: "routes",
      endpoint: "/now-both",
      estimate: { value: 0.01 },
      maximum: { value: 0.02 },
      route: {
        members: [
          { provider: "first", maximum: { value: 0.01 } },
          { provider: "second", maximum: { value: 0.02 } },
        ],
      },
    });
  });

  test("gives one shape, whichever member answered, and shows the input that the caller gave", async () => {
    const [plain, left] = [await runRoute(served.daemon, "now-both"), await runRoute(served.daemon, "now-busy")];

    expect([plain.provider, plain.output]).toEqual(["first", { found: "first", asked: "x" }]);
    expect([left.provider, left.output]).toEqual(["second", { found: "second", asked: "x" }]);
    expect(left.input).toEqual({ queryParams: { q: "x" } });
    expect(left.route).toMatchObject({
      provider: "routes",
      endpoint: "/now-busy",
      attempts: [
        { provider: "first", outcome: "left", httpStatus: 429, durationMs: expect.any(Number) },
        { provider: "second", outcome: "tried" },
      ],
    });
  });

  test.each([
    ["without maps", {}],
    ["with a map that changes nothing", { input: { queryParams: { q: "${input.queryParams.q}" } } }],
  ])("has its input once in each of its lines on the disk: %s", async (_title, map) => {
    const members = [
      { endpoint: "first/now", ...map },
      { endpoint: "second/now", ...map },
    ];
    await using own = await serveRoutes({ names: ["now"], routes: { now: { members } } });
    own.first.on("POST /now", { status: 429, json: {} });
    const q = `q-${"x".repeat(40)}`;

    const { body } = await own.daemon.request("POST", "/v1/run", {
      provider: "routes",
      endpoint: "/now",
      input: { q },
    });

    const lines = linesBelow(own.home.path).filter((line) => line.includes(body.runId) && line.includes('"rec"'));
    expect(lines.map((line) => line.split(q).length - 1)).toEqual([1, 1]);
    expect(body).toMatchObject({ provider: "second" });
    expect(own.second.calls.map(({ query }) => query.get("q"))).toEqual([q]);
    const read = await own.daemon.request("GET", `/v1/runs/${body.runId}`);
    expect(read.body.input).toEqual({ queryParams: { q } });
  });

  test("is shown by mkt run with the member that was left", async () => {
    const { url, key } = served.daemon;

    const told = await runMkt(["run", "routes/now-busy", "q=x"], { env: { MKT_API_URL: url, MKT_API_KEY: key } });

    expect(told.stderr).toMatch(/Left first\/now-busy after \d+ ms: /);
  });

  test("holds for its dearest member, so that a maxCost below passes that one over", async () => {
    const { body } = await ask(asked("now-both", { maxCost: { value: 0.01, currency: "USD" } }));
    const refused = await ask(asked("now-both", { maxCost: { value: 0.001, currency: "USD" } }));

    expect(body).toMatchObject({
      provider: "first",
      route: { passedOver: [{ provider: "second", reason: expect.stringContaining("maxCost") }] },
    });
    expect([refused.status, refused.body.message]).toEqual([
      402,
      expect.stringContaining("second/now-both: a run may cost up to $0.02"),
    ]);
  });

  test("tries no member above its maxPrice, even one that its order names", async () => {
    const { body } = await ask(asked("cheap-only"));

    expect(body).toMatchObject({
      provider: "first",
      route: { passedOver: [{ provider: "second", reason: expect.stringContaining("maxPrice") }] },
    });
  });

  test("ends at its first member where it allows no fallbacks", async () => {
    const { body } = await ask(asked("no-fallbacks"));

    expect(body).toMatchObject({ provider: "first", providerResponse: { httpStatus: 429 }, cost: { value: 0 } });
  });

  test("passes over a member without its secret; where all are, it is refused and each reason is named", async () => {
    const [left, refused] = [await ask(asked("locked-first")), await ask(asked("all-locked"))];

    expect(left.body).toMatchObject({ provider: "second", route: { passedOver: [{ provider: "locked" }] } });
    expect([refused.status, refused.body.errorCode]).toEqual([503, "MISSING_SECRET"]);
    expect(refused.body.message).toMatch(/locked\/now-both: .*LOCKED_KEY.*locked\/now-busy: .*LOCKED_KEY/s);
  });

  test("is refused for an input that it does not take, and for an option that single endpoints do not take", async () => {
    const wrong = await ask({ provider: "routes", endpoint: "/now-both", input: { qq: "x" } });
    const single = await ask({
      provider: "first",
      endpoint: "/now-both",
      input: { q: "x" },
      allowUncertainRepeats: true,
    });
    const misspelt = await ask(asked("now-both", { allowUncertainRepeat: true }));

    expect([wrong.status, single.status, misspelt.status]).toEqual([400, 400, 400]);
    expect(single.body.message).toContain("allowUncertainRepeats is for routes");
  });

  test("gives a key no member that it may not run, and needs no right of its own", async () => {
    const limitedTo = async (providers: readonly string[]) => {
      const { body } = await served.daemon.request("POST", "/v1/api-keys", { label: providers.join(), providers });
      return askWith(served.daemon.url, body.key ?? body.apiKey);
    };

    const [second, none] = [await limitedTo(["second"]), await limitedTo(["routes"])];
    const allowed = await second("POST", "/v1/run", asked("now-keys"));
    const refused = await none("POST", "/v1/run", asked("now-keys"));

    expect(allowed.body).toMatchObject({
      provider: "second",
      route: { passedOver: [{ provider: "first", reason: expect.stringContaining("may not run it") }] },
    });
    expect(served.first.count("POST /now-keys")).toBe(0);
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("second/now-keys")]);
  });

  test("counts what was left against the health of that member alone, and passes it over once it is in outage", async () => {
    served.first.on("POST /now-out", busy);
    const names: string[] = [];
    for (let run = 0; run < 6; run += 1)
      names.push(
        (await ask(asked("now-out"))).body.route.attempts.map((one: { provider: string }) => one.provider).join(),
      );

    const { metrics } = await served.daemon.client.inspectEndpoint({
      body: { provider: "second", endpoint: "/now-out" },
    });

    expect(names).toEqual([...Array<string>(5).fill("first,second"), "second"]);
    expect(metrics?.status).toBe("healthy");
  });

  test("sorts by success and by latency, as the daemon measured them", async () => {
    served.first.on("POST /now-late", { json: { rows: [], total: 0 }, delayMs: 500 });
    for (let run = 0; run < 5; run += 1) {
      for (const provider of ["first", "second"]) await ask({ provider, endpoint: "/now-late", input: { q: "x" } });
    }

    const route = async (endpoint: string) =>
      (await served.daemon.client.inspectEndpoint({ body: { provider: "routes", endpoint } })).route?.members[0];

    expect(await route("/by-latency")).toMatchObject({
      provider: "second",
      why: expect.stringContaining("half within"),
    });
    expect(await route("/by-success")).toMatchObject({
      provider: "second",
      why: "sorted by success: 100 % of its runs",
    });
  });

  test("is made once for one idempotency key, whichever member answered, and calls each with a key of its own", async () => {
    const headers = { "idempotency-key": "one-route-run" };
    const again = async () => await served.daemon.request("POST", "/v1/run", asked("now-twice"), headers);

    const [one, two] = [await again(), await again()];

    expect(two.body).toEqual(one.body);
    expect([served.first.count("POST /now-twice"), served.second.count("POST /now-twice")]).toEqual([1, 1]);
  });

  test("counts in lists and usage as a run of the member that answered, and is told by its route", async () => {
    const { items } = await served.daemon.client.listRuns({ query: { provider: "second", limit: 100 } });

    expect(items.some(({ route }) => route?.endpoint === "/now-busy")).toBe(true);
  });
});

describe("a route of jobs", () => {
  test("answers its acceptance alike, before and after it went on, and stays with a member whose job was accepted", async () => {
    const headers = { "idempotency-key": "a-route-job" };
    const accepted = await served.daemon.request("POST", "/v1/run", asked("job-busy"), headers);
    await expect.poll(() => served.second.count("POST /job-busy")).toBe(1);

    const replayed = await served.daemon.request("POST", "/v1/run", asked("job-busy"), headers);

    expect([accepted.status, replayed.status]).toEqual([202, 202]);
    expect(replayed.body).toEqual(accepted.body);
  });

  test("is stopped at the member that it is at", async () => {
    served.first.on("POST /job-stop", busy);
    served.second.on("POST /job-stop", { json: { id: "slow" } });
    served.second.on("GET /jobs/slow", { json: { state: "busy" } });
    const { runId } = (await ask(asked("job-stop"))).body;
    await expect.poll(() => served.second.count("GET /jobs/slow")).toBeGreaterThan(0);

    await served.daemon.client.stopRun({ params: { runId } });
    const run = await served.daemon.client.getRun({ params: { runId }, query: { wait: 10 } });

    expect(run).toMatchObject({ status: "STOPPED", provider: "second", cost: { value: 0 } });
  });
});

describe("a route across starts of the daemon", () => {
  test("goes on with the job of its second member, and is shown when its file is gone", async () => {
    await using own = await serveRoutes({ names: ["job"] });
    own.first.on("POST /job", busy);
    own.second.on("GET /jobs/*", { json: { state: "busy" } });
    const { runId } = (await own.daemon.request("POST", "/v1/run", asked("job"))).body;
    await expect.poll(() => own.second.count("GET /jobs/*")).toBeGreaterThan(0);

    rmSync(join(own.home.path, "trusted", "routes"), { recursive: true });
    const daemon = await own.restart();
    own.second.on("GET /jobs/*", { json: { state: "done" } });
    const run = await daemon.client.getRun({ params: { runId }, query: { wait: 20 } });

    expect(run).toMatchObject({
      status: "COMPLETED",
      provider: "second",
      cost: { value: 0.02 },
      route: { endpoint: "/job" },
    });
    expect([own.first.count("POST /job"), own.second.count("POST /job")]).toEqual([1, 1]);
  });

  test("killed during the call of its second member, it fails there and goes on to no third", async () => {
    await using first = await startFakeProvider();
    await using second = await startFakeProvider();
    using home = mktHome();
    const member = (url: string) => ({
      http: { baseUrl: url, allowPrivateNetwork: true },
      endpoints: { "/it": { request: { method: "POST" }, input: QUERY, price: { type: "PER_CALL", amount: 0.01 } } },
    });
    const options = { home, manifests: { a: member(first.url), b: member(second.url), c: member(first.url) } };
    writeRoute(home, "three", { members: ["a/it", "b/it", "c/it"].map((endpoint) => ({ endpoint })) });
    first.on("POST /it", busy);
    const called = gate();
    second.on("POST /it", () => (called.open(), { hang: true }));

    await using daemon = await spawnDaemon(options);
    const asking = daemon
      .request("POST", "/v1/run", asked("three", { allowUncertainRepeats: true }))
      .catch(() => undefined);
    await called.opened;
    await daemon.kill("SIGKILL");
    await asking;
    await using next = await spawnDaemon(options);
    await expect
      .poll(async () => (await next.request("GET", "/v1/runs")).body.items[0])
      .toMatchObject({ status: "FAILED", provider: "b" });
    const { runId } = (await next.request("GET", "/v1/runs")).body.items[0];

    const run = (await next.request("GET", `/v1/runs/${runId}`)).body;

    expect(run).toMatchObject({ providerMayHaveCharged: true, cost: { value: 0 } });
    expect([first.count("POST /it"), second.count("POST /it")]).toEqual([1, 1]);
    expect((await next.request("GET", "/v1/wallet/balance")).body.balance.value).toBe(10);
  });
});

test("a member that reads pages at a price for its time reads them all, although the route may take longer", async () => {
  await using upstream = await startFakeProvider();
  upstream.on("GET /list", ({ query }) => {
    const at = Number(query.get("after") ?? 0);
    return { json: { items: [at], next: at < 2 ? at + 1 : null } };
  });
  const http = { baseUrl: upstream.url, allowPrivateNetwork: true, timeoutMs: 5_000 };
  const timed = {
    request: { method: "GET", path: "/list" },
    input: { queryParams: { properties: { q: {}, after: { type: "integer" } }, additionalProperties: false } },
    output: { select: "$.items" },
    pages: { items: "$.items", cursor: "$.next", param: "after", max: 5 },
    price: { type: "METERED", amount: 0.06, per: { unit: "MINUTE", count: 1 } },
  };
  await using routes = await serveRoutes({
    routes: { timed: { members: [{ endpoint: "lists/timed" }, { endpoint: "second/now" }] } },
    manifests: { lists: { http, endpoints: { "/timed": timed } } },
  });

  const run = await runRoute(routes.daemon, "timed");

  expect(run).toMatchObject({ status: "COMPLETED", provider: "lists", output: [0, 1, 2] });
  expect(run.pages).toEqual({ read: 3, more: false });
});

/** All lines of all files of a folder. */
function linesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").split("\n"));
}
