import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { HANG_MS } from "./good-screen.ts";
import { ticketOf } from "./sign-in.ts";

/* The console in a real browser, against a real daemon. docs/console.md */

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202egnp.exe`;
const PATIENCE = { timeout: 15_000 };
const HUGE = "x".repeat(5_000_000);

describe.skipIf(lacksBrowser("the console's screens"))("the console", () => {
  let world: ConsoleWorld;
  let hostile = "";

  beforeAll(async () => {
    world = await startConsoleWorld();
    const { vendor, daemon } = world;
    const days = Array.from({ length: 7 }, (_, day) => ({
      day: `2026-11-${20 + day}`,
      celsius: 14 + day,
      rain: day === 3,
    }));
    vendor.on("GET /now", { json: { city: "Lisbon", days } });
    vendor.on("GET /plain", { json: { [HOSTILE]: HOSTILE, huge: HUGE } });
    vendor.on("POST /reports", { json: { id: "r1" } });
    vendor.on("GET /reports/r1", { json: { status: "working" } });
    vendor.on("DELETE /reports/r1", { json: {} });
    const run = async (endpoint: string, input: object) =>
      (await daemon.request("POST", "/v1/run", { provider: "meteo", endpoint, input })).body.runId;
    await run("/now", { city: "Lisbon" });
    hostile = await run("/plain", {});
  }, HANG_MS);

  afterAll(async () => await world?.[Symbol.asyncDispose]());

  test(
    "a ticket signs in once, and is out of the address at once",
    async () => {
      const ticket = await ticketOf(world.daemon.request);
      await using tab = await world.open("#/runs");
      const { page } = tab;
      await page.evaluate("sessionStorage.clear()");
      await page.goto("about:blank");
      await page.goto(`${world.daemon.url}/console/#ticket=${ticket}`);
      await page.getByRole("navigation", { name: "Screens" }).waitFor();

      expect(page.url()).not.toContain("tkt_");

      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
      await page.goto("about:blank");
      await page.goto(`${world.daemon.url}/console/#ticket=${ticket}`);
      await page.getByRole("alert").waitFor();

      expect(await page.evaluate("sessionStorage.length")).toBe(0);
    },
    HANG_MS,
  );

  test(
    "with the keyboard alone one asks, prices, runs, and reads the run's story",
    async () => {
      await using tab = await world.open("#/discover");
      const { page } = tab;
      await page.keyboard.press("Tab");
      await page.keyboard.type("weather now in a city");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "meteo/now" }).focus();
      await page.keyboard.press("Enter");
      await page.getByLabel("city").focus();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("Porto");
      await page.keyboard.press("Enter");
      await page.getByText("Would it go through?").waitFor();
      await page.getByRole("button", { name: "Run for $0.01" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("cell", { name: "2026-11-20" }).waitFor();
      await page.getByRole("link", { name: "Its whole story" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Provider answered 200").waitFor();

      expect(world.vendor.calls.at(-1)?.query.get("city")).toBe("Porto");
      expect(await page.locator("h1").innerText()).toBe("meteo/now");
      expect(await page.locator(".money").first().innerText()).toBe("$0.01");
    },
    HANG_MS,
  );

  test(
    "a run that is under way is stopped from the list",
    async () => {
      const { body } = await world.daemon.request("POST", "/v1/run", {
        provider: "meteo",
        endpoint: "/report",
        input: { topic: "rain" },
      });
      // As wide as a phone: what can be stopped has its button, and when it was asked for, there too.
      await using tab = await world.open("#/runs?status=READY,RUNNING,STOPPING", { width: 320 });
      const row = tab.page.getByRole("row").filter({ hasText: "meteo/report" });
      expect(await row.locator("time:visible").count()).toBe(1);
      expect(await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await tab.page.getByRole("button", { name: `Stop run ${body.runId}` }).click();
      await tab.page.getByRole("status").filter({ hasText: /stop/i }).last().waitFor();
      const { body: run } = await world.daemon.request("GET", `/v1/runs/${body.runId}?wait=30`);

      expect(run.status).toBe("STOPPED");
    },
    HANG_MS,
  );

  test(
    "a run that was made elsewhere appears in the list without reloading the page",
    async () => {
      await using tab = await world.open("#/runs");
      const { page, requests } = tab;
      await page
        .getByRole("status")
        .filter({ hasText: /^Live$/ })
        .waitFor();
      await page.evaluate("document.body.dataset.same = 'page'");

      const { body } = await world.daemon.request("POST", "/v1/run", {
        provider: "meteo",
        endpoint: "/now",
        input: { city: "Elsewhere" },
      });
      const row = page.locator(`a[href*="${body.runId}"]`).first();
      await row.waitFor();

      expect(await page.evaluate("document.body.dataset.same")).toBe("page");
      expect(requests.filter((one) => one === "GET /v1/events")).toHaveLength(1);
      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "a filter that is typed is asked for once, and what was shown stays until the answer is there",
    async () => {
      await using tab = await world.open("#/runs?provider=meteo");
      const { page } = tab;
      const rows = page.locator("tbody tr");
      const before = await rows.count();
      const asked = tab.requests.length;
      let wasEmpty = false;
      await page.route("**/v1/runs?*", async (route) => {
        wasEmpty ||= (await page.locator(".waiting").count()) > 0 || (await rows.count()) === 0;
        await route.continue();
      });
      await page.getByLabel("Endpoint").pressSequentially("/plain", { delay: 20 });
      await expect.poll(() => page.url(), PATIENCE).toContain("endpoint=%2Fplain");
      await expect.poll(async () => await rows.count(), PATIENCE).toBe(1);

      expect(before).toBeGreaterThan(1);
      expect(wasEmpty).toBe(false);
      expect(tab.requests.slice(asked).filter((one) => one === "GET /v1/runs").length).toBeLessThan(4);

      await page.getByLabel("Endpoint").fill("");
      await expect.poll(async () => await rows.count(), PATIENCE).toBeGreaterThanOrEqual(before);
    },
    HANG_MS,
  );

  test(
    "a run that is open follows its run to the end, with its story",
    async () => {
      let isDone = false;
      world.vendor.on("GET /reports/r1", () => ({
        json: isDone ? { status: "done", result: { items: [{ mm: 3 }] } } : { status: "working", progress: "half way" },
      }));
      const { body } = await world.daemon.request("POST", "/v1/run", {
        provider: "meteo",
        endpoint: "/report",
        input: { topic: "rain", limit: 3 },
      });
      await using tab = await world.open(`#/runs/${body.runId}`);
      const { page } = tab;
      const story = page.getByRole("region", { name: "Story" });
      await page.getByText("half way").waitFor();
      expect(await story.locator("strong").allInnerTexts()).toContain("Running");
      isDone = true;
      await story.getByText("Completed").waitFor();
      await page.getByRole("cell", { name: "3", exact: true }).waitFor();

      expect(await story.locator("strong").allInnerTexts()).not.toContain("Running");
      expect(await page.getByRole("button", { name: /^Stop run/ }).count()).toBe(0);
      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "nothing moves for a reader who wants less motion",
    async () => {
      await using tab = await world.open("#/runs");
      const moving = `[...document.querySelectorAll("*")].filter((one) => {
        const { animationName, transitionDuration } = getComputedStyle(one);
        return animationName !== "none" || /[1-9]/.test(transitionDuration);
      }).length`;

      expect(await tab.page.evaluate(moving)).toBe(0);
      await tab.page.emulateMedia({ reducedMotion: "no-preference" });
      expect(await tab.page.evaluate(moving)).toBeGreaterThan(0);
    },
    HANG_MS,
  );

  test(
    "what a provider sends is text: no markup, no turned order, and five megabytes only on request",
    async () => {
      await using tab = await world.open(`#/runs/${hostile}`);
      const { page } = tab;
      const shown = await page.locator("main").innerText();

      expect(await page.title()).not.toBe("owned");
      expect(await page.locator("main img, main script").count()).toBe(0);
      expect(shown).toContain("⟨U+202E⟩");
      expect(shown).not.toContain("\u202e");
      expect(shown.length).toBeLessThan(20_000);

      await page.getByRole("button", { name: /show more \(4,99/ }).click();

      expect((await page.locator("main").innerText()).length).toBeGreaterThan(20_000);
      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );
});
