import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { call } from "../mcp/call.ts";
import { connectOverStdio } from "../mcp/connect-mcp.ts";
import { damageRun } from "../support/damage-run.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/start-daemon.ts";

const RUNS = 6;
/** Places in the order in which they were made: two together, in the middle. */
const DAMAGED = [2, 3];

interface DamagedMarket {
  readonly home: MktHome;
  /** Oldest first. */
  readonly runIds: readonly string[];
  readonly damaged: readonly string[];
  readonly budgetId: string;
  readonly runCapId: string;
  start(options?: TestDaemonOptions): Promise<TestDaemon>;
}

/** The folder of a daemon that has stopped: the records of two of its runs are damaged. */
async function damagedMarket({ status = 200, type = "run.done" as "run.done" | "run.accepted" } = {}) {
  const home = mktHome();
  const upstream = await startFakeProvider();
  onTestFinished(async () => {
    await upstream.close();
    home[Symbol.dispose]();
  });
  upstream.on("GET /now", { status, json: { answer: 42 } });
  const manifests = {
    shop: {
      http: { baseUrl: upstream.url, allowPrivateNetwork: true, retry: { attempts: 1 } },
      endpoints: { "/now": { request: { method: "GET", path: "/now" }, price: { type: "PER_CALL", amount: 0.01 } } },
    },
  };
  const start = async (options: TestDaemonOptions = {}) => await startTestDaemon({ home, manifests, ...options });
  const runIds: string[] = [];
  await using daemon = await start();
  const limitAmount = { value: 5_000_000, unit: "MICRO_DOLLAR", currency: "USD" };
  const budget = await daemon.request("POST", "/v1/controls/workspace/budgets", { period: "MONTH", limitAmount });
  const runCap = await daemon.request("POST", "/v1/controls/workspace/run-caps", { limitAmount });
  for (let run = 0; run < RUNS; run += 1) {
    const { body } = await daemon.request("POST", "/v1/run", { provider: "shop", endpoint: "/now" });
    runIds.push(body.runId as string);
  }
  await daemon.daemon.close();
  const damaged = DAMAGED.map((at) => runIds[at] ?? "");
  for (const runId of damaged) damageRun(home, runId, type);
  const market: DamagedMarket = {
    home,
    runIds,
    damaged,
    budgetId: budget.body.budgetControlId,
    runCapId: runCap.body.runCapControlId,
    start,
  };
  return market;
}

interface Pages {
  readonly items: readonly Record<string, unknown>[];
  readonly damaged: readonly Record<string, unknown>[];
  readonly emptyPages: number;
}

async function pagesOf({ request }: TestDaemon, path: string, limit: number): Promise<Pages> {
  const items: Record<string, unknown>[] = [];
  const damaged: Record<string, unknown>[] = [];
  let emptyPages = 0;
  let cursor: string | null | undefined;
  do {
    const more = cursor == null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await request("GET", `${path}?limit=${limit}${more}`);
    expect(status, JSON.stringify(body)).toBe(200);
    items.push(...body.items);
    damaged.push(...(body.damaged ?? []));
    if (body.items.length === 0) emptyPages += 1;
    cursor = body.cursor;
  } while (cursor != null);
  return { items, damaged, emptyPages };
}

const idsOf = (items: readonly Record<string, unknown>[]) => items.map(({ runId }) => runId);

for (const limit of [1, 2, 4, 100]) {
  test(`runs whose records are damaged are named beside the others, once, in pages of ${limit}`, async () => {
    const market = await damagedMarket();
    await using daemon = await market.start();

    const { items, damaged, emptyPages } = await pagesOf(daemon, "/v1/runs", limit);

    expect(idsOf(items)).toEqual(market.runIds.filter((id) => !market.damaged.includes(id)).toReversed());
    expect(idsOf(damaged)).toEqual(market.damaged.toReversed());
    expect(damaged[0]).toEqual({
      runId: market.damaged[1],
      provider: "shop",
      endpoint: "/now",
      status: "COMPLETED",
      createdAt: expect.stringMatching(/Z$/),
      message: expect.stringContaining("damaged"),
    });
    expect(emptyPages).toBe(0);
  });
}

test("what met a budget or a run cap is listed without the damaged runs, and these are named", async () => {
  const market = await damagedMarket();
  await using daemon = await market.start();

  const controls = "/v1/controls/workspace";
  const lists = [
    await pagesOf(daemon, `${controls}/budgets/${market.budgetId}/runs`, 1),
    await pagesOf(daemon, `${controls}/budgets/${market.budgetId}/runs`, 100),
    await pagesOf(daemon, `${controls}/run-caps/${market.runCapId}/runs`, 3),
  ];

  for (const { items, damaged } of lists) {
    expect(idsOf(items)).toEqual(market.runIds.filter((id) => !market.damaged.includes(id)).toReversed());
    expect(idsOf(damaged)).toEqual(market.damaged.toReversed());
  }
});

