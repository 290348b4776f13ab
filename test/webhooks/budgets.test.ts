import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControlMarket, openControlMarket, START } from "../controls/control-market.ts";
import { handClock, openPhoneMarket, scriptPhones } from "../resources/phone-market.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import type { Ask } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";
import { listen } from "./listen.ts";

const SOON = { timeout: 15_000 };

let home: MktHome;
let receiver: FakeProvider;
beforeEach(async () => {
  home = mktHome();
  receiver = await startFakeProvider();
});
afterEach(async () => {
  await receiver.close();
  home[Symbol.dispose]();
});

/** The lines of the journal that tell of an event of this type. */
function linesThatTell(type: string): any[] {
  const log = join(home.dataDir, "log");
  const segments = readdirSync(log).filter((name) => name.endsWith(".ndjson"));
  const lines = segments.flatMap((name) => readFileSync(join(log, name), "utf8").split("\n"));
  return lines.filter((line) => line.includes(`"${type}"`) && line.startsWith("{")).map((line) => JSON.parse(line));
}

const eventsOf = (line: any) => (line.events ?? []).map(({ type }: { type: string }) => type);

async function runs(market: ControlMarket, count: number) {
  const made = [];
  for (let nth = 0; nth < count; nth += 1) made.push((await market.run()).body.runId as string);
  return made;
}

test("each of the marks that charges bring a budget to is told once, signed, in the line of the run's end", async () => {
  await using market = await openControlMarket({ home });
  const { webhookId, messages } = await listen(market.daemon.request, receiver, ["budget.*"]);
  const budgetControlId = await market.budget("DAY", 0.1);

  const runIds = await runs(market, 11);
  await expect.poll(() => messages().length, SOON).toBe(3);

  const told = (percent: number, spentAmount: number) => ({
    id: expect.stringMatching(/^msg_/),
    type: "budget.reached",
    timestamp: new Date(START).toISOString(),
    data: {
      budgetControlId,
      percent,
      period: "DAY",
      windowStart: "2026-07-15T00:00:00.000Z",
      spentAmount,
      limitAmount: 0.1,
      runId: runIds[spentAmount * 100 - 1],
    },
  });
  const byPercent = [...messages()].sort((one, other) => one.data.percent - other.data.percent);
  expect(byPercent).toEqual([told(50, 0.05), told(80, 0.08), told(100, 0.1)]);
  expect(new Set(byPercent.map(({ id }) => id)).size).toBe(3);
  expect(linesThatTell("budget.reached").map((line) => [line.t, line.run, eventsOf(line)])).toEqual(
    byPercent.map(({ data }) => ["run.done", data.runId, ["budget.reached"]]),
  );
  await expect
    .poll(async () => {
      const { body } = await market.daemon.request("GET", `/v1/webhooks/${webhookId}/deliveries?limit=100`);
      return body.items.map(({ state }: { state: string }) => state);
    }, SOON)
    .toEqual(["DELIVERED", "DELIVERED", "DELIVERED"]);
});

test("twenty charges at the same time tell each mark once", async () => {
  await using market = await openControlMarket({ home });
  const { messages } = await listen(market.daemon.request, receiver, ["budget.reached", "run.completed"]);
  await market.budget("DAY", 0.2);

  await Promise.all(Array.from({ length: 20 }, () => market.run()));
  await expect.poll(() => messages().length, SOON).toBe(23);

  const percents = messages().flatMap(({ data }) => data.percent ?? []);
  expect(percents.sort((one, other) => one - other)).toEqual([50, 80, 100]);
});

test("the webhooks of another workspace are told nothing of it", async () => {
  await using market = await openControlMarket({ home });
  const { request } = market.daemon;
  const { workspaceId } = (await request("POST", "/v1/admin/workspaces", { name: "Other" })).body;
  const there: Ask = async (method, path, body, headers) =>
    await request(method, path, body, { ...headers, "x-workspace-id": workspaceId });
  const elsewhere = await listen(there, receiver, ["*"]);
  const { messages } = await listen(request, receiver, ["budget.*"]);
  await market.budget("DAY", 0.01);

  await market.run();
  await expect.poll(() => messages().length, SOON).toBe(1);
  await there("POST", `/v1/webhooks/${elsewhere.webhookId}/test`);
  await expect.poll(() => elsewhere.messages().length, SOON).toBeGreaterThan(0);

  expect(elsewhere.messages().map(({ type }) => type)).toEqual(["webhook.test"]);
});

test("what was told is not told again by the daemon's next process, and the next window begins anew", async () => {
  const market = await openControlMarket({ home });
  const { messages } = await listen(market.daemon.request, receiver, ["budget.*"]);
  await market.budget("DAY", 0.03);
  await runs(market, 2);
  await expect.poll(() => messages().length, SOON).toBe(1);
  const key = market.daemon.key;
  await market.daemon[Symbol.asyncDispose]();

  const time = { nowMs: START };
  await using next = await startTestDaemon({
    home,
    clock: { now: () => time.nowMs },
    manifests: { weather: weatherManifest(market.upstream.url) },
  });
  expect(next.key).toBe(key);
  const run = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
  await next.request("POST", "/v1/run", run);
  time.nowMs += 24 * 3_600_000;
  await next.request("POST", "/v1/run", run);
  await next.request("POST", "/v1/run", run);
  await expect.poll(() => messages().length, SOON).toBe(3);
  await market.upstream.close();

  expect(messages().map(({ data }) => [data.percent, data.windowStart.slice(0, 10)])).toEqual([
    [50, "2026-07-15"],
    [100, "2026-07-15"],
    [50, "2026-07-16"],
  ]);
});

test("a rent that brings a budget to a mark is told once, in the line of the rent", async () => {
  const clock = handClock();
  scriptPhones(receiver);
  await using market = await openPhoneMarket(receiver, {
    home,
    clock,
    environment: { MKT_STARTING_CREDIT: "100" },
  });
  const { resourceId, externalId } = await market.buy();
  const { messages } = await listen(market.daemon.request, receiver, ["budget.*"]);
  const limitAmount = { value: 250, unit: "CENT", currency: "USD" };
  const made = await market.daemon.request("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount });

  clock.set("2026-02-26T00:00:00.000Z");
  await market.until(resourceId, ({ renewal }) => renewal.cycle === 2);
  await market.run("/messages/send", { from: externalId });
  await expect.poll(() => messages().length, SOON).toBe(1);

  expect(messages()[0]?.data).toEqual({
    budgetControlId: made.body.budgetControlId,
    percent: 80,
    period: "DAY",
    windowStart: "2026-02-26T00:00:00.000Z",
    spentAmount: 2,
    limitAmount: 2.5,
    resourceId,
  });
  const [line, ...others] = linesThatTell("budget.reached");
  expect(others).toEqual([]);
  expect(line).toMatchObject({ t: "resource.changed", resource: { resourceId } });
  expect(line.led).not.toHaveLength(0);
});
