import { isForbiddenKey } from "../../../catalog/parsing/catalog-text.ts";
import { entriesOf, isMembers, listOf, memberOf, type Members } from "../../conversion/members.ts";
import type { ManifestSchema } from "../schemas/manifest-schema.ts";
import { isReadOnly } from "./read-only.ts";
import type { ConvertInner, SchemaDraft, SchemaTools } from "./schema-tools.ts";
import type { UsablePatterns } from "./usable-patterns.ts";

const MAX_PROPERTIES = 1_400;
const MAX_PATTERN_PROPERTIES = 20;

interface PropertyTools extends Pick<SchemaTools, "resolver" | "notes"> {
  readonly patterns: UsablePatterns;
}

/** Everything about the members of an object. Gives the names of the properties that were left out. */
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
      // A habit of drafts before 4: the property says it, and not the object.
      if (memberOf(value, "required") === true && !isMembers(memberOf(value, "properties"))) required.add(name);
    }
  }
  if (properties.length > 0) schema["properties"] = Object.fromEntries(properties);
  const needed = [...required].filter((name) => !removed.has(name) && !isForbiddenKey(name)).slice(0, MAX_PROPERTIES);
  if (needed.length > 0) schema["required"] = needed;
  const more = memberOf(raw, "additionalProperties");
  if (typeof more === "boolean") schema["additionalProperties"] = more;
  else if (isMembers(more)) schema["additionalProperties"] = inner(more);
  const names = memberOf(raw, "propertyNames");
  if (isMembers(names)) schema["propertyNames"] = inner(names);
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
