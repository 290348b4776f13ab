import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNoBrowser } from "../support/browser.ts";
import { askWith } from "../support/request.ts";
import { faultsOf } from "./axe.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { expectGoodScreen, HANG_MS } from "./good-screen.ts";

/* Controls in a real browser, against a real daemon. docs/console.md */

describe.skipIf(whyNoBrowser() !== undefined)("controls", () => {
  let world: ConsoleWorld;
  let runId = "";

  beforeAll(async () => {
    world = await startConsoleWorld();
    const { vendor, daemon } = world;
    vendor.on("GET /now", { json: { city: "Lisbon" } });
    const member = await daemon.request("POST", "/v1/api-keys", { label: "agent", role: "member" });
    await daemon.request("POST", "/v1/controls/approval-rules", {
      limitAmount: { value: 0, unit: "DOLLAR", currency: "USD" },
    });
    const asked = await askWith(daemon.url, member.body.key)("POST", "/v1/run", {
      provider: "meteo",
      endpoint: "/now",
      input: { city: "Lisbon" },
    });
    runId = asked.body.runId;
    const schedule = {
      name: "morning",
      cron: "0 7 * * *",
      provider: "meteo",
      endpoint: "/now",
      input: { city: "Porto" },
    };
    expect((await daemon.request("POST", "/v1/schedules", schedule)).status).toBe(201);
  }, HANG_MS);

  afterAll(async () => await world?.[Symbol.asyncDispose]());

  test.each([
    { tab: "approvals", shows: "asked for by agent" },
    { tab: "budgets", shows: "There is no budget" },
    { tab: "caps", shows: "There is no cap" },
    { tab: "rules", shows: "A run waits above" },
    { tab: "webhooks", shows: "Nobody is told of what happens here." },
    { tab: "schedules", shows: "morning" },
  ])(
    "$tab: four requests at most, no wider than a phone, and no fault for axe in both themes",
    async ({ tab, shows }) => await expectGoodScreen(world, `#/controls/${tab}`, shows),
    HANG_MS,
  );

  test(
    "a run that waits leads here, and begins after a yes",
    async () => {
      await using tab = await world.open(`#/runs/${runId}`);
      await tab.page.getByRole("link", { name: "Decide in Controls" }).click();
      await tab.page.getByRole("button", { name: `Yes, approve run ${runId}` }).click();
      await tab.page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
      await tab.page.getByText("No run waits for approval.").waitFor();
      const { body: run } = await world.daemon.request("GET", `/v1/runs/${runId}?wait=30`);

      expect(run.status).toBe("COMPLETED");
    },
    HANG_MS,
  );

  test(
    "a budget is made, and a schedule is paused and resumed",
    async () => {
      await using tab = await world.open("#/controls/budgets");
      const { page } = tab;
      await page.getByLabel("Limit").fill("lots");
      await page.getByRole("button", { name: "Make a budget" }).click();
      await page.getByText("Type an amount in dollars").waitFor();
      await page.getByLabel("Limit").fill("12.5");
      await page.getByRole("button", { name: "Make a budget" }).click();
      await page.getByRole("cell", { name: "$12.50" }).first().waitFor();
      await page.getByRole("tab", { name: "Schedules" }).click();
      await page.getByRole("button", { name: "Pause the schedule morning" }).click();
      const resume = page.getByRole("button", { name: "Resume the schedule morning" });
      await resume.waitFor();
      const paused = await world.daemon.request("GET", "/v1/schedules");
      await resume.click();
      await page.getByRole("button", { name: "Pause the schedule morning" }).waitFor();
      const resumed = await world.daemon.request("GET", "/v1/schedules");
      const { body: budgets } = await world.daemon.request("GET", "/v1/controls/workspace/budgets");

      expect(paused.body.items[0].status).toBe("PAUSED");
      expect(resumed.body.items[0].status).toBe("ACTIVE");
      expect(budgets.items).toMatchObject([{ period: "MONTH", limitAmount: 12.5 }]);
    },
    HANG_MS,
  );

  test(
    "a webhook is made, whose secret is shown once, changed and deleted",
    async () => {
      await using tab = await world.open("#/controls/webhooks");
      const { page } = tab;
      const listed = async () => (await world.daemon.request("GET", "/v1/webhooks")).body.items;
      await page.getByRole("button", { name: "Make a webhook" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Address").fill("http://example.com/hook");
      await dialog.getByRole("button", { name: "Make it" }).click();
      await dialog.getByRole("alert").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await dialog.getByLabel("Address").fill("https://hooks.example.com/t/s3cret");
      await dialog.getByLabel("all").uncheck();
      await dialog.getByLabel("run.failed").check();
      await dialog.getByRole("button", { name: "Make it" }).click();
      const secret = await page.getByLabel("Secret", { exact: true }).innerText();
      await page.getByRole("button", { name: "Close", exact: true }).click();
      const [made] = await listed();
      await page.getByRole("button", { name: "Change the webhook hooks.example.com" }).click();
      await dialog.getByLabel("Name").fill("ops");
      await dialog.getByLabel("approval.requested").check();
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Delete the webhook ops" }).click();
      const [changed] = await listed();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Nobody is told of what happens here.").waitFor();

      expect(secret).toMatch(/^whsec_/);
      expect(await page.content()).not.toContain("s3cret");
      expect(made).toMatchObject({ url: "https://hooks.example.com/…", events: ["run.failed"] });
      expect(changed).toMatchObject({ name: "ops", events: ["run.failed", "approval.requested"] });
      expect(await listed()).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "a schedule is made, changed and deleted; a slip is said where it was made",
    async () => {
      await using tab = await world.open("#/controls/schedules");
      const { page } = tab;
      const evening = async () =>
        (await world.daemon.request("GET", "/v1/schedules")).body.items.find(
          ({ provider, name }: { provider: string; name?: string }) => provider === "meteo" && name !== "morning",
        );
      await page.getByRole("button", { name: "Make a schedule" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Endpoint").fill("meteo/now");
      await dialog.getByLabel("When").fill("0 19 * * *");
      await dialog.getByLabel("Input").fill("{ city: Faro }");
      await dialog.getByRole("button", { name: "Make it" }).click();
      await dialog.getByText("The input is not JSON").waitFor();
      await dialog.getByLabel("Input").fill('{ "city": "Faro" }');
      await dialog.getByLabel("A run may cost").fill("0.25");
      await dialog.getByRole("button", { name: "Make it" }).click();
      await page.getByRole("button", { name: "Change the schedule meteo/now" }).click();
      const made = await evening();
      await dialog.getByLabel("Name").fill("evening");
      await dialog.getByLabel("A run may cost").fill("");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Delete the schedule evening" }).click();
      const changed = await evening();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete the schedule evening" }).waitFor({ state: "detached" });

      expect(made).toMatchObject({ cron: "0 19 * * *", timeZone: "UTC", maxCost: { value: 0.25 } });
      expect(made.input).toMatchObject({ queryParams: { city: "Faro" } });
      expect(changed).toMatchObject({ name: "evening", revision: made.revision + 1 });
      expect(changed).not.toHaveProperty("maxCost");
      expect(await evening()).toBeUndefined();
    },
    HANG_MS,
  );

  test(
    "an approval rule is made for a key, changed, paused and deleted",
    async () => {
      await using tab = await world.open("#/controls/rules");
      const { page } = tab;
      const own = async () =>
        (await world.daemon.request("GET", "/v1/controls/approval-rules")).body.items.find(
          ({ keyLabel }: { keyLabel?: string }) => keyLabel === "agent",
        );
      await page.getByLabel("A run waits above").fill("3");
      await page.getByLabel("Only for the key").fill("agent");
      await page.getByRole("button", { name: "Make a rule" }).click();
      await page.getByRole("button", { name: "Change the rule of $3" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("A run waits above").fill("4.5");
      await dialog.getByLabel("It waits for").fill("12");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Pause the rule of $4.5" }).click();
      await page.getByRole("button", { name: "Resume the rule of $4.5" }).waitFor();
      const changed = await own();
      await page.getByRole("button", { name: "Delete the rule of $4.5" }).click();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete the rule of $4.5" }).waitFor({ state: "detached" });

      expect(changed).toMatchObject({ limitAmount: 4.5, expiresInSeconds: 43_200, status: "PAUSED" });
      expect(await own()).toBeUndefined();
    },
    HANG_MS,
  );

  test(
    "who may only read them changes nothing",
    async () => {
      const scopes = ["controls:read", "runs:read"];
      const reader = await world.daemon.request("POST", "/v1/api-keys", { label: "reader", scopes });
      await using tab = await world.open("#/controls/rules", { ask: askWith(world.daemon.url, reader.body.key) });
      for (const name of ["rules", "budgets", "caps", "webhooks", "schedules"]) {
        await tab.goto(`#/controls/${name}`);
        const buttons = await tab.page.locator("main button:not([role=tab])").allInnerTexts();

        expect(
          buttons.filter((text) => !/clipboard|^$/.test(text)),
          name,
        ).toEqual([]);
        expect(await tab.page.locator("main input, main select, main form").count(), name).toBe(0);
      }
      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );
});
