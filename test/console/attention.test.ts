import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attentionLink } from "../../console/home/attention-words.ts";
import { caller } from "../../console/service/rights.ts";
import type { WhoamiResponse } from "../../shared/contract/identity.ts";
import { lacksBrowser } from "../support/browser.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { OAuthServer } from "../support/oauth-server.ts";
import { askWith, request } from "../support/request.ts";
import { untilCalled, weatherManifest } from "../support/weather-manifest.ts";
import { faultsOf } from "./axe.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { HANG_MS } from "./good-screen.ts";

/* What a person should look at: everything that may go wrong has gone wrong here. */

const PATIENCE = { timeout: 15_000 };
const HOUR_MS = 3_600_000;

const KINDS = [
  "approvalWaiting",
  "budgetNearlySpent",
  "catalogProblem",
  "connectionFailing",
  "providerFailing",
  "schedulePaused",
  "secretFailing",
  "secretMissing",
  "webhookDisabled",
  "webhookFailing",
];

describe.skipIf(lacksBrowser("what needs attention"))("attention", { timeout: HANG_MS }, () => {
  let world: ConsoleWorld;
  let upstream: FakeProvider;
  let accounts: OAuthServer;
  let nowMs = Date.now();

  const ask: ConsoleWorld["daemon"]["request"] = async (...words) => await world.daemon.request(...words);
  const run = async (provider: string, endpoint: string, input: object = {}) =>
    await ask("POST", "/v1/run", { provider, endpoint, input });
  const attention = async () => (await ask("GET", "/v1/overview")).body.attention as Record<string, string>[];
  const kinds = async () => [...new Set((await attention()).map(({ kind }) => kind))].toSorted();

  beforeAll(async () => {
    upstream = await startFakeProvider();
    accounts = await OAuthServer.start();
    accounts.options = { rotates: true, expiresIn: 3_600 };
    world = await startConsoleWorld({
      clock: { now: () => nowMs },
      allowPrivateHosts: ["127.0.0.1", upstream.host, accounts.host],
      environment: { MKT_STARTING_CREDIT: "unlimited" },
      manifests: {
        nimbus: weatherManifest(upstream.url),
        keyed: keyed(upstream, "KEYED_API_KEY"),
        lacking: keyed(upstream, "LACKING_API_KEY"),
        accounts: accounts.manifest(),
        broken: { displayName: "Broken", endpoints: { "/x": { price: { type: "NONE" } } } },
      },
    });
    await breakEverything();
  }, HANG_MS);
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await accounts?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  async function breakEverything(): Promise<void> {
    upstream.on("GET /data", { json: { ok: true } });
    upstream.on("GET /me", { json: { ok: true } });
    upstream.on("GET /now", { json: { city: "Lisbon" } });
    upstream.on("POST /down", { status: 500 });
    upstream.on("POST /gone", { status: 410 });

    // A secret that was used and is not there any more, and one that its provider refuses.
    for (const name of ["LACKING_API_KEY", "KEYED_API_KEY"]) {
      await ask("PUT", `/v1/admin/secrets/${name}`, { value: "key-of-today-123456" });
    }
    for (let count = 0; count < 5; count += 1) await run("lacking", "/data");
    await ask("DELETE", "/v1/admin/secrets/LACKING_API_KEY");
    upstream.on("GET /data", { status: 401 });
    upstream.on("GET /me", { status: 401 });
    await run("keyed", "/data");

    // An account whose login its provider does not renew.
    const begun = await ask("POST", "/v1/connections", { provider: "accounts" });
    await request(await accounts.login(begun.body.address));
    for (let count = 0; count < 3; count += 1) {
      accounts.faults.push({ status: 400, body: { error: "invalid_grant" } });
    }
    nowMs += HOUR_MS;
    await run("accounts", "/me");

    // A schedule whose key was revoked.
    const made = await ask("POST", "/v1/api-keys", { label: "night", role: "member" });
    await askWith(world.daemon.url, made.body.key)("POST", "/v1/schedules", {
      name: "nightly",
      provider: "nimbus",
      endpoint: "/now",
      input: { city: "Lisbon" },
      cron: "* * * * *",
    });
    await ask("DELETE", "/v1/api-keys/night");
    nowMs += 60_000;

    // One receiver that has gone, and one for which deliveries were given up.
    await ask("POST", "/v1/webhooks", { url: `${upstream.url}/gone`, name: "gone", events: ["*"] });
    const down = await ask("POST", "/v1/webhooks", { url: `${upstream.url}/down`, name: "down", events: ["*"] });
    await run("nimbus", "/now", { city: "Lisbon" });
    await untilCalled(upstream, "POST /down");
    for (const status of ["DISABLED", "ENABLED"]) {
      await ask("PATCH", `/v1/webhooks/${down.body.webhookId}`, { status });
    }

    // A provider that fails.
    upstream.on("GET /plain", { status: 500 });
    for (let count = 0; count < 5; count += 1) await run("nimbus", "/plain");

    // A budget with nothing left, and a run that may not go on by itself.
    const { spent } = (await ask("GET", "/v1/overview")).body;
    const limitAmount = { value: Math.round(spent.month.value * 1_000_000), unit: "MICRO_DOLLAR", currency: "USD" };
    await ask("POST", "/v1/controls/workspace/budgets", {
      period: "MONTH",
      limitAmount: { ...limitAmount, value: limitAmount.value + 10_000 },
    });
    await ask("POST", "/v1/controls/approval-rules", { limitAmount: { value: 0, unit: "DOLLAR", currency: "USD" } });
    await run("nimbus", "/now", { city: "Porto" });
  }

  test("is drawn to all that fails, waits or is missing, each with what happened and what to type", async () => {
    await expect.poll(kinds, PATIENCE).toEqual(KINDS);
    const cards = await attention();
    const textOf = (kind: string) => cards.find((one) => one["kind"] === kind)?.["text"];

    expect(cards.filter(({ next }) => next === undefined || !/^mkt \w/.test(next))).toEqual([]);
    expect(textOf("webhookDisabled")).toBe(
      "The webhook gone is told of nothing: its receiver answered that it is gone",
    );
    expect(textOf("webhookFailing")).toMatch(
      /^The webhook down misses events: \d+ deliver\w+ w\w+ given up, the last since/,
    );
    expect(textOf("schedulePaused")).toMatch(/^The schedule nightly is paused: The key "night"/);
    expect(textOf("secretMissing")).toBe("lacking cannot be called before LACKING_API_KEY is set");
    expect(textOf("secretFailing")).toBe("keyed refuses its secret");
    expect(textOf("providerFailing")).toContain("nimbus fails at /plain");
    expect(cards).toContainEqual(
      expect.objectContaining({ kind: "catalogProblem", subject: expect.stringContaining("broken") }),
    );
  });

  test("is shown on Home, a card each, with links that lead to a screen", async () => {
    await expect.poll(kinds, PATIENCE).toEqual(KINDS);
    const cards = await attention();
    await using tab = await world.open("#/home");
    const { page } = tab;
    const shown = page.locator(".attention");
    await expect.poll(async () => await shown.count(), PATIENCE).toBe(cards.length);
    const words = await shown.allInnerTexts();

    for (const { text = "" } of cards) expect(words.join("\n")).toContain(text.slice(0, 60));
    expect(await faultsOf(page)).toEqual([]);
    expect(tab.errors).toEqual([]);

    const buttons = await page.locator(".attention a.button").all();
    const links = await Promise.all(buttons.map(async (button) => (await button.getAttribute("href")) ?? ""));
    expect(links).toContain("#/controls/approvals");
    expect(links).toContain("#/controls/webhooks");
    for (const link of new Set(links)) {
      await tab.goto(link);
      expect(await page.locator("h1").innerText(), link).not.toBe("Nothing here");
    }
  });

  test("of somebody who may not write controls is not drawn to what they cannot read", async () => {
    const made = await ask("POST", "/v1/api-keys", { label: "reader", scopes: ["wallet:read"] });

    const { body } = await askWith(world.daemon.url, made.body.key)("GET", "/v1/overview");

    expect(body.attention).toEqual([]);
  });
});

