import { compileLinearPattern } from "../../../catalog/input/linear-pattern.ts";
import { isRecord } from "../../../../shared/is-record.ts";

type Rule = (value: unknown, bound: unknown) => boolean;

const isNumber = (value: unknown): value is number => typeof value === "number";
const isText = (value: unknown): value is string => typeof value === "string";

/** Keywords for single values; as in JSON Schema, a keyword for another kind of value lets it pass. */
const RULES: Readonly<Record<string, Rule>> = {
  type: (value, types) => (Array.isArray(types) ? types : [types]).some((type) => hasType(value, type)),
  enum: (value, values) => Array.isArray(values) && values.some((one) => JSON.stringify(one) === JSON.stringify(value)),
  const: (value, constant) => JSON.stringify(value) === JSON.stringify(constant),
  minimum: (value, bound) => !isNumber(value) || value >= (bound as number),
  maximum: (value, bound) => !isNumber(value) || value <= (bound as number),
  exclusiveMinimum: (value, bound) => !isNumber(value) || value > (bound as number),
  exclusiveMaximum: (value, bound) => !isNumber(value) || value < (bound as number),
  minLength: (value, bound) => !isText(value) || value.length >= (bound as number),
  maxLength: (value, bound) => !isText(value) || value.length <= (bound as number),
  minItems: (value, bound) => !Array.isArray(value) || value.length >= (bound as number),
  maxItems: (value, bound) => !Array.isArray(value) || value.length <= (bound as number),
  pattern: (value, pattern) => !isText(value) || compileLinearPattern(String(pattern)).test(value.slice(0, 200)),
  format: (value, format) => !isText(value) || fitsFormat(value, String(format)),
  items: (value, items) => !Array.isArray(value) || !isRecord(items) || value.every((one) => valueFits(one, items)),
};

/** Whether a document's default fits its own schema; references and alternatives are not followed. */
export function valueFits(value: unknown, schema: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(schema).every(([word, bound]) => {
    const rule = Object.hasOwn(RULES, word) ? RULES[word] : undefined;
    return rule === undefined || rule(value, bound);
  });
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const FORMAT_SHAPES: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  "date-time": /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:?\d{2})$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  ipv4: /^\d{1,3}(?:\.\d{1,3}){3}$/,
  ipv6: /^[0-9a-f:.]{2,45}$/i,
  hostname: /^[a-z0-9.-]{1,253}$/i,
  duration: /^P[0-9YMWDTHS.]{2,}$/,
};

function fitsFormat(text: string, format: string): boolean {
  const shape = Object.hasOwn(FORMAT_SHAPES, format) ? FORMAT_SHAPES[format] : undefined;
  return shape === undefined || shape.test(text);
}
