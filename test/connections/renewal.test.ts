import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { OAuthServer } from "../support/oauth-server.ts";
import { type Ask, askWith, request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

const HOUR_MS = 3_600_000;

let server: OAuthServer;
let receiver: FakeProvider;
let home: MktHome;
let market: TestDaemon;
let nowMs = Date.now();

const startMarket = async () =>
  await startTestDaemon({
    home,
    manifests: { accounts: server.manifest() },
    allowPrivateHosts: [server.host, new URL(receiver.url).host],
    clock: { now: () => nowMs },
    environment: { MKT_STARTING_CREDIT: "unlimited" },
  });

beforeAll(async () => {
  server = await OAuthServer.start();
  receiver = await startFakeProvider();
  home = mktHome();
  market = await startMarket();
});
beforeEach(() => {
  server.options = { rotates: true, expiresIn: 3_600 };
  server.challenge = 'Bearer error="invalid_token"';
  server.faults.length = 0;
});
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

let made = 0;

/** A workspace of its own with a connected account. */
async function connected(): Promise<{ readonly ask: Ask; readonly id: string; readonly key: string }> {
  const name = `workspace-${(made += 1)}`;
  const { workspaceId: id } = (await market.request("POST", "/v1/admin/workspaces", { name, slug: name })).body;
  const { key } = (await market.request("POST", `/v1/admin/workspaces/${id}/api-keys`, { label: "first" })).body;
  const ask = askWith(market.url, key);
  const begun = await ask("POST", "/v1/connections", { provider: "accounts" });
  await request(await server.login(begun.body.address));
  return { ask, id, key };
}

const me = async (ask: Ask) => await ask("POST", "/v1/run", { provider: "accounts", endpoint: "/me", input: {} });
const order = async (ask: Ask) =>
  await ask("POST", "/v1/run", { provider: "accounts", endpoint: "/orders", input: { body: { what: "tea" } } });
const stateOf = async (ask: Ask) => (await ask("GET", "/v1/connections/accounts")).body;
const refreshes = () => server.count("refresh_token");

/** The file of a workspace's connection, and what is in it. */
function recordOf(workspaceId: string) {
  const folder = join(home.configDir, "connections");
  const files = readdirSync(folder).map((name) => join(folder, name));
  const all = files.map((file) => ({ file, record: JSON.parse(readFileSync(file, "utf8")) }));
  const found = all.find(({ record }) => record.workspaceId === workspaceId);
  if (found === undefined) throw new Error(`no connection of ${workspaceId} is kept`);
  return found;
}

describe("an access token that is about to expire", () => {
  test("is renewed once for fifty runs at the same moment", async () => {
    const { ask } = await connected();
    nowMs += HOUR_MS - 10_000;
    const before = refreshes();

    const answers = await Promise.all(Array.from({ length: 50 }, async () => await me(ask)));

    expect(answers.map(({ body }) => body.status)).toEqual(Array.from({ length: 50 }, () => "COMPLETED"));
    expect(refreshes() - before).toBe(1);
    expect(server.reuses).toBe(0);
  });

  test("is renewed again and again with the newest refresh token", async () => {
    const { ask } = await connected();

    for (let hour = 0; hour < 5; hour += 1) {
      nowMs += HOUR_MS;
      expect((await me(ask)).body.status).toBe("COMPLETED");
    }

    expect(server.reuses).toBe(0);
  });

  test.each([
    ["nothing of its life", { expires_in: undefined }],
    ["a life that is no number", { expires_in: "soon" }],
    ["a negative life", { expires_in: -5 }],
    ["a life as a text", { expires_in: "3600" }],
    ["a life of ten thousand years", { expires_in: 315_576_000_000 }],
  ])("is used when the provider says %s", async (_what, members) => {
    server.faults.push({ members });
    const { ask } = await connected();
    const before = refreshes();

    expect((await me(ask)).body.status).toBe("COMPLETED");
    expect(refreshes()).toBe(before);
  });

  test("is renewed for each run, and once in it, when its life is zero", async () => {
    server.options = { rotates: true, expiresIn: 0 };
    const { ask } = await connected();
    const before = refreshes();

    await me(ask);
    const second = await me(ask);

    expect(second.body.status).toBe("COMPLETED");
    expect(refreshes() - before).toBe(2);
  });

  test("is renewed after a clock that went back, by the 401", async () => {
    const { ask } = await connected();
    nowMs -= 10 * HOUR_MS;
    server.expireAccessTokens();

    const answer = await me(ask);
    nowMs += 10 * HOUR_MS;

    expect(answer.body.status).toBe("COMPLETED");
  });

  test("ends the connection if nothing renews it, which is told with the command", async () => {
    server.faults.push({ members: { refresh_token: undefined } });
    const { ask } = await connected();
    expect((await me(ask)).body.status).toBe("COMPLETED");
    nowMs += HOUR_MS;

    expect(await me(ask)).toMatchObject({
      status: 503,
      body: { errorCode: "NOT_CONNECTED", next: "mkt connect accounts" },
    });
    expect(await stateOf(ask)).toMatchObject({ state: "expired", renews: false });
  });
});

describe("a 401", () => {
  test("makes one renewal and one repeat of a call that reads", async () => {
    const { ask } = await connected();
    server.expireAccessTokens();
    const before = { refreshes: refreshes(), refused: server.refused.length };

    const answer = await me(ask);

    expect(answer.body).toMatchObject({ status: "COMPLETED", output: { name: "Ada" } });
    expect([refreshes() - before.refreshes, server.refused.length - before.refused]).toEqual([1, 1]);
  });

  test("makes a repeat of a call that writes only if the provider says that it was the token", async () => {
    const { ask } = await connected();
    server.expireAccessTokens();
    const told = await order(ask);
    server.challenge = undefined;
    nowMs += 2 * 60_000;
    server.expireAccessTokens();
    const untold = await order(ask);
    const next = await order(ask);

    expect(told.body.status).toBe("COMPLETED");
    expect(told.body.providerResponse.httpStatus).toBe(200);
    expect(untold.body.providerResponse.httpStatus).toBe(401);
    expect(untold.body.notes.join()).toContain("mkt connect accounts");
    expect(next.body.providerResponse.httpStatus).toBe(200);
  });

  test("to many runs at the same moment makes one renewal, which all of them wait for", async () => {
    const { ask } = await connected();
    const [before, refused] = [refreshes(), server.refused.length];
    server.expireAccessTokens();
    const held = gate();
    server.faults.push({ after: held.opened });

    const running = Promise.all(Array.from({ length: 20 }, async () => await me(ask)));
    // Several are refused at once; on a slow machine the others come when the first has begun the renewal, and wait.
    await expect.poll(() => server.refused.length - refused).toBeGreaterThan(0);
    await expect.poll(() => refreshes()).toBe(before + 1);
    held.open();
    const answers = await running;

    expect(answers.map(({ body }) => body.providerResponse?.httpStatus)).toEqual(answers.map(() => 200));
    expect(refreshes() - before).toBe(1);
    expect((await stateOf(ask)).lastFailure).toBeUndefined();
  });

  test("for every token does not make a renewal for every run", async () => {
    const { ask } = await connected();
    const before = refreshes();

    for (let count = 0; count < 5; count += 1) {
      server.expireAccessTokens();
      await me(ask);
    }

    expect(refreshes() - before).toBe(1);
  });
});

describe("a renewal that fails", () => {
  test("because the person took it back ends the connection, and the run says the command", async () => {
    const { ask } = await connected();
    server.revokeAll();

    const ran = await me(ask);
    const later = await me(ask);

    expect(ran.body).toMatchObject({
      status: "FAILED",
      error: { source: "mkt", errorCode: "NOT_CONNECTED", next: "mkt connect accounts" },
    });
    expect(ran.body.error.message).toContain("was revoked there; connect again: mkt connect accounts");
    expect(later).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED" } });
    expect(await stateOf(ask)).toMatchObject({ state: "revoked", next: "mkt connect accounts" });
  });

  test.each([
    ["an error of the server", { status: 503, body: { error: "temporarily_unavailable" } }],
    ["a page instead of tokens", { status: 200, body: "<html>" }],
    ["a redirect", { status: 302, headers: { location: "https://evil.example/token" } }],
    ["a connection that breaks", { reset: true as const }],
    ["an answer without end", { endless: true as const }],
    ["a client that the server does not know", { status: 401, body: { error: "invalid_client" } }],
    ["tokens of another type", { members: { token_type: "DPoP" } }],
  ])("by %s fails the run, charges nothing, and leaves the connection", async (_what, fault) => {
    server.options = { rotates: false, expiresIn: 3_600 };
    const { ask } = await connected();
    nowMs += HOUR_MS;
    // From this one on it is known that renewals leave the refresh token as it is.
    await me(ask);
    nowMs += HOUR_MS;
    server.faults.push(fault);
    const before = refreshes();

    const ran = await me(ask);
    const marked = await stateOf(ask);
    const again = await me(ask);

    expect(ran.body).toMatchObject({ status: "FAILED", billing: { reportedCost: { value: 0 } } });
    expect(ran.body.error.errorCode).toBeUndefined();
    expect(marked).toMatchObject({ state: "connected", lastFailure: { message: expect.any(String) } });
    expect(again.body.status).toBe("COMPLETED");
    expect(refreshes() - before).toBe(2);
  });
});

describe("a renewal that was granted", () => {
  test.each([408, 502, 504, 522])(
    "or not, of which a gateway had no answer (%i), is not tried again",
    async (status) => {
      const { ask } = await connected();
      nowMs += HOUR_MS;
      server.faults.push({ status });
      const before = refreshes();

      const ran = await me(ask);
      const again = await me(ask);

      expect(ran.body.error).toMatchObject({ errorCode: "NOT_CONNECTED", next: "mkt connect accounts" });
      expect(again).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED" } });
      expect(await stateOf(ask)).toMatchObject({ state: "interrupted", next: "mkt connect accounts" });
      expect(refreshes() - before).toBe(1);
    },
  );

  test("and whose answer was lost is not tried again with the refresh token that it spent", async () => {
    const { ask } = await connected();
    nowMs += HOUR_MS;
    server.faults.push({ resetAfterGrant: true });
    const before = refreshes();

    const ran = await me(ask);
    const again = await me(ask);

    expect(ran.body).toMatchObject({
      status: "FAILED",
      error: { errorCode: "NOT_CONNECTED", next: "mkt connect accounts" },
    });
    expect(again).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED" } });
    expect(await stateOf(ask)).toMatchObject({ state: "interrupted", next: "mkt connect accounts" });
    expect([refreshes() - before, server.reuses]).toEqual([1, 0]);
  });

  test("and cannot be written is used, told with the command, and written by a later run", async () => {
    const { ask, id } = await connected();
    const { file } = recordOf(id);

    const { ran, told } = await renewUnwritten(ask, file);
    rmSync(file, { recursive: true });
    const later = await me(ask);

    expect(ran.body.status).toBe("COMPLETED");
    expect(told).toMatchObject({ state: "connected", lastFailure: { message: expect.any(String) } });
    expect(told.lastFailure.message).toMatch(/not written to the disk .*connect again: mkt connect accounts/);
    expect(later.body.status).toBe("COMPLETED");
    expect(recordOf(id).record.renewingSince).toBeUndefined();
    expect((await stateOf(ask)).lastFailure).toBeUndefined();
  });

  test("and cannot be written is told again when the same happens to a later renewal", async () => {
    receiver.on("POST /disk", { status: 204 });
    const told = () => receiver.calls.filter(({ path }) => path === "/disk").length;
    const { ask, id } = await connected();
    const body = { url: `${receiver.url}/disk`, events: ["connection.failing"] };
    await market.request("POST", "/v1/webhooks", body, { "x-workspace-id": id });
    const { file } = recordOf(id);

    for (const times of [1, 2]) {
      await renewUnwritten(ask, file);
      await expect.poll(told, { timeout: 20_000 }).toBe(times);
      rmSync(file, { recursive: true });
      await me(ask);
    }
  });

  test("and cannot be written is written when the daemon stops", async () => {
    const { ask, id, key } = await connected();
    const { file } = recordOf(id);

    await renewUnwritten(ask, file);
    rmSync(file, { recursive: true });
    await market[Symbol.asyncDispose]();
    market = await startMarket();

    expect((await me(askWith(market.url, key))).body.status).toBe("COMPLETED");
    expect(await stateOf(askWith(market.url, key))).not.toHaveProperty("lastFailure");
  });
});

/** A run whose renewal cannot be written, and what is told of the connection then. */
async function renewUnwritten(ask: Ask, file: string) {
  nowMs += HOUR_MS;
  const held = gate();
  server.faults.push({ after: held.opened });
  const before = refreshes();
  const running = me(ask);
  await expect.poll(() => refreshes()).toBe(before + 1);
  // Nothing can take the place of a folder.
  rmSync(file);
  mkdirSync(join(file, "in-the-way"), { recursive: true });
  held.open();
  return { ran: await running, told: await stateOf(ask) };
}

test("a token that is refused, with nothing to renew it, is told of until the provider takes it again, and then anew", async () => {
  receiver.on("POST /refused", { status: 204 });
  const told = () =>
    receiver.calls.filter(({ path }) => path === "/refused").map(({ headers }) => headers["webhook-id"]);
  server.faults.push({ members: { refresh_token: undefined } });
  const { ask, id } = await connected();
  const body = { url: `${receiver.url}/refused`, events: ["connection.failing"] };
  await market.request("POST", "/v1/webhooks", body, { "x-workspace-id": id });

  for (const times of [1, 2]) {
    nowMs += 60_000;
    server.refusesTokens = true;
    await me(ask);
    expect((await stateOf(ask)).lastFailure.message).toContain("401");
    server.refusesTokens = false;
    expect((await me(ask)).body.status).toBe("COMPLETED");
    expect(await stateOf(ask)).not.toHaveProperty("lastFailure");
    await expect.poll(() => new Set(told()).size, { timeout: 20_000 }).toBe(times);
  }
});

describe("an account that was taken back at the provider", () => {
  test("is told once to the webhooks of its workspace and of the operator, with the command, until it is connected again", async () => {
    receiver.on("POST /hook", { status: 204 });
    receiver.on("POST /own", { status: 204 });
    const calls = (path: string) =>
      receiver.calls
        .filter((one) => one.path === path)
        .map(({ text }) => JSON.parse(text) as { type: string; data: object });
    const { ask, id } = await connected();
    const events = ["connection.failing"];
    const { body } = await market.request("POST", "/v1/webhooks", { url: `${receiver.url}/hook`, events });
    // For the workspace, by the operator, as others may name no address of this machine.
    await market.request("POST", "/v1/webhooks", { url: `${receiver.url}/own`, events }, { "x-workspace-id": id });
    nowMs += HOUR_MS;
    server.revokeAll();

    await me(ask);
    await me(ask);

    await expect.poll(() => [calls("/hook").length, calls("/own").length], { timeout: 20_000 }).toEqual([1, 1]);
    const data = { provider: "accounts", state: "revoked", next: "mkt connect accounts" };
    for (const path of ["/hook", "/own"]) expect(calls(path)).toMatchObject([{ type: "connection.failing", data }]);
    const begun = await ask("POST", "/v1/connections", { provider: "accounts" });
    await request(await server.login(begun.body.address));
    expect((await me(ask)).body.status).toBe("COMPLETED");
    nowMs += HOUR_MS;
    server.revokeAll();
    await me(ask);
    await expect.poll(() => [calls("/hook").length, calls("/own").length], { timeout: 20_000 }).toEqual([2, 2]);
    await market.request("DELETE", `/v1/webhooks/${body.webhookId}`);
  });
});

describe("what was written before a renewal was sent", () => {
  test("is on the disk while the provider has not answered, and gone afterwards", async () => {
    const { ask, id } = await connected();
    nowMs += HOUR_MS;
    const held = gate();
    server.faults.push({ after: held.opened });
    const before = refreshes();

    const running = me(ask);
    await expect.poll(() => refreshes()).toBe(before + 1);
    const during = recordOf(id).record;
    const other = await stateOf(ask);
    held.open();
    await running;

    expect(during.renewingSince).toEqual(expect.any(String));
    expect(other.state).toBe("connected");
    expect(recordOf(id).record.renewingSince).toBeUndefined();
  });

  test("makes a restart say to connect again, unless renewals leave the refresh token as it is", async () => {
    const rotating = await connected();
    server.options = { rotates: false, expiresIn: 3_600 };
    const staying = await connected();
    nowMs += HOUR_MS;
    await me(staying.ask);
    await market[Symbol.asyncDispose]();
    for (const { id } of [rotating, staying]) {
      const { file, record } = recordOf(id);
      writeFileSync(file, JSON.stringify({ ...record, renewingSince: "2026-01-01T00:00:00.000Z" }));
    }
    market = await startMarket();
    const [first, second] = [askWith(market.url, rotating.key), askWith(market.url, staying.key)];

    const refused = await me(first);

    expect(refused).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED", next: "mkt connect accounts" } });
    expect(refused.body.message).toContain("connect again: mkt connect accounts");
    expect(await stateOf(first)).toMatchObject({ state: "interrupted" });
    expect((await me(second)).body.status).toBe("COMPLETED");
  });
});

describe("a file that changes after the login", () => {
  test("gets no token to another address, of the login or of the API", async () => {
    const { ask, id } = await connected();
    const { file, record } = recordOf(id);
    await using evil = await OAuthServer.start();

    for (const [auth, http] of [
      [{ tokenUrl: `${evil.url}/token` }, {}],
      [{ refreshUrl: `${evil.url}/token` }, {}],
      [{ revocationUrl: `${evil.url}/revoke` }, {}],
      [{ tokenUrl: `${server.url}/of-another/token` }, {}],
      [{ clientId: "another" }, {}],
      [{ issuer: evil.url }, {}],
      [{}, { baseUrl: `${evil.url}/api` }],
    ]) {
      await market[Symbol.asyncDispose]();
      market = await startTestDaemon({
        home,
        manifests: { accounts: server.manifest(auth, http) },
        allowPrivateHosts: [server.host, evil.host],
        clock: { now: () => nowMs },
      });
      const again = askWith(market.url, (await newKey(id)).key);
      expect(await me(again)).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED" } });
      expect(await stateOf(again)).toMatchObject({ state: "changed" });
    }
    await market[Symbol.asyncDispose]();
    market = await startMarket();

    expect([evil.tokenRequests, evil.served, evil.refused, evil.revoked]).toEqual([[], [], [], []]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(record);
    expect((await me(askWith(market.url, (await newKey(id)).key))).body.status).toBe("COMPLETED");
    expect(ask).toBeDefined();
  });
});

async function newKey(workspaceId: string): Promise<{ key: string }> {
  made += 1;
  return (await market.request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: `key-${made}` })).body;
}
