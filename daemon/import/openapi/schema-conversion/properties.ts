import { memberOf } from "../../../../shared/member-of.ts";
import { isForbiddenKey } from "../../../catalog/parsing/catalog-text.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { entriesOf, listOf, type Members, textOf } from "../../conversion/members.ts";
import type { Located, ReferenceResolver } from "../document/reference-resolver.ts";
import type { ManifestSchema } from "../schemas/manifest-schema.ts";
import { MAX_PATTERN_PROPERTIES } from "../../../manifest/schema-bounds.ts";
import { MAX_BRANCHES } from "./parts.ts";
import type { ConvertInner, SchemaDraft, SchemaTools } from "./schema-tools.ts";
import type { UsablePatterns } from "./usable-patterns.ts";

const MAX_PROPERTIES = 1_400;
/** The depth of references and parts that are searched for `readOnly`. */
const MAX_READ_ONLY_DEPTH = 3;

interface PropertyTools extends Pick<SchemaTools, "resolver" | "notes"> {
  readonly patterns: UsablePatterns;
}

/** Converts the keywords for the members of an object. Returns the names of the properties that were left out. */
export function addProperties(
  schema: SchemaDraft,
  { value: raw, file }: { readonly value: Members; readonly file: string },
  inner: ConvertInner,
  { resolver, notes, patterns }: PropertyTools,
): ReadonlySet<string> {
  const properties: [string, ManifestSchema][] = [];
  const removed = new Set<string>();
  const required = new Set(listOf(raw, "required").filter((name): name is string => typeof name === "string"));
  for (const [name, value] of entriesOf(memberOf(raw, "properties"))) {
    if (isForbiddenKey(name)) {
      notes.add("properties whose names mean something to JavaScript were left out", name);
      removed.add(name);
    } else if (isReadOnly({ value, file }, resolver)) {
      removed.add(name);
    } else if (name === "$ref" && typeof value === "string") {
      notes.add("a list of properties that is a reference itself was left out");
    } else if (properties.length >= MAX_PROPERTIES) {
      notes.add(`of objects with more than ${MAX_PROPERTIES} properties the rest was left out`);
      removed.add(name);
    } else {
      properties.push([name, inner(value)]);
      // As in drafts before 4, the property states it and not the object.
      if (memberOf(value, "required") === true && !isRecord(memberOf(value, "properties"))) required.add(name);
    }
  }
  if (properties.length > 0) schema["properties"] = Object.fromEntries(properties);
  const needed = [...required].filter((name) => !removed.has(name) && !isForbiddenKey(name)).slice(0, MAX_PROPERTIES);
  if (needed.length > 0) schema["required"] = needed;
  const more = memberOf(raw, "additionalProperties");
  if (typeof more === "boolean") schema["additionalProperties"] = more;
  else if (isRecord(more)) schema["additionalProperties"] = inner(more);
  const names = memberOf(raw, "propertyNames");
  if (isRecord(names)) schema["propertyNames"] = inner(names);
  addPatternProperties(schema, raw, inner, { notes, patterns });
  return removed;
}

function addPatternProperties(
  schema: SchemaDraft,
  raw: Members,
  inner: ConvertInner,
  { notes, patterns }: Pick<PropertyTools, "notes" | "patterns">,
): void {
  const all = entriesOf(memberOf(raw, "patternProperties"));
  if (all.length === 0) return;
  const usable = all.slice(0, MAX_PATTERN_PROPERTIES).filter(([name]) => patterns.has(name));
  if (usable.length === all.length) {
    schema["patternProperties"] = Object.fromEntries(usable.map(([name, value]) => [name, inner(value)]));
  } else {
    notes.add("properties by patterns that cannot be checked were opened to any JSON");
    schema["additionalProperties"] = true;
  }
}

/** Whether it occurs only in answers: by its own keyword, behind its reference, or in a part of it. */
function isReadOnly({ value, file }: Located, resolver: ReferenceResolver, depth = 0): boolean {
  if (memberOf(value, "readOnly") === true) return true;
  if (depth > MAX_READ_ONLY_DEPTH) return false;
  if (textOf(value, "$ref") !== undefined) {
    const target = followLoosely({ value, file }, resolver);
    return target !== undefined && isReadOnly(target, resolver, depth + 1);
  }
  return listOf(value, "allOf")
    .slice(0, MAX_BRANCHES)
    .some((part) => isReadOnly({ value: part, file }, resolver, depth + 1));
}

/** An unresolved reference is reported where its schema is converted. */
function followLoosely(located: Located, resolver: ReferenceResolver): Located | undefined {
  try {
    return resolver.follow(located);
  } catch {
    return undefined;
  }
}
