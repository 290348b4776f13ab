import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { OAuthServer } from "../support/oauth-server.ts";
import { type Ask, askWith, request } from "../support/request.ts";
import { lastLine, runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

const SECRET = "client-secret-of-the-tests";

let server: OAuthServer;
let market: TestDaemon;
let home: MktHome;
let env: Readonly<Record<string, string>>;
const log: string[] = [];

beforeAll(async () => {
  server = await OAuthServer.start({ clientSecret: SECRET, rotates: true, expiresIn: 3_600 });
  home = mktHome();
  market = await startTestDaemon({
    home,
    manifests: {
      accounts: {
        ...server.manifest({ clientSecret: "${secret.client}" }),
        secrets: { client: { env: "ACCOUNTS_SECRET" } },
      },
      other: {
        ...server.manifest({ clientSecret: "${secret.client}" }),
        secrets: { client: { env: "ACCOUNTS_SECRET" } },
      },
      plain: { ...server.manifest(), http: { baseUrl: `${server.url}/api`, allowPrivateNetwork: true } },
    },
    environment: { ACCOUNTS_SECRET: SECRET },
    allowPrivateHosts: [server.host],
    onLog: (line) => log.push(JSON.stringify(line)),
  });
  env = { ...home.environment, MKT_API_URL: market.url, MKT_API_KEY: market.key };
});
beforeEach(() => {
  server.options = { clientSecret: SECRET, rotates: true, expiresIn: 3_600 };
});
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const run = async (ask: Ask = market.request, provider = "accounts") =>
  await ask("POST", "/v1/run", { provider, endpoint: "/me", input: {} });

/** Logs in as a person would, and gives the page at which the browser ended. */
async function connect(ask: Ask = market.request, provider = "accounts") {
  const begun = await ask("POST", "/v1/connections", { provider });
  return await request(await server.login(begun.body.address));
}

async function newWorkspace(name: string): Promise<{ ask: Ask; id: string }> {
  const made = await market.request("POST", "/v1/admin/workspaces", { name, slug: name });
  const { workspaceId } = made.body;
  await market.request("POST", `/v1/admin/workspaces/${workspaceId}/credits`, {
    amount: { value: 5, currency: "USD" },
    reason: "a test",
  });
  const key = await market.request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "first" });
  return { ask: askWith(market.url, key.body.key), id: workspaceId };
}

