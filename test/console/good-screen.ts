import { expect } from "vitest";
import { faultsOf } from "./axe.ts";
import type { ConsoleWorld } from "./console-world.ts";
import { takePicture } from "./pictures.ts";

export const HANG_MS = 240_000;

/**
 * What holds of every screen: four requests at most, nothing wider than a phone, no fault for axe in either theme. The
 * screen is whole once it shows a text.
 */
export async function expectGoodScreen(world: ConsoleWorld, at: string, shows: string): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    await using tab = await world.open(at, { theme });
    await tab.page.getByText(shows).first().waitFor();
    const asked = [...tab.requests];

    expect(await faultsOf(tab.page)).toEqual([]);
    expect(asked.length, asked.join(", ")).toBeLessThanOrEqual(4);
    for (const width of [768, 320]) {
      await tab.page.setViewportSize({ width, height: 900 });
      expect(await tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${width}`).toBe(true);
      if (theme === "light") await takePicture(tab.page, at, `${width}`);
    }
    expect(tab.errors).toEqual([]);
    await tab.page.setViewportSize({ width: 1440, height: 900 });
    await takePicture(tab.page, at, `1440-${theme}`);
  }
}
