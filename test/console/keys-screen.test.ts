import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyCommand, type KeyForm, readKeyForm } from "../../console/keys/key-form.ts";
import { lacksBrowser } from "../support/browser.ts";
import { askWith } from "../support/request.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { expectGoodDialog, expectGoodScreen, HANG_MS } from "./good-screen.ts";
import { signIn } from "./sign-in.ts";

/* Keys and people in a real browser, against a real daemon. docs/console.md */

describe.skipIf(lacksBrowser("the console's keys"))("keys and people", () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await startConsoleWorld();
    const { vendor, daemon } = world;
    vendor.on("GET /now", { json: { city: "Lisbon" } });
    const spendLimit = { amount: { value: 0.05, currency: "USD" }, period: "DAY" };
    const { body: agent } = await daemon.request("POST", "/v1/api-keys", {
      label: "agent",
      role: "member",
      spendLimit,
    });
    const run = { provider: "meteo", endpoint: "/now", input: { city: "Lisbon" } };
    await askWith(daemon.url, agent.key)("POST", "/v1/run", run);
    await daemon.request("POST", "/v1/api-keys", { label: "narrow", scopes: ["runs:read"], providers: ["meteo"] });
  }, HANG_MS);

  afterAll(async () => await world?.[Symbol.asyncDispose]());

  test.each([
    { at: "#/keys/new", shows: "A key that is to last" },
    { at: "#/keys/people", shows: "Add a person" },
  ])(
    "$at: four requests at most, no wider than a phone, and no fault for axe in both themes",
    async ({ at, shows }) => await expectGoodScreen(world, at, shows),
    HANG_MS,
  );

  test(
    "a key is made with its scopes and limit, shown once, and revoked after a question",
    async () => {
      await using tab = await world.open("#/keys/new");
      const { page } = tab;
      await page.getByRole("button", { name: "Make the key" }).click();
      await page.getByText("Give it a name").waitFor();
      await page.getByLabel("Name").fill("ci");
      await page.getByLabel("It may").selectOption("chosen");
      await page.getByRole("checkbox", { name: "runs:read" }).check();
      const command = page.locator("pre[aria-label=Command]");
      await page.getByLabel("Spends at most").fill("2,50");
      await page.getByText("It is written once its limit is an amount").waitFor();
      expect(await command.count()).toBe(0);
      await page.getByLabel("Spends at most").fill("2.5");
      expect(await command.innerText()).toContain("--spend-limit 2.5/day");
      await page.getByRole("button", { name: "Make the key" }).dblclick();
      await page.getByText("Keep it now").waitFor();
      const key = (await page.locator("pre[aria-label='The key']").innerText()).trim();
      const { body: runs } = await askWith(world.daemon.url, key)("GET", "/v1/runs");
      const { body: made } = await world.daemon.request("GET", "/v1/api-keys/ci");
      await page.getByRole("link", { name: "All keys" }).click();

      await page.getByRole("button", { name: "Rename ci" }).click();
      await expectGoodDialog(page);
      await page.getByRole("dialog").getByLabel("Name").fill("nightly");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Revoke nightly" }).click();

      expect(runs.items).toBeInstanceOf(Array);
      expect(made).toMatchObject({ scopes: ["runs:read"], spendLimit: { amount: { value: 2.5 }, period: "DAY" } });
      expect(await page.locator("main").innerText()).not.toContain(key);

      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("button", { name: "Revoke nightly" }).waitFor({ state: "detached" });
      const refused = await askWith(world.daemon.url, key)("GET", "/v1/runs");
      await page.getByRole("button", { name: "Revoked", exact: true }).click();
      await page.getByRole("cell", { name: "nightly" }).first().waitFor();

      expect(refused.status).toBe(401);
      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "a session of the console is shown as such, and ended",
    async () => {
      const other = await signIn(world.daemon.url, world.daemon.request);
      await using tab = await world.open("#/keys");
      const { page } = tab;
      const row = page.getByRole("row").filter({ hasText: other.label });
      await row.getByText("Session of the console").filter({ visible: true }).waitFor();
      await row.getByRole("button", { name: `End ${other.label}` }).click();
      await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
      await row.waitFor({ state: "detached" });

      expect((await other.ask("GET", "/v1/runs")).status).toBe(401);
      expect(await page.getByText("this tab").count()).toBe(1);

      await page.getByRole("row").filter({ hasText: "this tab" }).getByRole("button").click();
      await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
      await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    },
    HANG_MS,
  );

  test(
    "a manager is offered no owner's key and no operator's to revoke, and a member no keys at all",
    async () => {
      const { url, request } = world.daemon;
      const spendLimit = { amount: { value: 3, currency: "USD" }, period: "WEEK" };
      const { body: manager } = await request("POST", "/v1/api-keys", { label: "lead", role: "manager", spendLimit });
      const { body: member } = await request("POST", "/v1/api-keys", { label: "member", role: "member" });
      await request("POST", "/v1/api-keys", { label: "boss", role: "owner" });
      await using tab = await world.open("#/keys", { ask: askWith(url, manager.key) });
      const { page } = tab;
      await page.getByRole("button", { name: "Revoke agent" }).waitFor();

      expect(await page.getByRole("button", { name: /Revoke (?:boss|owner)/ }).count()).toBe(0);
      expect(await page.getByText("boss").count()).toBe(1);

      await page.getByRole("link", { name: "New key" }).click();
      await page.getByText("at most $3.00 as this key").waitFor();

      expect(await page.getByLabel("It may").locator("option").allInnerTexts()).toEqual([
        expect.stringContaining("Member"),
        expect.stringContaining("Manager"),
        "What is ticked below",
      ]);
      expect(await page.getByLabel("In each").locator("option").allInnerTexts()).toEqual(["Week"]);

      await page.getByLabel("Name").fill("greedy");
      await page.getByLabel("Spends at most").fill("4");
      await page.getByRole("button", { name: "Make the key" }).click();
      await page.getByText("cannot pass on more than its own limit").waitFor();
      await using other = await world.open("#/keys", { ask: askWith(url, member.key) });

      expect(await other.page.getByRole("link", { name: "Keys and people" }).count()).toBe(0);
      expect(await other.page.locator("h1").innerText()).toBe("Nothing here");
    },
    HANG_MS,
  );

  test(
    "an operator makes a workspace, and adds a person to it",
    async () => {
      await using tab = await world.open("#/keys/people");
      const { page } = tab;
      await page.getByLabel("Name of the workspace").fill("Research");
      await page.getByRole("button", { name: "Make a workspace" }).click();
      await page.getByRole("cell", { name: "Research", exact: true }).waitFor();
      await page.getByLabel("Name of the person").fill("grace");
      await page.getByRole("button", { name: "Add a person" }).click();
      await page.getByRole("cell", { name: "grace" }).waitFor();
      await page.getByLabel("Name of the person").fill("ada");
      await page.getByLabel("To the workspace").selectOption("Research");
      await page.getByRole("button", { name: "Add a person" }).click();
      await page.getByText("ada is added.").waitFor();
      expect(await page.getByRole("cell", { name: "ada" }).count()).toBe(0);
      const { body } = await world.daemon.request("GET", "/v1/admin/workspaces");

      expect(body.items).toContainEqual(expect.objectContaining({ name: "Research" }));
      expect(await page.locator("pre[aria-label=Command]").innerText()).toContain("--workspace research");
    },
    HANG_MS,
  );
});