describe("a provider with a login", () => {
  test("is not run before an account is connected, and says the command", async () => {
    const answer = await run();
    const typed = await runMkt(["run", "accounts/me", "--json"], { env });

    expect(answer).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED", next: "mkt connect accounts" } });
    expect(answer.headers.get("retry-after")).toBeNull();
    expect(typed).toMatchObject({ exitCode: 15, stdout: "" });
    expect(JSON.parse(lastLine(typed.stderr))).toMatchObject({
      errorCode: "NOT_CONNECTED",
      next: "mkt connect accounts",
    });
  });

  test("is shown as one by inspect, discovery and the list of the catalog, with the command, until an account is there", async () => {
    const { ask } = await newWorkspace("looking");
    const key = (await ask("POST", "/v1/api-keys", { label: "looks" })).body.key;
    const inspect = async () => (await ask("POST", "/v1/inspect", { provider: "accounts", endpoint: "/me" })).body;
    const discover = async () =>
      (await ask("POST", "/v1/discover", { q: "who is logged in", explain: true })).body as {
        results: { provider: string; endpoint: string }[];
        unavailable?: { providers: { provider: string; reason: string }[] };
      };
    const shown = await runMkt(["inspect", "accounts/me"], { env: { ...env, MKT_API_KEY: key }, tty: true });
    const listed = await runMkt(["catalog", "list", "--json"], { env });

    expect((await inspect()).unavailable).toEqual({ reason: "notConnected", next: "mkt connect accounts" });
    expect(shown.stdout).toContain("needs a login");
    expect(shown.stdout).toContain("mkt connect accounts");
    const hidden = await discover();
    expect(hidden.unavailable?.providers).toContainEqual(
      expect.objectContaining({ provider: "accounts", reason: "notConnected" }),
    );
    expect(hidden.results.some(({ provider }) => provider === "accounts")).toBe(false);
    expect(JSON.parse(listed.stdout).providers).toContainEqual(
      expect.objectContaining({ provider: "accounts", account: "notConnected" }),
    );

    await connect(ask);
    expect((await inspect()).unavailable).toBeUndefined();
    expect((await discover()).results.some(({ provider }) => provider === "accounts")).toBe(true);
  });

  test("is connected by `mkt connect`, which opens the browser, and then runs", async () => {
    const person = browserProgram();

    const connected = await runMkt(["connect", "accounts", "--json"], { env: { ...env, BROWSER: person } });
    const answer = await run();

    expect(connected).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(connected.stdout)).toMatchObject({
      provider: "accounts",
      state: "connected",
      scopes: ["read", "write"],
      renews: true,
    });
    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED", output: { name: "Ada" } } });
  });

  test("never shows a token: not in answers, the log, the data folder, or what the commands print", async () => {
    const [name = ""] = readdirSync(join(home.configDir, "connections"));
    const file = join(home.configDir, "connections", name);
    const { accessToken, refreshToken } = JSON.parse(readFileSync(file, "utf8"));
    const answer = await run();
    const shown = await Promise.all([
      runMkt(["connections", "--json"], { env }),
      runMkt(["connections", "show", "accounts"], { env }),
      runMkt(["get-run", answer.body.runId, "--json"], { env }),
    ]);

    expect(statSync(file).mode & 0o077).toBe(0);
    expect(answer.body.output.calledWith).toBe("[redacted]");
    const texts = [
      answer.text,
      ...shown.flatMap(({ stdout, stderr }) => [stdout, stderr]),
      ...log,
      folderText(home.dataDir),
    ];
    for (const token of [accessToken, refreshToken, SECRET]) {
      expect(token).toMatch(/.{20}/);
      expect(texts.filter((text) => text.includes(token))).toEqual([]);
    }
  });

  test("belongs to one workspace: another neither sees nor uses it", async () => {
    const other = await newWorkspace("foreign");

    const listed = await other.ask("GET", "/v1/connections");
    const shown = await other.ask("GET", "/v1/connections/accounts");
    const removed = await other.ask("DELETE", "/v1/connections/accounts");
    const ran = await run(other.ask);

    expect(listed.body).toEqual({ items: [] });
    expect([shown.status, removed.status]).toEqual([404, 404]);
    expect(ran).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED" } });
    expect((await run()).status).toBe(200);
  });

  test("is not connected by a key that may not: of a member, or for other providers", async () => {
    const member = await market.request("POST", "/v1/api-keys", { label: "member", role: "member" });
    const elsewhere = await market.request("POST", "/v1/api-keys", { label: "elsewhere", providers: ["plain"] });

    const answers = await Promise.all(
      [member, elsewhere].map(
        async ({ body }) => await askWith(market.url, body.key)("POST", "/v1/connections", { provider: "accounts" }),
      ),
    );
    const removed = await askWith(market.url, member.body.key)("DELETE", "/v1/connections/accounts");

    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(removed.status).toBe(403);
  });

  test("tells which scopes were not granted", async () => {
    const { ask } = await newWorkspace("narrow");
    server.options = { ...server.options, grants: "read" };

    await connect(ask);

    expect((await ask("GET", "/v1/connections/accounts")).body).toMatchObject({
      scopes: ["read"],
      missingScopes: ["write"],
    });
  });

  test("without a login has nothing to connect", async () => {
    expect(await market.request("POST", "/v1/connections", { provider: "plain" })).toMatchObject({ status: 409 });
    expect(await market.request("POST", "/v1/connections", { provider: "nobody" })).toMatchObject({ status: 404 });
  });
});

