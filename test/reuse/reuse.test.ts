import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";

let upstream: FakeProvider;
let home: MktHome;
let daemon: TestDaemon;
/** Milliseconds that the daemon's clock is ahead of the machine's. */
let ahead = 0;
/** A city that no test before asked for. */
let city = "";
let cities = 0;

beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /now", ({ query }) => ({ json: { city: query.get("city"), degrees: 21 } }));
  home = mktHome();
  daemon = await serve();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  home[Symbol.dispose]();
  await upstream[Symbol.asyncDispose]();
});
beforeEach(() => {
  ahead = 0;
  cities += 1;
  city = `city ${cities}`;
});

interface Changes {
  readonly amount?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A daemon on the same folders whose weather may be given again for an hour; `/plain` may not. */
async function serve({ amount = 0.01, environment = { NIMBUS_KEY: "sesame" } }: Changes = {}): Promise<TestDaemon> {
  const manifest = weatherManifest(upstream.url) as {
    http: object;
    endpoints: Record<"/now" | "/plain" | "/report", object>;
  };
  const { "/now": now, "/report": report } = manifest.endpoints;
  const reuse = { maxAgeSeconds: 3_600 };
  return await startTestDaemon({
    home,
    environment,
    clock: { now: () => Date.now() + ahead },
    manifests: {
      nimbus: {
        ...manifest,
        secrets: { key: { env: "NIMBUS_KEY" } },
        http: { ...manifest.http, auth: { type: "bearer", token: "${secret.key}" } },
        endpoints: {
          ...manifest.endpoints,
          "/now": { ...now, reuse, price: { type: "PER_CALL", amount } },
          "/report": { ...report, reuse, idempotent: true },
        },
      },
    },
  });
}

async function servedAnew(changes: Changes = {}): Promise<void> {
  await daemon[Symbol.asyncDispose]();
  daemon = await serve(changes);
}

const now = (more: object = {}) => ({ provider: "nimbus", endpoint: "/now", input: { city }, ...more });
const run = async (body: object, ask: Ask = daemon.request) => (await ask("POST", "/v1/run", body)).body;
const read = async (runId: string) => (await daemon.request("GET", `/v1/runs/${runId}`)).body;
const callsOf = () => upstream.calls.filter(({ query }) => query.get("city") === city).length;
const balance = async () => (await daemon.request("GET", "/v1/wallet/balance")).body;

async function newKey(body: object): Promise<Ask> {
  const made = await daemon.request("POST", "/v1/api-keys", { label: `key ${cities} ${Math.random()}`, ...body });
  expect(made.status).toBe(201);
  return askWith(daemon.url, made.body.key);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + 10_000; !(await holds());) {
    if (Date.now() > giveUpAt) throw new Error("it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("a run with maxAge has the answer of an earlier run: a run of its own, for 0, that names its source and age", async () => {
  const source = await run(now());
  const before = await balance();
  ahead = 600_000;

  const reused = await run(now({ maxAge: 3_600, tags: { mine: "yes" } }));

  expect(reused).toMatchObject({
    status: "COMPLETED",
    output: { city, degrees: 21 },
    cost: { value: 0 },
    billing: { reportedCost: { value: 0 }, actualCost: { value: 0 }, calculatedCost: { value: 0 } },
    tags: { mine: "yes" },
    answeredFrom: { runId: source.runId, completedAt: source.completedAt, saved: { value: 0.01, currency: "USD" } },
  });
  expect(reused.runId).not.toBe(source.runId);
  expect(reused.answeredFrom.ageSeconds).toBeGreaterThanOrEqual(600);
  expect(callsOf()).toBe(1);
  expect(await balance()).toEqual(before);
  expect(await read(reused.runId)).toMatchObject({ answeredFrom: reused.answeredFrom, output: { city, degrees: 21 } });
  expect(await read(reused.runId)).not.toHaveProperty("attempts");
  const { items } = (await daemon.request("GET", "/v1/runs?limit=1")).body;
  expect(items[0]).toMatchObject({ runId: reused.runId, answeredFrom: { runId: source.runId } });
});

test("an answer has the age of the call behind it, however often it was given", async () => {
  const source = await run(now());
  ahead = 1_800_000;
  const second = await run(now({ maxAge: 3_600 }));
  ahead = 3_500_000;
  const third = await run(now({ maxAge: 3_600 }));
  ahead = 3_700_000;
  const fourth = await run(now({ maxAge: 3_600 }));

  expect([second, third].map(({ answeredFrom }) => answeredFrom.runId)).toEqual([source.runId, source.runId]);
  expect(fourth).not.toHaveProperty("answeredFrom");
  expect(callsOf()).toBe(2);
});

test.each([
  ["without maxAge", {}],
  ["with maxAge 0", { maxAge: 0 }],
  ["with a maxAge that is less than its age", { maxAge: 60 }],
])("a run %s calls its provider", async (_title, more) => {
  await run(now());
  ahead = 61_000;

  expect(await run(now(more))).toMatchObject({ cost: { value: 0.01 } });
  expect(callsOf()).toBe(2);
});

test("no answer is older than the provider's file allows", async () => {
  await run(now());
  ahead = 3_601_000;

  expect(await run(now({ maxAge: 86_400 }))).not.toHaveProperty("answeredFrom");
});

test("after the clock was set back, an answer from the future is not given", async () => {
  ahead = 7_200_000;
  await run(now());
  ahead = 0;

  expect(await run(now({ maxAge: 3_600 }))).not.toHaveProperty("answeredFrom");
});

test("an endpoint whose file says nothing of reuse never gives an earlier answer, and the run says so", async () => {
  upstream.on("GET /plain", { json: { fine: true } });
  const plain = { provider: "nimbus", endpoint: "/plain", maxAge: 3_600 };
  await run(plain);

  const second = await run(plain);

  expect(second).toMatchObject({ cost: { value: 0.01 }, notes: [expect.stringContaining("maxAge had no effect")] });
  expect(upstream.count("GET /plain")).toBe(2);
});

test("inspect says how old an answer may be, and which endpoint gives none", async () => {
  const inspect = async (endpoint: string) =>
    (await daemon.request("POST", "/v1/inspect", { provider: "nimbus", endpoint })).body;

  expect(await inspect("/now")).toMatchObject({ maxAge: 3_600 });
  expect(await inspect("/plain")).not.toHaveProperty("maxAge");
});

test("the same input has one answer, however its members are ordered, and with its defaults or without", async () => {
  scriptReport(upstream, { polls: 0, result: { items: [1] } });
  const report = (input: object, more: object = {}) => ({
    provider: "nimbus",
    endpoint: "/report",
    input,
    wait: 10,
    ...more,
  });
  const source = await run(report({ topic: city, limit: 10 }));

  const reused = await run(report({ topic: city }, { maxAge: 60 }));
  const inSections = await run(report({ body: { limit: 1e1, topic: city }, queryParams: {} }, { maxAge: 60 }));
  const other = await run(report({ topic: city, limit: 11 }, { maxAge: 60 }));

  expect([reused, inSections].map(({ answeredFrom }) => answeredFrom?.runId)).toEqual([source.runId, source.runId]);
  expect(other).not.toHaveProperty("answeredFrom");
});

test("an earlier answer of an async endpoint is given at once, without a wait", async () => {
  scriptReport(upstream, { polls: 0, result: { items: [1, 2] } });
  const report = { provider: "nimbus", endpoint: "/report", input: { topic: city } };
  const source = await run({ ...report, wait: 10 });

  const answer = await daemon.request("POST", "/v1/run", { ...report, maxAge: 60 });

  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    status: "COMPLETED",
    output: [1, 2],
    resultCount: 2,
    cost: { value: 0 },
    answeredFrom: { runId: source.runId, saved: source.cost },
  });
});