test("a card says to decide to whoever may, and to others to look", () => {
  const words = () => attentionLink({ kind: "approvalWaiting", subject: "r" }, new Set(["controls"]))?.words;

  expect(words()).toBe("See what waits");
  caller.value = { credential: { scopes: ["controls:update"] } } as WhoamiResponse;
  expect(words()).toBe("Decide it");
  caller.value = undefined;
});

test("a card has no link to a screen that its reader may not open, nor one of a kind that is not known", () => {
  const webhook = { kind: "webhookFailing", subject: "w" };

  expect(attentionLink(webhook, new Set(["home"]))).toBeUndefined();
  expect(attentionLink({ kind: "ofTomorrow", subject: "x" }, new Set(["home"]))).toBeUndefined();
  expect(attentionLink(webhook, new Set(["controls"]))?.address).toBe("#/controls/webhooks");
  expect(attentionLink({ kind: "connectionFailing", subject: "a/b?" }, new Set(["catalog"]))?.address).toBe(
    "#/catalog/providers/a%2Fb%3F",
  );
});

function keyed({ url }: FakeProvider, env: string): object {
  return {
    secrets: { key: { env } },
    verify: { method: "GET", path: "/me" },
    http: {
      baseUrl: url,
      allowPrivateNetwork: true,
      retry: { attempts: 1 },
      auth: { type: "bearer", token: "${secret.key}" },
    },
    endpoints: { "/data": { request: { method: "GET", path: "/data" }, price: { type: "FREE" } } },
  };
}
