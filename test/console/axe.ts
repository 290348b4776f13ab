import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";

const axePath = join(dirname(createRequire(import.meta.url).resolve("axe-core")), "axe.min.js");
const axeText = readFileSync(axePath, "utf8");

/** What axe says is wrong, a line each. */
export async function faultsOf(page: Page): Promise<string[]> {
  // By the debugger and not as a script of the page: its policy would refuse it.
  await page.evaluate(axeText);
  return await page.evaluate(`axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`);
}
