import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNoBrowser } from "../support/browser.ts";
import { type BusyWorld, startBusyWorld } from "./busy-world.ts";
import { expectGoodScreen, HANG_MS } from "./good-screen.ts";

/* Screens of a workspace that is in use. Their pictures are those of docs/console.md. */

describe.skipIf(whyNoBrowser() !== undefined)("of a busy workspace", { timeout: HANG_MS }, () => {
  let busy: BusyWorld;
  beforeAll(async () => {
    busy = await startBusyWorld();
  }, HANG_MS);
  afterAll(async () => await busy?.[Symbol.asyncDispose]());

  const screens = [
    { name: "home", at: () => "#/", shows: "See its runs" },
    { name: "runs", at: () => "#/runs", shows: "geodata/boundaries" },
    { name: "run", at: () => `#/runs/${busy.runId}`, shows: "Provider answered 200" },
    { name: "discover", at: () => "#/discover?q=weather%20in%20a%20city", shows: "$0.01/call" },
    { name: "endpoint", at: () => "#/discover/meteo/now", shows: "Name of the city" },
    { name: "spend", at: () => "#/spend", shows: "openrates" },
  ];

  test.each(screens)(
    "$name: four requests at most, nothing wider than a phone, and no fault for axe in both themes",
    async ({ at, shows }) => await expectGoodScreen(busy.world, at(), shows),
  );

  test("the sums of the days are the sum of the workspace, and a budget is nearly spent", async () => {
    await using tab = await busy.world.open("#/");

    expect(await tab.page.getByText("Budget nearly spent").count()).toBe(1);
    expect(await tab.page.getByRole("img", { name: /^Month budget used: 8[1-5]%/ }).count()).toBe(1);
  });
});
