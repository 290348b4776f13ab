import type { Page } from "playwright-core";

/** Holds back the answers at addresses of a pattern, until what it resolves with is called. */
export async function holdAnswers(page: Page, pattern: string): Promise<() => void> {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    await isReleased;
    await route.continue();
  });
  return release;
}

/**
 * Resolves when the page has received a whole answer at this path. The page itself is asked: on a busy machine the browser's own
 * word of a finished answer is lost now and then.
 */
export async function untilReceived(page: Page, path: string): Promise<void> {
  await page.waitForFunction(
    (asked) => performance.getEntriesByType("resource").some(({ name }) => name.endsWith(asked)),
    path,
  );
}
