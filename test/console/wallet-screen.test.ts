import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { askWith } from "../support/request.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { HANG_MS } from "./good-screen.ts";

/* The wallet in a real browser, against a real daemon. docs/console.md */

describe.skipIf(lacksBrowser("the console's wallet"))("the wallet", () => {
  let world: ConsoleWorld;

  beforeAll(async () => {
    world = await startConsoleWorld();
    const { vendor, daemon } = world;
    vendor.on("GET /now", { json: { city: "Lisbon" } });
    await daemon.request("POST", "/v1/run", { provider: "meteo", endpoint: "/now", input: { city: "Lisbon" } });
  }, HANG_MS);

  afterAll(async () => await world?.[Symbol.asyncDispose]());

  const balance = async () => (await world.daemon.request("GET", "/v1/wallet/balance")).body.balance.value;

  test(
    "a credit needs an amount and a reason, and is made once, though its answer was lost and it was asked for again",
    async () => {
      await using tab = await world.open("#/wallet");
      const { page } = tab;
      const before = await balance();
      const credit = async () => {
        await page.getByRole("form", { name: "Credit" }).getByRole("button", { name: "Credit" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Credit" }).click();
      };
      const press = page.getByRole("form", { name: "Credit" }).getByRole("button", { name: "Credit" });
      await page.getByLabel("Amount").fill("-3");
      await press.click();
      await page.getByText("Type an amount above 0").waitFor();
      await page.getByLabel("Amount").fill("2.5");
      await press.click();
      await page.getByText("Say why").waitFor();
      await page.getByLabel("Reason").fill("Travel \u200bto Porto");
      await page.route(
        "**/credits",
        async (route) => {
          await route.fetch();
          await route.abort();
        },
        { times: 1 },
      );
      await credit();
      await page.getByRole("form", { name: "Credit" }).getByRole("alert").waitFor();
      await credit();
      await page.getByText("Credited $2.50.").waitFor();
      await page.getByRole("cell", { name: "Travel ⟨U+200B⟩to Porto" }).waitFor();

      expect(await balance()).toBeCloseTo(before + 2.5, 6);
      expect(await page.getByRole("cell", { name: "+$2.50" }).count()).toBe(1);
    },
    HANG_MS,
  );

  test(
    "activities go on page by page, and lead to their runs",
    async () => {
      const reason = "small change";
      const { workspace } = (await world.daemon.request("GET", "/v1/auth/whoami")).body;
      for (let count = 0; count < 60; count += 1) {
        const amount = { value: 0.01, currency: "USD" };
        await world.daemon.request("POST", `/v1/admin/workspaces/${workspace.workspaceId}/credits`, { amount, reason });
      }
      await using tab = await world.open("#/wallet");
      const { page } = tab;
      await page.getByRole("link", { name: "Next page" }).click();
      await page.getByText("Charged for a run").waitFor();
      await page.getByRole("row", { name: "Charged for a run" }).getByRole("link").click();
      await page.getByText("Provider answered 200").waitFor();

      expect(tab.errors).toEqual([]);
    },
    HANG_MS,
  );

  test(
    "who is no operator sees no way to credit, and without the wallet's scope no wallet",
    async () => {
      const { body: manager } = await world.daemon.request("POST", "/v1/api-keys", { label: "m", role: "manager" });
      const runner = await world.daemon.request("POST", "/v1/api-keys", { label: "r", scopes: ["runs:read"] });
      await using tab = await world.open("#/wallet", { ask: askWith(world.daemon.url, manager.key) });
      await tab.page.getByText("small change").first().waitFor();
      await using blind = await world.open("#/wallet", { ask: askWith(world.daemon.url, runner.body.key) });

      expect(await tab.page.getByRole("form", { name: "Credit" }).count()).toBe(0);
      expect(await blind.page.getByRole("link", { name: "Wallet" }).count()).toBe(0);
      expect(await blind.page.locator("h1").innerText()).toBe("Nothing here");
      expect(blind.requests.some((one) => one.includes("wallet"))).toBe(false);
    },
    HANG_MS,
  );
});
