import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type IdentityServer, startIdentityServer } from "../support/identity-server.ts";
import type { Answer } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

let server: IdentityServer;
beforeEach(async () => {
  server = await startIdentityServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const post = async (path: string, body: unknown, key?: string): Promise<Answer> =>
  await server.call("POST", path, { body, ...(key !== undefined && { headers: { "idempotency-key": key } }) });

const usd = (value: number) => ({ value, currency: "USD" });
const balance = async () => (await server.call("GET", "/v1/wallet/balance")).body.balance.value;
const isReplayed = ({ headers }: Answer) => headers.get("idempotent-replayed");
const without = (name: string, body: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));

const credits = "/v1/admin/workspaces/default/credits";
const debits = "/v1/admin/workspaces/default/debits";

describe("asked for again with the same Idempotency-Key", () => {
  test.each([
    ["a workspace", "/v1/admin/workspaces", { name: "Research" }],
    ["a user", "/v1/admin/users", { username: "ada", email: "ada@example.org", workspaceId: "default" }],
    ["a credit", credits, { amount: usd(2.5), reason: "April" }],
    ["a debit", debits, { amount: usd(2.5), reason: "April" }],
  ])("%s is made once, and answered byte for byte as the first time", async (_what, path, body) => {
    const first = await post(path, body, "k");
    await post(credits, { amount: usd(1), reason: "in between" });
    const second = await post(path, body, "k");

    expect(first.status).toBe(201);
    expect(isReplayed(first)).toBeNull();
    expect(second).toMatchObject({ status: 201, text: first.text });
    expect(isReplayed(second)).toBe("true");
  });

  test("a workspace is there once", async () => {
    await post("/v1/admin/workspaces", { name: "Research" }, "k");
    await post("/v1/admin/workspaces", { name: "Research" }, "k");

    const { body } = await server.call("GET", "/v1/admin/workspaces");

    expect(body.items.map(({ slug }: { slug: string }) => slug)).toEqual(["default", "research"]);
  });

  test("money moves once", async () => {
    await post(credits, { amount: usd(2), reason: "April" }, "in");
    await post(credits, { amount: usd(2), reason: "April" }, "in");
    await post(debits, { amount: usd(5), reason: "April" }, "out");
    await post(debits, { amount: usd(5), reason: "April" }, "out");

    expect(await balance()).toBe(7);
  });

  test.each([
    ["an API key", "/v1/api-keys"],
    ["an API key of any workspace", "/v1/admin/workspaces/default/api-keys"],
  ])("%s is made once, and its secret is never told again", async (_what, path) => {
    const first = await post(path, { label: "ci" }, "k");
    const second = await post(path, { label: "ci" }, "k");

    expect(first.body.key).toMatch(/^mkt_live_/);
    expect(second).toMatchObject({ status: 201, body: without("key", first.body) });
    expect(second.body).not.toHaveProperty("key");
    expect(isReplayed(second)).toBe("true");
    expect((await server.call("GET", "/v1/api-keys")).body.items).toHaveLength(2);
  });

  test("what the caller changed since does not change the answer", async () => {
    const first = await post("/v1/api-keys", { label: "ci" }, "k");
    await server.call("POST", "/v1/api-keys/ci/revoke");
    const second = await post("/v1/api-keys", { label: "ci" }, "k");

    expect(second).toMatchObject({ status: 201, body: without("key", first.body) });
    expect(second.body.status).toBe("ACTIVE");
  });
});

test("an answer is kept for 24 hours, whatever else is made", async () => {
  const first = await post(credits, { amount: usd(1), reason: "April" }, "k");
  for (let hour = 1; hour <= 24; hour += 1) {
    server.clock.nowMs += 3_600_000;
    await post(credits, { amount: usd(1), reason: "in between" }, `k${hour}`);
  }

  const second = await post(credits, { amount: usd(1), reason: "April" }, "k");

  expect(second).toMatchObject({ status: 201, text: first.text });
  expect(await balance()).toBe(35);
});

test("an answer is kept also where the clock was a year ahead for a while", async () => {
  const first = await post(credits, { amount: usd(1), reason: "April" }, "k");
  server.clock.nowMs += 365 * 24 * 3_600_000;
  await post(credits, { amount: usd(1), reason: "a year ahead" }, "k2");
  server.clock.nowMs -= 365 * 24 * 3_600_000;

  const second = await post(credits, { amount: usd(1), reason: "April" }, "k");

  expect(isReplayed(second)).toBe("true");
  expect(second.text).toBe(first.text);
  expect(await balance()).toBe(12);
});

describe("many at once with one Idempotency-Key", () => {
  test.each([
    ["credits", credits, 12],
    ["debits", debits, 8],
  ])("%s move money once", async (_what, path, after) => {
    await using daemon = await startTestDaemon();
    const body = { amount: usd(2), reason: "April" };
    const headers = { "idempotency-key": "k" };

    const answers = await Promise.all(
      Array.from({ length: 30 }, async () => await daemon.request("POST", path, body, headers)),
    );

    expect((await daemon.client.getWalletBalance()).balance.value).toBe(after);
    expect(answers.filter((answer) => answer.status === 201 && isReplayed(answer) === null)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  });

  test("with keys of their own each is told the balance that it made", async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => await post(credits, { amount: usd(1), reason: "x" }, `k${index}`)),
    );

    const told = answers.map(({ body }) => body.balance.value).sort((one, other) => one - other);
    expect(told).toEqual(Array.from({ length: 30 }, (_, index) => 11 + index));
  });
});

describe("a key is free again after", () => {
  test("402: the debit goes through once the money is there", async () => {
    const refused = await post(debits, { amount: usd(11), reason: "April" }, "k");
    await post(credits, { amount: usd(5), reason: "April" });
    const taken = await post(debits, { amount: usd(11), reason: "April" }, "k");

    expect([refused.status, taken.status]).toEqual([402, 201]);
    expect(await balance()).toBe(4);
  });

  test("409: the label is free again", async () => {
    await post("/v1/api-keys", { label: "ci" });
    const refused = await post("/v1/api-keys", { label: "ci" }, "k");
    await server.call("POST", "/v1/api-keys/ci/revoke");
    const made = await post("/v1/api-keys", { label: "ci" }, "k");

    expect([refused.status, made.status]).toEqual([409, 201]);
  });
});

test("a key that was used for another request is refused with 422, and no money moves", async () => {
  await post(credits, { amount: usd(2), reason: "April" }, "k");

  const answers = [
    await post(credits, { amount: usd(3), reason: "April" }, "k"),
    await post(debits, { amount: usd(2), reason: "April" }, "k"),
    await post("/v1/admin/workspaces/other/credits", { amount: usd(2), reason: "April" }, "k"),
  ];

  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
  expect(await balance()).toBe(12);
});
