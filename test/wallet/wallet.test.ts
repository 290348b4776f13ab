import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type IdentityServer, startIdentityServer } from "../support/identity-server.ts";

let server: IdentityServer;
beforeEach(async () => {
  server = await startIdentityServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const adjust = (what: "credits" | "debits", value: number, reason = "test") =>
  server.call("POST", `/v1/admin/workspaces/default/${what}`, { body: { amount: { value, currency: "USD" }, reason } });

test("the first workspace starts with its credit", async () => {
  const answer = await server.call("GET", "/v1/wallet/balance");

  expect(answer.body).toEqual({ balance: { value: 10, currency: "USD" }, held: { value: 0, currency: "USD" } });
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

test("a wallet without limits says so", async () => {
  await using unlimited = await startIdentityServer({ unlimited: true });

  const answer = await unlimited.call("GET", "/v1/wallet/balance");

  expect(answer.body).toMatchObject({ balance: { value: 0 }, unlimited: true });
});

describe("the operator", () => {
  test("credits exactly, and is told the balance after it", async () => {
    await adjust("credits", 0.1);
    await adjust("credits", 0.2);

    const answer = await adjust("credits", 0.000001);

    expect(answer).toMatchObject({
      status: 201,
      body: { balance: { value: 10.300001, currency: "USD" }, held: { value: 0 } },
    });
  });

  test("debits what is there", async () => {
    const answer = await adjust("debits", 10);

    expect(answer).toMatchObject({ status: 201, body: { balance: { value: 0 } } });
  });

  test("cannot debit more than is there, also when many ask at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => adjust("debits", 2)));

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(15);
    expect((await server.call("GET", "/v1/wallet/balance")).body.balance.value).toBe(0);
    expect(answers.find(({ status }) => status === 402)?.body).toMatchObject({
      errorCode: "WALLET_INSUFFICIENT_FUNDS",
    });
  });

  test.each([
    ["nothing", 0],
    ["less than nothing", -1],
    ["negative zero", -0],
    ["less than a micro-dollar", 0.0000001],
    ["more digits than a micro-dollar has", 1.0000005],
    ["more than a million", 1_000_000.01],
    ["a huge number", 1e300],
  ])("can neither credit nor debit %s", async (_title, value) => {
    const answers = [await adjust("credits", value), await adjust("debits", value)];

    const refused = { status: 400, body: { code: 400, message: expect.stringMatching(/^amount\.value: /) } };
    expect(answers).toMatchObject([refused, refused]);
    expect((await server.call("GET", "/v1/wallet/balance")).body.balance.value).toBe(10);
    expect((await server.call("GET", "/v1/wallet/activities")).body.items).toHaveLength(1);
  });

  test.each([
    ["none", ""],
    ["only spaces", "   "],
    ["too long", "x".repeat(501)],
  ])("cannot debit with a reason that is %s", async (_title, reason) => {
    expect((await adjust("debits", 1, reason)).status).toBe(400);
    expect((await server.call("GET", "/v1/wallet/balance")).body.balance.value).toBe(10);
  });

  test("is the only one who may: to every other key these are no routes", async () => {
    const { body } = await server.call("POST", "/v1/api-keys", {
      body: { label: "all but the operator", scopes: ["*"] },
    });

    for (const what of ["credits", "debits"]) {
      const answer = await server.call("POST", `/v1/admin/workspaces/default/${what}`, {
        key: body.key,
        body: { amount: { value: 1, currency: "USD" }, reason: "mine" },
      });
      expect(answer.status).toBe(404);
    }
    expect((await server.call("GET", "/v1/wallet/balance")).body.balance.value).toBe(10);
  });

  test.each([
    '{"amount":{"value":1e400,"currency":"USD"},"reason":"x"}',
    '{"amount":{"value":"1","currency":"USD"},"reason":"x"}',
    '{"amount":{"value":null,"currency":"USD"},"reason":"x"}',
    '{"amount":{"value":1,"currency":"EUR"},"reason":"x"}',
    '{"amount":{"value":1,"currency":"USD"}}',
    '{"amount":{"value":1,"currency":"USD"},"reason":" "}',
  ])("cannot credit with the body %s", async (body) => {
    const answer = await server.call("POST", "/v1/admin/workspaces/default/credits", { body });

    expect(answer.status).toBe(400);
  });

  test("cannot credit a workspace that does not exist", async () => {
    const answer = await server.call("POST", "/v1/admin/workspaces/nobody/credits", {
      body: { amount: { value: 1, currency: "USD" }, reason: "gift" },
    });

    expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining('"nobody"') } });
  });
});
