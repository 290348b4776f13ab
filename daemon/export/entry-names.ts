import { createHash } from "node:crypto";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";

/** An endpoint that can be run, and its name for programs. */
export interface ExportedEntry {
  /** Unique in one export: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly entry: CatalogEntry;
}

/** The limits of the strictest clients that call tools by name. */
const MAX_NAME = 64;
const HASH_CHARACTERS = 8;

/**
 * Names for programs: `skywatch_forecast_city` for `/forecast/{city}` of skywatch. A name does not depend on the rest
 * of the catalog, unless two would be the same: then each of them ends with a part of its hash. A name that is too long
 * ends with it too.
 */
export function nameEntries(entries: readonly CatalogEntry[]): ExportedEntry[] {
  const plain = entries.map((entry) => plainName(entry));
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  return entries.map((entry, index) => {
    const name = plain[index] ?? "";
    const isFit = name.length <= MAX_NAME && uses.get(name) === 1;
    return { name: isFit ? name : withHash(name, entry), entry };
  });
}

function plainName({ provider, path }: CatalogEntry): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return [provider.provider, ...words].join("_");
}

function withHash(name: string, { provider, path }: CatalogEntry): string {
  const hash = createHash("sha256").update(`${provider.provider} ${path}`).digest("hex").slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_NAME - HASH_CHARACTERS - 1)}_${hash}`;
}
