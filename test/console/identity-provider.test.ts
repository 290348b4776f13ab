import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Clock } from "../../daemon/base/clock.ts";
import { lacksBrowser } from "../support/browser.ts";
import { OidcServer, type OidcOptions } from "../support/oidc-server.ts";
import { request } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { faultsOf } from "./axe.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { HANG_MS } from "./good-screen.ts";

/* People sign in to the console at an identity provider, in a real browser. docs/console.md, docs/security.md, T36 */

describe.skipIf(lacksBrowser("signing in to the console at an identity provider"))(
  "signing in at the identity provider",
  { timeout: HANG_MS },
  () => {
    let world: ConsoleWorld;
    let provider: OidcServer;
    const log: string[] = [];
    let aheadMs = 0;
    const clock: Clock = { now: () => Date.now() + aheadMs };

    beforeAll(async () => {
      provider = await OidcServer.start();
      world = await startConsoleWorld({
        environment: provider.environment,
        clock,
        onLog: (line) => void log.push(JSON.stringify(line)),
      });
      provider.redirectUri = `${world.daemon.url}/console/`;
    }, HANG_MS);
    afterEach(() => {
      provider.options = {};
      aheadMs = 0;
    });
    afterAll(async () => {
      await world?.[Symbol.asyncDispose]();
      await provider?.[Symbol.asyncDispose]();
    });

    const navigation = (page: Page) => page.getByRole("navigation", { name: "Screens" });

    interface Tab extends AsyncDisposable {
      readonly page: Page;
      readonly errors: readonly string[];
    }

    async function newTab(): Promise<Tab> {
      const context = await world.browser.newContext({
        reducedMotion: "reduce",
        viewport: { width: 1280, height: 800 },
      });
      const page = await context.newPage();
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      return { page, errors, [Symbol.asyncDispose]: async () => await context.close() };
    }

    /** Until the provider has sent the browser back. */
    async function signIn(page: Page, options: OidcOptions = {}): Promise<void> {
      provider.options = options;
      await page.goto(`${world.daemon.url}/console/`);
      await page.getByRole("button", { name: "Continue to" }).click();
      await page.getByRole("button", { name: "I am Ada" }).click();
      await page.waitForURL(`${world.daemon.url}/console/**`);
    }

    /** The key of the session in the tab. */
    async function keyOf(page: Page): Promise<string | undefined> {
      return await page.evaluate("JSON.parse(sessionStorage.getItem('mkt.session') ?? '{}').key");
    }

    test("opens a session that may do what the person may, and leaves neither code nor token behind", async () => {
      await using tab = await newTab();
      const { page } = tab;
      await page.goto(`${world.daemon.url}/console/#/runs?status=FAILED`);
      const signInPage = page.getByRole("heading", { name: "Sign in to the console" });
      await signInPage.waitFor();
      await page.getByRole("button", { name: "Continue to" }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Continue to" }).click();
      await page.getByRole("button", { name: "I am Ada" }).click();
      await navigation(page).waitFor();
      const key = await keyOf(page);
      const whoami = await request(`${world.daemon.url}/v1/auth/whoami`, "GET", { key });
      const owner = await world.daemon.request("GET", "/v1/auth/whoami");
      const kept = await page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])");
      const [asked] = provider.tokenRequests;
      const code = provider.codes.at(-1) ?? "none";

      expect(page.url()).toBe(`${world.daemon.url}/console/#/runs?status=FAILED`);
      expect(key).toMatch(/^mkt_console_/);
      expect(whoami.body.workspace.name).toBe("Acme");
      expect(whoami.body.workspace.workspaceId).not.toBe(owner.body.workspace.workspaceId);
      expect(whoami.body.credential).not.toHaveProperty("operator");
      expect(asked?.form.get("grant_type")).toBe("authorization_code");
      expect(asked?.form.get("code_verifier")).toMatch(/^[\w-]{43}$/);
      expect(asked?.form.has("client_secret")).toBe(false);
      expect(asked?.headers.cookie).toBeUndefined();
      expect(asked?.headers.referer).toBeUndefined();
      expect(kept).not.toContain(code);
      expect(kept).not.toContain(provider.tokens.at(-1));
      expect(log.join()).not.toContain(code);
      expect(log.join()).not.toContain(provider.tokens.at(-1));
      expect(await page.context().cookies()).toEqual([]);
      expect(tab.errors).toEqual([]);

      await page.getByRole("button", { name: "Sign out" }).click();
      await signInPage.waitFor();
      expect((await request(`${world.daemon.url}/v1/auth/whoami`, "GET", { key })).status).toBe(401);
    });

    test.each<{ why: string; options: OidcOptions; says: string }>([
      {
        why: "its state is not that of this tab",
        options: { redirect: { state: "other" } },
        says: "not begun in this tab",
      },
      {
        why: "it says that another provider sent it",
        options: { redirect: { iss: "https://evil.example" } },
        says: "Another identity provider answered",
      },
      {
        why: "it does not say who sent it, as this provider does",
        options: { redirect: { iss: undefined } },
        says: "Another identity provider answered",
      },
      { why: "the person said no", options: { refuses: true }, says: "Ada said no" },
      { why: "its code is not known", options: { redirect: { code: "guessed" } }, says: "invalid_grant" },
      {
        why: "its nonce is of another sign-in",
        options: { idToken: { nonce: "other" } },
        says: "belongs to another sign-in",
      },
      {
        why: "its ID token is of another client",
        options: { idToken: { aud: "shop" } },
        says: "belongs to another sign-in",
      },
      {
        why: "its ID token is of another provider",
        options: { idToken: { iss: "https://evil.example" } },
        says: "belongs to another sign-in",
      },
      { why: "there is no ID token", options: { without: ["id_token"] }, says: "belongs to another sign-in" },
      { why: "there is no access token", options: { without: ["access_token"] }, says: "gave no token" },
      {
        why: "its access token is for another service",
        options: { accessToken: { aud: "https://other.example" } },
        says: "does not accept the access token",
      },
      {
        why: "its access token is over",
        options: { accessToken: { exp: 1 } },
        says: "does not accept the access token",
      },
      {
        why: "the person is in no workspace",
        options: { accessToken: { sub: "newcomer", org_id: undefined } },
        says: "You are in no workspace",
      },
    ])("is refused if $why", async ({ options, says }) => {
      await using tab = await newTab();
      await signIn(tab.page, options);
      const refusal = await tab.page.getByRole("alert").innerText();

      expect(refusal).toContain(says);
      expect(tab.page.url()).toBe(`${world.daemon.url}/console/#/`);
      expect(await tab.page.evaluate("sessionStorage.length")).toBe(0);
      expect(tab.errors).toEqual([]);
    });

    test("takes an answer once, and none that another tab asked for", async () => {
      await using tab = await newTab();
      await using other = await newTab();
      const answers: string[] = [];
      tab.page.on("request", (asked) => asked.url().includes("code=") && answers.push(asked.url()));
      await signIn(tab.page);
      await navigation(tab.page).waitFor();
      const key = await keyOf(tab.page);
      const [answer = ""] = answers;
      await other.page.goto(answer);
      const refusal = await other.page.getByRole("alert").innerText();
      await tab.page.goto(answer);
      await navigation(tab.page).waitFor();
      const warning = await tab.page.getByText("not begun in this tab").innerText();

      expect(answer).toContain("state=");
      expect(refusal).toContain("not begun in this tab");
      expect(await keyOf(other.page)).toBeUndefined();
      // Whoever is signed in stays so.
      expect(warning).toContain("Begin it again here");
      expect(await keyOf(tab.page)).toBe(key);
    });

    test("ends with the access token, which the page says", async () => {
      await using tab = await newTab();
      await signIn(tab.page);
      await navigation(tab.page).waitFor();
      aheadMs = 6 * 60_000;
      await tab.page.getByRole("link", { name: "Spend" }).click();
      const said = await tab.page.getByRole("alert").innerText();

      expect(said).toContain("Your session has ended. Sign in again.");
      expect(await tab.page.evaluate("sessionStorage.length")).toBe(0);
    });

    test("asks a person of several workspaces for one", async () => {
      await using tab = await newTab();
      const person = { sub: "grace" };
      for (const organisation of ["org_2", "org_3"]) {
        await signIn(tab.page, { accessToken: { ...person, org_id: organisation, org_name: `Team ${organisation}` } });
        await navigation(tab.page).waitFor();
        await tab.page.getByRole("button", { name: "Sign out" }).click();
      }
      await signIn(tab.page, { accessToken: { ...person, org_id: undefined } });
      await tab.page.getByRole("heading", { name: "Choose a workspace" }).waitFor();
      expect(await faultsOf(tab.page)).toEqual([]);
      await tab.page.getByRole("button", { name: "team-org-3" }).click();
      await navigation(tab.page).waitFor();
      const { body } = await request(`${world.daemon.url}/v1/auth/whoami`, "GET", { key: await keyOf(tab.page) });

      expect(body.workspace.name).toBe("Team org_3");
    });
  },
);

