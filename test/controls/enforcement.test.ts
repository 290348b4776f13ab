import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { request, type Answer } from "../support/request.ts";
import { untilCalled } from "../support/weather-manifest.ts";
import { type ControlMarket, microDollars, openControlMarket, START } from "./control-market.ts";

let market: ControlMarket;
beforeEach(async () => {
  market = await openControlMarket();
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

const HOUR_MS = 3_600_000;
const report = async (limit: number, more: object = {}) =>
  await market.run({ endpoint: "/report", input: { topic: "rain", limit }, ...more });
const wallet = async () => (await market.daemon.request("GET", "/v1/wallet/balance")).body;
const statuses = (answers: readonly Answer[]) => answers.map(({ body }) => body.status as string).sort();
const count = (values: readonly unknown[], wanted: unknown) => values.filter((value) => value === wanted).length;
const pause = async (path: string) =>
  await market.daemon.request("PATCH", `/v1/controls/workspace/${path}`, { status: "PAUSED" });

/** A key of the owner's workspace with limits of its own, and a run with it. */
async function limitedKey(limits: object): Promise<(more?: object) => Promise<Answer>> {
  const minted = await market.daemon.request("POST", "/v1/api-keys", { label: "limited", ...limits });
  expect(minted.status).toBe(201);
  const body = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
  return async (more = {}) =>
    await request(`${market.daemon.url}/v1/run`, "POST", { key: minted.body.key, body: { ...body, ...more } });
}

describe("200 runs in parallel where there is room for 10", () => {
  test("in a budget: 10 are charged, 190 are BLOCKED, and the provider sees 10 calls", async () => {
    const id = await market.budget("DAY", 0.1);

    const answers = await Promise.all(Array.from({ length: 200 }, () => market.run()));

    const seen = statuses(answers);
    expect([count(seen, "COMPLETED"), count(seen, "BLOCKED")]).toEqual([10, 190]);
    expect(market.upstream.calls).toHaveLength(10);
    expect(await wallet()).toMatchObject({ balance: { value: 9.9 }, held: { value: 0 } });
    const { body: budget } = await market.daemon.request("GET", `/v1/controls/workspace/budgets/${id}`);
    expect(budget).toMatchObject({ spentAmount: 0.1, heldAmount: 0, availableAmount: 0 });
  });

  test("in a key's limit: 10 are charged, 190 are 403, whatever other keys spend", async () => {
    const run = await limitedKey({ spendLimit: { amount: { value: 0.1, currency: "USD" }, period: "DAY" } });

    const answers = await Promise.all(Array.from({ length: 200 }, () => run()));
    const other = await market.run();

    const codes = answers.map(({ status }) => status);
    expect([count(codes, 200), count(codes, 403)]).toEqual([10, 190]);
    expect(other.body.status).toBe("COMPLETED");
    expect(market.upstream.calls).toHaveLength(11);
  });
});

describe("a BLOCKED run", () => {
  test("is 200 in the shape that clients need: amounts of its snapshots are Money", async () => {
    const budget = await market.budget("DAY", 0.015);
    const cap = await market.runCap(0.02);
    await market.run();

    const { status, body } = await report(10);

    expect(status).toBe(200);
    expect(body).toEqual({
      runId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      status: "BLOCKED",
      provider: "weather",
      providerName: "Weather",
      endpoint: "/report",
      reason:
        `This run may cost up to $0.025: the budget ${budget} has $0.005 of $0.015 left for the day until ` +
        `2026-07-16T00:00:00.000Z; the run cap ${cap} allows $0.02 a run. Nothing was called or charged.`,
      price: expect.objectContaining({ type: "PER_RESULT", amount: 0.002, currency: "USD" }),
      controls: [
        {
          controlId: budget,
          controlType: "WORKSPACE_BUDGET",
          requiredAmount: 0.025,
          snapshot: {
            type: "WORKSPACE_BUDGET",
            period: "DAY",
            limitAmount: { value: 0.015, currency: "USD" },
            availableAmount: { value: 0.005, currency: "USD" },
            heldAmount: { value: 0, currency: "USD" },
            spentAmount: { value: 0.01, currency: "USD" },
            windowStart: "2026-07-15T00:00:00.000Z",
          },
        },
        {
          controlId: cap,
          controlType: "WORKSPACE_RUN_CAP",
          requiredAmount: 0.025,
          snapshot: { type: "WORKSPACE_RUN_CAP", limitAmount: { value: 0.02, currency: "USD" } },
        },
      ],
      createdAt: new Date(START).toISOString(),
      completedAt: new Date(START).toISOString(),
    });
  });

  test("is read back with its reason and controls, is listed, cannot be stopped, and was never billed", async () => {
    await market.runCap(0.001);

    const { body: blocked } = await market.run();
    const { body: run } = await market.daemon.request("GET", `/v1/runs/${blocked.runId}`);
    const { body: list } = await market.daemon.request("GET", "/v1/runs?status=BLOCKED");
    const stop = await market.daemon.request("POST", `/v1/runs/${blocked.runId}/stop`);

    expect(run).toMatchObject({
      status: "BLOCKED",
      stoppable: false,
      reason: blocked.reason,
      controls: blocked.controls,
      output: null,
      resultCount: null,
    });
    for (const absent of ["billing", "cost", "providerResponse", "startedAt", "error"]) {
      expect(run).not.toHaveProperty(absent);
    }
    expect(list.items).toMatchObject([{ runId: blocked.runId, status: "BLOCKED" }]);
    expect(stop.status).toBe(409);
    expect(market.upstream.calls).toHaveLength(0);
    expect(await wallet()).toMatchObject({ balance: { value: 10 }, held: { value: 0 } });
  });

  test("names only the controls that refused it", async () => {
    await market.budget("DAY", 5);
    const cap = await market.runCap(0.001);

    const { body } = await market.run();

    expect(body.controls.map((control: { controlId: string }) => control.controlId)).toEqual([cap]);
  });

  test("is still there after a restart, and so is what the budget has spent", async () => {
    using home = mktHome();
    await market[Symbol.asyncDispose]();
    market = await openControlMarket({ home });
    const id = await market.budget("MONTH", 0.02);
    await market.run();
    const { body: blocked } = await report(10);
    await market[Symbol.asyncDispose]();
    market = await openControlMarket({ home });

    const again = await market.daemon.request("GET", `/v1/runs/${blocked.runId}`);
    const budget = await market.daemon.request("GET", `/v1/controls/workspace/budgets/${id}`);
    const [second, third] = [await market.run(), await market.run()];

    expect(again.body).toMatchObject({ status: "BLOCKED", reason: blocked.reason, controls: blocked.controls });
    expect(budget.body).toMatchObject({ spentAmount: 0.01, alert: 50 });
    expect([second.body.status, third.body.status]).toEqual(["COMPLETED", "BLOCKED"]);
    await market[Symbol.asyncDispose]();
    market = await openControlMarket();
  });
});

describe("what is enforced", () => {
  test("a run that costs exactly what is left goes ahead", async () => {
    await market.budget("HOUR", 0.025);
    await market.runCap(0.025);
    market.upstream.on("POST /reports", { json: { id: "job" } });

    expect((await report(10)).status).toBe(202);
  });

  test("what runs under way hold is taken off, and what they leave comes back", async () => {
    await market.budget("HOUR", 0.03);
    market.upstream.on("POST /reports", { status: 202, json: { id: "job" } });
    market.upstream.on("GET /reports/*", { json: { status: "working" } });
    market.upstream.on("DELETE /reports/*", { status: 204 });
    const { body: open } = await report(10);
    await untilCalled(market.upstream, "GET /reports/job");

    const blocked = await market.run();
    await market.daemon.request("POST", `/v1/runs/${open.runId}/stop`);
    await market.daemon.request("GET", `/v1/runs/${open.runId}?wait=20`);
    const after = await market.run();

    expect(blocked.body.status).toBe("BLOCKED");
    expect(blocked.body.controls[0].snapshot).toMatchObject({
      heldAmount: { value: 0.025 },
      spentAmount: { value: 0 },
    });
    expect(after.body.status).toBe("COMPLETED");
  });

  test("a paused control neither refuses nor is recorded, and a resumed one does both", async () => {
    const id = await market.budget("DAY", 0);
    const cap = await market.runCap(0);
    await pause(`budgets/${id}`);
    await pause(`run-caps/${cap}`);
    const free = await market.run();
    await market.daemon.request("PATCH", `/v1/controls/workspace/budgets/${id}`, { status: "ACTIVE" });
    const refused = await market.run();

    expect(free.body.status).toBe("COMPLETED");
    const met = await market.daemon.request("GET", `/v1/runs/${free.body.runId}/controls`);
    expect(met.body).toEqual({ items: [], cursor: null });
    expect(refused.body.controls).toMatchObject([{ controlId: id }]);
  });

  test("a run that costs nothing needs nothing, also of a budget that is spent, and has met it", async () => {
    await market[Symbol.asyncDispose]();
    market = await openControlMarket({ bundled: true });
    const id = await market.budget("DAY", 0);

    const { body } = await market.run({ provider: "atlas", endpoint: "/time/now", input: {} });

    expect(body.status).toBe("COMPLETED");
    const met = await market.daemon.request("GET", `/v1/runs/${body.runId}/controls`);
    expect(met.body.items).toMatchObject([{ controlId: id, requiredAmount: 0, status: "SETTLED" }]);
  });

  test("budgets hold where the wallet is unlimited", async () => {
    await market[Symbol.asyncDispose]();
    market = await openControlMarket({ environment: { MKT_STARTING_CREDIT: "unlimited" } });
    await market.budget("DAY", 0.01);

    expect((await market.run()).body.status).toBe("COMPLETED");
    expect((await market.run()).body.status).toBe("BLOCKED");
  });

  test("a limit that is lowered below what was spent refuses, and shows how far it is over", async () => {
    const id = await market.budget("DAY", 1);
    await market.run();
    const path = `/v1/controls/workspace/budgets/${id}`;

    const { body } = await market.daemon.request("PATCH", path, { limitAmount: microDollars(0.004) });

    expect(body).toMatchObject({ availableAmount: -0.006, alert: 100 });
    expect((await market.run()).body).toMatchObject({
      status: "BLOCKED",
      controls: [{ snapshot: { availableAmount: { value: -0.006 } } }],
    });
  });
});

describe("a window", () => {
  test("begins anew with the next hour: what was spent in the last one is not in it", async () => {
    await market.budget("HOUR", 0.01);
    const first = await market.run();
    const second = await market.run();
    market.time.nowMs = Date.parse("2026-07-15T13:00:00.000Z");
    const third = await market.run();

    expect(statuses([first, second, third])).toEqual(["BLOCKED", "COMPLETED", "COMPLETED"]);
    expect(second.body.status).toBe("BLOCKED");
  });

  test("is not opened anew by a clock that is set back", async () => {
    await market.budget("HOUR", 0.01);
    await market.budget("DAY", 1);
    await market.run();
    market.time.nowMs -= 2 * HOUR_MS;

    const { body } = await market.run();

    expect(body.status).toBe("BLOCKED");
    expect(body.controls[0].snapshot.windowStart).toBe("2026-07-15T12:00:00.000Z");
  });

  test("that is over is not charged by a run that ends in the next one", async () => {
    const id = await market.budget("HOUR", 0.03);
    market.upstream.on("POST /reports", { status: 202, json: { id: "job" } });
    market.upstream.on("GET /reports/*", { json: { status: "working" } });
    const { body: open } = await report(10);
    market.time.nowMs += HOUR_MS;
    const inNext = await market.run();
    // Within the window that is over it would reach 80 percent of the limit.
    const items = Array.from({ length: 10 }, () => ({}));
    market.upstream.on("GET /reports/*", { json: { status: "done", result: { items } } });
    const { body: late } = await market.daemon.request("GET", `/v1/runs/${open.runId}?wait=20`);

    const { body: budget } = await market.daemon.request("GET", `/v1/controls/workspace/budgets/${id}`);

    expect(inNext.body.status).toBe("COMPLETED");
    expect(budget).toMatchObject({ windowStart: "2026-07-15T13:00:00.000Z", spentAmount: 0.01, heldAmount: 0 });
    expect(late).toMatchObject({ status: "COMPLETED", cost: { value: 0.025 } });
    expect(late).not.toHaveProperty("alerts");
    expect(market.warnings).toEqual([]);
  });
});

describe("the order of the gates", () => {
  test("maxCost before a key's limit, that before run caps and budgets, those before the wallet", async () => {
    const run = await limitedKey({ spendLimit: { amount: { value: 0.001, currency: "USD" }, period: "DAY" } });
    await market.runCap(0.001);
    await market.daemon.request("POST", "/v1/admin/workspaces/default/debits", {
      amount: { value: 10, currency: "USD" },
      reason: "test",
    });

    const byMaxCost = await run({ maxCost: { value: 0.001, currency: "USD" } });
    const byKey = await run();
    const byCap = await market.run();

    expect([byMaxCost.status, byMaxCost.body.errorCode]).toEqual([402, undefined]);
    expect([byKey.status, byKey.body.errorCode]).toEqual([403, "KEY_LIMIT"]);
    expect([byCap.status, byCap.body.status]).toEqual([200, "BLOCKED"]);
  });

  test("the wallet alone is 402, with the balance that refused", async () => {
    await market.budget("DAY", 100);
    await market.daemon.request("POST", "/v1/admin/workspaces/default/debits", {
      amount: { value: 9.995, currency: "USD" },
      reason: "test",
    });

    const { status, body } = await market.run();

    expect(status).toBe(402);
    expect(body.message).toMatch(/^The wallet has \$0\.005 and this run may cost up to \$0\.01\./);
    expect(body.next).toBe("mkt wallet credit 10");
    expect((await market.daemon.request("GET", "/v1/runs")).body.items).toEqual([]);
  });
});

describe("a key that is limited", () => {
  test("to other providers may not run this one: 403 in words, before its input is looked at", async () => {
    const run = await limitedKey({ providers: ["atlas"] });

    const { status, body } = await run({ input: { town: 1 } });

    expect(status).toBe(403);
    expect(body.message).toBe('The key "limited" may not run weather/now: it is limited to atlas. Use another key.');
  });

  test("to endpoints may run these alone", async () => {
    const run = await limitedKey({ endpoints: ["weather/now"] });

    expect((await run()).body.status).toBe("COMPLETED");
    expect((await run({ endpoint: "/plain", input: {} })).status).toBe(403);
  });

  test("in what it spends gets a new window like a budget, and a free run is free", async () => {
    const run = await limitedKey({ spendLimit: { amount: { value: 0.01, currency: "USD" }, period: "HOUR" } });
    const [first, second] = [await run(), await run()];
    market.time.nowMs += HOUR_MS;
    const third = await run();

    expect([first.status, second.status, third.status]).toEqual([200, 403, 200]);
    expect(second.body.message).toContain('The spend limit of the key "limited" leaves $0');
  });
});
