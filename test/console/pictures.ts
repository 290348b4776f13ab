import { mkdirSync } from "node:fs";
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
  { name: "provider", at: /^#\/catalog\/providers\/./, sizes: ["320", "768", "1440-light", "1440-dark"] },
  { name: "setup", at: /^#\/catalog\/setup$/, sizes: ["768"] },
  { name: "problems", at: /^#\/catalog\/problems$/, sizes: ["1440-light"] },
  { name: "import", at: /^#\/catalog\/import$/, sizes: ["1440-light"] },
  { name: "approvals", at: /^#\/controls\/approvals$/, sizes: ["320", "1440-light"] },
  { name: "webhook", at: /^#\/controls\/webhooks\/./, sizes: ["1440-light"] },
  { name: "schedules", at: /^#\/controls\/schedules$/, sizes: ["320", "1440-light"] },
  { name: "keys", at: /^#\/keys$/, sizes: ["320", "768", "1440-light"] },
  { name: "wallet", at: /^#\/wallet$/, sizes: ["1440-light"] },
];

/** JPEG, so that twenty of them stay small. */
export async function takePicture(page: Page, at: string, size: string): Promise<void> {
  const picture = PICTURES.find((one) => one.at.test(at) && one.sizes.includes(size));
  if (picture === undefined || process.env["MKT_TEST_SCREENSHOTS"] !== "1") return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${picture.name}-${size}.jpg`), type: "jpeg", quality: 55 });
}
