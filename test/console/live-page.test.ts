import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { type ConsoleWorld, type OpenPage, startConsoleWorld } from "./console-world.ts";
import { HANG_MS } from "./good-screen.ts";
import { startStreamProxy, type StreamProxy } from "./stream-proxy.ts";

/* The page's stream of events over a network that fails. docs/console.md, "Screens" */

const PATIENCE = { timeout: 30_000 };

describe.skipIf(lacksBrowser("how the console's page follows what happens"))(
  "a page that follows what happens",
  { timeout: HANG_MS },
  () => {
    let world: ConsoleWorld;
    let proxy: StreamProxy;

    beforeAll(async () => {
      world = await startConsoleWorld();
      world.vendor.on("GET /now", { json: { city: "Lisbon" } });
      proxy = await startStreamProxy(world.daemon.url);
    }, HANG_MS);
    afterAll(async () => {
      await world?.[Symbol.asyncDispose]();
      await proxy?.[Symbol.asyncDispose]();
    });

    async function openLive(withClock = false): Promise<OpenPage> {
      const tab = await world.open("#/runs", { through: proxy.url });
      if (withClock) {
        await tab.page.clock.install();
        await tab.goto("#/runs");
      }
      await isLive(tab);
      return tab;
    }
    const isLive = async ({ page }: OpenPage) =>
      await page
        .getByRole("status")
        .filter({ hasText: /^Live$/ })
        .waitFor({ state: "attached" });
    const newRun = async (): Promise<string> => {
      const call = { provider: "meteo", endpoint: "/now", input: { city: "Elsewhere" } };
      return (await world.daemon.request("POST", "/v1/run", call)).body.runId;
    };
    const isShown = async ({ page }: OpenPage, runId: string) =>
      await page.locator(`a[href*="${runId}"]`).first().waitFor();

    test("goes on where it was cut off, and misses nothing of what happened meanwhile", async () => {
      await using tab = await openLive();
      await isShown(tab, await newRun());
      const before = proxy.positions.length;
      proxy.cut();
      const runId = await newRun();
      await isShown(tab, runId);
      await isLive(tab);

      expect(proxy.positions.length).toBe(before + 1);
      expect(proxy.positions.at(-1)).toMatch(/\S/);
      expect(tab.errors).toEqual([]);
    });

    test("takes a stream that says nothing for forty seconds for dead, and opens another one", async () => {
      await using tab = await openLive(true);
      await isShown(tab, await newRun());
      const before = proxy.positions.length;
      proxy.silence();
      const runId = await newRun();
      // Nothing says that the stream is dead.
      await tab.page.clock.fastForward(20_000);
      expect(await tab.page.locator(`a[href*="${runId}"]`).count()).toBe(0);
      await tab.page.clock.fastForward(25_000);
      await expect.poll(() => proxy.positions.length, PATIENCE).toBe(before + 1);
      await isShown(tab, runId);

      expect(proxy.positions.at(-1)).toMatch(/\S/);
    });

    test("reads its screen again when the service does not know what it has missed", async () => {
      await using tab = await openLive();
      await isShown(tab, await newRun());
      proxy.forget();
      proxy.cut();
      const runId = await newRun();
      const asked = tab.requests.length;
      await isShown(tab, runId);

      expect(tab.requests.slice(asked).filter((one) => one === "GET /v1/runs").length).toBeGreaterThan(0);
    });

    test("shows what a slow service answers, however steadily things happen", async () => {
      await using tab = await openLive();
      await tab.page.route("**/v1/runs?*", async (route) => {
        // Longer than the pace at which the page asks.
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        await route.continue().catch(() => {});
      });
      const first = await newRun();
      // Something happens all the time, until the first of it is shown.
      const isThere = async () => {
        await newRun();
        return await tab.page.locator(`a[href*="${first}"]`).count();
      };
      await expect.poll(isThere, { timeout: 60_000, interval: 300 }).toBeGreaterThan(0);

      await tab.page.unrouteAll({ behavior: "ignoreErrors" });
    });

    test("asks for a list at a pace, however many events there are", async () => {
      await using tab = await openLive();
      const asked = tab.requests.length;
      const ids = await Promise.all(Array.from({ length: 30 }, newRun));
      await isShown(tab, ids.at(-1) ?? "");
      const lists = tab.requests.slice(asked).filter((one) => one === "GET /v1/runs");

      expect(lists.length).toBeLessThan(10);
    });
  },
);