const form: KeyForm = {
  label: "ci",
  rights: "member",
  scopes: [],
  limit: "",
  period: "DAY",
  expires: "",
  providers: "",
  endpoints: "",
};
const now = Date.parse("2026-11-23T12:00:00Z");
const end = "2026-11-23T20:00:00.000Z";

test("a form becomes a request and the same at the command line, with all its limits", () => {
  const typed: KeyForm = {
    ...form,
    label: " night shift ",
    rights: "chosen",
    scopes: ["runs:create"],
    limit: "$5",
    expires: "2026-11-23T18:00Z",
    providers: "atlas, meteo",
    endpoints: "atlas/sun",
  };
  const { request, problems } = readKeyForm(typed, now, end);

  expect(problems).toEqual({});
  expect(request).toEqual({
    label: "night shift",
    scopes: ["runs:create"],
    spendLimit: { amount: { value: 5, currency: "USD" }, period: "DAY" },
    expiresAt: "2026-11-23T18:00:00.000Z",
    providers: ["atlas", "meteo"],
    endpoints: ["atlas/sun"],
  });
  expect(keyCommand(request)).toBe(
    "mkt keys create --label 'night shift' --scope runs:create --provider atlas --provider meteo " +
      "--endpoint atlas/sun --spend-limit 5/day --expires 2026-11-23T18:00:00.000Z",
  );
});

test.each([
  { name: "no name", change: { label: " " }, at: "label" },
  { name: "no scope", change: { rights: "chosen" }, at: "scopes" },
  { name: "no amount", change: { limit: "lots" }, at: "limit" },
  { name: "a time that is over", change: { expires: "2026-11-23T11:00Z" }, at: "expires" },
  { name: "a time after its maker's end", change: { expires: "2026-11-24T11:00Z" }, at: "expires" },
  { name: "an endpoint without its provider", change: { endpoints: "sun" }, at: "endpoints" },
] as const)("a form with $name is not sent", ({ change, at }) => {
  expect(Object.keys(readKeyForm({ ...form, ...change }, now, end).problems)).toEqual([at]);
});
