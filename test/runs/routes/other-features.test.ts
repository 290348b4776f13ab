import { afterAll, beforeAll, expect, test } from "vitest";
import { microDollars } from "../../controls/control-market.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { askWith } from "../../support/request.ts";
import { type ServedRoutes, serveRoutes } from "./serve-route.ts";

/** Runs through routes, together with workspaces, schedules and webhooks. A call of `first` costs $0.01, of `second` $0.02. */
let served: ServedRoutes;
let receiver: FakeProvider;
const time = { nowMs: Date.parse("2026-07-15T12:30:00.000Z") };

beforeAll(async () => {
  receiver = await startFakeProvider();
  receiver.on("POST /hook", { status: 204 });
  served = await serveRoutes({
    names: ["now", "now-busy"],
    clock: { now: () => time.nowMs },
    config: { allowPrivateHosts: [receiver.host] },
  });
  served.first.on("POST /now-busy", { status: 429, json: {} });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await receiver.close();
});

async function newWorkspace(name: string) {
  const { daemon } = served;
  const { workspaceId } = (await daemon.request("POST", "/v1/admin/workspaces", { name, slug: name })).body;
  await daemon.request("POST", `/v1/admin/workspaces/${workspaceId}/credits`, {
    amount: { value: 1, currency: "USD" },
    reason: "a test",
  });
  const { key } = (await daemon.request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "own" })).body;
  const ask = askWith(daemon.url, key);
  return {
    ask,
    run: async (endpoint = "/now-busy", headers = {}) =>
      (await ask("POST", "/v1/run", { provider: "routes", endpoint, input: { q: name }, wait: 10 }, headers)).body,
    balance: async () => (await ask("GET", "/v1/wallet/balance")).body.balance.value as number,
  };
}

test("two workspaces that go through one route see, pay and are limited each for itself", async () => {
  const [one, other] = [await newWorkspace("one"), await newWorkspace("other")];
  // The dearest member decides what is held, so that the cheap one is not begun either.
  await one.ask("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount: microDollars(0.015) });
  const key = { "idempotency-key": "the-same-in-both" };

  const [blocked, ran] = [await one.run("/now-busy", key), await other.run("/now-busy", key)];
  const [asOne, asOther] = await Promise.all(
    [one, other].map(async ({ ask }) => await ask("GET", `/v1/runs/${ran.runId}`)),
  );
  const listed = (await one.ask("GET", "/v1/runs")).body.items.map(({ runId }: { runId: string }) => runId);

  expect(blocked).toMatchObject({ status: "BLOCKED" });
  expect(ran).toMatchObject({ status: "COMPLETED", provider: "second", cost: { value: 0.02 } });
  expect(ran.runId).not.toBe(blocked.runId);
  expect(asOne?.status).toBe(404);
  expect(asOther?.body.route.attempts ?? asOther?.body.attempts).toBeDefined();
  expect(listed).toEqual([blocked.runId]);
  expect(await one.balance()).toBe(1);
  expect(await other.balance()).toBeCloseTo(0.98, 6);
});

test("the end of a run that went on to the next member is told once, with the member that answered", async () => {
  const { ask, run } = await newWorkspace("told");
  const { daemon } = served;
  const hook = await daemon.request("POST", "/v1/webhooks", { url: `${receiver.url}/hook`, events: ["run.*"] });
  expect(hook.status).toBe(201);
  await run();
  const asked = { provider: "routes", endpoint: "/now-busy", input: { q: "x" }, wait: 10 };

  const { runId } = (await daemon.request("POST", "/v1/run", asked)).body;
  await expect.poll(() => receiver.calls.length).toBeGreaterThan(0);
  const waiting = async () => (await daemon.request("GET", "/v1/webhooks")).body.items[0].waiting;
  await expect.poll(waiting).toBe(0);

  expect((await ask("GET", "/v1/webhooks")).body.items).toEqual([]);
  expect(receiver.calls.map(({ json }) => json)).toMatchObject([
    { type: "run.completed", data: { runId, provider: "second", cost: { value: 0.02 } } },
  ]);
});

test("a schedule of a route has one run for each due time, whichever member answers, and its budget holds the dearest", async () => {
  const { ask } = await newWorkspace("scheduled");
  const wanted = {
    cron: "0 7 * * *",
    provider: "routes",
    endpoint: "/now-busy",
    input: { q: "x" },
    budget: { amount: { value: 0.05, currency: "USD" }, period: "MONTH" },
  };
  const made = await ask("POST", "/v1/schedules", wanted);
  expect(made.status).toBe(201);
  const { scheduleId } = made.body;
  const due = async (at: string, count: number) => {
    time.nowMs = Date.parse(at);
    const items = async () => (await ask("GET", `/v1/schedules/${scheduleId}/occurrences`)).body.items;
    const decided = async () =>
      (await items()).filter(({ outcome, runStatus }: any) => outcome !== "RUN" || runStatus !== undefined).length;
    await expect.poll(decided).toBe(count);
    return (await items())[0];
  };

  const first = await due("2026-07-16T07:00:00.000Z", 1);
  await due("2026-07-17T07:00:00.000Z", 2);
  const third = await due("2026-07-18T07:00:00.000Z", 3);
  const run = (await ask("GET", `/v1/runs/${first.runId}`)).body;

  expect(first).toMatchObject({ outcome: "RUN", runStatus: "COMPLETED" });
  expect(run).toMatchObject({ provider: "second", cost: { value: 0.02 }, schedule: { scheduleId } });
  expect(third).toMatchObject({ outcome: "REFUSED", message: expect.stringContaining("leaves $0.01") });
  expect((await ask("GET", `/v1/schedules/${scheduleId}`)).body).toMatchObject({ failures: 0, status: "ACTIVE" });
});
