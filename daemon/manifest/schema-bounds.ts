import { isRecord } from "../../shared/is-record.ts";

/**
 * Bounds of a schema in a manifest that an import keeps to the number. Source: docs/security.md, T12. Where an import stays
 * below a bound of the catalog, to be sure that its manifest is loaded, it has a number of its own.
 */
export const MAX_ENUM_ITEMS = 1_000;
/** Each name of an object is matched against each pattern. */
export const MAX_PATTERN_PROPERTIES = 20;

export const MAX_UNIQUE_PLAIN_ITEMS = 1_000;
/** Lists and objects are compared member by member, each with each. */
export const MAX_UNIQUE_ITEMS = 100;

/** How many items a list may have at most that `uniqueItems` compares, by the schema of its items. */
export function maxUniqueItems(items: unknown): number {
  return isPlain(items) ? MAX_UNIQUE_PLAIN_ITEMS : MAX_UNIQUE_ITEMS;
}

/** Every type that is allowed is named, and is neither object nor array. */
function isPlain(items: unknown): boolean {
  const type = isRecord(items) ? items["type"] : undefined;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.every((name) => typeof name === "string" && name !== "object" && name !== "array");
}
