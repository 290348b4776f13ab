import { memberOf } from "../../../../shared/member-of.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { type Members, textOf } from "../../conversion/members.ts";
import { isSmallData } from "../schemas/small-data.ts";

/** Formats that the daemon checks, or that say how a value is written; others would have no effect. */
const FORMATS: ReadonlySet<string> = new Set(
  "date date-time email hostname ipv4 ipv6 uri uuid int32 int64 float double byte binary password duration".split(" "),
);

/** Types by their common names. */
const TYPE_NAMES: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(
  Object.entries({
    string: { type: "string" },
    number: { type: "number" },
    integer: { type: "integer" },
    boolean: { type: "boolean" },
    array: { type: "array" },
    object: { type: "object" },
    null: { type: "null" },
    file: { type: "string", format: "binary" },
    int: { type: "integer" },
    int32: { type: "integer" },
    int64: { type: "integer" },
    long: { type: "integer" },
    float: { type: "number" },
    double: { type: "number" },
    decimal: { type: "number" },
    bool: { type: "boolean" },
    text: { type: "string" },
    str: { type: "string" },
    uuid: { type: "string", format: "uuid" },
    date: { type: "string" },
    datetime: { type: "string" },
    list: { type: "array" },
    dict: { type: "object" },
  }),
);

/** `type` and `format` of a schema of any version; accepts common names of types, and turns `nullable` into a type. */
export function typeOf(raw: Members): Readonly<Record<string, unknown>> {
  const type = memberOf(raw, "type");
  const names = (Array.isArray(type) ? type : [type]).filter((name): name is string => typeof name === "string");
  const known = names.map((name) => TYPE_NAMES.get(name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")) ?? {});
  const types = [...new Set(known.map((one) => String(one["type"] ?? "")))].filter((name) => name !== "");
  const format = formatOf(raw, known[0]);
  if (types.length === 0) {
    if (isRecord(memberOf(raw, "properties"))) types.push("object");
    else if (memberOf(raw, "items") !== undefined) types.push("array");
    else if (format === "binary") types.push("string");
  }
  if (isNullable(raw) && types.length > 0 && !types.includes("null")) types.push("null");
  return {
    ...(types.length === 1 && { type: types[0] }),
    ...(types.length > 1 && { type: types }),
    ...(format !== undefined && { format }),
  };
}

/** True when a schema of any version also allows null. */
export function isNullable(raw: Members): boolean {
  return memberOf(raw, "nullable") === true || memberOf(raw, "x-nullable") === true;
}

function formatOf(raw: Members, type: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const named = textOf(raw, "format");
  if (named !== undefined && FORMATS.has(named)) return named;
  const implied = type?.["format"];
  return typeof implied === "string" ? implied : undefined;
}

/**
 * Allowed values in the type that the schema says: YAML reads `no` as a boolean and `1` as a number. Empty: unchecked.
 */
export function enumFor(values: readonly unknown[], type: unknown, isNullableToo: boolean): unknown[] {
  // If one of them were dropped, an allowed value would be refused.
  if (!values.every((value) => isSmallData(value))) return [];
  const typed = values.map((value) => toType(value, type));
  if (isNullableToo && !typed.includes(null)) typed.push(null);
  return [...new Map(typed.map((value) => [JSON.stringify(value), value])).values()];
}

/**
 * Whether numbers are written as texts that differ from the number's own, such as "01" for a month: the vendor needs
 * the text.
 */
export function isSpelledOut(values: readonly unknown[], type: unknown): boolean {
  if (type !== "integer" && type !== "number") return false;
  return values.some((value) => typeof value === "string" && String(Number(value)) !== value.trim() && isNumber(value));
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

/** A value converted to the type of its schema, if it was written in another. */
export function toType(value: unknown, type: unknown): unknown {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes("string") && (typeof value === "number" || typeof value === "boolean")) {
    return types.includes(typeof value) ? value : String(value);
  }
  const isNumeric = types.includes("integer") || types.includes("number");
  if (isNumeric && typeof value === "string" && value.trim() !== "" && !types.includes("string")) {
    return Number.isFinite(Number(value)) ? Number(value) : value;
  }
  return value;
}
