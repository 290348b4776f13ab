import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { request } from "../support/request.ts";
import { type ControlMarket, microDollars, openControlMarket } from "./control-market.ts";

let market: ControlMarket;
beforeAll(async () => {
  market = await openControlMarket();
});
afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

const at = "/v1/controls/workspace";
const ask = async (method: string, path: string, body?: object) => await market.daemon.request(method, at + path, body);

describe("a budget", () => {
  test.each([
    ["a period that there is not", { period: "YEAR", limitAmount: microDollars(1) }],
    ["a limit below zero", { period: "DAY", limitAmount: microDollars(-1) }],
    ["a limit with a fraction", { period: "DAY", limitAmount: { value: 0.5, unit: "DOLLAR", currency: "USD" } }],
    ["a limit as Money", { period: "DAY", limitAmount: { value: 1, currency: "USD" } }],
    [
      "a limit beyond what can be counted",
      { period: "DAY", limitAmount: { value: 9_007_199_254_740_991, unit: "DOLLAR", currency: "USD" } },
    ],
    ["no limit", { period: "DAY" }],
  ])("with %s is 400", async (_, body) => {
    const answer = await ask("POST", "/budgets", body);

    expect(answer).toMatchObject({ status: 400, body: { code: 400 } });
    expect((await ask("GET", "/budgets")).body.items).toEqual([]);
  });
});

describe("a change", () => {
  test.each(["budgets", "run-caps"])("of one of the %s names at least one field", async (kind) => {
    const id = kind === "budgets" ? await market.budget("DAY", 1) : await market.runCap(1);

    const answer = await ask("PATCH", `/${kind}/${id}`, {});

    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining("limitAmount, status") } });
  });
});

describe("a list", () => {
  test.each(["/budgets?cursor=made-up", "/run-caps?limit=0", "/run-caps?limit=101"])("%s is 400", async (path) => {
    expect((await ask("GET", path)).status).toBe(400);
  });

  test.each(["/budgets/ID/runs?status=PASSED", "/budgets/ID/runs?status=BLOCKED", "/run-caps/ID/runs?status=HELD"])(
    "%s is a status that there is not: 400",
    async (path) => {
      const id = path.startsWith("/budgets") ? await market.budget("DAY", 1) : await market.runCap(1);

      expect((await ask("GET", path.replace("ID", id))).status).toBe(400);
    },
  );
});

describe("a key", () => {
  test.each([
    ["controls:read", "POST", "/run-caps"],
    ["controls:create", "GET", "/budgets"],
    ["runs:create", "GET", "/run-caps"],
  ])("with the scope %s alone may not %s %s", async (scope, method, path) => {
    const minted = await market.daemon.request("POST", "/v1/api-keys", { label: scope, scopes: [scope] });
    const body = method === "POST" ? { limitAmount: microDollars(1) } : undefined;

    const answer = await request(market.daemon.url + at + path, method, { key: minted.body.key, body });

    expect(answer).toMatchObject({ status: 403, body: { errorCode: "INSUFFICIENT_SCOPE" } });
  });
});
