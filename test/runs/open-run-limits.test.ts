import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigRefused } from "../../daemon/config/config-refused.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { countOpenRuns } from "../../daemon/runs/queue/open-run-limits.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { makeRun } from "../support/make-run.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type Answer, type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

let upstream: FakeProvider;
beforeEach(async () => {
  upstream = await startFakeProvider();
  scriptReport(upstream, { polls: 1_000_000 });
});
afterEach(async () => {
  await upstream[Symbol.asyncDispose]();
});

async function serve(environment: Readonly<Record<string, string>>, options: TestDaemonOptions = {}) {
  return await startTestDaemon({ manifests: { nimbus: weatherManifest(upstream.url) }, environment, ...options });
}

const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };
/** Dollars: the flat fee and one result. */
const HELD_BY_ONE = 0.007;
const start = async (ask: Ask, headers?: Readonly<Record<string, string>>) =>
  await ask("POST", "/v1/run", report, headers);

async function startAtOnce(ask: Ask, count: number): Promise<Answer[]> {
  return await Promise.all(Array.from({ length: count }, async () => await start(ask)));
}

const withStatus = (answers: readonly Answer[], wanted: number) => answers.filter(({ status }) => status === wanted);

async function stopAndWait({ request }: TestDaemon, runId: string): Promise<void> {
  await request("POST", `/v1/runs/${runId}/stop`);
  expect((await request("GET", `/v1/runs/${runId}?wait=30`)).body.status).toBe("STOPPED");
}

async function newKey({ request, url }: TestDaemon, label: string): Promise<Ask> {
  return askWith(url, (await request("POST", "/v1/api-keys", { label, scopes: ["runs:create"] })).body.key);
}

describe("a workspace", () => {
  test("has no more runs under way than it may, however many are sent at once", async () => {
    await using daemon = await serve({ MKT_MAX_OPEN_RUNS: "5", MKT_MAX_OPEN_RUNS_PER_KEY: "off" });

    const answers = await startAtOnce(daemon.request, 40);

    expect(withStatus(answers, 202)).toHaveLength(5);
    const [refused] = withStatus(answers, 429);
    expect(withStatus(answers, 429)).toHaveLength(35);
    expect(refused?.body).toEqual({
      code: 429,
      errorCode: "RATE_LIMITED",
      message:
        "This workspace has 5 runs under way and may have 5 at a time; nothing was run. " +
        "Wait for some to end, or stop some. Retry after 2s.",
    });
    expect(Object.fromEntries(refused?.headers ?? [])).toMatchObject({
      "retry-after": "2",
      "ratelimit-limit": "5",
      "ratelimit-remaining": "0",
      "ratelimit-reset": "2",
      "x-ratelimit-rule": "open-runs-workspace",
    });
    expect((await daemon.request("GET", "/v1/runs?limit=100")).body.items).toHaveLength(5);
    expect((await daemon.request("GET", "/v1/wallet/balance")).body.held.value).toBeCloseTo(5 * HELD_BY_ONE, 6);
  });

  test("that was refused begins a run as soon as one of its own has ended, by the same Idempotency-Key", async () => {
    await using daemon = await serve({ MKT_MAX_OPEN_RUNS: "1" });
    const { body: first } = await start(daemon.request);
    const key = { "idempotency-key": "again" };
    expect((await start(daemon.request, key)).status).toBe(429);

    await stopAndWait(daemon, first.runId);

    const second = await start(daemon.request, key);
    expect([second.status, second.headers.get("idempotent-replayed")]).toEqual([202, null]);
    expect((await start(daemon.request, key)).body.runId).toBe(second.body.runId);
  });

  test("goes on with all runs that a restart finds open, and begins no more", async () => {
    using home = mktHome();
    let runIds: string[] = [];
    {
      await using daemon = await serve({}, { home });
      runIds = (await startAtOnce(daemon.request, 6)).map(({ body }) => body.runId);
    }
    await using daemon = await serve({ MKT_MAX_OPEN_RUNS: "3" }, { home });

    const more = await start(daemon.request);
    const statuses = await Promise.all(
      runIds.map(async (runId) => (await daemon.request("GET", `/v1/runs/${runId}`)).body.status),
    );

    expect(more.status).toBe(429);
    expect(statuses).toEqual(Array.from({ length: 6 }, () => "RUNNING"));
  });

  test("does not use up its limit by runs that are BLOCKED, quoted or refused", async () => {
    await using daemon = await serve({ MKT_MAX_OPEN_RUNS: "1" });
    const caps = "/v1/controls/workspace/run-caps";
    const cap = await daemon.request("POST", caps, {
      limitAmount: { value: 1, unit: "MICRO_DOLLAR", currency: "USD" },
    });
    expect(cap.status).toBe(201);
    const blocked = await startAtOnce(daemon.request, 3);
    await daemon.request("DELETE", `${caps}/${cap.body.runCapControlId}`);
    await daemon.request("POST", "/v1/quote", report);
    await daemon.request("POST", "/v1/run", { ...report, maxCost: { value: 0, currency: "USD" } });

    expect(blocked.map(({ body }) => body.status)).toEqual(["BLOCKED", "BLOCKED", "BLOCKED"]);
    expect((await start(daemon.request)).status).toBe(202);
  });
});

