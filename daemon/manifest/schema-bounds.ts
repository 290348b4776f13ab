import { isRecord } from "../../shared/is-record.ts";

/**
 * Bounds of a schema in a manifest that an import uses with the same number. Source: docs/security.md, T12. Where an
 * import stays below a bound of the catalog, so that its manifest is certain to be loaded, it has a number of its own.
 */
export const MAX_ENUM_ITEMS = 1_000;
/** Each name of an object is matched against each pattern. */
export const MAX_PATTERN_PROPERTIES = 20;

export const MAX_UNIQUE_PLAIN_ITEMS = 1_000;
/** Lists and objects are compared pairwise, member by member. */
export const MAX_UNIQUE_ITEMS = 100;

/** The maximum length of a list that `uniqueItems` compares, by the schema of its items. */
export function maxUniqueItems(items: unknown): number {
  return isPlain(items) ? MAX_UNIQUE_PLAIN_ITEMS : MAX_UNIQUE_ITEMS;
}

/** Every allowed type is named, and is neither object nor array. */
function isPlain(items: unknown): boolean {
  const type = isRecord(items) ? items["type"] : undefined;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.every((name) => typeof name === "string" && name !== "object" && name !== "array");
}