describe("how people sign in", () => {
  const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs };
  const { path: folder, [Symbol.dispose]: removeFolder } = tempDir();
  writeFileSync(join(folder, "index.html"), '<!doctype html><html lang="en"></html>');
  afterAll(removeFolder);

  async function startPlainDaemon(environment: Readonly<Record<string, string>>, at?: Clock) {
    return await startTestDaemon({
      environment,
      ...(at !== undefined && { clock: at }),
      config: { consoleDir: folder },
    });
  }

  async function wayOf(provider: OidcServer, environment: Readonly<Record<string, string>> = provider.environment) {
    await using world = await startPlainDaemon(environment);
    return (await request(`${world.url}/v1/console/sign-in`)).body;
  }

  test("is told with the provider's endpoints, which the policy of the page that comes back allows", async () => {
    await using provider = await OidcServer.start();
    await using daemon = await startPlainDaemon(provider.environment);
    const { body } = await request(`${daemon.url}/v1/console/sign-in`);
    const policyOf = async (path: string) =>
      (await request(`${daemon.url}${path}`)).headers.get("content-security-policy");

    expect(body).toEqual({
      kind: "oidc",
      issuer: provider.issuer,
      clientId: "mkt-console",
      authorizationEndpoint: `${provider.issuer}/authorize`,
      tokenEndpoint: `${provider.issuer}/token`,
      scope: "openid",
      audience: "https://mkt.example",
      tellsIssuer: true,
    });
    expect(await policyOf("/console/?code=x&state=y")).toContain(`connect-src 'self' ${provider.issuer};`);
    expect(await policyOf("/console/")).toContain("connect-src 'self';");
    expect(provider.discoveries).toBe(1);
  });

  test("is by a ticket where no client of the provider is set, or no provider", async () => {
    await using provider = await OidcServer.start();
    const { MKT_CONSOLE_CLIENT_ID: _, ...tokensOnly } = provider.environment as Record<string, string>;

    expect(await wayOf(provider, tokensOnly)).toEqual({ kind: "ticket", issuer: provider.issuer });
    expect(await wayOf(provider, {})).toEqual({ kind: "ticket" });
    expect(provider.discoveries).toBe(0);
  });

  test.each<[string, OidcOptions, string]>([
    ["cannot be read", { status: 503 }, "status 503"],
    ["says that it is another one", { metadata: { issuer: "https://evil.example" } }, "its issuer is"],
    ["has no token endpoint", { metadata: { token_endpoint: undefined } }, "token_endpoint"],
    ["takes no PKCE", { metadata: { code_challenge_methods_supported: ["plain"] } }, "PKCE"],
    [
      "has an endpoint on the open wire",
      { metadata: { token_endpoint: "http://id.example/token" } },
      "its token_endpoint is no https address",
    ],
    [
      "has an endpoint that would run",
      { metadata: { authorization_endpoint: "javascript:alert(1)" } },
      "its authorization_endpoint is no https address",
    ],
    [
      "has an endpoint that would widen the policy",
      { metadata: { token_endpoint: "https://id.example; script-src *" } },
      "its token_endpoint is no https address",
    ],
  ])("is by a ticket, with the reason, while the provider %s", async (_, options, says) => {
    await using provider = await OidcServer.start();
    provider.options = options;
    const { kind, problem, tokenEndpoint } = await wayOf(provider);

    expect(kind).toBe("ticket");
    expect(problem).toContain(says);
    expect(tokenEndpoint).toBeUndefined();
  });

  test("is asked of the provider again in a while, and what it said holds while it is down", async () => {
    await using provider = await OidcServer.start();
    await using daemon = await startPlainDaemon(provider.environment, clock);
    const kindOf = async () => (await request(`${daemon.url}/v1/console/sign-in`)).body.kind;
    provider.options = { status: 500 };
    const first = [await kindOf(), await kindOf()];
    const asked = provider.discoveries;
    provider.options = {};
    clock.aheadMs += 6_000;
    const second = await kindOf();
    provider.options = { status: 500 };
    clock.aheadMs += 700_000;

    expect(first).toEqual(["ticket", "ticket"]);
    expect(asked).toBe(1);
    expect(second).toBe("oidc");
    expect(await kindOf()).toBe("oidc");
    expect(provider.discoveries).toBe(3);
  });
});
