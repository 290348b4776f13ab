import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";

const axePath = join(dirname(createRequire(import.meta.url).resolve("axe-core")), "axe.min.js");
const axeText = readFileSync(axePath, "utf8");

const RULES = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** Those of them that look at colours: all that another theme changes. */
const RULES_OF_COLORS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** What axe says is wrong, a line each. In the dark, what was looked at in the light is asked for its colours alone. */
export async function faultsOf(page: Page, theme: "light" | "dark" = "light"): Promise<string[]> {
  // By the debugger and not as a script of the page: its policy would refuse it.
  if (await page.evaluate("globalThis.axe === undefined")) await page.evaluate(axeText);
  const options = { runOnly: theme === "dark" ? RULES_OF_COLORS : RULES, resultTypes: ["violations"] };
  return await page.evaluate(`axe.run(document, ${JSON.stringify(options)})
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`);
}
