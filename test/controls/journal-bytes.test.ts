import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type ControlMarket, microDollars, openControlMarket } from "./control-market.ts";

/** As many as a workspace may have. */
const MOST = 100;
/** What all of them add to the two lines of a run. When each was said in full, they took 48,000. */
const MAX_BYTES_A_RUN = 11_000;
const periods = ["HOUR", "DAY", "WEEK", "MONTH"];

let home: MktHome;
let market: ControlMarket;
beforeEach(async () => {
  home = mktHome();
  market = await openControlMarket({ home });
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

function linesOf(runId: string): string[] {
  const log = join(home.dataDir, "log");
  const segments = readdirSync(log).filter((name) => name.endsWith(".ndjson"));
  const lines = segments.flatMap((name) => readFileSync(join(log, name), "utf8").split("\n"));
  return lines.filter((line) => line.includes(`"run":"${runId}"`));
}

async function bytesOfRun(): Promise<number> {
  const { body } = await market.run();
  expect(body).toMatchObject({ status: "COMPLETED" });
  expect(body.alerts).toBeUndefined();
  const lines = linesOf(body.runId);
  expect(lines).toHaveLength(2);
  return Buffer.byteLength(lines.join("\n"));
}

async function makeAll(dollars: number): Promise<void> {
  for (let made = 0; made < MOST - 1; made += 1)
    await market.budget(periods[made % periods.length] ?? "", dollars + made);
  await market.runCap(1);
}

async function read(path: string) {
  const { status, body } = await market.daemon.request("GET", path);
  expect(status).toBe(200);
  return body;
}

/** Everything that the controls are seen in. */
async function seen(runIds: readonly string[]) {
  const budgets = await read("/v1/controls/workspace/budgets?limit=100");
  const [{ budgetControlId }] = budgets.items;
  return {
    budgets,
    ofBudget: await read(`/v1/controls/workspace/budgets/${budgetControlId}/runs`),
    runs: await Promise.all(
      runIds.map(async (id) => [await read(`/v1/runs/${id}`), (await read(`/v1/runs/${id}/controls?limit=100`)).items]),
    ),
  };
}

test("a run that meets a hundred controls adds little to the journal for them", async () => {
  const alone = await bytesOfRun();
  await makeAll(1_000);

  const met = await bytesOfRun();

  expect(met - alone).toBeLessThan(MAX_BYTES_A_RUN);
  expect(met - alone).toBeGreaterThan(MOST * "01M808YZRWK4SYKNB3MBE1APAC".length);
});

test("there are never more of them: the next one is refused, and says why", async () => {
  await makeAll(1_000);

  const limitAmount = microDollars(1);
  const budget = await market.daemon.request("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount });
  const cap = await market.daemon.request("POST", "/v1/controls/workspace/run-caps", { limitAmount });

  expect([budget.status, cap.status]).toEqual([409, 409]);
  expect(budget.body.message).toContain("100 budgets and run caps");
});

test("what a run met, its alerts and its refusal are told in full, and the same after a restart", async () => {
  const first = await market.budget("DAY", 0.02);
  const cap = await market.runCap(0.5);
  const last = await market.budget("MONTH", 0.0125);
  const wanted = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
  const post = async () => await market.daemon.request("POST", "/v1/run", wanted, { "idempotency-key": "one" });
  const done = await post();
  const refused = await market.run();
  await market.daemon.request("DELETE", `/v1/controls/workspace/run-caps/${cap}`);
  const limitAmount = microDollars(7);
  await market.daemon.request("PATCH", `/v1/controls/workspace/budgets/${first}`, { limitAmount });
  const runIds = [done.body.runId, refused.body.runId];
  const before = await seen(runIds);

  await market[Symbol.asyncDispose]();
  market = await openControlMarket({ home });

  const money = (value: number) => ({ value, currency: "USD" });
  const snapshot = (limit: number, spent: number, available: number) => ({
    limitAmount: money(limit),
    spentAmount: money(spent),
    availableAmount: money(available),
    heldAmount: money(0),
  });
  expect(refused.body.status).toBe("BLOCKED");
  expect(before.runs[0]?.[0].alerts.map(({ percent }: { percent: number }) => percent)).toEqual([50, 80]);
  expect(before.runs[0]?.[1]).toMatchObject([
    { controlId: first, requiredAmount: 0.01, status: "SETTLED", snapshot: snapshot(0.02, 0, 0.02) },
    { controlId: cap, requiredAmount: 0.01, status: "PASSED", snapshot: { limitAmount: money(0.5) } },
    { controlId: last, requiredAmount: 0.01, status: "SETTLED", snapshot: snapshot(0.0125, 0, 0.0125) },
  ]);
  expect(before.runs[1]?.[1]).toMatchObject([
    { controlId: first, status: "ABORTED", snapshot: snapshot(0.02, 0.01, 0.01) },
    { controlId: cap, status: "PASSED" },
    { controlId: last, status: "BLOCKED", snapshot: { ...snapshot(0.0125, 0.01, 0.0025), period: "MONTH" } },
  ]);
  expect(done.body.alerts).toEqual(before.runs[0]?.[0].alerts);
  expect(refused.body.controls).toEqual(before.runs[1]?.[0].controls);
  expect(await seen(runIds)).toEqual(before);
  expect((await post()).body).toEqual(done.body);
});

test("a run under way still has what it met after a restart", async () => {
  await using vendor = market.upstream;
  vendor.on("POST /reports", { status: 202, json: { id: "job" } });
  vendor.on("GET /reports/*", { json: { status: "working" } });
  const id = await market.budget("HOUR", 1);
  const { body } = await market.run({ endpoint: "/report", input: { topic: "rain", limit: 10 } });
  const before = await read(`/v1/runs/${body.runId}/controls`);

  await market.daemon[Symbol.asyncDispose]();
  market = await openControlMarket({ home });
  const after = await read(`/v1/runs/${body.runId}/controls`);
  const listed = await read(`/v1/controls/workspace/budgets/${id}/runs`);

  expect(before.items).toMatchObject([{ controlId: id, status: "HELD" }]);
  expect(after).toEqual(before);
  expect(listed.items).toMatchObject([{ runId: body.runId, status: "HELD" }]);
});
