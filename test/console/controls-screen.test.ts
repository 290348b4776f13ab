import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { type Ask, askWith } from "../support/request.ts";
import { faultsOf } from "./axe.ts";
import { ticketOf } from "./sign-in.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { takePicture } from "./pictures.ts";
import { expectGoodDialog, expectGoodScreen, HANG_MS, structureOf } from "./good-screen.ts";

/* Controls in a real browser, against a real daemon. docs/console.md */

/** Loses the first answer to a POST there, once the service has given it. */
async function loseAnswer(page: Page, to: string): Promise<void> {
  let isLost = false;
  await page.route(to, async (route) => {
    if (isLost || route.request().method() !== "POST") return await route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
}

/** Presses on the middle of an element, and lets go in the corner of the page. */
async function dragOut(page: Page, from: Locator): Promise<void> {
  const { x, y, width, height } = (await from.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(5, 5);
  await page.mouse.up();
}

/** The name of what has the focus, and whether one sees that it has it. */
const FOCUS = `(() => {
  const one = document.activeElement;
  const name = one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? (one === document.body ? "BODY" : one.innerText);
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  return { name: name.trim(), isSeen: one === document.body || (outlineStyle !== "none" && outlineWidth !== "0px") };
})()`;

describe.skipIf(lacksBrowser("the console's controls"))("controls", () => {
  let world: ConsoleWorld;
  let runId = "";
  let agent: Ask;

  beforeAll(async () => {
    world = await startConsoleWorld();
    const { vendor, daemon } = world;
    vendor.on("GET /now", { json: { city: "Lisbon" } });
    const member = await daemon.request("POST", "/v1/api-keys", { label: "agent", role: "member" });
    await daemon.request("POST", "/v1/controls/approval-rules", {
      limitAmount: { value: 0, unit: "DOLLAR", currency: "USD" },
      keyLabel: "agent",
    });
    agent = askWith(daemon.url, member.body.key);
    const asked = await agent("POST", "/v1/run", {
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
    "each list has the same headings, columns, fields and buttons as before",
    async () => {
      await using tab = await world.open("#/controls");
      const found: string[] = [];
      for (const name of ["approvals", "rules", "budgets", "caps", "webhooks", "schedules"]) {
        await tab.goto(`#/controls/${name}`);
        found.push(`# ${name}`, await structureOf(tab.page));
      }

      await expect(found.join("\n")).toMatchFileSnapshot("structure/controls.txt");
    },
    HANG_MS,
  );

  test(
    "moves nothing for who asked for less motion",
    async () => {
      await using tab = await world.open("#/controls/schedules");
      const { page } = tab;
      await page.getByRole("button", { name: "Make a schedule" }).click();
      const moving = async () =>
        await page.evaluate(`[...document.querySelectorAll("*")].filter((one) => {
          const { transitionDuration, animationName } = getComputedStyle(one);
          return animationName !== "none" || !/^0s(, 0s)*$/.test(transitionDuration);
        }).length`);

      expect(await moving()).toBe(0);

      await page.emulateMedia({ reducedMotion: "no-preference" });
      expect(await moving()).toBeGreaterThan(0);
    },
    HANG_MS,
  );

  test(
    "by Tab, Enter, Space and arrows alone one signs in, runs an endpoint and approves a run",
    async () => {
      const { url } = world.daemon;
      const context = await world.browser.newContext();
      const page = await context.newPage();
      const key = async (name: string) => await page.keyboard.press(name);
      const hasFocus = async () => (await page.evaluate(FOCUS)) as { name: string; isSeen: boolean };
      /** Goes on to the element of that name, and sees the focus at every step. */
      const tabTo = async (name: RegExp) => {
        const passed: string[] = [];
        for (let step = 0; step < 80; step += 1) {
          await key("Tab");
          const at = await hasFocus();
          expect(at.isSeen, `the focus at ${at.name}`).toBe(true);
          if (name.test(at.name)) return;
          passed.push(at.name);
        }
        throw new Error(`Tab never came to ${name}: ${passed.join(" | ")}`);
      };
      // What the daemon answers to a browser that does not say who sent it: the page asks.
      await page.route("**/console/", async (route) => {
        await route.fulfill({ response: await route.fetch({ headers: { host: new URL(url).host } }) });
      });
      await page.goto(`${url}/console/#ticket=${await ticketOf(world.daemon.request)}`);
      await page.getByRole("dialog").waitFor();
      await tabTo(/^Sign in$/);
      await key("Enter");
      await page.getByRole("navigation", { name: "Screens" }).waitFor();
      // The first screen is loaded after the navigation, and takes the focus then.
      await page.locator("h1:focus").waitFor();

      await tabTo(/^Discover$/);
      await key("Enter");
      await page.getByRole("heading", { name: "Discover" }).waitFor();
      await tabTo(/what/i);
      await page.keyboard.type("weather now in a city");
      await key("Enter");
      await page.getByRole("link", { name: "meteo/now" }).waitFor();
      await tabTo(/^meteo\/now$/);
      await key("Enter");
      await page.getByLabel("city").waitFor();
      await tabTo(/^city/);
      await key("Control+A");
      await page.keyboard.type("Porto");
      await tabTo(/^Run without asking$/);
      await key("Space");
      await page.getByRole("link", { name: "Its whole story" }).waitFor();

      await tabTo(/^Controls$/);
      await key("Enter");
      await page.getByRole("tab", { name: "Approvals" }).waitFor();
      await tabTo(/^Approvals$/);
      await key("ArrowRight");
      await page.getByRole("button", { name: "Make a rule" }).waitFor();
      await key("ArrowLeft");
      const approve = page.getByRole("button", { name: `Approve run ${runId}` });
      await approve.waitFor();
      await tabTo(/^Approve run/);
      await key("Enter");
      await page.getByRole("dialog").getByText("Lisbon").waitFor();
      await key("Escape");
      // Of the element: it has no role from the moment on when the browser hides it, which is before the page knows.
      await page.locator("dialog").waitFor({ state: "detached" });
      const returned = await hasFocus();
      await key("Space");
      await tabTo(/^Approve$/);
      await key("Space");
      await approve.waitFor({ state: "detached" });

      expect(returned.name).toBe(`Approve run ${runId}`);
      await expect.poll(async () => (await hasFocus()).name, { timeout: 15_000 }).not.toBe("BODY");
      expect(world.vendor.calls.some(({ query }) => query.get("city") === "Porto")).toBe(true);
      const { body: run } = await agent("GET", `/v1/runs/${runId}?wait=30`);
      expect(run.status).toBe("COMPLETED");
      await context.close();
    },
    HANG_MS,
  );

  test(
    "a run that waits leads here, and begins after a yes",
    async () => {
      const { body: waiting } = await agent("POST", "/v1/run", {
        provider: "meteo",
        endpoint: "/now",
        input: { city: "Lisbon" },
      });
      await using tab = await world.open(`#/runs/${waiting.runId}`);
      await tab.page.getByRole("link", { name: "Decide it in Controls" }).click();
      await tab.page.getByRole("button", { name: `Approve run ${waiting.runId}` }).click();
      const dialog = tab.page.getByRole("dialog");
      await dialog.getByText('"city": "Lisbon"').waitFor();
      await expectGoodDialog(tab.page);
      expect(await dialog.locator("dl").innerText()).toMatch(/meteo\/now[^]*\$0\.01[^]*agent/);
      await dialog.getByRole("button", { name: "Approve" }).click();
      await tab.page.getByText("No run waits for approval.").waitFor();
      const { body: run } = await world.daemon.request("GET", `/v1/runs/${waiting.runId}?wait=30`);

      expect(run.status).toBe("COMPLETED");
    },
    HANG_MS,
  );

  test(
    "a run that waits is denied with a reason, which whoever asked for it reads",
    async () => {
      const { body: asked } = await agent("POST", "/v1/run", {
        provider: "meteo",
        endpoint: "/now",
        input: { city: "Faro" },
      });
      await using tab = await world.open("#/controls/approvals");
      await tab.page.getByRole("button", { name: `Deny run ${asked.runId}` }).click();
      await tab.page.getByLabel("Reason").fill("not this week");
      await tab.page.getByRole("dialog").getByRole("button", { name: "Deny" }).click();
      await tab.page.getByText("No run waits for approval.").waitFor();
      const { body: run } = await agent("GET", `/v1/runs/${asked.runId}`);

      expect(run).toMatchObject({ status: "BLOCKED", approval: { status: "DENIED", reason: "not this week" } });
    },
    HANG_MS,
  );

  test(
    "a cap is made once, though its answer was lost and it was asked for again; it is changed, paused and deleted",
    async () => {
      await using tab = await world.open("#/controls/caps");
      const { page } = tab;
      await loseAnswer(page, "**/run-caps");
      const caps = async () => (await world.daemon.request("GET", "/v1/controls/workspace/run-caps")).body.items;
      const dialog = page.getByRole("dialog");
      await page.getByLabel("A run may cost").fill("2");
      await page.getByRole("button", { name: "Make a cap" }).click();
      await page.locator("form .help.bad").waitFor();
      await page.getByRole("button", { name: "Make a cap" }).click();
      await page.getByText("The cap is made.").waitFor();
      await page.getByRole("button", { name: "Change the cap of $2.00" }).click();
      await dialog.getByLabel("A run may cost").fill("plenty");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByRole("alert").waitFor();
      await dialog.getByLabel("A run may cost").fill("3.5");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Pause the cap of $3.50" }).click();
      await page.getByRole("button", { name: "Resume the cap of $3.50" }).waitFor();
      const changed = await caps();
      await page.getByRole("button", { name: "Delete the cap of $3.50" }).click();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByText("There is no cap").waitFor();

      expect(changed).toMatchObject([{ limitAmount: 3.5, status: "PAUSED" }]);
      expect(await caps()).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "a budget is made and changed, and a schedule is paused and resumed",
    async () => {
      await using tab = await world.open("#/controls/budgets");
      const { page } = tab;
      await page.getByLabel("Limit").fill("lots");
      await page.getByRole("button", { name: "Make a budget" }).click();
      await page.getByText("Type an amount in dollars").waitFor();
      await page.getByLabel("Limit").fill("12.5");
      await page.getByRole("button", { name: "Make a budget" }).click();
      await page.getByRole("button", { name: "Change the budget of $12.50 in each month" }).click();
      await page.getByRole("dialog").getByLabel("Limit").fill("20");
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByRole("cell", { name: "$20.00" }).first().waitFor();
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
      expect(budgets.items).toMatchObject([{ period: "MONTH", limitAmount: 20 }]);
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
      await expectGoodDialog(page);
      await dialog.getByLabel("Address").fill("https://hooks.example.com/t/s3cret");
      await dragOut(page, dialog.getByLabel("Address"));
      await dialog.getByLabel("all").uncheck();
      await dialog.getByLabel("run.failed").check();
      await dialog.getByRole("button", { name: "Make it" }).click();
      const shown = page.getByLabel("Secret", { exact: true });
      const secret = await shown.innerText();
      await dragOut(page, shown);
      await page.mouse.click(5, 5);
      expect(await shown.isVisible()).toBe(true);
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
    "a schedule is made once, though its answer was lost; it is changed and deleted; a slip is said where it was made",
    async () => {
      await using tab = await world.open("#/controls/schedules");
      const { page } = tab;
      const evenings = async () =>
        (await world.daemon.request("GET", "/v1/schedules")).body.items.filter(
          ({ provider, name }: { provider: string; name?: string }) => provider === "meteo" && name !== "morning",
        );
      await page.getByRole("button", { name: "Make a schedule" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Endpoint").fill("meteo/now");
      await dialog.getByLabel("When").fill("0 19 * * *");
      await dialog.getByLabel("Input").fill("{ city: Faro }");
      await dialog.getByRole("button", { name: "Make it" }).click();
      await dialog.getByText("The input is not JSON").waitFor();
      await expectGoodDialog(page);
      await dialog.getByLabel("Input").fill('{ "city": "Faro" }');
      await dialog.getByLabel("A run may cost").fill("0.25");
      await dialog.getByLabel("Its runs may cost together").fill("3");
      await dialog.getByLabel("In each").selectOption("week");
      await loseAnswer(page, "**/schedules");
      await dialog.getByRole("button", { name: "Make it" }).click();
      await dialog.getByRole("alert").waitFor();
      await dialog.getByRole("button", { name: "Make it" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Change the schedule meteo/now" }).click();
      const [made, ...twice] = await evenings();
      await dialog.getByLabel("Name").fill("evening");
      await dialog.getByLabel("A run may cost").fill("");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Delete the schedule evening" }).click();
      const [changed] = await evenings();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete the schedule evening" }).waitFor({ state: "detached" });

      expect(twice).toEqual([]);
      expect(made).toMatchObject({ cron: "0 19 * * *", timeZone: "UTC", maxCost: { value: 0.25 } });
      expect(made.budget).toMatchObject({ amount: { value: 3 }, period: "WEEK" });
      expect(made.input).toMatchObject({ queryParams: { city: "Faro" } });
      expect(changed).toMatchObject({ name: "evening", revision: made.revision + 1 });
      expect(changed).not.toHaveProperty("maxCost");
      expect(await evenings()).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "a schedule shows its next times and its budget, and is run now",
    async () => {
      await using tab = await world.open("#/controls/schedules");
      const { page } = tab;
      await page.getByRole("link", { name: "morning" }).click();
      await page.getByText("None has come yet.").waitFor();
      const times = await page.locator("dd time").count();
      await page.getByRole("button", { name: "Run now" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
      await page.waitForURL(/#\/runs\/\w+/);
      const { body } = await world.daemon.request("GET", "/v1/runs?limit=1");

      expect(times).toBeGreaterThanOrEqual(3);
      expect(page.url()).toContain(body.items[0].runId);
      expect(body.items[0].tags ?? {}).toHaveProperty("schedule");
    },
    HANG_MS,
  );

  test(
    "of a webhook one reads what was sent, sends a test, sends again, and gives it a new secret",
    async () => {
      world.vendor.on("POST /hook", { status: 500 }, { status: 204 });
      const url = `${world.vendor.url}/hook`;
      const made = await world.daemon.request("POST", "/v1/webhooks", { url, name: "ops", events: ["run.failed"] });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      await using tab = await world.open(`#/controls/webhooks/${made.body.webhookId}`);
      const { page } = tab;
      await page.getByText("Nothing was sent to it yet.").waitFor();
      expect(tab.requests.length, tab.requests.join(", ")).toBeLessThanOrEqual(4);
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("The test did not arrive: it answered 500").waitFor();
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("The test arrived").waitFor();
      await page.getByRole("button", { name: "New secret" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
      const secret = await page.getByLabel("Secret", { exact: true }).innerText();
      await page.getByRole("button", { name: "Close", exact: true }).click();
      await page.getByText("signs too until").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await takePicture(page, "#/controls/webhooks/one", "1440-light");
      await page
        .getByRole("button", { name: /^Send again / })
        .first()
        .click();
      await page.getByText("On the way again.").waitFor();
      await world.daemon.request("DELETE", `/v1/webhooks/${made.body.webhookId}`);

      expect(secret).toMatch(/^whsec_/);
      expect(secret).not.toBe(made.body.secret);
      expect(world.vendor.count("POST /hook")).toBeGreaterThanOrEqual(2);
    },
    HANG_MS,
  );

  test(
    "a run that waits is not offered for approval to the key that asked for it",
    async () => {
      const { request, url } = world.daemon;
      const made = await request("POST", "/v1/api-keys", { label: "lead", role: "manager" });
      const lead = askWith(url, made.body.key);
      const limitAmount = { value: 0, unit: "DOLLAR", currency: "USD" };
      const rule = await request("POST", "/v1/controls/approval-rules", { limitAmount, keyLabel: "lead" });
      const input = { city: "Evora" };
      const asked = await lead("POST", "/v1/run", { provider: "meteo", endpoint: "/now", input });
      await using tab = await world.open("#/controls/approvals", { ask: lead });
      const { page } = tab;
      await page.getByText("asked for by lead; somebody else has to approve it").waitFor();
      const approve = await page.getByRole("button", { name: "Approve" }).count();
      await page.getByRole("button", { name: `Deny run ${asked.body.runId}` }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Deny" }).click();
      await page.getByText("No run waits for approval.").waitFor();
      await request("DELETE", `/v1/controls/approval-rules/${rule.body.ruleId}`);

      expect(approve).toBe(0);
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
          ({ keyLabel }: { keyLabel?: string }) => keyLabel === "owner",
        );
      await page.getByLabel("A run waits above").fill("3");
      await page.getByLabel("Only for the key").fill("owner");
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
      const [{ scheduleId }] = (await world.daemon.request("GET", "/v1/schedules")).body.items;
      for (const name of ["rules", "budgets", "caps", "webhooks", "schedules", `schedules/${scheduleId}`]) {
        await tab.goto(`#/controls/${name}`);
        // A command to copy is offered as a button is.
        const offered = tab.page.locator("main button:not([role=tab]), main input, main select, main form, main pre");

        expect(await offered.count(), name).toBe(0);
      }
      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );
});
