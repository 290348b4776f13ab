import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { faultsOf } from "./axe.ts";
import { type BusyWorld, startBusyWorld } from "./busy-world.ts";
import { expectGoodScreen, HANG_MS, structureOf } from "./good-screen.ts";

/* Screens of a workspace that is in use. Their pictures are those of docs/console.md. */

describe.skipIf(lacksBrowser("the console's screens of a busy workspace"))(
  "of a busy workspace",
  { timeout: HANG_MS },
  () => {
    let busy: BusyWorld;
    beforeAll(async () => {
      busy = await startBusyWorld();
    }, HANG_MS);
    afterAll(async () => await busy?.[Symbol.asyncDispose]());

    const stopRuns = async () => {
      const { request } = busy.world.daemon;
      for (const { runId } of (await request("GET", "/v1/runs?status=RUNNING")).body.items) {
        await request("POST", `/v1/runs/${runId}/stop`);
        await request("GET", `/v1/runs/${runId}?wait=30`);
      }
    };

    const screens = [
      // First of all: each screen that is opened leaves a session, which is listed.
      { name: "keys", at: () => "#/keys", shows: "growth-app" },
      { name: "home", at: () => "#/", shows: "See its runs" },
      { name: "runs", at: () => "#/runs", shows: "geodata/boundaries" },
      { name: "run", at: () => `#/runs/${busy.runId}`, shows: "Provider answered 200" },
      { name: "discover", at: () => "#/discover?q=weather%20in%20a%20city", shows: "$0.01/call" },
      { name: "endpoint", at: () => "#/discover/meteo/now", shows: "Name of the city" },
      { name: "spend", at: () => "#/spend", shows: "openrates" },
      { name: "catalog", at: () => "#/catalog", shows: "Open Rates" },
      { name: "provider", at: () => "#/catalog/providers/meteo", shows: "Run times" },
      { name: "approvals", at: () => "#/controls/approvals", shows: "asked for by growth-app" },
      { name: "wallet", at: () => "#/wallet", shows: "Charged for a run" },
    ];

    test.each(screens)(
      "$name: four requests at most, nothing wider than a phone, and no fault for axe in both themes",
      async ({ at, shows }) => await expectGoodScreen(busy.world, at(), shows),
    );

    test("the main screens have the same headings, columns, fields, links and buttons as before", async () => {
      // Its time may be over, or not yet.
      await stopRuns();
      await using tab = await busy.world.open("#/");
      const found: string[] = [];
      const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
      const main = [
        ...screens.filter(({ name }) => !["approvals", "runs", "spend"].includes(name)),
        // The order of all runs depends on where the weekends are, and a month that has just begun has little in it.
        { name: "runs", at: () => "#/runs?provider=meteo", shows: "meteo/plain" },
        { name: "spend", at: () => `#/spend?first=${day(29)}&last=${day(0)}`, shows: "openrates" },
      ];
      for (const { name, at, shows } of main) {
        await tab.goto(at());
        await tab.page.getByText(shows).filter({ visible: true }).first().waitFor();
        found.push(`# ${name}`, await structureOf(tab.page));
      }

      await expect(found.join("\n")).toMatchFileSnapshot("structure/main-screens.txt");
    });

    test("home opens in the dark without a fault of its colours, and tells that a budget is nearly spent", async () => {
      await using tab = await busy.world.open("#/", { theme: "dark" });

      expect(await faultsOf(tab.page, "dark")).toEqual([]);
      expect(await tab.page.getByText("Budget nearly spent").count()).toBe(1);
      expect(await tab.page.getByRole("img", { name: /^Month budget used: 8[1-5]%/ }).count()).toBe(1);
    });
  },
);
