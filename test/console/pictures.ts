import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

/* `MKT_TEST_SCREENSHOTS=1` makes the pictures of docs/console.md, which people look at; tests compare none of them. */

const folder = fileURLToPath(new URL("../../docs/console", import.meta.url));

/** Addresses of the screens that have pictures, and in which sizes: every screen wide, some narrower and some dark. */
const PICTURES: readonly { readonly name: string; readonly at: RegExp; readonly sizes: readonly string[] }[] = [
  { name: "home", at: /^#\/$/, sizes: ["320", "1440-light", "1440-dark"] },
  { name: "discover", at: /^#\/discover\?/, sizes: ["1440-light"] },
  { name: "endpoint", at: /^#\/discover\/./, sizes: ["320", "768", "1440-light"] },
  { name: "runs", at: /^#\/runs$/, sizes: ["320", "768", "1440-light"] },
  { name: "run", at: /^#\/runs\/./, sizes: ["320", "1440-light", "1440-dark"] },
  { name: "spend", at: /^#\/spend$/, sizes: ["320", "768", "1440-light"] },
  { name: "catalog", at: /^#\/catalog$/, sizes: ["320", "1440-light"] },
  { name: "provider", at: /^#\/catalog\/providers\/meteo$/, sizes: ["320", "768", "1440-light", "1440-dark"] },
  { name: "setup", at: /^#\/catalog\/setup$/, sizes: ["768"] },
  { name: "problems", at: /^#\/catalog\/problems$/, sizes: ["1440-light"] },
  { name: "import", at: /^#\/catalog\/import$/, sizes: ["1440-light"] },
  { name: "approvals", at: /^#\/controls\/approvals$/, sizes: ["320", "1440-light"] },
  { name: "webhook", at: /^#\/controls\/webhooks\/./, sizes: ["1440-light"] },
  { name: "schedules", at: /^#\/controls\/schedules$/, sizes: ["320", "1440-light"] },
  { name: "keys", at: /^#\/keys$/, sizes: ["320", "768", "1440-light"] },
  { name: "wallet", at: /^#\/wallet$/, sizes: ["1440-light"] },
];

/** Files in folders of a test, whose names mean nothing to a reader, as they are called where `mkt` is installed. */
const AS_INSTALLED = `(() => {
  const places = [
    [/FOLDER\\/mkt-atlas-catalog/g, "/usr/lib/node_modules/mkt/dist/catalog"],
    [/FOLDER\\/mkt-test-\\w+\\/(?:config\\/)?/g, "/home/ada/.config/mkt/"],
  ];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const said = places.reduce((all, [folder, name]) => all.replace(folder, name), text.nodeValue);
    if (said !== text.nodeValue) text.nodeValue = said;
  }
})()`.replaceAll("FOLDER", tmpdir().replaceAll("/", "\\/"));

/** So that forty of them stay small: the finest JPEG that is. */
const LARGEST_BYTES = 70_000;

export async function takePicture(page: Page, at: string, size: string): Promise<void> {
  const picture = PICTURES.find((one) => one.at.test(at) && one.sizes.includes(size));
  if (picture === undefined || process.env["MKT_TEST_SCREENSHOTS"] !== "1") return;
  mkdirSync(folder, { recursive: true });
  await page.evaluate(AS_INSTALLED);
  const take = async (quality: number) => await page.screenshot({ type: "jpeg", quality });
  let bytes = await take(60);
  for (let quality = 55; bytes.length > LARGEST_BYTES && quality > 30; quality -= 5) bytes = await take(quality);
  writeFileSync(join(folder, `${picture.name}-${size}.jpg`), bytes);
}
