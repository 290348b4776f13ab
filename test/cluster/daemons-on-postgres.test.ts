import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

let upstream: FakeProvider;
beforeEach(async () => {
  upstream = await startFakeProvider();
  scriptReport(upstream, { polls: 1_000_000 });
});
afterEach(async () => {
  await upstream[Symbol.asyncDispose]();
});

const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };

/** Daemons on one database, with one key for all of them. */
async function serve(url: string, count: number, environment: Readonly<Record<string, string>> = {}) {
  const daemons: TestDaemon[] = [];
  const sealing = { MKT_DATABASE_URL: url, MKT_DATABASE_KEY: "ab".repeat(32), ...environment };
  for (let i = 0; i < count; i += 1) {
    const options = { home: mktHome(), manifests: { nimbus: weatherManifest(upstream.url) }, environment: sealing };
    daemons.push(await startTestDaemon(options));
  }
  const [first] = daemons;
  if (first === undefined) throw new Error("no daemon was asked for");
  const asks: Ask[] = daemons.map((daemon) => askWith(daemon.url, first.key));
  return {
    asks,
    daemons,
    async [Symbol.asyncDispose]() {
      for (const daemon of daemons) await daemon[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(!hasPostgres)(`daemons on one database (${NEEDS_POSTGRES})`, () => {
  test("stop, show and refuse what another one did", async () => {
    await using database = await emptyDatabase();
    await using all = await serve(database.url, 2);
    const [a, b] = all.asks as [Ask, Ask];

    const { status, body } = await a("POST", "/v1/run", report);
    expect(status).toBe(202);
    expect((await b("GET", `/v1/runs/${body.runId}`)).body.status).not.toBe("COMPLETED");
    const stopped = await b("POST", `/v1/runs/${body.runId}/stop`);
    expect(stopped.status).toBeLessThan(300);

    expect((await b("GET", `/v1/runs/${body.runId}?wait=20`)).body.status).toBe("STOPPED");
    expect((await a("GET", `/v1/runs/${body.runId}`)).body.status).toBe("STOPPED");
  });

  test("take over the runs of one that leaves", async () => {
    await using database = await emptyDatabase();
    await using all = await serve(database.url, 2);
    const [a, b] = all.asks as [Ask, Ask];
    const { body } = await a("POST", "/v1/run", report);
    const waiting = b("GET", `/v1/runs/${body.runId}?wait=25`);

    await all.daemons[0]?.[Symbol.asyncDispose]();
    scriptReport(upstream, { polls: 0 });

    expect((await waiting).body.status).toBe("COMPLETED");
  });

  test("begin no more runs together than a workspace may have", async () => {
    await using database = await emptyDatabase();
    await using all = await serve(database.url, 4, { MKT_MAX_OPEN_RUNS: "10", MKT_MAX_OPEN_RUNS_PER_KEY: "off" });

    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => await all.asks[i % 4]?.("POST", "/v1/run", report)),
    );

    expect(answers.filter((answer) => answer?.status === 202)).toHaveLength(10);
    expect(answers.filter((answer) => answer?.status === 429)).toHaveLength(90);
  });

  test("make one run of fifty requests with one Idempotency-Key", async () => {
    await using database = await emptyDatabase();
    await using all = await serve(database.url, 4);
    const key = { "idempotency-key": "fifty" };

    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => await all.asks[i % 4]?.("POST", "/v1/run", report, key)),
    );

    const made = new Set(answers.flatMap((answer) => (answer?.status === 202 ? [answer.body.runId] : [])));
    expect(made.size).toBe(1);
    expect(answers.every((answer) => answer?.status === 202 || answer?.status === 409)).toBe(true);
    expect((await all.asks[0]?.("GET", "/v1/runs?limit=100"))?.body.items).toHaveLength(1);
  });
});
