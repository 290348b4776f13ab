import { memberOf } from "../../../../shared/member-of.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import { type Members, textOf } from "../../conversion/members.ts";
import { isSmallData } from "../schemas/small-data.ts";
import { MAX_ENUM_ITEMS } from "../../../manifest/schema-bounds.ts";
import { enumFor, isNullable, isSpelledOut } from "./schema-types.ts";
import type { SchemaDraft, SchemaTools } from "./schema-tools.ts";
import type { UsablePatterns } from "./usable-patterns.ts";

/** `enum`, `const`, and the encoding of content in a text. Reads the converted type, and may change it. */
export function addAllowedValues(
  schema: SchemaDraft,
  raw: Members,
  { meter, notes }: Pick<SchemaTools, "meter" | "notes">,
): void {
  const values = memberOf(raw, "enum");
  if (Array.isArray(values) && values.length > 0) {
    meter.spend(values.length);
    if (values.length > MAX_ENUM_ITEMS) {
      notes.add(`lists of more than ${MAX_ENUM_ITEMS} allowed values were left to the vendor`);
    } else {
      if (isSpelledOut(values, schema["type"])) schema["type"] = "string";
      const allowed = enumFor(values, schema["type"], isNullable(raw));
      if (allowed.length > 0) schema["enum"] = allowed;
    }
  }
  const constant = memberOf(raw, "const");
  if (constant !== undefined && isSmallData(constant)) schema["const"] = constant;
  for (const word of ["contentEncoding", "contentMediaType"]) {
    const text = textOf(raw, word);
    if (text !== undefined && text.length <= 100) schema[word] = text;
  }
  const isText = schema["type"] === undefined || schema["type"] === "string";
  const isBytes =
    schema["contentMediaType"] === "application/octet-stream" && !Object.hasOwn(schema, "contentEncoding");
  if (isText && isBytes) Object.assign(schema, { type: "string", format: "binary" });
}

/** Limits of numbers, lengths and counts. */
export function addBounds(schema: SchemaDraft, raw: Members): void {
  for (const [inclusive, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    const bound = numberOf(raw, inclusive);
    const strict = memberOf(raw, exclusive);
    if (bound !== undefined) schema[strict === true ? exclusive : inclusive] = bound;
    const strictBound = numberOf(raw, exclusive);
    if (strictBound !== undefined) schema[exclusive] = strictBound;
  }
  const multiple = numberOf(raw, "multipleOf");
  if (multiple !== undefined && multiple > 0) schema["multipleOf"] = multiple;
  for (const word of ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]) {
    const count = numberOf(raw, word);
    if (count !== undefined && Number.isSafeInteger(count) && count >= 0) schema[word] = count;
  }
}

export function addPattern(schema: SchemaDraft, raw: Members, patterns: UsablePatterns, notes: ImportNotes): void {
  const pattern = textOf(raw, "pattern");
  if (pattern === undefined || pattern === "") return;
  const bare = /^\/(.*)\/$/s.exec(pattern)?.[1] ?? pattern;
  if (patterns.has(bare)) schema["pattern"] = bare;
  else notes.add("patterns that could take endless time, or are none, were left to the vendor", pattern.slice(0, 80));
}

function numberOf(raw: Members, word: string): number | undefined {
  const found = memberOf(raw, word);
  const value = typeof found === "string" && found.trim() !== "" ? Number(found) : found;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
