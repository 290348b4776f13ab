import { memberOf } from "../../../../shared/member-of.ts";
import { type ManifestSchema, SHARED } from "./manifest-schema.ts";
import type { ConversionMeter } from "../../conversion/conversion-meter.ts";
import { isRecord } from "../../../../shared/is-record.ts";

/** The content of an input section: its fields, and whether others are allowed. */
export interface ObjectShape {
  readonly properties: Map<string, ManifestSchema>;
  readonly required: Set<string>;
  /** Absent: only the properties are allowed. */
  readonly rest?: boolean | ManifestSchema;
  /** It was made from alternatives of objects, which a section cannot have. */
  readonly isMerged: boolean;
}

export interface ShapeTools {
  readonly definition: (name: string) => ManifestSchema;
  readonly readOnlyNames: (schema: ManifestSchema) => ReadonlySet<string>;
  readonly meter: ConversionMeter;
}

const MAX_DEPTH = 10;
const MAX_FIELDS = 1_400;
/** Nested alternatives multiply: each visit costs about this many steps of a plain conversion. */
const STEPS_A_LOOK = 10;

/** The kind of value of a schema, which decides how the value is sent. */
export type SchemaKind = "object" | "array" | "scalar" | "unknown";

export function schemaKind(schema: ManifestSchema, tools: ShapeTools, depth = 0): SchemaKind {
  tools.meter.spend(STEPS_A_LOOK);
  const here = dereference(schema, tools);
  const types = typesOf(here);
  if (types.includes("object") || isRecord(here["properties"])) return "object";
  if (types.includes("array")) return "array";
  if (types.length > 0) return "scalar";
  if (depth >= MAX_DEPTH) return "unknown";
  const all = branchesOf(here, "allOf").map((branch) => schemaKind(branch, tools, depth + 1));
  const known = all.find((kind) => kind !== "unknown");
  if (known !== undefined) return known;
  const any = branchesOf(here, "anyOf")
    .filter((branch) => !isNullOnly(branch))
    .map((branch) => schemaKind(branch, tools, depth + 1));
  if (any.length > 0 && any.every((kind) => kind === any[0])) return any[0] ?? "unknown";
  if (Array.isArray(here["enum"])) return "scalar";
  return isRecord(here["additionalProperties"]) ? "object" : "unknown";
}

/**
 * The fields of an object schema, through references, allOf and alternatives; undefined when it may be something other
 * than an object.
 */
export function objectShape(schema: ManifestSchema, tools: ShapeTools): ObjectShape | undefined {
  if (schemaKind(schema, tools) !== "object") return undefined;
  const readOnly = new Set<string>();
  const shape = shapeOf(schema, tools, { depth: 0, readOnly });
  for (const name of readOnly) if (!shape.properties.has(name)) shape.required.delete(name);
  const isOpen = shape.rest !== undefined && shape.rest !== false;
  for (const name of shape.required) {
    // Required but described nowhere: callers must be able to give it.
    if (!shape.properties.has(name) && !isOpen) shape.properties.set(name, {});
  }
  const isUndescribed = shape.properties.size === 0 && shape.rest === undefined;
  return isUndescribed ? { ...shape, rest: true } : shape;
}

interface Walk {
  readonly depth: number;
  readonly readOnly: Set<string>;
}

