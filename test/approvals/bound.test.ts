import { expect, test } from "vitest";
import { microDollars } from "../controls/control-market.ts";
import { startTwoDaemons } from "../market/two-daemons.ts";
import { askWith } from "../support/request.ts";
import { serveRoutes } from "../runs/routes/serve-route.ts";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { weatherManifest } from "../support/weather-manifest.ts";
import { openApprovalMarket } from "./approval-market.ts";

/** What a yes is bound to, where more than one daemon or more than one version has a part in it. */

/** The weather's file, whose `/now` is called at another path. */
function calledElsewhere(upstreamUrl: string): object {
  const file = weatherManifest(upstreamUrl) as { endpoints: Record<string, object> };
  const now = { ...file.endpoints["/now"], request: { method: "GET", path: "/elsewhere" } };
  return { ...file, endpoints: { ...file.endpoints, "/now": now } };
}

test("a run calls what was approved, though another version was served when the daemon started", async () => {
  using home = mktHome();
  const first = await openApprovalMarket({ home });
  await using upstream = first.upstream;
  upstream.on("GET /elsewhere", { json: { temperature: -3 } });
  await first.rule(0.001);
  const { body } = await first.ask();
  await first.daemon[Symbol.asyncDispose]();
  await using second = await openApprovalMarket({ home, manifests: { weather: calledElsewhere(upstream.url) } });
  expect((await second.approve(body.runId)).status).toBe(409);
  home.writeCatalog("trusted", { weather: weatherManifest(upstream.url) });

  await expect.poll(async () => (await second.approve(body.runId)).status).toBe(200);
  const run = await second.ended(body.runId);

  expect(run).toMatchObject({ status: "COMPLETED", output: { temperature: 21 } });
  expect(upstream.count("GET /elsewhere")).toBe(0);
});

test("a background run that a market keeps waiting beyond its deadline here is taken back there, and cannot be approved any more", async () => {
  await using daemons = await startTwoDaemons({
    keyOf: async (team) => (await team.request("POST", "/v1/api-keys", { label: "laptop", role: "member" })).body.key,
  });
  const ask = askWith(daemons.team.url, daemons.team.key);
  await ask("POST", "/v1/controls/approval-rules", { limitAmount: microDollars(0.001) });

  const { body } = await daemons.run("/work", { deadlineMs: 6_000, wait: 30 });
  const there = async () => (await ask("GET", `/v1/runs/${body.market.runId}`)).body.status;
  await expect.poll(there).toBe("STOPPED");
  const approved = await ask("POST", `/v1/approvals/${body.market.runId}/approve`);
  const balances = await Promise.all(
    [daemons.laptop, daemons.team].map(async ({ client }) => (await client.getWalletBalance()).balance),
  );

  expect(body).toMatchObject({ status: "TIMED_OUT", market: { runId: expect.any(String) } });
  expect(approved).toMatchObject({ status: 409, body: { message: /it is STOPPED/ } });
  expect(daemons.vendor.calls).toHaveLength(0);
  expect(balances[0]).toEqual(balances[1]);
});

test("a yes for a run through a route is for the members that it may go on to, which the approver sees and may run", async () => {
  await using served = await serveRoutes();
  const { daemon } = served;
  served.first.on("POST /now", { status: 429, json: {} });
  const newKey = async (body: object) =>
    askWith(daemon.url, (await daemon.request("POST", "/v1/api-keys", body)).body.key);
  const agent = await newKey({ label: "agent", role: "member" });
  const narrow = await newKey({ label: "narrow", role: "manager", endpoints: ["first/now", "routes/now"] });
  await daemon.request("POST", "/v1/controls/approval-rules", { limitAmount: microDollars(0.015) });
  const { body: run } = await agent("POST", "/v1/run", { provider: "routes", endpoint: "/now", input: { q: "x" } });
  const path = `/v1/approvals/${run.runId}`;

  const shown = await daemon.request("GET", path);
  const refused = await narrow("POST", `${path}/approve`);
  await daemon.request("PUT", "/v1/admin/prices", {
    provider: "second",
    endpoint: "/now",
    price: { type: "PER_CALL", amount: { value: 0.03, currency: "USD" } },
  });
  const dearer = await daemon.request("POST", `${path}/approve`);
  await daemon.request("DELETE", "/v1/admin/prices/second?endpoint=%2Fnow");
  const approved = await daemon.request("POST", `${path}/approve`);
  const ended = await daemon.request("GET", `/v1/runs/${run.runId}?wait=10`);

  expect(shown.body).toMatchObject({
    route: { provider: "routes", endpoint: "/now" },
    provider: "first",
    maximum: { value: 0.02 },
    goesOnTo: [{ provider: "second", endpoint: "/now", maximum: { value: 0.02 } }],
  });
  expect(refused).toMatchObject({ status: 403, body: { message: /may not run second\/now itself/ } });
  expect(dearer).toMatchObject({ status: 409, body: { message: /price of second\/now has changed/ } });
  expect(approved.status).toBe(200);
  expect(ended.body).toMatchObject({ status: "COMPLETED", provider: "second", cost: { value: 0.02 } });
});

