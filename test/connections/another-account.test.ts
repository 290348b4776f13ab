import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { microDollars } from "../controls/control-market.ts";
import { gate } from "../support/gate.ts";
import { OAuthServer } from "../support/oauth-server.ts";
import { type Ask, askWith, request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** What becomes of runs when somebody logs in with another account while they wait or are called. */

let server: OAuthServer;
let market: TestDaemon;
/** Of a workspace of its own, whose account the test before did not touch. */
let ask: Ask;
let workspaceId = "";
let made = 0;
/** One place at the provider, which is taken while the API holds its answers. */
let held = gate();

beforeAll(async () => {
  server = await OAuthServer.start({ expiresIn: 3_600 });
  const file = server.manifest({}, { rateLimit: { requests: 1_000, perMs: 1, concurrency: 1 } }) as {
    endpoints: Record<"/me" | "/orders", object>;
  };
  const { "/me": me, ...others } = file.endpoints;
  const poll = {
    method: "GET",
    path: "/jobs",
    everyMs: 10,
    status: "$.name",
    states: { done: ["done"], failed: ["failed"] },
  };
  const job = { ...me, async: { start: { id: "$.name" }, poll } };
  const endpoints = { ...others, "/me": { ...me, reuse: { maxAgeSeconds: 3_600 } }, "/job": job };
  market = await startTestDaemon({
    manifests: { accounts: { ...file, endpoints } },
    allowPrivateHosts: [server.host],
    environment: { MKT_STARTING_CREDIT: "unlimited" },
  });
});
beforeEach(async () => {
  made += 1;
  const slug = `workspace-${made}`;
  ({ workspaceId } = (await market.request("POST", "/v1/admin/workspaces", { name: slug, slug })).body);
  ask = await newKey({ label: "first" });
  await connect();
  held = gate();
  server.held = held.opened;
});
afterAll(async () => {
  held.open();
  await market[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function newKey(body: object): Promise<Ask> {
  const { key } = (await market.request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, body)).body;
  return askWith(market.url, key);
}

async function connect(): Promise<void> {
  const attempt = await ask("POST", "/v1/connections", { provider: "accounts" });
  await request(await server.login(attempt.body.address));
}

const me = async (more: object = {}, as = ask) =>
  (await as("POST", "/v1/run", { provider: "accounts", endpoint: "/me", input: {}, ...more })).body;
const runs = async (status: string) => (await ask("GET", `/v1/runs?status=${status}`)).body.items;

/** A run whose call the API holds. */
async function begun(): Promise<{ readonly run: ReturnType<typeof me> }> {
  const before = server.served.length;
  const run = me();
  await expect.poll(() => server.served.length).toBe(before + 1);
  return { run };
}

describe("an answer that was under way when another account was connected", () => {
  test("is given again to nobody", async () => {
    const { run } = await begun();
    await connect();
    held.open();
    const first = await run;

    const second = await me({ maxAge: 3_600 });

    expect(first.status).toBe("COMPLETED");
    expect(second).not.toHaveProperty("answeredFrom");
    expect(second.output.login).toBe(first.output.login + 1);
  });

  test("is not that of an equal run that waited for it", async () => {
    const { run } = await begun();
    const waiting = me({ maxAge: 3_600 });
    await connect();
    held.open();
    const [first, second] = await Promise.all([run, waiting]);

    expect(second).not.toHaveProperty("answeredFrom");
    expect(second.output.login).toBe(first.output.login + 1);
  });
});

test("a run that waited in line while another account was connected gives its answer to those who ask that one", async () => {
  const { run } = await begun();
  const inLine = me();
  await expect.poll(async () => (await runs("READY")).length).toBe(1);
  await connect();
  held.open();
  const [first, second] = await Promise.all([run, inLine]);

  const third = await me({ maxAge: 3_600 });

  expect(second.output.login).toBe(first.output.login + 1);
  expect(third).toMatchObject({ answeredFrom: { runId: second.runId }, output: { login: second.output.login } });
});

test("an account that is connected while the one before is being removed stays", async () => {
  const before = server.revoked.length;
  const removing = ask("DELETE", "/v1/connections/accounts");
  await expect.poll(() => server.revoked.length).toBe(before + 1);
  await connect();
  held.open();

  expect(await removing).toMatchObject({ status: 409, body: { next: "mkt connections remove accounts" } });
  expect((await me()).status).toBe("COMPLETED");
  expect(await ask("DELETE", "/v1/connections/accounts")).toMatchObject({ status: 200, body: { revoked: true } });
  expect((await ask("GET", "/v1/connections/accounts")).status).toBe(404);
});

describe("an approval is for the account that is connected when it is given", () => {
  let member: Ask;
  beforeEach(async () => {
    member = await newKey({ label: "program", role: "member" });
    const rule = { limitAmount: microDollars(0.000_1), keyLabel: "program" };
    expect((await ask("POST", "/v1/controls/approval-rules", rule)).status).toBe(201);
  });
  const approve = async (runId: string) => await ask("POST", `/v1/approvals/${runId}/approve`);

  test("so a run that was approved, and waits for its place meanwhile, calls nobody with another one", async () => {
    const { runId } = await me({}, member);
    const { run } = await begun();
    expect((await approve(runId)).status).toBe(200);
    await connect();
    const calls = server.served.length;
    held.open();
    await run;

    const ended = (await ask("GET", `/v1/runs/${runId}?wait=10`)).body;

    expect(ended).toMatchObject({ status: "FAILED", cost: { value: 0 } });
    expect(ended.error.message).toContain("was approved for an account at accounts that was connected anew since then");
    expect(server.served.length).toBe(calls);
  });

  test("so its job is not asked about with another one, and may have been charged", async () => {
    held.open();
    const { runId } = await me({ endpoint: "/job" }, member);
    expect((await approve(runId)).status).toBe(200);
    const polls = () => server.served.filter((call) => call.endsWith("/jobs")).length;
    await expect.poll(polls, { timeout: 15_000 }).toBeGreaterThan(0);
    await connect();

    const ended = (await ask("GET", `/v1/runs/${runId}?wait=10`)).body;

    expect(ended).toMatchObject({ status: "FAILED", cost: { value: 0 } });
    expect(ended.error.message).toContain("was approved for an account at accounts that was connected anew since then");
  });

  test("and a run that nobody had to approve takes whichever is connected", async () => {
    const { run } = await begun();
    const inLine = me();
    await expect.poll(async () => (await runs("READY")).length).toBe(1);
    await connect();
    held.open();

    expect((await Promise.all([run, inLine])).map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED"]);
  });
});