test.each([
  ["an error of the provider", { status: 500, json: { error: "down" } }],
  ["a not found", { status: 404, json: { error: "no such city" } }],
  ["an empty list", { json: [] }],
  ["an empty object", { json: {} }],
  ["an empty text", { text: "" }],
])("%s is never given again", async (_title, answer) => {
  upstream.on("GET /now", answer, { json: { degrees: 22 } });
  await run(now());

  const second = await run(now({ maxAge: 60 }));

  expect(second).toMatchObject({ output: { degrees: 22 } });
  expect(second).not.toHaveProperty("answeredFrom");
});

test("fifty at once are one call to the provider, and hold nothing while they wait", async () => {
  const open = gate();
  upstream.on("GET /now", { after: open.opened, json: { degrees: 23 } });
  const spent = (await balance()).balance.value;

  const asked = Array.from({ length: 50 }, async () => await run(now({ maxAge: 60 })));
  await untilCalled(upstream, "GET /now", upstream.count("GET /now"));
  const during = await balance();
  open.open();
  const runs = await Promise.all(asked);

  expect(runs.every(({ status, output }) => status === "COMPLETED" && output.degrees === 23)).toBe(true);
  expect(callsOf()).toBe(1);
  expect(during.held.value).toBe(0.01);
  expect(runs.filter(({ answeredFrom }) => answeredFrom === undefined)).toHaveLength(1);
  expect(new Set(runs.map(({ runId }) => runId)).size).toBe(50);
  expect(spent - (await balance()).balance.value).toBeCloseTo(0.01, 10);
});