test("a schedule's run waits for its yes: the next due time has no other one, and a no is no failure", async () => {
  await using market = await openApprovalMarket();
  await market.rule(0.001, { expiresInSeconds: 2_592_000 });
  const wanted = {
    cron: "0 7 * * *",
    provider: "weather",
    endpoint: "/now",
    input: { city: "Lisbon" },
    budget: { amount: { value: 0.015, currency: "USD" }, period: "MONTH" },
    pauseAfterFailures: 1,
  };
  const { scheduleId } = (await market.agent("POST", "/v1/schedules", wanted)).body;
  const show = async () => (await market.agent("GET", `/v1/schedules/${scheduleId}`)).body;
  const due = async (day: string, count: number) => {
    market.time.nowMs = Date.parse(`${day}T07:00:00.000Z`);
    const read = async () => (await market.agent("GET", `/v1/schedules/${scheduleId}/occurrences`)).body.items;
    await expect.poll(async () => (await read()).length, { timeout: 15_000 }).toBe(count);
    return (await read())[0];
  };

  const { runId } = await due("2026-07-16", 1);
  const held = await show();
  const overlapping = await due("2026-07-17", 2);
  const byAsker = await market.approve(runId, market.agent);
  const denied = await market.deny(runId, "not today");
  const afterDenial = await show();
  const next = await due("2026-07-18", 3);
  await market.approve(next.runId);
  const ended = await market.ended(next.runId);

  expect(held.budget).toMatchObject({ held: { value: 0.01 }, left: { value: 0.005 } });
  expect(overlapping).toMatchObject({ outcome: "OVERLAP", message: expect.stringContaining(runId) });
  expect(byAsker.status).toBe(403);
  expect(denied.status).toBe(200);
  expect(afterDenial).toMatchObject({ status: "ACTIVE", failures: 0, budget: { held: { value: 0 } } });
  expect(ended).toMatchObject({ status: "COMPLETED", schedule: { dueAt: "2026-07-18T07:00:00.000Z" } });
  expect((await show()).budget).toMatchObject({ spent: { value: 0.01 }, held: { value: 0 } });
});

test("a run that waits takes the answer that came meanwhile, for nothing; one that is there at once needs no yes", async () => {
  using home = mktHome();
  await using market = await openApprovalMarket({ home });
  const file = weatherManifest(market.upstream.url) as { endpoints: Record<string, object> };
  const now = { ...file.endpoints["/now"], reuse: { maxAgeSeconds: 3_600 } };
  home.writeCatalog("trusted", { weather: { ...file, endpoints: { ...file.endpoints, "/now": now } } });
  const asker = await market.newKey({ label: "asker", role: "manager" });
  const inspect = async () =>
    (await market.daemon.request("POST", "/v1/inspect", { provider: "weather", endpoint: "/now" })).body;
  await expect.poll(async () => (await inspect()).maxAge, { timeout: 10_000 }).toBeDefined();
  await market.rule(0.001, { keyLabel: "asker" });
  const request = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" }, maxAge: 3_600 };
  const before = market.upstream.count("GET /now");

  const waiting = await asker.ask("POST", "/v1/run", request);
  const source = await market.run();
  const atOnce = await asker.ask("POST", "/v1/run", request);
  const stillWaits = (await market.daemon.request("GET", `/v1/runs/${waiting.body.runId}`)).body;
  await market.approve(waiting.body.runId);
  const ended = await market.ended(waiting.body.runId);

  expect(stillWaits).toMatchObject({ status: "READY", approval: { status: "WAITING" } });
  expect(atOnce.body).toMatchObject({ status: "COMPLETED", answeredFrom: { runId: source.body.runId } });
  expect(atOnce.body.approval).toBeUndefined();
  expect(ended).toMatchObject({
    status: "COMPLETED",
    cost: { value: 0 },
    answeredFrom: { runId: source.body.runId },
    approval: { status: "APPROVED" },
  });
  expect(market.upstream.count("GET /now")).toBe(before + 1);
});

test("whoever approves a run through a route sees what each of its members would be sent", async () => {
  await using served = await serveRoutes({
    routes: {
      mapped: {
        members: [
          { endpoint: "first/now", input: { queryParams: { q: "for the first: ${input.queryParams.q}" } } },
          { endpoint: "second/now", input: { queryParams: { q: "for the second: ${input.queryParams.q}" } } },
        ],
      },
    },
  });
  const { daemon } = served;
  const { key } = (await daemon.request("POST", "/v1/api-keys", { label: "agent", role: "member" })).body;
  await daemon.request("POST", "/v1/controls/approval-rules", { limitAmount: microDollars(0.001) });
  const wanted = { provider: "routes", endpoint: "/mapped", input: { q: "x" } };
  const { runId } = (await askWith(daemon.url, key)("POST", "/v1/run", wanted)).body;

  const shown = (await daemon.request("GET", `/v1/approvals/${runId}`)).body;
  const listed = (await daemon.request("GET", "/v1/approvals")).body.items[0];
  const env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
  const screen = await runMkt(["approvals", "show", runId], { env, tty: true });

  expect(shown.input).toEqual({ queryParams: { q: "for the first: x" } });
  expect(shown.goesOnTo).toMatchObject([{ provider: "second", input: { queryParams: { q: "for the second: x" } } }]);
  expect(listed.goesOnTo[0]).not.toHaveProperty("input");
  expect(screen.stdout).toContain("for the second: x");
});
