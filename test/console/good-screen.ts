import type { Page } from "playwright-core";
import { expect } from "vitest";
import { faultsOf } from "./axe.ts";
import type { ConsoleWorld, OpenPage } from "./console-world.ts";
import { takePicture } from "./pictures.ts";

export const HANG_MS = 240_000;

const THEMES = ["light", "dark"] as const;

/**
 * What holds of every screen: four requests at most, nothing wider than a phone, and no fault for axe in either theme, on a
 * wide screen and on a phone. The screen is whole once it shows a text.
 */
export async function expectGoodScreen(world: ConsoleWorld, at: string, shows: string): Promise<void> {
  await using tab = await world.open(at);
  const { page } = tab;
  await page.getByText(shows).filter({ visible: true }).first().waitFor();
  await untilQuiet(tab);
  expect(tab.requests.length, tab.requests.join(", ")).toBeLessThanOrEqual(4);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    for (const width of [1440, 768, 320]) {
      await page.setViewportSize({ width, height: 900 });
      if (width !== 768) expect(await faultsOf(page, theme), `${width} ${theme}`).toEqual([]);
      if (theme === "dark" && width !== 1440) continue;
      expect(await isTooWide(page), `${width}`).toBe(false);
      await takePicture(page, at, width === 1440 ? `${width}-${theme}` : `${width}`);
    }
  }
  expect(tab.errors).toEqual([]);
}

/** The same of what stands in front of a screen now: no fault in either theme, wide and narrow. */
export async function expectGoodDialog(page: Page): Promise<void> {
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      expect(await faultsOf(page, colorScheme), `${width} ${colorScheme}`).toEqual([]);
    }
    expect(await isTooWide(page), `${width}`).toBe(false);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/**
 * What a reader of the screen can go to, in its order: roles and names, without the ids, counts and times in them; what is
 * there for each row stands once. Texts and cells are left out.
 */
export async function structureOf(page: Page): Promise<string> {
  const lines = (await page.locator("main").ariaSnapshot()).split("\n");
  const kept =
    /^\s*- (?:banner|button|checkbox|columnheader|combobox|form|heading|link|navigation|region|tab|table|textbox)\b/;
  const places = lines
    .filter((line) => kept.test(line))
    .map((line) =>
      line
        .replace(/:(?: .*)?$/, "")
        .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, "<id>")
        .replaceAll(/console-\w+/g, "console-<id>")
        .replaceAll(/\d+(?:[.,]\d+)*/g, "<n>")
        .trim(),
    );
  return [...new Set(places)].join("\n").concat("\n");
}

async function isTooWide(page: Page): Promise<boolean> {
  return (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) as boolean;
}

/** Until the page has asked for nothing more for half a second: a screen may ask late for what it shows below. */
async function untilQuiet({ requests }: OpenPage): Promise<void> {
  let before = -1;
  const isQuiet = () => {
    const isSame = requests.length === before;
    before = requests.length;
    return isSame;
  };
  await expect.poll(isQuiet, { interval: 500, timeout: 30_000 }).toBe(true);
}
