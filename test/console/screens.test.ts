import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNoBrowser } from "../support/browser.ts";
import { consoleDir, type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { expectGoodScreen, HANG_MS } from "./good-screen.ts";
import { ticketOf } from "./sign-in.ts";

/* The console in a real browser, against a real daemon. docs/console.md */

const reason = whyNoBrowser();
if (reason !== undefined) process.stderr.write(`the console's screens are not tested: ${reason}\n`);

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202egnp.exe`;
const HUGE = "x".repeat(5_000_000);

describe.skipIf(reason !== undefined)("the console", () => {
  let world: ConsoleWorld;
  const ids = { run: "", hostile: "" };

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
    const run = async (endpoint: string, input: object, more: object = {}) =>
      (await daemon.request("POST", "/v1/run", { provider: "meteo", endpoint, input, ...more })).body.runId;
    ids.run = await run("/now", { city: "Lisbon" }, { tags: { team: "growth" } });
    ids.hostile = await run("/plain", {});
  }, HANG_MS);

  afterAll(async () => await world?.[Symbol.asyncDispose]());

  const screens = [
    { name: "runs", at: () => "#/runs", shows: "meteo/now" },
    { name: "run", at: () => `#/runs/${ids.run}`, shows: "Provider answered 200" },
    { name: "discover", at: () => "#/discover?q=weather%20in%20a%20city", shows: "$0.01/call" },
    { name: "endpoint", at: () => "#/discover/meteo/now", shows: "Name of the city" },
  ];

  test.each(screens)(
    "$name: four requests at most, nothing wider than a phone, and no fault for axe in both themes",
    async ({ at, shows }) => await expectGoodScreen(world, at(), shows),
    HANG_MS,
  );

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
      await page.getByRole("button", { name: "Run", exact: true }).focus();
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
      await using tab = await world.open("#/runs?status=READY,RUNNING,STOPPING");
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
    "what a provider sends is text: no markup, no turned order, and five megabytes only on request",
    async () => {
      await using tab = await world.open(`#/runs/${ids.hostile}`);
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

  test("the first paint needs 60 kB at most, and the whole console 120", () => {
    const page = readFileSync(join(consoleDir, "index.html"), "utf8");
    const first = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    const packed = (path: string) => gzipSync(readFileSync(join(consoleDir, path)), { level: 9 }).length;
    const all = readdirSync(join(consoleDir, "assets")).filter((name) => /\.(?:js|css)$/.test(name));
    const sum = (sizes: readonly number[]) => sizes.reduce((a, b) => a + b, 0);

    expect(first.length).toBeGreaterThanOrEqual(2);
    expect(gzipSync(page).length + sum(first.map(packed))).toBeLessThan(60_000);
    expect(sum(all.map((name) => packed(`assets/${name}`)))).toBeLessThan(120_000);
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=/i);
  });
});
