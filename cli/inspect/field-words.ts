import type { InputField } from "./field-facts.ts";
import { fileFormOf } from "../input/file-values.ts";
import { acceptedValues, isSchema, type JsonSchema, schemaParts } from "../input/json-schema-types.ts";

const MOST_VALUES = 12;
const LONGEST_PATTERN = 40;
const LONGEST_SAMPLE = 60;

/**
 * Everything needed to fill in a field: `integer 1 to 20, default 20. How many web results`. Long lists of values are
 * shortened to the first ones, unless `full`.
 */
export function fieldWords({ schema, parts, root, required }: InputField, full: boolean): string {
  const takes = [
    typeWords(schema, root, full),
    ...(required ? ["required"] : []),
    ...defaultWords(parts),
    ...(firstOf(parts, "deprecated") === true ? ["deprecated"] : []),
  ].join(", ");
  const about = firstOf(parts, "description");
  const sample = sampleWords(parts, schema, root);
  return [takes, ...(typeof about === "string" && about.trim() !== "" ? [about.trim()] : []), ...sample]
    .map((part) => part.replace(/\.$/, ""))
    .join(". ");
}

/** `integer 1 to 20`, `basic | advanced`, `array of string (uri), 1 to 5 items`. */
function typeWords(schema: JsonSchema, root: JsonSchema, full: boolean): string {
  const { types, values, items } = acceptedValues(schema, root);
  if (items.length === 0 && fileFormOf(schema, root) !== undefined) return "file, as @path or in base64";
  const parts = schemaParts(schema, root);
  const [item] = items;
  if (values.length > 0 && item === undefined) return valueWords(values, full);
  if (item !== undefined) {
    const others = [...types].filter((type) => type !== "array");
    const list = `array of ${typeWords(item, root, full)}${rangeWords(parts, "minItems", "maxItems", "item")}`;
    return [list, ...others].join(" or ");
  }
  const format = firstOf(parts, "format");
  const name = [...types].join(" or ") || "any value";
  const isText = types.has("string") && types.size === 1;
  return [
    name,
    typeof format === "string" ? ` (${format})` : "",
    isText ? rangeWords(parts, "minLength", "maxLength", "character") : numberWords(parts),
    isText ? patternWords(parts) : "",
  ].join("");
}

function valueWords(values: readonly unknown[], full: boolean): string {
  const shown = full ? values : values.slice(0, MOST_VALUES);
  const words = shown.map(plainValue).join(" | ");
  return shown.length < values.length ? `${words} | … ${values.length - shown.length} more (--full)` : words;
}

function numberWords(parts: readonly JsonSchema[]): string {
  const [least, most] = [numberOf(parts, "minimum"), numberOf(parts, "maximum")];
  const [above, below] = [numberOf(parts, "exclusiveMinimum"), numberOf(parts, "exclusiveMaximum")];
  const low = above === undefined ? (least === undefined ? undefined : `at least ${least}`) : `above ${above}`;
  const high = below === undefined ? (most === undefined ? undefined : `at most ${most}`) : `below ${below}`;
  if (above === undefined && below === undefined && least !== undefined && most !== undefined) {
    return ` ${least} to ${most}`;
  }
  const bounds = [low, high].filter((bound) => bound !== undefined).join(" and ");
  return bounds === "" ? "" : ` ${bounds}`;
}

function rangeWords(parts: readonly JsonSchema[], min: string, max: string, unit: string): string {
  const [least = 0, most] = [numberOf(parts, min), numberOf(parts, max)];
  const units = `${unit}s`;
  if (most === undefined) return least === 0 ? "" : least === 1 ? ", not empty" : `, at least ${least} ${units}`;
  if (least === most) return `, ${most} ${most === 1 ? unit : units}`;
  return least === 0 ? `, at most ${most} ${most === 1 ? unit : units}` : `, ${least} to ${most} ${units}`;
}

function patternWords(parts: readonly JsonSchema[]): string {
  const pattern = firstOf(parts, "pattern");
  return typeof pattern === "string" && pattern.length <= LONGEST_PATTERN ? `, like ${pattern}` : "";
}

/** `default` is filled in by the service; `vendorDefault` is what the provider does when nothing is sent. */
function defaultWords(parts: readonly JsonSchema[]): string[] {
  const [ours, vendors] = [firstOf(parts, "default"), firstOf(parts, "vendorDefault")];
  if (ours !== undefined) return [`default ${plainValue(ours)}`];
  return vendors === undefined ? [] : [`vendor's default: ${plainValue(vendors)}`];
}

/** A sample says more than a type where neither values nor a default do. */
function sampleWords(parts: readonly JsonSchema[], schema: JsonSchema, root: JsonSchema): string[] {
  if (acceptedValues(schema, root).values.length > 0 || firstOf(parts, "default") !== undefined) return [];
  const listed = firstOf(parts, "examples");
  const sample = Array.isArray(listed) ? listed[0] : firstOf(parts, "example");
  if (sample === undefined || sample === null) return [];
  const words = plainValue(sample);
  return words.length > LONGEST_SAMPLE ? [] : [`E.g. ${words}`];
}

function plainValue(value: unknown): string {
  return typeof value === "string" ? (value === "" ? '""' : value) : JSON.stringify(value);
}

function numberOf(parts: readonly JsonSchema[], word: string): number | undefined {
  const value = firstOf(parts, word);
  return typeof value === "number" ? value : undefined;
}

function firstOf(parts: readonly JsonSchema[], word: string): unknown {
  return parts.find((part) => isSchema(part) && part[word] !== undefined)?.[word];
}
