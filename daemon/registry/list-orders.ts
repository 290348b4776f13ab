import { compareText } from "../base/compare-text.ts";
import type { PublicProviderEntry } from "../../shared/contract/catalog.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { ItemKey } from "./list-page.ts";

/** The orders of browsing lists, and the keys that identify items. docs/contract.md, "Browsing": verified first. */

/** Verified first, then by name. */
export function browsingKey({ verified, displayName, provider, path }: CatalogEntry): ItemKey {
  return [verified ? "tried" : "untried", displayName, provider.provider, path];
}

export function compareBrowsingKeys(a: ItemKey, b: ItemKey): number {
  const [triedA = "", nameA = "", ...restA] = a;
  const [triedB = "", nameB = "", ...restB] = b;
  return compareText(triedA, triedB) || compareNames(nameA, nameB) || compareText(restA.join("\n"), restB.join("\n"));
}

/** By name. */
export function providerKey({ displayName, provider }: PublicProviderEntry): ItemKey {
  return [displayName, provider];
}

export function compareProviderKeys([nameA = "", slugA = ""]: ItemKey, [nameB = "", slugB = ""]: ItemKey): number {
  return compareNames(nameA, nameB) || compareText(slugA, slugB);
}

/** Identifies an endpoint. */
export function endpointKey({ provider, path }: CatalogEntry): ItemKey {
  return [provider.provider, path];
}

function compareNames(a: string, b: string): number {
  return a.localeCompare(b, "en");
}