function shapeOf(schema: ManifestSchema, tools: ShapeTools, walk: Walk): ObjectShape {
  tools.meter.spend(STEPS_A_LOOK);
  const here = dereference(schema, tools);
  for (const name of tools.readOnlyNames(here)) walk.readOnly.add(name);
  const properties = new Map<string, ManifestSchema>();
  const required = new Set<string>(namesIn(here["required"]));
  let rest = restOf(here);
  let isMerged = false;
  if (walk.depth < MAX_DEPTH) {
    const inside = { ...walk, depth: walk.depth + 1 };
    for (const branch of branchesOf(here, "allOf")) {
      const shape = shapeOf(branch, tools, inside);
      for (const [name, value] of shape.properties) addField(properties, name, value, "refine");
      for (const name of shape.required) required.add(name);
      rest = shape.rest === true || isRecord(shape.rest) ? shape.rest : rest;
      isMerged ||= shape.isMerged;
    }
    const choices = branchesOf(here, "anyOf").filter((branch) => !isNullOnly(branch));
    const shapes = choices.map((branch) => shapeOf(branch, tools, inside));
    for (const shape of shapes) {
      for (const [name, value] of shape.properties) addField(properties, name, value, "choose");
      rest = shape.rest === true || isRecord(shape.rest) ? shape.rest : rest;
    }
    const [first, ...others] = shapes;
    for (const name of first?.required ?? []) {
      if (others.every((shape) => shape.required.has(name))) required.add(name);
    }
    isMerged ||= shapes.length > 1 || shapes.some((shape) => shape.isMerged);
  }
  for (const [name, value] of Object.entries(isRecord(here["properties"]) ? here["properties"] : {})) {
    addField(properties, name, value as ManifestSchema, "refine");
  }
  return { properties, required, ...(rest !== undefined && { rest }), isMerged };
}

/** `refine`: both apply, the later is more specific. `choose`: either may apply. */
function addField(
  fields: Map<string, ManifestSchema>,
  name: string,
  schema: ManifestSchema,
  how: "refine" | "choose",
): void {
  const before = fields.get(name);
  if (before === undefined) {
    if (fields.size < MAX_FIELDS) fields.set(name, schema);
    return;
  }
  if (JSON.stringify(before) === JSON.stringify(schema)) return;
  if (how === "refine") fields.set(name, refined(before, schema));
  else fields.set(name, either(before, schema));
}

function refined(before: ManifestSchema, schema: ManifestSchema): ManifestSchema {
  const canMerge = [before, schema].every(
    (one) => !["$ref", "allOf", "anyOf"].some((word) => Object.hasOwn(one, word)),
  );
  return canMerge ? { ...before, ...schema } : Object.keys(schema).length === 0 ? before : schema;
}

function either(before: ManifestSchema, schema: ManifestSchema): ManifestSchema {
  const [left, right] = [allowedValues(before), allowedValues(schema)];
  if (left !== undefined && right !== undefined) {
    const { const: _, vendorDefault: __, ...words } = before;
    const values = new Map([...left, ...right].map((value) => [JSON.stringify(value), value]));
    return { ...words, enum: [...values.values()] };
  }
  const branches = Object.keys(before).join() === "anyOf" ? branchesOf(before, "anyOf") : [before];
  if (branches.length >= 20) return {};
  return { anyOf: [...branches, schema] };
}

function allowedValues(schema: ManifestSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  return Object.hasOwn(schema, "const") ? [schema["const"]] : undefined;
}

/** The target of a schema that is a reference; annotations beside it do not affect how a value is sent. */
function dereference(schema: ManifestSchema, { definition }: ShapeTools): ManifestSchema {
  let here = schema;
  for (let hops = 0; hops < MAX_DEPTH; hops += 1) {
    const ref = here["$ref"];
    if (typeof ref !== "string") return here;
    here = definition(ref.slice(SHARED.length));
  }
  return {};
}

function restOf(schema: ManifestSchema): boolean | ManifestSchema | undefined {
  const more = schema["additionalProperties"];
  if (typeof more === "boolean") return more;
  if (isRecord(more)) return more;
  return isRecord(schema["patternProperties"]) ? true : undefined;
}

function typesOf(schema: ManifestSchema): readonly string[] {
  const type = schema["type"];
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.filter((one): one is string => typeof one === "string" && one !== "null");
}

function branchesOf(schema: ManifestSchema, word: string): readonly ManifestSchema[] {
  const branches = memberOf(schema, word);
  return Array.isArray(branches) ? branches.filter(isRecord) : [];
}

function isNullOnly(schema: ManifestSchema): boolean {
  return schema["type"] === "null";
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}
