import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Clock } from "../../daemon/base/clock.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type Ask, askWith, request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";
import { exchange, signIn, ticketOf } from "./sign-in.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The clock of the daemon, which the tests move. */
class MovedClock implements Clock {
  aheadMs = 0;
  now = () => Date.now() + this.aheadMs;
  /** Runs `body` that much later or, below 0, earlier. */
  async at<Value>(ms: number, body: () => Promise<Value>): Promise<Value> {
    this.aheadMs += ms;
    try {
      return await body();
    } finally {
      this.aheadMs -= ms;
    }
  }
}

const clock = new MovedClock();
const home = mktHome();
let provider: IdentityProvider;
let upstream: FakeProvider;
let daemon: TestDaemon;
let owner: Ask;
beforeAll(async () => {
  provider = await startIdentityProvider();
  upstream = await startFakeProvider();
  scriptReport(upstream, { polls: 0 });
  daemon = await startTestDaemon({
    home,
    clock,
    environment: provider.environment,
    manifests: { nimbus: weatherManifest(upstream.url) },
  });
  owner = daemon.request;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

let made = 0;
/** A new key, made by whoever asks. */
async function newKey(by: Ask, members: object = {}): Promise<{ ask: Ask; label: string; keyPrefix: string }> {
  const label = `key ${(made += 1)}`;
  const { status, body } = await by("POST", "/v1/api-keys", { label, ...members });
  expect(status).toBe(201);
  return { ask: askWith(daemon.url, body.key), label, keyPrefix: body.keyPrefix };
}

const money = (value: number) => ({ value, currency: "USD" });
const dollars = (value: number) => ({ value, unit: "DOLLAR", currency: "USD" });
const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };

/** A run, when it has ended. */
async function runToEnd(ask: Ask): Promise<{ readonly runId: string; readonly status: string }> {
  const { status, body } = await ask("POST", "/v1/run", report);
  expect(status, JSON.stringify(body)).toBe(202);
  return (await ask("GET", `/v1/runs/${body.runId}?wait=20`)).body;
}

describe("a ticket", () => {
  test("opens one session, which is a key of the same workspace for at most twelve hours", async () => {
    const session = await signIn(daemon.url, owner);

    const whoami = await session.ask("GET", "/v1/auth/whoami");
    const own = await owner("GET", "/v1/auth/whoami");

    expect(session.key).toMatch(/^mkt_console_[0-9A-Za-z]{49}$/);
    expect(session.workspaceId).toBe(own.body.workspace.workspaceId);
    expect(whoami.body.workspace).toEqual(own.body.workspace);
    expect(whoami.body.user).toEqual(own.body.user);
    expect(whoami.body.credential).toMatchObject({ scopes: ["*"], operator: true, expiresAt: session.expiresAt });
    expect(Date.parse(session.expiresAt) - clock.now()).toBeLessThanOrEqual(12 * HOUR_MS);
    expect(Date.parse(session.expiresAt) - clock.now()).toBeGreaterThan(11 * HOUR_MS);
  });

  test("is in the fragment of its address, which no browser sends", async () => {
    const { body } = await owner("POST", "/v1/console/tickets");

    expect(body.path).toBe(`console/#ticket=${body.ticket}`);
    expect(body.ticket).toMatch(/^tkt_[\w-]{43}$/);
  });

  test("is refused when it was used, and the session of the first use goes on", async () => {
    const ticket = await ticketOf(owner);
    const first = await exchange(daemon.url, ticket);

    const second = await exchange(daemon.url, ticket);

    expect(first.status).toBe(201);
    expect(second).toMatchObject({ status: 401, body: { code: 401, next: "mkt console" } });
    expect((await askWith(daemon.url, first.body.key)("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test("opens one session for twenty browsers that come at once", async () => {
    const ticket = await ticketOf(owner);

    const answers = await Promise.all(Array.from({ length: 20 }, async () => await exchange(daemon.url, ticket)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 401)]);
  });

  test("is refused after a minute", async () => {
    const ticket = await ticketOf(owner);

    expect((await clock.at(MINUTE_MS, async () => await exchange(daemon.url, ticket))).status).toBe(401);
    expect((await clock.at(MINUTE_MS - 5_000, async () => await exchange(daemon.url, ticket))).status).toBe(201);
  });

  test("is refused while the clock stands before it was made", async () => {
    const ticket = await ticketOf(owner);

    const early = await clock.at(-HOUR_MS, async () => await exchange(daemon.url, ticket));

    expect(early.status).toBe(401);
    expect((await exchange(daemon.url, ticket)).status).toBe(201);
  });

  test("is refused when the key that asked for it was revoked, or has expired", async () => {
    const revoked = await newKey(owner);
    const expiring = await newKey(owner, { expiresAt: new Date(clock.now() + 30_000).toISOString() });
    const [one, other] = [await ticketOf(revoked.ask), await ticketOf(expiring.ask)];
    await owner("POST", `/v1/api-keys/${encodeURIComponent(revoked.label)}/revoke`);

    expect((await exchange(daemon.url, one)).status).toBe(401);
    expect((await clock.at(40_000, async () => await exchange(daemon.url, other))).status).toBe(401);
  });

  test.each(["", "tkt_", `tkt_${"A".repeat(43)}`, `tkt_${"A".repeat(44)}`, "mkt_live_x", "../../etc/passwd"])(
    "%j was never made and is refused alike",
    async (ticket) => {
      expect(await exchange(daemon.url, ticket)).toMatchObject({ status: 401, body: { next: "mkt console" } });
    },
  );

  test("needs a credential, and is no credential itself", async () => {
    const ticket = await ticketOf(owner);

    expect((await request(`${daemon.url}/v1/console/tickets`, "POST")).status).toBe(401);
    expect((await askWith(daemon.url, ticket)("GET", "/v1/auth/whoami")).status).toBe(401);
  });

  test("and a session's key are kept nowhere as they are", async () => {
    const ticket = await ticketOf(owner);
    const { body } = await exchange(daemon.url, ticket);

    const log = join(home.dataDir, "log");
    const lines = readdirSync(log).map((name) => readFileSync(join(log, name), "latin1"));

    const all = lines.join("\n");
    expect(all).toContain(body.keyId);
    expect(all).not.toContain(ticket);
    expect(all).not.toContain(ticket.slice("tkt_".length));
    expect(all).not.toContain(body.key.slice(-30));
  });

  test("does not make room for more than twenty of one key", async () => {
    const tickets: string[] = [];
    for (let count = 0; count < 21; count += 1) tickets.push(await ticketOf(owner));

    expect((await exchange(daemon.url, tickets[0] ?? "")).status).toBe(401);
    expect((await exchange(daemon.url, tickets[1] ?? "")).status).toBe(201);
  });
});

describe("a session", () => {
  test("ends with the key that opened it", async () => {
    const key = await newKey(owner);
    const session = await signIn(daemon.url, key.ask);
    expect((await session.ask("GET", "/v1/runs")).status).toBe(200);

    await owner("POST", `/v1/api-keys/${encodeURIComponent(key.label)}/revoke`);

    expect((await session.ask("GET", "/v1/runs")).status).toBe(401);
  });

  test("ends after twelve hours, and with its key where that is earlier", async () => {
    const expiresAt = new Date(clock.now() + HOUR_MS).toISOString();
    const short = await signIn(daemon.url, (await newKey(owner, { expiresAt })).ask);
    const long = await signIn(daemon.url, owner);
    const statuses = async () =>
      await Promise.all([short, long].map(async ({ ask }) => (await ask("GET", "/v1/runs")).status));

    expect(short.expiresAt).toBe(expiresAt);
    expect(await statuses()).toEqual([200, 200]);
    expect(await clock.at(HOUR_MS + 1, statuses)).toEqual([401, 200]);
    expect(await clock.at(12 * HOUR_MS + 1, statuses)).toEqual([401, 401]);
  });

  test("signs itself out, and nobody else", async () => {
    const [one, other] = [await signIn(daemon.url, owner), await signIn(daemon.url, owner)];

    expect((await one.ask("DELETE", "/v1/console/session")).status).toBe(204);

    expect((await one.ask("GET", "/v1/auth/whoami")).status).toBe(401);
    expect((await one.ask("DELETE", "/v1/console/session")).status).toBe(401);
    expect((await other.ask("GET", "/v1/auth/whoami")).status).toBe(200);
    expect((await owner("DELETE", "/v1/console/session")).status).toBe(409);
    expect((await owner("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test("is listed and revoked like a key", async () => {
    const session = await signIn(daemon.url, owner);

    const listed = await owner("GET", "/v1/api-keys?limit=100");
    const revoked = await owner("POST", `/v1/api-keys/${session.label}/revoke`);

    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ label: session.label, session: true, status: "ACTIVE", expiresAt: session.expiresAt }),
    );
    expect(revoked).toMatchObject({ status: 200, body: { status: "REVOKED" } });
    expect((await session.ask("GET", "/v1/auth/whoami")).status).toBe(401);
  });

  test("opens no other one, and makes no key that outlives it", async () => {
    const session = await signIn(daemon.url, owner);
    const later = new Date(Date.parse(session.expiresAt) + 1_000).toISOString();

    const ticket = await session.ask("POST", "/v1/console/tickets");
    const unbounded = await session.ask("POST", "/v1/api-keys", { label: "from a session" });
    const longer = await session.ask("POST", "/v1/api-keys", { label: "longer", expiresAt: later });

    expect(ticket).toMatchObject({ status: 403, body: { next: "mkt console" } });
    expect(unbounded).toMatchObject({ status: 201, body: { expiresAt: session.expiresAt } });
    expect(longer.status).toBe(400);
  });

  test.each([
    ["scopes", { scopes: ["runs:read"] }],
    ["role", { role: "member" }],
    ["providers", { providers: ["nimbus"] }],
    ["endpoints", { endpoints: ["nimbus/report"] }],
    ["spend limit", { spendLimit: { amount: money(3), period: "DAY" } }],
  ])("has the %s of its key, and passes on no more", async (_, members) => {
    const key = await newKey(owner, members);

    const session = await signIn(daemon.url, key.ask);

    const [own, ofSession] = await Promise.all(
      [key.ask, session.ask].map(async (ask) => (await ask("GET", "/v1/auth/whoami")).body.credential),
    );
    expect({ ...ofSession, expiresAt: undefined }).toEqual(own);
    const wider = await session.ask("POST", "/v1/api-keys", { label: "wider", scopes: ["*"] });
    expect(wider.status).toBe("scopes" in members || "role" in members ? 403 : 201);
    if (wider.status === 201) {
      expect(wider.body).toMatchObject(members);
      await owner("POST", "/v1/api-keys/wider/revoke");
    }
  });

  test("may run what its key may run, and its spending counts there", async () => {
    const limit = { amount: money(0.05), period: "DAY" };
    const key = await newKey(owner, { spendLimit: limit, providers: ["nimbus"] });
    const [one, other] = [await signIn(daemon.url, key.ask), await signIn(daemon.url, key.ask)];
    const spent = async (ask: Ask) =>
      (await ask("GET", "/v1/auth/whoami")).body.credential.spending.spent.value as number;

    const run = await runToEnd(one.ask);

    expect(run).toMatchObject({ status: "COMPLETED" });
    expect(await spent(key.ask)).toBeGreaterThan(0);
    expect(await spent(other.ask)).toBe(await spent(key.ask));
    expect((await one.ask("POST", "/v1/run", { provider: "atlas", endpoint: "/sun", input: {} })).status).not.toBe(200);
  });

  test("of a member sees that key's runs alone, and those that were made through other sessions of it", async () => {
    const member = await newKey(owner, { role: "member" });
    const [one, other] = [await signIn(daemon.url, member.ask), await signIn(daemon.url, member.ask)];
    await runToEnd(owner);
    const { runId } = await runToEnd(one.ask);

    const seen = await other.ask("GET", "/v1/runs");

    expect(seen.body.items.map((run: { runId: string }) => run.runId)).toEqual([runId]);
    expect((await member.ask("GET", `/v1/runs/${runId}`)).status).toBe(200);
  });

  test("cannot approve what its key asked for, nor can the key approve what the session asked for", async () => {
    const manager = await newKey(owner, { role: "manager" });
    const session = await signIn(daemon.url, manager.ask);
    const rule = await owner("POST", "/v1/controls/approval-rules", {
      keyLabel: manager.label,
      limitAmount: dollars(0),
    });
    expect(rule.status, JSON.stringify(rule.body)).toBe(201);
    const ofKey = await manager.ask("POST", "/v1/run", report);
    const ofSession = await session.ask("POST", "/v1/run", report);

    const refusals = await Promise.all([
      session.ask("POST", `/v1/approvals/${ofKey.body.runId}/approve`),
      manager.ask("POST", `/v1/approvals/${ofSession.body.runId}/approve`),
      session.ask("POST", `/v1/approvals/${ofSession.body.runId}/approve`),
      (await signIn(daemon.url, manager.ask)).ask("POST", `/v1/approvals/${ofSession.body.runId}/approve`),
    ]);

    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const others = await signIn(daemon.url, owner);
    expect((await others.ask("POST", `/v1/approvals/${ofSession.body.runId}/approve`)).status).toBe(200);
  });

  test("of an operator stays in the workspace that it was opened for", async () => {
    const elsewhere = await owner("POST", "/v1/admin/workspaces", { name: "Elsewhere" });
    const { workspaceId } = elsewhere.body.workspace ?? elsewhere.body;
    const { body } = await owner("POST", "/v1/console/tickets", undefined, { "x-workspace-id": workspaceId });
    const session = (await exchange(daemon.url, body.ticket)).body;

    const there = await askWith(daemon.url, session.key)("GET", "/v1/auth/whoami");
    const here = await request(`${daemon.url}/v1/auth/whoami`, "GET", {
      key: session.key,
      headers: { "x-workspace-id": (await owner("GET", "/v1/auth/whoami")).body.workspace.workspaceId },
    });

    expect(session.workspaceId).toBe(workspaceId);
    expect(there.body.workspace.workspaceId).toBe(workspaceId);
    expect([here.status, here.body.workspace?.workspaceId ?? workspaceId]).toContain(workspaceId);
  });

  test("makes room: the newest twenty of a key stay", async () => {
    const key = await newKey(owner);
    const sessions = [];
    for (let count = 0; count < 21; count += 1) sessions.push(await signIn(daemon.url, key.ask));

    const statuses = await Promise.all(sessions.map(async ({ ask }) => (await ask("GET", "/v1/runs")).status));

    expect(statuses).toEqual([401, ...Array.from({ length: 20 }, () => 200)]);
  });
});

describe("with an access token", () => {
  test("a session acts as the user, and ends with the token", async () => {
    const exp = Math.floor(clock.now() / 1_000) + 600;
    const token = await provider.token({ sub: "grace", org_id: "org_console", exp });
    const session = await signIn(daemon.url, askWith(daemon.url, token));

    const [own, ofSession] = await Promise.all(
      [askWith(daemon.url, token), session.ask].map(async (ask) => (await ask("GET", "/v1/auth/whoami")).body),
    );

    expect(ofSession).toEqual(own);
    expect(session.expiresAt).toBe(new Date(exp * 1_000).toISOString());
    const key = await session.ask("POST", "/v1/api-keys", { label: "of a person" });
    expect(key).toMatchObject({ status: 201, body: { expiresAt: session.expiresAt } });
    expect((await clock.at(601_000, async () => await session.ask("GET", "/v1/auth/whoami"))).status).toBe(401);
  });
});

test("tickets and sessions outlive a restart", async () => {
  using own = mktHome();
  const before = await startTestDaemon({ home: own });
  const ticket = await ticketOf(before.request);
  const used = await ticketOf(before.request);
  const session = await signIn(before.url, before.request);
  await exchange(before.url, used);
  await before[Symbol.asyncDispose]();

  await using after = await startTestDaemon({ home: own });

  expect((await askWith(after.url, session.key)("GET", "/v1/auth/whoami")).status).toBe(200);
  expect((await exchange(after.url, used)).status).toBe(401);
  expect((await exchange(after.url, ticket)).status).toBe(201);
  expect((await exchange(after.url, ticket)).status).toBe(401);
});

test("a daemon without the console makes no tickets and opens no sessions", async () => {
  await using off = await startTestDaemon({ environment: { MKT_CONSOLE: "off" } });

  const answers = await Promise.all([
    off.request("POST", "/v1/console/tickets"),
    exchange(off.url, `tkt_${"A".repeat(43)}`),
    request(`${off.url}/v1/console/sign-in`),
    request(`${off.url}/console`),
    request(`${off.url}/console/`),
    request(`${off.url}/console/assets/index.abc.js`),
  ]);

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(answers.every(({ text }) => text.includes("MKT_CONSOLE=off"))).toBe(true);
});
