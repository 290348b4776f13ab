import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";
import { listen } from "../webhooks/listen.ts";

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

const ROUNDS = effort(1, 100);

/** Up to four daemons start in one process, which other tests keep busy. */
const HANG_MS = 120_000;

describe.skipIf(!hasPostgres)(`daemons on one database (${NEEDS_POSTGRES})`, { timeout: HANG_MS }, () => {
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

  test("deny a run that another one drives, with any text as the reason", async () => {
    await using database = await emptyDatabase();
    await using all = await serve(database.url, 2);
    const [a, b] = all.asks as [Ask, Ask];
    await a("POST", "/v1/controls/approval-rules", {
      limitAmount: { currency: "USD", value: 1, unit: "MICRO_DOLLAR" },
    });
    const { key } = (await a("POST", "/v1/api-keys", { label: "agent", role: "member" })).body;
    const agent = askWith(all.daemons[0]?.url ?? "", key);
    const asked = await agent("POST", "/v1/run", report);
    expect(asked.body.status).toBe("READY");

    const reason = "too dear\u0000 \ud800 \u{1F600}";
    const denied = await b("POST", `/v1/approvals/${asked.body.runId}/deny`, { reason });

    expect([denied.status, denied.text]).toEqual([200, expect.any(String)]);
    const run = (await b("GET", `/v1/runs/${asked.body.runId}?wait=20`)).body;
    expect(run).toMatchObject({ status: "BLOCKED", approval: { status: "DENIED" } });
    expect(run.approval.reason).toContain("too dear");
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

  test("tell a webhook once of each mark of a budget, whichever of them charges and whichever delivers", async () => {
    upstream.on("GET /now", { json: { temperature: 21 } });
    await using database = await emptyDatabase();
    await using all = await serve(database.url, 2);
    const [a, b] = all.asks as [Ask, Ask];
    const { messages } = await listen(a, upstream, ["budget.*"]);
    await b("POST", "/v1/controls/workspace/budgets", {
      period: "MONTH",
      limitAmount: { currency: "USD", value: 200_000, unit: "MICRO_DOLLAR" },
    });

    const run = { provider: "nimbus", endpoint: "/now", input: { city: "Lisbon" } };
    const ran = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => await (i % 2 === 0 ? a : b)("POST", "/v1/run", run)),
    );
    await expect.poll(() => messages().length, { timeout: 30_000 }).toBe(3);

    expect(ran.map(({ body }) => body.status)).toEqual(ran.map(() => "COMPLETED"));
    const percents = messages().map(({ data }) => data.percent as number);
    expect(percents.sort((one, other) => one - other)).toEqual([50, 80, 100]);
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
    const [runId] = made;
    await expect
      .poll(async () => (await all.asks[1]?.("GET", `/v1/runs/${runId}`))?.body.status, { timeout: 15_000 })
      .toBe("RUNNING");
    await expect.poll(() => upstream.count("POST /reports"), { timeout: 15_000 }).toBe(1);
    await all.asks[0]?.("POST", `/v1/runs/${runId}/stop`);
    expect((await all.asks[2]?.("GET", `/v1/runs/${runId}?wait=20`))?.body.status).toBe("STOPPED");
    expect(upstream.count("POST /reports")).toBe(1);
  });

  test(
    `charge ten of 200 runs at once to a balance for ten, ${ROUNDS} times`,
    { timeout: HANG_MS * ROUNDS },
    async () => {
      upstream.on("GET /plain", { json: { sunny: true } });
      await using database = await emptyDatabase();
      const unlimited = { MKT_STARTING_CREDIT: "0", MKT_MAX_OPEN_RUNS: "off", MKT_MAX_OPEN_RUNS_PER_KEY: "off" };
      await using all = await serve(database.url, 4, unlimited);
      const [first] = all.asks as [Ask];
      const { workspaceId } = (await first("GET", "/v1/auth/whoami")).body.workspace;
      const plain = { provider: "nimbus", endpoint: "/plain", input: {} };

      for (let round = 1; round <= ROUNDS; round += 1) {
        const credit = { amount: { value: 0.1, currency: "USD" }, reason: `round ${round}` };
        const credited = await first("POST", `/v1/admin/workspaces/${workspaceId}/credits`, credit);
        expect([credited.status, credited.text]).toEqual([201, expect.any(String)]);

        const answers = await Promise.all(
          Array.from({ length: 200 }, async (_, i) => await all.asks[i % 4]?.("POST", "/v1/run", plain)),
        );

        const statuses = answers.map((answer) => answer?.status);
        expect([...new Set(statuses)].sort()).toEqual([200, 402]);
        expect(statuses.filter((status) => status === 200)).toHaveLength(10);
        expect(upstream.count("GET /plain")).toBe(10 * round);
        for (const ask of all.asks) {
          expect((await ask("GET", "/v1/wallet/balance")).body).toMatchObject({ balance: { value: 0 } });
        }
      }
      const [{ deadlocks }] = (await database.query(
        "select deadlocks::int from pg_stat_database where datname = current_database()",
      )) as [{ deadlocks: number }];
      expect(deadlocks).toBe(0);
    },
  );
});
