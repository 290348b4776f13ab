import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { request } from "../support/request.ts";
import { openNeighbour } from "../spec/market.ts";
import { type ControlMarket, microDollars, openControlMarket } from "./control-market.ts";

let market: ControlMarket;
beforeEach(async () => {
  market = await openControlMarket();
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

const at = "/v1/controls/workspace";
const ask = async (method: string, path: string, body?: object) => await market.daemon.request(method, at + path, body);
const UNKNOWN = "01JD0000000000000000000000";

describe("a budget", () => {
  test("is created with its window, and read back the same", async () => {
    const created = await ask("POST", "/budgets", { period: "DAY", limitAmount: microDollars(5) });
    const read = await ask("GET", `/budgets/${created.body.budgetControlId}`);

    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      budgetControlId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      workspaceId: expect.any(String),
      period: "DAY",
      limitAmount: 5,
      spentAmount: 0,
      heldAmount: 0,
      availableAmount: 5,
      currency: "USD",
      windowStart: "2026-07-15T00:00:00.000Z",
      status: "ACTIVE",
      createdAt: "2026-07-15T12:30:00.000Z",
      updatedAt: "2026-07-15T12:30:00.000Z",
    });
    expect(read).toMatchObject({ status: 200, body: created.body });
  });

  test.each([
    ["HOUR", "2026-07-15T12:00:00.000Z"],
    ["DAY", "2026-07-15T00:00:00.000Z"],
    ["WEEK", "2026-07-13T00:00:00.000Z"],
    ["MONTH", "2026-07-01T00:00:00.000Z"],
  ])("of a %s counts from the calendar's beginning in UTC", async (period, windowStart) => {
    const { body } = await ask("POST", "/budgets", { period, limitAmount: microDollars(1) });

    expect(body.windowStart).toBe(windowStart);
  });

  test("knows at once what its window has cost before it was made", async () => {
    await market.run();

    const { body } = await ask("POST", "/budgets", { period: "MONTH", limitAmount: microDollars(0.02) });

    expect(body).toMatchObject({ spentAmount: 0.01, availableAmount: 0.01, alert: 50 });
  });

  test("takes cents and dollars as well", async () => {
    const cents = { value: 150, unit: "CENT", currency: "USD" };
    const { body } = await ask("POST", "/budgets", { period: "DAY", limitAmount: cents });
    const changed = await ask("PATCH", `/budgets/${body.budgetControlId}`, {
      limitAmount: { value: 2, unit: "DOLLAR", currency: "USD" },
    });

    expect(body.limitAmount).toBe(1.5);
    expect(changed.body.limitAmount).toBe(2);
  });

  test("is gone once it is deleted, and runs keep what they met", async () => {
    const id = await market.budget("DAY", 5);
    const { body: run } = await market.run();

    const deleted = await ask("DELETE", `/budgets/${id}`);

    expect(deleted).toMatchObject({ status: 204, text: "" });
    expect((await ask("GET", `/budgets/${id}`)).status).toBe(404);
    expect((await ask("GET", "/budgets")).body).toEqual({ items: [], cursor: null });
    const met = await market.daemon.request("GET", `/v1/runs/${run.runId}/controls`);
    expect(met.body.items).toMatchObject([{ controlId: id, status: "SETTLED" }]);
  });

  test("shows what is held while a run goes on, and what was spent when it has ended", async () => {
    const id = await market.budget("DAY", 1);
    market.upstream.on("POST /reports", { status: 202, json: { id: "job" } });
    market.upstream.on("GET /reports/*", { json: { status: "working" } });

    const { body: run } = await market.run({ endpoint: "/report", input: { topic: "rain", limit: 10 } });
    const during = await ask("GET", `/budgets/${id}`);
    market.upstream.on("GET /reports/*", { json: { status: "done", result: { items: [{}, {}] } } });
    await market.daemon.request("GET", `/v1/runs/${run.runId}?wait=20`);
    const after = await ask("GET", `/budgets/${id}`);

    expect(during.body).toMatchObject({ spentAmount: 0, heldAmount: 0.025, availableAmount: 0.975 });
    expect(after.body).toMatchObject({ spentAmount: 0.009, heldAmount: 0, availableAmount: 0.991 });
  });
});

