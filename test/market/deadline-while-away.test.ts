import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { untilCalled } from "../support/weather-manifest.ts";
import { marketManifest } from "./two-daemons.ts";
import { copyFolder } from "../support/copy-folder.ts";

/*
 * A laptop that dies while its runs are at a market: what it had on disk at that moment is copied into another home, and
 * the next daemon starts there, an hour later, when every deadline has passed.
 */
const HOUR = 3_600_000;
const units = (value: number) => ({ value, unit: "MICRO_DOLLAR", currency: "USD" });
const ended = {
  runId: "01REMOTE",
  status: "COMPLETED",
  output: { fine: true },
  providerResponse: { httpStatus: 200 },
  billing: { calculatedCost: units(9), actualCost: units(9), reportedCost: units(9) },
};

let market: FakeProvider;
let homes: MktHome[];
let dying: TestDaemon;
let next: TestDaemon | undefined;

beforeEach(async () => {
  market = await startFakeProvider();
  const dollars = { value: 0.01, currency: "USD" };
  market.on("POST /v1/quote", { json: { estimate: dollars, maximum: dollars } });
  homes = [mktHome(), mktHome()];
  dying = await startTestDaemon({ home: homes[0] as MktHome, ...laptop() });
});

afterEach(async () => {
  // What hangs must not hold the end of the test up.
  await market[Symbol.asyncDispose]();
  await dying[Symbol.asyncDispose]();
  await next?.[Symbol.asyncDispose]();
  next = undefined;
  for (const home of homes) home[Symbol.dispose]();
});

const laptop = () => ({
  manifests: { "team-acme": marketManifest(market.url) },
  environment: { TEAM_KEY: "the-key-of-the-team" },
});

async function restart(laterMs: number) {
  const [old, fresh] = homes as [MktHome, MktHome];
  copyFolder(old.dataDir, fresh.dataDir);
  const clock = { now: () => Date.now() + laterMs };
  next = await startTestDaemon({ home: fresh, clock, ...laptop(), config: { forceUnlock: true } });
  return askWith(next.url, dying.key);
}

const asked = (endpoint: string) => ({ provider: "team-acme", endpoint });

test("a job that ended at its market while this daemon was down is COMPLETED and charged", async () => {
  market.on("POST /v1/run", { status: 202, json: { runId: "01REMOTE", status: "RUNNING" } });
  market.on("GET /v1/runs/01REMOTE", { status: 200, json: { runId: "01REMOTE", status: "RUNNING" } });
  const { runId } = (await dying.request("POST", "/v1/run", asked("/work"))).body;
  await untilCalled(market, "GET /v1/runs/01REMOTE");
  const ask = await restart(HOUR);
  market.on("GET /v1/runs/01REMOTE", { json: ended });

  const run = (await ask("GET", `/v1/runs/${runId}?wait=10`)).body;

  expect(run).toMatchObject({ status: "COMPLETED", output: { fine: true }, cost: { value: 0.000009 } });
  expect((await ask("GET", "/v1/wallet/balance")).body.held.value).toBe(0);
});

test("a call whose answer was lost is asked for once more, by the same key", async () => {
  market.on("POST /v1/run", { hang: true });
  void dying.request("POST", "/v1/run", asked("/buy")).catch(() => {});
  await untilCalled(market, "POST /v1/run");
  const { runId } = (await dying.request("GET", "/v1/runs")).body.items[0];
  market.on("POST /v1/run", { json: ended });
  const ask = await restart(HOUR);

  const run = (await ask("GET", `/v1/runs/${runId}?wait=10`)).body;
  const tries = market.calls.filter(({ path }) => path === "/v1/run");

  expect(run).toMatchObject({ status: "COMPLETED", cost: { value: 0.000009 } });
  expect(new Set(tries.map(({ headers }) => headers["idempotency-key"]))).toEqual(new Set([runId]));
  expect(new Set(tries.map(({ text }) => text)).size).toBe(1);
});

test("a call is not made again after a day, when its market may have forgotten the key", async () => {
  market.on("POST /v1/run", { hang: true });
  void dying.request("POST", "/v1/run", asked("/buy")).catch(() => {});
  await untilCalled(market, "POST /v1/run");
  const { runId } = (await dying.request("GET", "/v1/runs")).body.items[0];
  const ask = await restart(25 * HOUR);

  const run = (await ask("GET", `/v1/runs/${runId}?wait=10`)).body;

  expect(run).toMatchObject({ status: "TIMED_OUT", providerMayHaveCharged: true, cost: { value: 0 } });
  expect(market.count("POST /v1/run")).toBe(1);
});