describe("the page after the login", () => {
  test("is inert, and has nothing of the request in it", async () => {
    const page = await connect();
    const foreign = await request(
      `${market.url}/oauth/callback/accounts?state=%3Cscript%3E&code=%3Cb%3E&error=%3Ci%3E`,
    );

    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.text).not.toMatch(/<script|<form|<img|<link|code-/);
    expect(foreign.text).toContain("not known here");
    expect(foreign.text).not.toMatch(/<script|<b>|<i>/);
  });

  test("takes an answer once, and only the one to a login that was begun here", async () => {
    const begun = await market.request("POST", "/v1/connections", { provider: "accounts" });
    const back = await server.login(begun.body.address);
    const before = server.count("authorization_code");

    const [first, second] = [await request(back), await request(back)];
    const invented = await request(`${market.url}/oauth/callback/accounts?code=mine&state=${"A".repeat(43)}`);

    expect([first, second, invented].map(({ text }) => /<h1>([^<]+)</.exec(text)?.[1])).toEqual([
      "Connected",
      "This login is not known here",
      "This login is not known here",
    ]);
    expect(server.count("authorization_code") - before).toBe(1);
  });

  test("does not take the answer of one provider for that of another", async () => {
    const begun = await market.request("POST", "/v1/connections", { provider: "accounts" });
    const back = await server.login(begun.body.address);
    const before = server.count("authorization_code");

    const mixed = await request(back.replace("/callback/accounts", "/callback/other"));

    expect(mixed.text).toContain("not known here");
    expect(server.count("authorization_code")).toBe(before);
  });

  test("refuses the answer of another issuer", async () => {
    const begun = await market.request("POST", "/v1/connections", { provider: "accounts" });
    const back = new URL(await server.login(begun.body.address));
    const before = server.count("authorization_code");
    back.searchParams.set("iss", "https://evil.example");

    const page = await request(back.href);
    const attempt = await market.request("GET", `/v1/connections/attempts/${begun.body.attemptId}`);

    expect(page.text).toContain("The login failed");
    expect(attempt.body).toMatchObject({ state: "failed", message: "the login was answered by another issuer" });
    expect(server.count("authorization_code")).toBe(before);
  });

  test("is reached from the provider's page in a window of its own, and by nothing else that a page can do", async () => {
    const ask = async (path: string, ...headers: string[]) => {
      const { port } = new URL(market.url);
      return (await rawRequest(Number(port), rawHead(`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers)))
        .status;
    };
    const path = "/oauth/callback/accounts?code=x&state=y";
    const navigation = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];

    expect(await ask(path, ...navigation)).toBe(200);
    expect(await ask("/health", ...navigation)).toBe(403);
    expect(await ask("/oauth/callback/../v1/runs", ...navigation)).toBe(403);
    expect(await ask(path, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image")).toBe(403);
    expect(await ask(path, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe")).toBe(
      403,
    );
    expect(await ask(path, "Sec-Fetch-Site: cross-site")).toBe(403);
    expect(await ask(path, ...navigation, "Origin: https://evil.example")).toBe(403);
  });

  test("says nothing of a login that the person refused but that it failed", async () => {
    const begun = await market.request("POST", "/v1/connections", { provider: "accounts" });
    const page = await request(await server.login(begun.body.address, { agrees: false }));
    const attempt = await market.request("GET", `/v1/connections/attempts/${begun.body.attemptId}`);

    expect(page.text).toContain("The login failed");
    expect(attempt.body).toMatchObject({ state: "failed", message: "the login was refused (access_denied)" });
  });
});

describe("a login that somebody began", () => {
  test("is seen and finished by nobody else, not even by another key of the workspace", async () => {
    const begun = await market.request("POST", "/v1/connections", { provider: "accounts" });
    const back = await server.login(begun.body.address);
    const key = await market.request("POST", "/v1/api-keys", { label: "neighbour" });
    const { ask: stranger } = await newWorkspace("stranger");
    const path = `/v1/connections/attempts/${begun.body.attemptId}`;

    for (const ask of [askWith(market.url, key.body.key), stranger]) {
      expect((await ask("GET", path)).status).toBe(404);
      expect((await ask("POST", `${path}/complete`, { redirectedTo: back })).status).toBe(404);
    }
    expect((await market.request("POST", `${path}/complete`, { redirectedTo: back })).body.state).toBe("connected");
  });

  test("ends with nothing when its key is revoked meanwhile", async () => {
    const { ask } = await newWorkspace("revoked-key");
    const key = await ask("POST", "/v1/api-keys", { label: "short" });
    const begun = await askWith(market.url, key.body.key)("POST", "/v1/connections", { provider: "accounts" });
    const back = await server.login(begun.body.address);
    await ask("POST", "/v1/api-keys/short/revoke");

    const page = await request(back);

    expect(page.text).toContain("The login failed");
    expect((await ask("GET", "/v1/connections")).body.items).toEqual([]);
  });

  test("is finished from another machine by pasting the address at which the browser ended", async () => {
    const { ask, id } = await newWorkspace("over-ssh");
    const key = await ask("POST", "/v1/api-keys", { label: "remote" });
    const own = { ...env, MKT_API_KEY: key.body.key };
    const begun = JSON.parse((await runMkt(["connect", "accounts", "--no-wait", "--json"], { env: own })).stdout);
    const back = await server.login(begun.address);

    const wrong = await runMkt(
      ["connect", "accounts", "--attempt", begun.attemptId, "--redirected-to", "https://evil.example/x"],
      { env: own },
    );
    const done = await runMkt(["connect", "accounts", "--attempt", begun.attemptId, "--redirected-to", back], {
      env: own,
    });

    expect(begun).toMatchObject({
      workspaceId: id,
      needsCode: false,
      redirectUri: `${market.url}/oauth/callback/accounts`,
    });
    expect(wrong.exitCode).toBe(5);
    expect(done).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({ state: "connected", keyLabel: "remote" });
  });
});

describe("a run that waits for a person's yes", () => {
  test("is not approved once its account is gone, goes on waiting, and runs with the account that is connected then", async () => {
    const { ask } = await newWorkspace("asking");
    const newKey = async (label: string) =>
      askWith(market.url, (await ask("POST", "/v1/api-keys", { label, role: "member" })).body.key);
    const agent = await newKey("agent");
    await connect(ask);
    const limitAmount = { value: 100, unit: "MICRO_DOLLAR", currency: "USD" };
    await ask("POST", "/v1/controls/approval-rules", { limitAmount });
    const waiting = await run(agent);
    const approve = async () => await ask("POST", `/v1/approvals/${waiting.body.runId}/approve`);
    const ended = async () => (await ask("GET", `/v1/runs/${waiting.body.runId}?wait=10`)).body;

    await ask("DELETE", "/v1/connections/accounts");
    const refused = await approve();
    const still = (await ask("GET", `/v1/approvals/${waiting.body.runId}`)).body;
    await connect(ask);
    const approved = await approve();

    expect(refused).toMatchObject({ status: 503, body: { errorCode: "NOT_CONNECTED", next: "mkt connect accounts" } });
    expect(still).toMatchObject({ status: "WAITING" });
    expect(approved.status).toBe(200);
    expect(await ended()).toMatchObject({ status: "COMPLETED", cost: { value: 0.001 } });
  });
});

describe("a removed connection", () => {
  test("is revoked at the provider and used no longer", async () => {
    const { ask } = await newWorkspace("leaving");
    const key = await ask("POST", "/v1/api-keys", { label: "cli" });
    const own = { ...env, MKT_API_KEY: key.body.key };
    await connect(ask);
    const before = server.revoked.length;

    const removed = await runMkt(["connections", "remove", "accounts", "--yes"], { env: own });
    const ran = await run(ask);
    const listed = await runMkt(["connections"], { env: own, tty: true });

    expect(removed).toMatchObject({ exitCode: 0 });
    expect(removed.stdout + removed.stderr).toContain("The provider has revoked it.");
    expect(server.revoked.length - before).toBe(1);
    expect(ran.body.errorCode).toBe("NOT_CONNECTED");
    expect(listed.stdout).toContain("No accounts are connected.");
  });
});

/** A program that does what a person does in a browser. */
function browserProgram(): string {
  const file = join(home.path, "browser.mjs");
  const text = `#!${process.execPath}
const page = await (await fetch(process.argv[2])).text();
const ticket = /name="ticket" value="([^"]+)"/.exec(page)[1];
const back = await fetch(${JSON.stringify(`${server.url}/consent`)}, { method: "POST", body: new URLSearchParams({ ticket, agrees: "true" }), redirect: "manual" });
await fetch(back.headers.get("location"));
`;
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

function folderText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}