describe("a run cap", () => {
  test("is created, read, changed, paused and deleted", async () => {
    const created = await ask("POST", "/run-caps", { limitAmount: microDollars(0.5) });
    const id = created.body.runCapControlId;
    const changed = await ask("PATCH", `/run-caps/${id}`, { limitAmount: microDollars(1) });
    const paused = await ask("PATCH", `/run-caps/${id}`, { status: "PAUSED" });
    const deleted = await ask("DELETE", `/run-caps/${id}`);

    expect(created).toMatchObject({ status: 201, body: { limitAmount: 0.5, currency: "USD", status: "ACTIVE" } });
    expect(changed).toMatchObject({ status: 200, body: { runCapControlId: id, limitAmount: 1, status: "ACTIVE" } });
    expect(paused).toMatchObject({ status: 200, body: { limitAmount: 1, status: "PAUSED" } });
    expect(deleted.status).toBe(204);
    expect((await ask("GET", `/run-caps/${id}`)).status).toBe(404);
  });
});

describe("a change", () => {
  test("leaves what it does not name, and says when it was", async () => {
    const id = await market.budget("WEEK", 3);
    market.time.nowMs += 60_000;

    const { body } = await ask("PATCH", `/budgets/${id}`, { status: "PAUSED" });

    expect(body).toMatchObject({
      period: "WEEK",
      limitAmount: 3,
      status: "PAUSED",
      createdAt: "2026-07-15T12:30:00.000Z",
      updatedAt: "2026-07-15T12:31:00.000Z",
    });
  });

  test("of limit and status side by side loses neither", async () => {
    const id = await market.budget("WEEK", 3);

    await Promise.all([
      ask("PATCH", `/budgets/${id}`, { status: "PAUSED" }),
      ask("PATCH", `/budgets/${id}`, { limitAmount: microDollars(4) }),
    ]);

    expect((await ask("GET", `/budgets/${id}`)).body).toMatchObject({ limitAmount: 4, status: "PAUSED" });
  });
});

describe("a list", () => {
  test("is paged with a cursor that is null on its last page", async () => {
    for (let made = 0; made < 5; made += 1) await market.runCap(made);

    const first = await ask("GET", "/run-caps?limit=2");
    const second = await ask("GET", `/run-caps?limit=2&cursor=${first.body.cursor}`);
    const last = await ask("GET", `/run-caps?limit=2&cursor=${second.body.cursor}`);

    const pages = [first, second, last].map(({ body }) => body);
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1]);
    expect(pages.map(({ cursor }) => cursor === null)).toEqual([false, false, true]);
    const ids = pages.flatMap(({ items }) => items.map((item: { runCapControlId: string }) => item.runCapControlId));
    expect(ids).toEqual([...new Set(ids)].sort().toReversed());
  });

  test("whose last page is full has no further page", async () => {
    for (let made = 0; made < 4; made += 1) await market.runCap(made);

    const first = await ask("GET", "/run-caps?limit=2");
    const last = await ask("GET", `/run-caps?limit=2&cursor=${first.body.cursor}`);

    expect(last.body.items).toHaveLength(2);
    expect(last.body.cursor).toBeNull();
  });

  test("has at most a hundred controls: one more is 409", async () => {
    await Promise.all(Array.from({ length: 60 }, () => market.runCap(1)));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ask("POST", "/budgets", { period: "DAY", limitAmount: microDollars(9) })),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(40);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10);
  });
});

describe("a control of another workspace", () => {
  test.each([
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["GET", "/runs"],
  ])(
    "%s …%s is byte for byte the answer for an unknown one, and so is one of the other kind",
    async (method, suffix) => {
      const { key } = await openNeighbour(market.daemon);
      const mine = await market.budget("DAY", 1);
      const body = method === "PATCH" ? { status: "PAUSED" } : undefined;
      const theirs = async (path: string) =>
        await request(`${market.daemon.url}${at}${path}${suffix}`, method, { key, body });

      const foreign = await theirs(`/budgets/${mine}`);
      const unknown = await theirs(`/budgets/${UNKNOWN}`);
      const otherKind = await ask(method, `/run-caps/${mine}${suffix}`, body);

      expect([foreign.status, unknown.status, otherKind.status]).toEqual([404, 404, 404]);
      expect(foreign.text.replaceAll(mine, UNKNOWN)).toBe(unknown.text);
      expect((await ask("GET", `/budgets/${mine}`)).body.status).toBe("ACTIVE");
    },
  );
});