test("when the first of many fails, the next one calls the provider, and the others wait for that", async () => {
  const open = gate();
  upstream.on("GET /now", { after: open.opened, status: 503, json: {} }, { json: { degrees: 24 } });
  const asked = Array.from({ length: 20 }, async () => await run(now({ maxAge: 60 })));
  await untilCalled(upstream, "GET /now", upstream.count("GET /now"));
  open.open();

  const runs = await Promise.all(asked);

  expect(callsOf()).toBe(2);
  expect(runs.filter(({ providerResponse }) => providerResponse.httpStatus === 503)).toHaveLength(1);
  expect(runs.filter(({ answeredFrom }) => answeredFrom !== undefined)).toHaveLength(18);
});

test("many runs of an async endpoint at once are one job: the others wait for it as runs that can be stopped", async () => {
  const open = gate();
  upstream.on("POST /reports", { status: 202, json: { id: `job ${city}` } });
  upstream.on("GET /reports/*", { after: open.opened, json: { status: "done", result: { items: [3] } } });
  const jobs = upstream.count("POST /reports");
  const report = { provider: "nimbus", endpoint: "/report", input: { topic: city }, maxAge: 60 };

  const first = await run(report);
  await untilCalled(upstream, "POST /reports", jobs);
  const others = await Promise.all(Array.from({ length: 10 }, async () => await run(report)));
  const [stopped] = others;
  await daemon.request("POST", `/v1/runs/${stopped.runId}/stop`);
  open.open();
  const ended = await Promise.all(
    others.map(async ({ runId }) => (await daemon.request("GET", `/v1/runs/${runId}?wait=20`)).body),
  );

  expect(upstream.count("POST /reports") - jobs).toBe(1);
  expect(ended[0]).toMatchObject({ status: "STOPPED", cost: { value: 0 } });
  expect(
    ended.slice(1).every(({ answeredFrom, status }) => status === "COMPLETED" && answeredFrom.runId === first.runId),
  ).toBe(true);
  await until(async () => (await balance()).held.value === 0);
});

test("when the first of many jobs is stopped, another run makes the job", async () => {
  upstream.on("POST /reports", { status: 202, json: { id: `job ${city}` } });
  upstream.on("GET /reports/*", { json: { status: "working" } });
  upstream.on("DELETE /reports/*", { status: 204 });
  const jobs = upstream.count("POST /reports");
  const report = { provider: "nimbus", endpoint: "/report", input: { topic: city }, maxAge: 60 };
  const first = await run(report);
  await untilCalled(upstream, "POST /reports", jobs);
  const second = await run(report);

  await daemon.request("POST", `/v1/runs/${first.runId}/stop`);
  await untilCalled(upstream, "POST /reports", jobs + 1);
  upstream.on("GET /reports/*", { json: { status: "done", result: { items: [4] } } });

  const ended = (await daemon.request("GET", `/v1/runs/${second.runId}?wait=20`)).body;
  expect(ended).toMatchObject({ status: "COMPLETED", output: [4] });
  expect(ended).not.toHaveProperty("answeredFrom");
});

test("a run is answered from one that an earlier process made, and a run left waiting still finds its answer", async () => {
  const source = await run(now());
  const jobs = upstream.count("POST /reports");
  upstream.on("POST /reports", { status: 202, json: { id: `job ${city}` } });
  upstream.on("GET /reports/*", { json: { status: "working" } });
  const report = { provider: "nimbus", endpoint: "/report", input: { topic: city }, maxAge: 60 };
  const first = await run(report);
  await untilCalled(upstream, "POST /reports", jobs);
  const second = await run(report);

  await servedAnew();
  const reused = await run(now({ maxAge: 3_600 }));
  upstream.on("GET /reports/*", { json: { status: "done", result: { items: [5] } } });
  const ended = (await daemon.request("GET", `/v1/runs/${second.runId}?wait=20`)).body;

  expect(reused.answeredFrom.runId).toBe(source.runId);
  expect(ended).toMatchObject({ status: "COMPLETED", output: [5], answeredFrom: { runId: first.runId } });
  expect(upstream.count("POST /reports") - jobs).toBe(1);
});

