import { memberOf } from "../../../../shared/member-of.ts";
import { maxUniqueItems } from "../../../manifest/schema-bounds.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { listOf, type Members } from "../../conversion/members.ts";
import type { ManifestSchema } from "../schemas/manifest-schema.ts";
import { isNullable } from "./schema-types.ts";
import type { ConvertInner, SchemaDraft } from "./schema-tools.ts";

/**
 * The number of alternatives, or parts of allOf, that are read. Below the limit of the catalog's check, so that it
 * passes.
 */
export const MAX_BRANCHES = 100;

/** Converts the keywords for the items of a list. */
export function addItems(schema: SchemaDraft, raw: Members, inner: ConvertInner): void {
  const items = memberOf(raw, "items");
  const first = memberOf(raw, "prefixItems") ?? (Array.isArray(items) ? items : undefined);
  if (Array.isArray(first) && first.length > 0) schema["prefixItems"] = first.slice(0, MAX_BRANCHES).map(inner);
  if (isRecord(items)) schema["items"] = inner(items);
  else if (items === false) schema["items"] = false;
  const contains = memberOf(raw, "contains");
  if (isRecord(contains)) schema["contains"] = inner(contains);
  if (memberOf(raw, "uniqueItems") !== true) return;
  const most = schema["maxItems"];
  if (typeof most === "number" && most <= maxUniqueItems(schema["items"])) schema["uniqueItems"] = true;
}

/** Converts allOf, anyOf, oneOf and not. */
export function addBranches(schema: SchemaDraft, raw: Members, inner: ConvertInner, notes: ImportNotes): void {
  for (const [word, written] of [
    ["allOf", "allOf"],
    ["anyOf", "anyOf"],
    // In most documents alternatives overlap, where JSON Schema's oneOf requires exactly one match; the vendor decides.
    ["oneOf", "anyOf"],
  ] as const) {
    const branches = listOf(raw, word).filter((branch) => isRecord(branch) || typeof branch === "boolean");
    if (branches.length === 0) continue;
    if (branches.length > MAX_BRANCHES) {
      notes.add(`choices between more than ${MAX_BRANCHES} schemas became any JSON`);
      continue;
    }
    const converted = branches.map(inner);
    if (schema[written] === undefined) schema[written] = converted;
    else schema["allOf"] = [...((schema["allOf"] as ManifestSchema[] | undefined) ?? []), { [written]: converted }];
  }
  const { anyOf, allOf } = schema as { anyOf?: ManifestSchema[]; allOf?: ManifestSchema[] };
  // A type beside the alternatives repeats what they say, but would refuse the null that is allowed.
  if (anyOf !== undefined && isNullable(raw) && schema["type"] === undefined) anyOf.push({ type: "null" });
  if (allOf?.length === 1 && Object.keys(schema).length === 1) {
    delete schema["allOf"];
    Object.assign(schema, allOf[0]);
  }
  const not = memberOf(raw, "not");
  if (isRecord(not) && Object.keys(not).length > 0) schema["not"] = inner(not);
}