describe("the runs of a control", () => {
  test("of a budget: what each held, what was charged, and what became of it", async () => {
    const id = await market.budget("DAY", 0.025);
    const { body: good } = await market.run();
    market.upstream.on("GET /now", { status: 500, json: { error: "no" } });
    const { body: bad } = await market.run();
    const { body: blocked } = await market.run({ endpoint: "/report", input: { topic: "rain", limit: 100 } });

    const all = await ask("GET", `/budgets/${id}/runs`);
    const settled = await ask("GET", `/budgets/${id}/runs?status=SETTLED`);
    const released = await ask("GET", `/budgets/${id}/runs?status=RELEASED`);

    const snapshot = { period: "DAY", limitAmount: 0.025, windowStart: "2026-07-15T00:00:00.000Z" };
    expect(all.body.items.map((item: { runId: string }) => item.runId)).toEqual([blocked.runId, bad.runId, good.runId]);
    expect(all.body.items).toMatchObject([
      { status: "BLOCKED", holdAmount: 0.205, settledAmount: 0, snapshot },
      { status: "RELEASED", holdAmount: 0.01, settledAmount: 0, settledAt: bad.completedAt, snapshot },
      { status: "SETTLED", holdAmount: 0.01, settledAmount: 0.01, settledAt: good.completedAt, snapshot },
    ]);
    expect(settled.body.items.map((item: { runId: string }) => item.runId)).toEqual([good.runId]);
    expect(released.body.items.map((item: { runId: string }) => item.runId)).toEqual([bad.runId]);
  });

  test("of a budget in an earlier window, by any moment of it; the current one when none is named", async () => {
    const id = await market.budget("HOUR", 1);
    const { body: early } = await market.run();
    market.time.nowMs += 3_600_000;
    const { body: late } = await market.run();

    const current = await ask("GET", `/budgets/${id}/runs`);
    const before = await ask("GET", `/budgets/${id}/runs?windowStart=2026-07-15T12:00:00.000Z`);
    const within = await ask("GET", `/budgets/${id}/runs?windowStart=2026-07-15T12:59:59%2B00:00`);
    const never = await ask("GET", `/budgets/${id}/runs?windowStart=2026-07-15T09:00:00Z`);

    expect(current.body.items).toMatchObject([{ runId: late.runId }]);
    expect(before.body.items).toMatchObject([{ runId: early.runId }]);
    expect(within.body.items).toMatchObject([{ runId: early.runId }]);
    expect(never.body).toEqual({ items: [], cursor: null });
    expect((await ask("GET", `/budgets/${id}/runs?windowStart=yesterday`)).status).toBe(400);
  });

  test("of a budget that had room for a run which another control refused: ABORTED", async () => {
    const id = await market.budget("DAY", 1);
    const cap = await market.runCap(0.001);
    await market.run();

    expect((await ask("GET", `/budgets/${id}/runs`)).body.items).toMatchObject([{ status: "ABORTED" }]);
    expect((await ask("GET", `/run-caps/${cap}/runs`)).body.items).toMatchObject([
      { status: "BLOCKED", estimatedCost: 0.01, snapshot: { limitAmount: 0.001 } },
    ]);
  });

  test("are paged, also where what is wanted is rare", async () => {
    const id = await market.runCap(0.015);
    for (let made = 0; made < 6; made += 1) {
      await market.run(made % 3 === 0 ? { endpoint: "/report", input: { topic: "rain", limit: 90 } } : {});
    }

    const first = await ask("GET", `/run-caps/${id}/runs?status=PASSED&limit=3`);
    const second = await ask("GET", `/run-caps/${id}/runs?status=PASSED&limit=3&cursor=${first.body.cursor}`);
    const refused = await ask("GET", `/run-caps/${id}/runs?status=BLOCKED`);

    expect(first.body.items).toHaveLength(3);
    expect(second.body.items).toHaveLength(1);
    expect(refused.body.items).toHaveLength(2);
    expect(refused.body.cursor).toBeNull();
  });
});

describe("the controls of a run", () => {
  test("are all that it met, in the order of their creation, paged", async () => {
    const ids = [await market.budget("DAY", 1), await market.runCap(1), await market.budget("HOUR", 1)];
    const { body: run } = await market.run();
    const path = `/v1/runs/${run.runId}/controls`;

    const all = await market.daemon.request("GET", path);
    const first = await market.daemon.request("GET", `${path}?limit=2`);
    const rest = await market.daemon.request("GET", `${path}?limit=2&cursor=${first.body.cursor}`);

    expect(all.body.items.map((item: { controlId: string }) => item.controlId)).toEqual(ids);
    expect(all.body.items).toMatchObject([
      { controlType: "WORKSPACE_BUDGET", status: "SETTLED", snapshot: { period: "DAY" } },
      { controlType: "WORKSPACE_RUN_CAP", status: "PASSED", snapshot: { limitAmount: { value: 1 } } },
      { controlType: "WORKSPACE_BUDGET", status: "SETTLED", snapshot: { period: "HOUR" } },
    ]);
    expect([...first.body.items, ...rest.body.items]).toEqual(all.body.items);
    expect(rest.body.cursor).toBeNull();
  });

  test("of an unknown run are 404", async () => {
    const answer = await market.daemon.request("GET", `/v1/runs/${UNKNOWN}/controls`);

    expect(answer).toMatchObject({ status: 404, body: { message: `Run ${UNKNOWN} not found` } });
  });
});
