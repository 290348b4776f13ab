import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forecast, type SpendWindow } from "../../console/spend/spend-window.ts";
import { microDollars } from "../../shared/micro-dollars.ts";
import { whyNoBrowser } from "../support/browser.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { expectGoodScreen, HANG_MS } from "./good-screen.ts";

/* What the console says of the workspace's state and its money. docs/console.md */

const reason = whyNoBrowser();
if (reason !== undefined) process.stderr.write(`the console's money is not tested in a browser: ${reason}\n`);

describe.skipIf(reason !== undefined)("the console", () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await startConsoleWorld();
    const { vendor, daemon } = world;
    vendor.on("GET /now", { json: { city: "Lisbon" } });
    vendor.on("POST /reports", { json: { id: "r1" } });
    vendor.on("GET /reports/r1", { json: { status: "working" } });
    vendor.on("DELETE /reports/r1", { json: {} });
    const run = async (endpoint: string, input: object, more: object = {}) =>
      await daemon.request("POST", "/v1/run", { provider: "meteo", endpoint, input, ...more });
    await run("/now", { city: "Lisbon" }, { tags: { team: "=growth" } });
    await run("/now", { city: "Porto" });
    const limitAmount = { value: 1, unit: "DOLLAR", currency: "USD" };
    await daemon.request("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount });
  }, HANG_MS);

  afterAll(async () => await world?.[Symbol.asyncDispose]());

  const screens = [
    { at: "#/", shows: "No run is under way." },
    { at: "#/spend", shows: "meteo" },
    { at: "#/spend?by=tag", shows: "Which tag?" },
    { at: "#/spend?first=2001-01-01&last=2001-01-31", shows: "Nothing was run in this window." },
  ];

  test.each(screens)(
    "$at: four requests at most, nothing wider than a phone, and no fault for axe in both themes",
    async ({ at, shows }) => await expectGoodScreen(world, at, shows),
    HANG_MS,
  );

  test(
    "home shows what is spent, what is in flight and each budget",
    async () => {
      const report = { provider: "meteo", endpoint: "/report", input: { topic: "rain" } };
      await world.daemon.request("POST", "/v1/run", report);
      await using tab = await world.open("#/home");
      const { page } = tab;
      const inFlight = page.getByRole("region", { name: "Runs in flight, newest first" });
      await inFlight.getByText("meteo/report").waitFor();

      expect(await page.locator(".figures", { hasText: "Spent today" }).innerText()).toContain("$0.02");
      expect(await page.getByRole("img", { name: /budget used: \d/ }).count()).toBe(1);
    },
    HANG_MS,
  );

  test(
    "spend is grouped by a tag, and its table is downloaded without formulas",
    async () => {
      await using tab = await world.open("#/spend");
      const { page } = tab;
      await page.getByLabel("Grouped by").selectOption("tag");
      await page.getByLabel("Name of the tag").fill("team");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByRole("cell", { name: "=growth", exact: true }).waitFor();
      const coming = page.waitForEvent("download");
      await page.getByRole("button", { name: "CSV" }).click();
      const file = await coming;

      expect(page.url()).toContain("by=tag&tag=team");
      expect(await page.getByRole("img", { name: /^Charged a day, .*\$0\.02 in all/ }).count()).toBe(1);
      expect(file.suggestedFilename()).toMatch(/^spend-.*\.csv$/);
      const [head, ...lines] = readFileSync(await file.path(), "utf8")
        .trimEnd()
        .split("\r\n");
      expect(head).toMatch(/^tag:team,runs,failed,.*charged_usd/);
      expect(lines).toContainEqual(expect.stringMatching(/^'=growth,1,0,0,0,0\.01,/));
    },
    HANG_MS,
  );
});

const november: SpendWindow = { first: "2026-11-01", last: "2026-11-30" };
const at = (iso: string) => Date.parse(iso);

test("a forecast goes on at the pace so far", () => {
  expect(forecast(microDollars(10_000_000), november, at("2026-11-11T00:00:00Z"))).toBe(30_000_000);
});

test("a forecast has no more digits than a guess: cents, and below ten of them two digits", () => {
  expect(forecast(microDollars(1_234_567), november, at("2026-11-11T01:02:03Z"))).toBe(3_690_000);
  expect(forecast(microDollars(1_234), november, at("2026-11-11T01:02:03Z"))).toBe(3_700);
  expect(forecast(microDollars(0), november, at("2026-11-11T01:02:03Z"))).toBe(0);
});

test("there is no forecast in the first day, nor for a window that is over or yet to come", () => {
  for (const now of ["2026-11-01T23:59:59Z", "2026-12-01T00:00:00Z", "2026-10-01T00:00:00Z"]) {
    expect(forecast(microDollars(5), november, at(now)), now).toBeUndefined();
  }
});