test("another price, or another secret, has no earlier answers; the former secret has them again", async () => {
  await run(now());

  await servedAnew({ amount: 0.02 });
  const dearer = await run(now({ maxAge: 3_600 }));
  await servedAnew({ environment: { NIMBUS_KEY: "another" } });
  const other = await run(now({ maxAge: 3_600 }));
  await servedAnew();
  const same = await run(now({ maxAge: 3_600 }));

  expect([dearer, other, same].map(({ answeredFrom }) => answeredFrom !== undefined)).toEqual([false, false, true]);
});

test("another workspace never gets the answer", async () => {
  await run(now());
  const slug = `other-${cities}`;
  await daemon.request("POST", "/v1/admin/workspaces", { name: slug, slug });
  await daemon.request("POST", `/v1/admin/workspaces/${slug}/credits`, {
    amount: { value: 1, currency: "USD" },
    reason: "a start",
  });
  const key = await daemon.request("POST", `/v1/admin/workspaces/${slug}/api-keys`, { label: "first" });

  const theirs = await run(now({ maxAge: 3_600 }), askWith(daemon.url, key.body.key));

  expect(theirs).toMatchObject({ status: "COMPLETED", cost: { value: 0.01 } });
  expect(theirs).not.toHaveProperty("answeredFrom");
});

test("a key that may not read runs of others gets only answers of its own", async () => {
  await run(now());
  const ask = await newKey({ scopes: ["runs:create"] });

  const own = await run(now({ maxAge: 3_600 }), ask);
  const again = await run(now({ maxAge: 3_600 }), ask);

  expect(own).not.toHaveProperty("answeredFrom");
  expect(again.answeredFrom.runId).toBe(own.runId);
  expect(callsOf()).toBe(2);
});

test("a key that may not run the endpoint gets no answer of it either", async () => {
  await run(now());
  const ask = await newKey({ providers: ["atlas"] });

  expect((await ask("POST", "/v1/run", now({ maxAge: 3_600 }))).status).toBe(403);
});

test("a key whose limit is used up still gets answers that cost nothing", async () => {
  await run(now());
  const ask = await newKey({ spendLimit: { amount: { value: 0.01, currency: "USD" }, period: "DAY" } });
  const used = await run(now(), ask);
  expect(used).toMatchObject({ cost: { value: 0.01 } });

  expect((await ask("POST", "/v1/run", now())).status).toBe(403);
  expect(await run(now({ maxAge: 60 }), ask)).toMatchObject({ status: "COMPLETED", cost: { value: 0 } });
});

test("an idempotency key makes one run, answered from before or not", async () => {
  await run(now());
  const again = async () =>
    await daemon.request("POST", "/v1/run", now({ maxAge: 60 }), { "idempotency-key": `once-${cities}` });

  const first = await again();
  const second = await again();

  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect(second.body).toEqual(first.body);
  expect(first.body).toHaveProperty("answeredFrom");
});

test("what was saved is summed apart from what was spent", async () => {
  const tag = `tag:sum${cities}`;
  const tags = { [`sum${cities}`]: "1" };
  await run(now({ tags }));
  await run(now({ tags, maxAge: 60 }));
  await run(now({ tags, maxAge: 60 }));

  const { items } = (await daemon.request("GET", `/v1/usage?groupBy=${tag}`)).body;

  expect(items.find(({ group }: { group: string }) => group === "1")).toMatchObject({
    runs: 3,
    reused: 2,
    charged: { value: 0.01 },
    saved: { value: 0.02 },
  });
});

test("the health of an endpoint knows nothing of runs that did not call it", async () => {
  const metrics = async () =>
    (await daemon.request("POST", "/v1/inspect", { provider: "nimbus", endpoint: "/now" })).body.metrics;
  await run(now());
  const before = await metrics();
  await run(now({ maxAge: 60 }));

  expect(await metrics()).toEqual(before);
});