describe("a key", () => {
  test("has half of its workspace's runs at most, and leaves the rest to the workspace's other keys", async () => {
    await using daemon = await serve({ MKT_MAX_OPEN_RUNS: "4" });
    const [busy, quiet] = [await newKey(daemon, "busy"), await newKey(daemon, "quiet")];

    const crowd = await startAtOnce(busy, 10);
    const other = await start(quiet);

    expect(withStatus(crowd, 202)).toHaveLength(2);
    expect(withStatus(crowd, 429)[0]?.headers.get("x-ratelimit-rule")).toBe("open-runs-key");
    expect(other.status).toBe(202);
  });
});

describe("a run with a large input", () => {
  const large = (runId: string, bytes: number) => makeRun({ runId, input: { body: { text: "x".repeat(bytes) } } });

  test("counts as one for each 64 KiB, and is let in where there is no other", () => {
    const open = countOpenRuns({ workspace: 16 });
    const refused = () => open.begin(makeRun({ runId: "one more" }));

    open.begin(large("first", 1_048_000));
    expect(refused).toThrow("has 16 runs under way and may have 16 at a time");
    open.end(large("first", 1_048_000));
    expect(refused).not.toThrow();
    expect(() => open.begin(large("second", 1_048_000))).toThrow("(this one counts as 16, for its large input)");
  });
});

describe("callers who wait for runs", () => {
  test("are a thousand in a workspace at most, and whoever does not wait is answered", async () => {
    await using daemon = await serve({});
    const { body: run } = await start(daemon.request);
    const enough = new AbortController();
    const { promise: refused, resolve: refuse } = withResolvers<Response>();
    const waiting = Array.from({ length: 1_001 }, async () => {
      const answer = await wait(daemon, run.runId, enough.signal);
      if (answer.status === 429) refuse(answer);
    });
    try {
      const { headers } = await refused;

      expect(headers.get("x-ratelimit-rule")).toBe("waiting-workspace");
      expect(headers.get("retry-after")).toBe("2");
      expect((await daemon.request("GET", `/v1/runs/${run.runId}`)).status).toBe(200);
      const waited = await daemon.request("POST", "/v1/run", { ...report, wait: 1 });
      expect(waited.status).toBe(429);
      expect((await daemon.request("GET", "/v1/runs?limit=100")).body.items).toHaveLength(1);
    } finally {
      enough.abort();
      await Promise.allSettled(waiting);
    }
    await until(async () => (await daemon.request("GET", `/v1/runs/${run.runId}?wait=0.1`)).status === 200);
  }, 120_000);
});

describe("the settings", () => {
  const limitsOf = (environment: Readonly<Record<string, string>>) =>
    parseDaemonConfig({}, { environment, bundledCatalogDir, version: "0.1.0" }).openRunLimits;

  test.each([
    [{}, { workspace: 10_000, key: 5_000 }],
    [{ MKT_MAX_OPEN_RUNS: "1" }, { workspace: 1, key: 1 }],
    [
      { MKT_MAX_OPEN_RUNS: "100", MKT_MAX_OPEN_RUNS_PER_KEY: "80" },
      { workspace: 100, key: 80 },
    ],
    [{ MKT_MAX_OPEN_RUNS: "off" }, {}],
    [{ MKT_MAX_OPEN_RUNS: "off", MKT_MAX_OPEN_RUNS_PER_KEY: "7" }, { key: 7 }],
  ])("%j mean %j", (environment, limits) => {
    expect(limitsOf(environment)).toEqual(limits);
  });

  test.each(["0", "-1", "1.5", "many", "1e3"])("are refused as %s", (text) => {
    expect(() => limitsOf({ MKT_MAX_OPEN_RUNS: text })).toThrow(ConfigRefused);
    expect(() => limitsOf({ MKT_MAX_OPEN_RUNS_PER_KEY: text })).toThrow(/^MKT_MAX_OPEN_RUNS_PER_KEY takes /);
  });
});

/** As `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function wait({ url, key }: TestDaemon, runId: string, signal: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return await fetch(`${url}/v1/runs/${runId}?wait=60`, { headers, signal });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + 60_000; !(await holds());) {
    if (Date.now() > giveUpAt) throw new Error("it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the count of runs under way", () => {
  const run = (runId: string, members: object = {}) => makeRun({ runId, ...members });

  test("takes one that is larger than all that may be, while nothing else is under way", () => {
    const count = countOpenRuns({ key: 1 });
    const large = run("r1", { input: { body: { text: "x".repeat(200_000) } } });

    expect(() => count.begin(large)).not.toThrow();
    expect(() => count.begin(run("r2"))).toThrow("may have 1 at a time");
  });

  test("takes the end of a run once", () => {
    const count = countOpenRuns({ key: 2 });
    for (const runId of ["r1", "r2"]) count.begin(run(runId));
    count.end(run("r1"));
    count.end(run("r1"));
    count.begin(run("r3"));

    expect(() => count.begin(run("r4"))).toThrow("has 2 runs under way");
  });
});
