import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OAuthServer } from "../support/oauth-server.ts";
import { askWith, request } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

let server: OAuthServer;
let market: TestDaemon;
let nowMs = Date.now();

beforeAll(async () => {
  server = await OAuthServer.start({ tellsIssuer: true });
  market = await startTestDaemon({
    manifests: { accounts: server.manifest({ issuer: server.url }) },
    allowPrivateHosts: [server.host],
    environment: { MKT_PUBLIC_URL: "https://mkt.example" },
    clock: { now: () => nowMs },
  });
});
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Begins a login; `page` is what the browser of whoever logs in shows. */
async function loggedIn() {
  const begun = (await market.request("POST", "/v1/connections", { provider: "accounts" })).body;
  const back = await server.login(begun.address);
  const page = await request(back.replace("https://mkt.example", market.url));
  const [, code = ""] = /<strong id="code">([^<]+)</.exec(page.text) ?? [];
  const complete = async (typed: string) =>
    await market.request("POST", `/v1/connections/attempts/${begun.attemptId}/complete`, { code: typed });
  const attempt = async () => (await market.request("GET", `/v1/connections/attempts/${begun.attemptId}`)).body;
  return { begun, page, code, complete, attempt };
}

const exchanges = () => server.count("authorization_code");

describe("a login at a deployment", () => {
  test("sends the browser to the public address, and asks who began it for the code in the browser", async () => {
    const before = exchanges();
    const { begun, page, code, complete, attempt } = await loggedIn();
    const waiting = await attempt();
    const asked = exchanges() - before;

    const done = await complete(code.toLowerCase().replace("-", " "));

    expect(begun).toMatchObject({ needsCode: true, redirectUri: "https://mkt.example/oauth/callback/accounts" });
    expect(page.text).toContain("close this page and give the code to nobody");
    expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/);
    expect(waiting).toMatchObject({ state: "confirming" });
    expect(JSON.stringify(waiting)).not.toContain(code);
    expect(asked).toBe(0);
    expect(done.body).toMatchObject({ state: "connected", connection: { state: "connected" } });
    expect((await complete(code)).status).toBe(409);
  });

  test("is finished by `mkt connect --code`", async () => {
    const { begun, code } = await loggedIn();
    const env = { MKT_API_URL: market.url, MKT_API_KEY: market.key };

    const typed = await runMkt(["connect", "accounts", "--attempt", begun.attemptId, "--code", code], { env });

    expect(typed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"state":"connected"') });
  });

  test("is not finished with a code that was guessed, and fails after five", async () => {
    const before = exchanges();
    const { code, complete, attempt } = await loggedIn();

    const statuses: number[] = [];
    for (const guess of ["", "AAAA-AAAA", "AAAA-AAAB", "AAAA-AAAC", "AAAA-AAAD", "AAAA-AAAE"]) {
      statuses.push((await complete(guess)).status);
    }

    expect(statuses).toEqual([400, 409, 409, 409, 409, 409]);
    expect((await complete(code)).status).toBe(409);
    expect(await attempt()).toMatchObject({ state: "failed", message: "too many wrong codes were given" });
    expect(exchanges()).toBe(before);
  });

  test("does not give an account to another key that knows the code", async () => {
    const { begun, code } = await loggedIn();
    const { key } = (await market.request("POST", "/v1/api-keys", { label: `thief-${begun.attemptId}` })).body;

    const stolen = await askWith(market.url, key)("POST", `/v1/connections/attempts/${begun.attemptId}/complete`, {
      code,
    });

    expect(stolen.status).toBe(404);
  });

  test("is over after ten minutes, in the browser and with the code", async () => {
    const begun = (await market.request("POST", "/v1/connections", { provider: "accounts" })).body;
    const back = await server.login(begun.address);
    const { complete, code } = await loggedIn();
    nowMs += 10 * 60_000;

    const late = await request(back.replace("https://mkt.example", market.url));

    expect(late.text).toContain("not known here");
    expect((await complete(code)).status).toBe(409);
  });

  test("fails if the answer does not name the issuer that the file names", async () => {
    const begun = (await market.request("POST", "/v1/connections", { provider: "accounts" })).body;
    const back = new URL((await server.login(begun.address)).replace("https://mkt.example", market.url));
    const before = exchanges();
    back.searchParams.delete("iss");

    const page = await request(back.href);
    const [, code = ""] = /<strong id="code">([^<]+)</.exec(page.text) ?? [];
    const done = await market.request("POST", `/v1/connections/attempts/${begun.attemptId}/complete`, { code });

    expect(done.body.state).toBe("failed");
    expect(exchanges()).toBe(before);
  });

  test("is refused beyond ten that wait", async () => {
    const { key } = (await market.request("POST", "/v1/api-keys", { label: "eager" })).body;
    const ask = askWith(market.url, key);

    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await ask("POST", "/v1/connections", { provider: "accounts" })).status);
    }

    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 429]);
  });
});