for (const type of ["run.accepted", "run.done"] as const) {
  test(`movements of money go on past lines of type ${type} that are damaged, which are counted`, async () => {
    const market = await damagedMarket({ type });
    await using daemon = await market.start();

    const lists = [
      await pagesOf(daemon, "/v1/wallet/activities", 1),
      await pagesOf(daemon, "/v1/wallet/activities", 100),
    ];
    const { body: balance } = await daemon.request("GET", "/v1/wallet/balance");

    for (const { items, damaged } of lists) {
      expect(items.filter((item) => item["type"] === "TOPUP")).toHaveLength(1);
      const lost = type === "run.done" ? ["RUN_CHARGE", "RUN_RELEASE"] : ["RUN_HOLD"];
      for (const kind of ["RUN_CHARGE", "RUN_RELEASE", "RUN_HOLD"]) {
        const left = lost.includes(kind) ? RUNS - DAMAGED.length : RUNS;
        expect(items.filter((item) => item["type"] === kind)).toHaveLength(left);
      }
      expect(damaged).toHaveLength(DAMAGED.length);
      expect(new Set(damaged.map((item) => item["activityId"])).size).toBe(DAMAGED.length);
    }
    expect(balance.balance.value).toBe(10 - RUNS * 0.01);
  });
}

test("a damaged run says that it is, that no money is lost, and what its operator runs; nothing of the disk", async () => {
  const market = await damagedMarket();
  const log: string[] = [];
  await using daemon = await market.start({ onLog: (line) => void log.push(JSON.stringify(line)) });
  const { body: own } = await daemon.request("POST", "/v1/api-keys", { label: "own", scopes: ["runs:create"] });
  const [runId = ""] = market.damaged;

  const read = await daemon.request("GET", `/v1/runs/${runId}`);
  const stop = await daemon.request("POST", `/v1/runs/${runId}/stop`);
  const ofAnother = await askWith(daemon.url, own.key)("GET", `/v1/runs/${runId}`);
  const shown = await runMkt(["get-run", runId], { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

  for (const { status, body } of [read, stop]) {
    expect(status).toBe(500);
    expect(body.message).toMatch(new RegExp(`run ${runId} is damaged.*no money.*mkt doctor`, "is"));
    expect(JSON.stringify(body)).not.toMatch(/ndjson|byte \d/);
  }
  expect(ofAnother.status).toBe(404);
  expect(shown.exitCode).not.toBe(0);
  expect(shown.stderr).toContain("mkt doctor");
  expect(log.join("\n")).toMatch(/\.ndjson is damaged at byte \d+/);
});

test("people and agents who list runs are told of the damaged ones, and get the others", async () => {
  const market = await damagedMarket();
  await using daemon = await market.start();
  const env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
  await using mcp = await connectOverStdio({ env });

  const list = await runMkt(["runs"], { env });
  const json = await runMkt(["runs", "--json", "--limit", "1", "--all"], { env });
  const lines = await runMkt(["runs", "--jsonl", "--all"], { env });
  const activities = await runMkt(["wallet", "activities"], { env });
  const tool = await call(mcp.client, "list_runs");

  expect(list.stdout).toContain(market.runIds[0]);
  for (const runId of market.damaged) {
    for (const { stderr } of [list, lines]) expect(stderr).toContain(runId);
    expect(tool.text).toContain(`${runId} · shop/now · damaged`);
  }
  expect(idsOf(JSON.parse(json.stdout).damaged)).toEqual(market.damaged.toReversed());
  expect(JSON.parse(json.stdout).items).toHaveLength(RUNS - DAMAGED.length);
  expect(lines.stdout.trimEnd().split("\n")).toHaveLength(RUNS - DAMAGED.length);
  expect(activities.stderr).toContain("2 entries");
  expect([list, activities].map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  // Asked for all, and not all of them came.
  expect([json, lines].map(({ exitCode }) => exitCode)).toEqual([1, 1]);
  expect(tool.data["damaged"]).toHaveLength(DAMAGED.length);
});

test("a start after a crash knows how endpoints did from the runs that can be read", async () => {
  const market = await damagedMarket({ status: 500 });
  rmSync(join(market.home.dataDir, "health"), { recursive: true });
  const log: string[] = [];
  await using daemon = await market.start({ onLog: (line) => void log.push(JSON.stringify(line)) });

  const { body } = await daemon.request("POST", "/v1/inspect", { provider: "shop", endpoint: "/now" });

  expect(body.metrics).toMatchObject({ status: "degraded" });
  expect(log.join("\n")).not.toContain("could not be read for the health of endpoints");
});
