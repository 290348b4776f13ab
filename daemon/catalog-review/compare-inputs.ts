import { isDeepStrictEqual } from "node:util";
import { INPUT_SECTIONS } from "../manifest/input-sections.ts";
import { isSchemaObject, type JsonSchema } from "../manifest/json-schema-walk.ts";
import type { EndpointInputSchemas } from "../catalog/entries/catalog-entry.ts";

export interface InputChange {
  readonly words: string;
  /** Whether an input that was valid before may be refused now. */
  readonly breaking: boolean;
}

/** Limits by the direction that makes them stricter. */
const LOWER_LIMITS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"] as const;
const UPPER_LIMITS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"] as const;
const TEXTS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "examples",
  "$comment",
  "deprecated",
  "vendorDefault",
]);
const COMPARED: ReadonlySet<string> = new Set([
  ...LOWER_LIMITS,
  ...UPPER_LIMITS,
  ...TEXTS,
  "type",
  "enum",
  "default",
  "properties",
  "required",
  "items",
]);

/** What changed between two versions of an endpoint's input, field by field. */
export function compareInputs(before: EndpointInputSchemas, after: EndpointInputSchemas): InputChange[] {
  return INPUT_SECTIONS.flatMap((section) => {
    const [old, now] = [before[section] ?? {}, after[section] ?? {}];
    const { $defs: oldDefinitions, additionalProperties: _, type: __, ...oldRest } = old;
    const { $defs: newDefinitions, additionalProperties: ___, type: ____, ...newRest } = now;
    const changes = compareSchemas(section, oldRest, newRest);
    if (isDeepStrictEqual(oldDefinitions ?? {}, newDefinitions ?? {})) return changes;
    return [...changes, { words: `${section}: schemas that it refers to changed`, breaking: true }];
  });
}

function compareSchemas(place: string, before: JsonSchema, after: JsonSchema): InputChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  return [
    ...compareProperties(place, before, after),
    ...compareTypes(place, before, after),
    ...compareValues(place, before, after),
    ...compareLimits(place, before, after),
    ...compareItems(place, before, after),
    ...compareRest(place, before, after),
  ];
}

function compareProperties(place: string, before: JsonSchema, after: JsonSchema): InputChange[] {
  const [old, now] = [membersOf(before["properties"]), membersOf(after["properties"])];
  const [wasRequired, isRequired] = [namesOf(before["required"]), namesOf(after["required"])];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) => {
    const field = `${place}.${name}`;
    const [schema, replacement] = [schemaOf(old, name), schemaOf(now, name)];
    if (replacement === undefined) return [{ words: `${field} is gone`, breaking: true }];
    const isNeeded = isRequired.has(name) && !("default" in replacement);
    if (schema === undefined) {
      return [{ words: `${field} is new${isRequired.has(name) ? ", and required" : ""}`, breaking: isNeeded }];
    }
    const demands =
      wasRequired.has(name) === isRequired.has(name)
        ? []
        : [{ words: `${field} is ${isRequired.has(name) ? "required now" : "required no more"}`, breaking: isNeeded }];
    return [...demands, ...compareSchemas(field, schema, replacement)];
  });
}

function compareTypes(place: string, before: JsonSchema, after: JsonSchema): InputChange[] {
  if (isDeepStrictEqual(before["type"], after["type"])) return [];
  const [old, now] = [typesOf(before), typesOf(after)];
  const isWider =
    now.size === 0 || [...old].every((type) => now.has(type) || (type === "integer" && now.has("number")));
  const words = `${place} takes ${wordTypes(now)}, was ${wordTypes(old)}`;
  return [{ words, breaking: !isWider || old.size === 0 }];
}

function compareValues(place: string, before: JsonSchema, after: JsonSchema): InputChange[] {
  const changes: InputChange[] = [];
  const [old, now] = [listOf(before["enum"]), listOf(after["enum"])];
  const lost = old.filter((value) => !now.some((other) => isDeepStrictEqual(value, other)));
  const gained = now.filter((value) => !old.some((other) => isDeepStrictEqual(value, other)));
  if (now.length > 0 && old.length === 0)
    changes.push({ words: `${place} takes only ${wordValues(now)} now`, breaking: true });
  else if (now.length === 0 && old.length > 0) changes.push({ words: `${place} takes any value now`, breaking: false });
  else {
    if (lost.length > 0) changes.push({ words: `${place} takes ${wordValues(lost)} no more`, breaking: true });
    if (gained.length > 0) changes.push({ words: `${place} takes ${wordValues(gained)} too`, breaking: false });
  }
  if (!isDeepStrictEqual(before["default"], after["default"])) {
    const words = `${place} is ${wordValue(after["default"])} when it is not given, was ${wordValue(before["default"])}`;
    changes.push({ words, breaking: false });
  }
  return changes;
}

function compareLimits(place: string, before: JsonSchema, after: JsonSchema): InputChange[] {
  const compare = (name: string, isNarrower: (old: number, now: number) => boolean): InputChange[] => {
    const [old, now] = [before[name], after[name]];
    if (old === now) return [];
    const narrower = typeof now === "number" && (typeof old !== "number" || isNarrower(old, now));
    return [{ words: `${place}: ${name} is ${wordValue(now)}, was ${wordValue(old)}`, breaking: narrower }];
  };
  return [
    ...LOWER_LIMITS.flatMap((name) => compare(name, (old, now) => now > old)),
    ...UPPER_LIMITS.flatMap((name) => compare(name, (old, now) => now < old)),
  ];
}

function compareItems(place: string, before: JsonSchema, after: JsonSchema): InputChange[] {
  const [old, now] = [before["items"], after["items"]];
  if (isDeepStrictEqual(old, now)) return [];
  if (isSchemaObject(old) && isSchemaObject(now)) return compareSchemas(`${place}[]`, old, now);
  return [{ words: `${place}: its items are described in another way`, breaking: now !== undefined }];
}

/** Any other difference is treated as stricter, so that it is reviewed. */
function compareRest(place: string, before: JsonSchema, after: JsonSchema): InputChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !COMPARED.has(name) && !isDeepStrictEqual(before[name], after[name]))
    .map((name) => ({
      words: `${place}: ${name} is ${wordValue(after[name])}, was ${wordValue(before[name])}`,
      breaking: after[name] !== undefined,
    }));
}

function membersOf(value: unknown): JsonSchema {
  return isSchemaObject(value) ? value : {};
}

function schemaOf(members: JsonSchema, name: string): JsonSchema | undefined {
  return Object.hasOwn(members, name) ? membersOf(members[name]) : undefined;
}

function namesOf(value: unknown): ReadonlySet<unknown> {
  return new Set(listOf(value));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function typesOf({ type }: JsonSchema): ReadonlySet<string> {
  return new Set((Array.isArray(type) ? type : type === undefined ? [] : [type]).map(String));
}

function wordTypes(types: ReadonlySet<string>): string {
  return types.size === 0 ? "any type" : [...types].join(" or ");
}

function wordValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 6).map(wordValue).join(", ");
  return values.length > 6 ? `${shown} and ${values.length - 6} more` : shown;
}

function wordValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
