import { withPoint } from "../words/typed-number.ts";
import { type JsonSchema, optionText, type SchemaField } from "./schema-fields.ts";
import { errorText } from "../../shared/error-text.ts";

/** What is typed, as the value that is sent; undefined when nothing is. Throws with what is wrong, in words. */
export function readField(field: SchemaField, typed: string, decimalSign?: string): unknown {
  const { kind, required, nullable, schema, options } = field;
  if (typed === "" || (kind !== "text" && typed.trim() === "")) {
    if ("empty" in field) return field.empty;
    if (!required) return undefined;
    if (nullable) return null;
    throw new Error("It is required.");
  }
  switch (kind) {
    case "text":
      return checkedText(typed, schema);
    case "number":
    case "integer":
      return readNumber(typed, schema, kind, decimalSign);
    case "boolean":
      return typed === "true";
    case "choice":
      return options.find((option) => optionText(option) === typed);
    case "list":
      return readList(typed, schema, decimalSign);
    case "json":
      return readJson(typed, schema);
  }
}

function checkedText(text: string, { minLength, maxLength, pattern, format }: JsonSchema): string {
  // As JSON Schema counts: characters, not halves of them.
  const { length } = Array.from(text);
  if (typeof minLength === "number" && length < minLength)
    throw new Error(`It must have ${characters(minLength)} at least.`);
  if (typeof maxLength === "number" && length > maxLength)
    throw new Error(`It must have ${characters(maxLength)} at most.`);
  if (typeof pattern === "string" && isQuick(pattern, text) && !matches(pattern, text)) {
    throw new Error(`It must look like ${pattern}`);
  }
  if (format === "date" && !isDate(text)) throw new Error("It must be a day, such as 2026-11-23.");
  return text;
}

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

/**
 * Whether a pattern may be tried here. The service tries patterns in linear time; a browser can be kept busy for minutes by a
 * repeated group, or by many repetitions one after the other.
 */
function isQuick(pattern: string, text: string): boolean {
  const repeats = pattern.replace(/\\./g, "").match(/[*+]|\{\d+,\d*\}/g) ?? [];
  return text.length <= 200 && repeats.length <= 2 && !/\)[*+{]/.test(pattern);
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function readNumber(typed: string, limits: JsonSchema, kind: "number" | "integer", decimalSign?: string): number {
  const text = withPoint(typed, decimalSign);
  const value = text !== undefined && NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw new Error(`“${typed.trim()}” is not a number.`);
  if (kind === "integer" && !Number.isInteger(value)) throw new Error("It must be a whole number.");
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new Error("It has more digits than this page can send exactly; use the command line.");
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  if (typeof minimum === "number" && value < minimum) throw new Error(`It must be ${minimum} at least.`);
  if (typeof maximum === "number" && value > maximum) throw new Error(`It must be ${maximum} at most.`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) {
    throw new Error(`It must be more than ${exclusiveMinimum}.`);
  }
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) {
    throw new Error(`It must be less than ${exclusiveMaximum}.`);
  }
  if (typeof multipleOf === "number" && Number.isInteger(multipleOf) && value % multipleOf !== 0) {
    throw new Error(`It must be a multiple of ${multipleOf}.`);
  }
  return value;
}

function readList(
  typed: string,
  { items, minItems, maxItems, uniqueItems }: JsonSchema,
  decimalSign?: string,
): unknown {
  const lines = typed.split(/\r?\n/).filter((line) => line.trim() !== "");
  const one = items as JsonSchema;
  const allowed = one["enum"];
  const values = lines.map((line, index) => {
    try {
      if (Array.isArray(allowed)) {
        const found: unknown = allowed.find((option) => optionText(option) === line.trim());
        if (found === undefined) throw new Error(`It must be one of ${allowed.map(optionText).join(", ")}.`);
        return found;
      }
      const { type } = one;
      return type === "string"
        ? checkedText(line, one)
        : readNumber(line, one, type as "number" | "integer", decimalSign);
    } catch (error) {
      throw new Error(`Line ${index + 1}: ${errorText(error)}`, { cause: error });
    }
  });
  if (typeof minItems === "number" && values.length < minItems)
    throw new Error(`It must have ${lineCount(minItems)} at least.`);
  if (typeof maxItems === "number" && values.length > maxItems)
    throw new Error(`It must have ${lineCount(maxItems)} at most.`);
  if (uniqueItems === true && new Set(values).size < values.length)
    throw new Error("Each line must be there only once.");
  return values;
}

function lineCount(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

function readJson(typed: string, { type }: JsonSchema): unknown {
  let value: unknown;
  try {
    value = JSON.parse(typed);
  } catch (error) {
    throw new Error(`It is not JSON: ${errorText(error)}`, { cause: error });
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "object" && !isObject) throw new Error('It must be an object, such as {"name": "value"}.');
  if (type === "array" && !Array.isArray(value)) throw new Error("It must be a list, such as [1, 2].");
  return value;
}
