import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dayRows } from "../../console/spend/day-rows.ts";
import { forecast, type SpendWindow } from "../../console/spend/spend-window.ts";
import type { UsageItem } from "../../shared/contract/usage.ts";
import { microDollars } from "../../shared/micro-dollars.ts";
import { lacksBrowser } from "../support/browser.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { expectGoodScreen, HANG_MS } from "./good-screen.ts";
import { holdAnswers } from "./held-answers.ts";

/* What the console says of the workspace's state and its money. docs/console.md */

describe.skipIf(lacksBrowser("the console's money"))("the console", () => {
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
    { at: "#/home", shows: "No run is under way." },
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
    "spend is grouped by a tag whose name is typed",
    async () => {
      await using tab = await world.open("#/spend");
      const { page } = tab;
      await page.getByLabel("Grouped by").selectOption("tag");
      await page.getByLabel("Name of the tag").fill("team");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByRole("cell", { name: "=growth", exact: true }).waitFor();

      expect(page.url()).toContain("by=tag&tag=team");
      expect(await page.getByRole("img", { name: /^Charged a day, .*\$0\.02 in all/ }).count()).toBe(1);
      expect(await page.getByRole("columnheader", { name: "team" }).count()).toBe(1);
    },
    HANG_MS,
  );

  test(
    "sums of another window stand under their own name until those of the new one are there",
    async () => {
      const today = new Date().toISOString().slice(0, 10);
      await using tab = await world.open(`#/spend?first=${today}&last=${today}&by=provider`);
      const { page } = tab;
      const release = await holdAnswers(page, "**/v1/usage?*");
      await page.getByRole("button", { name: "7 days" }).click();
      await page.getByLabel("Grouped by").selectOption("endpoint");
      const coming = page.waitForEvent("download");
      await page.getByRole("button", { name: "CSV by provider" }).click();
      const former = (await coming).suggestedFilename();
      const formerHeads = await page.getByRole("columnheader", { name: "Provider", exact: true }).count();
      release();
      await page.getByRole("button", { name: "CSV by endpoint" }).waitFor();

      expect(former).toBe(`spend-by-provider-${today}-${today}.csv`);
      expect(formerHeads).toBe(1);
      expect(await page.getByRole("columnheader", { name: "Endpoint", exact: true }).count()).toBe(1);
    },
    HANG_MS,
  );

  test(
    "each grouping is downloaded as a table without formulas",
    async () => {
      const today = new Date().toISOString().slice(0, 10);
      const groupings = [
        { by: "day", at: "#/spend", head: "day", line: `${today},[23],0,0,0,0.02,` },
        { by: "provider", at: "#/spend?by=provider", head: "provider", line: "meteo,[23],0,0,0,0.02," },
        { by: "endpoint", at: "#/spend?by=endpoint", head: "endpoint", line: "meteo/now,2,0,0,0,0.02," },
        { by: "key", at: "#/spend?by=key", head: "key", line: "owner,[23],0,0,0,0.02," },
        { by: "tag", at: "#/spend?by=tag&tag=team", head: "tag:team", line: "'=growth,1,0,0,0,0.01," },
      ];
      await using tab = await world.open("#/spend");
      for (const { by, at, head, line } of groupings) {
        await tab.goto(at);
        const coming = tab.page.waitForEvent("download");
        await tab.page.getByRole("button", { name: `CSV by ${by}` }).click();
        const file = await coming;
        const [first, ...lines] = readFileSync(await file.path(), "utf8")
          .trimEnd()
          .split("\r\n");

        expect(file.suggestedFilename()).toMatch(new RegExp(`^spend-by-${by}-\\d{4}-\\d\\d-\\d\\d-.*\\.csv$`));
        expect(first).toBe(`${head},runs,failed,reused,overruns,charged_usd,cost_usd,rent_usd,saved_usd,overrun_usd`);
        expect(lines, by).toContainEqual(expect.stringMatching(new RegExp(`^${line.replaceAll(".", "\\.")}`)));
      }
      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "the chart of a window goes by the keyboard, has its axis and its forecast, and the table behind it",
    async () => {
      const today = new Date().toISOString().slice(0, 10);
      const day = (ahead: number) => new Date(Date.parse(today) + ahead * 86_400_000).toISOString().slice(0, 10);
      await using tab = await world.open(`#/spend?first=${day(-4)}&last=${day(5)}`, { locale: "de-DE" });
      const { page } = tab;
      const slider = page.getByRole("slider", { name: "Day" });
      await slider.focus();
      const shown = await slider.getAttribute("aria-valuetext");
      await page.keyboard.press("ArrowRight");
      const tomorrow = await slider.getAttribute("aria-valuetext");
      await page.keyboard.press("Home");
      const first = await slider.getAttribute("aria-valuetext");
      const words = new Intl.DateTimeFormat("de-DE", { month: "short", day: "numeric", timeZone: "UTC" });

      expect(shown).toMatch(new RegExp(`^${words.format(Date.parse(today))}: 0,02\\s\\$, [23] runs, forecast`));
      expect(tomorrow).toMatch(/: 0,00\s\$, 0 runs, forecast 0,0\d/);
      expect(first).toMatch(new RegExp(`^${words.format(Date.parse(day(-4)))}: 0,00\\s\\$, 0 runs$`));
      // Bars, forecast and grid are on the canvas: more than one colour of its own.
      expect(await page.evaluate(COLOURS)).toBeGreaterThan(3);

      await page.getByText("As a table").click();
      const table = page.getByRole("table", { name: "Charged a day" });
      expect(await table.getByRole("row").count()).toBe(11);
      expect(await table.getByRole("columnheader").allInnerTexts()).toEqual([
        "Day (UTC)",
        "Runs",
        "Charged",
        "Forecast",
      ]);
      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "spend follows what is run meanwhile",
    async () => {
      await using tab = await world.open("#/spend?by=endpoint");
      const { page } = tab;
      await page
        .getByRole("status")
        .filter({ hasText: /^Live$/ })
        .waitFor({ state: "attached" });
      world.vendor.on("GET /plain", { json: {} });
      await world.daemon.request("POST", "/v1/run", { provider: "meteo", endpoint: "/plain", input: {} });

      await page.getByRole("cell", { name: "meteo/plain", exact: true }).waitFor();
    },
    HANG_MS,
  );
});

/** How many colours the chart is drawn with. */
const COLOURS = `(() => {
  const canvas = document.querySelector(".day-chart canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Map();
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] < 255) continue;
    const colour = data[at] + "," + data[at + 1] + "," + data[at + 2];
    seen.set(colour, (seen.get(colour) ?? 0) + 1);
  }
  return [...seen.values()].filter((count) => count > 40).length;
})()`;

test("the forecast of the days to come and what was charged make the forecast of the window", () => {
  const days = ["2026-11-10", "2026-11-11", "2026-11-12"];
  const items = [{ group: "2026-11-10", runs: 3, charged: { value: 2, currency: "USD" } }] as unknown as UsageItem[];
  const rows = dayRows(days, items, microDollars(6_000_000), at("2026-11-11T12:00:00Z"));

  expect(rows.map(({ charged, expected }) => [charged, expected])).toEqual([
    [2_000_000, undefined],
    [0, 1_333_333],
    [0, 2_666_667],
  ]);
  expect(dayRows(days, items, undefined, at("2026-11-11T12:00:00Z")).some((row) => "expected" in row)).toBe(false);
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

test("a forecast is never below what was spent", () => {
  expect(forecast(microDollars(1_234_567), november, at("2026-11-30T23:59:59Z"))).toBe(1_234_567);
});

test("there is no forecast in the first day, nor for a window that is over or yet to come", () => {
  for (const now of ["2026-11-01T23:59:59Z", "2026-12-01T00:00:00Z", "2026-10-01T00:00:00Z"]) {
    expect(forecast(microDollars(5), november, at(now)), now).toBeUndefined();
  }
});
