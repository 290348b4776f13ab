import fc from "fast-check";
import { isMembers, type Json, listOf } from "./api-document.ts";

export interface ValueChoices {
  /** What stands behind the references of a schema. */
  readonly follow: (schema: unknown) => unknown;
  /** Whether optional members are given too. */
  readonly isFull: boolean;
  /** Stands for every text that may be any; without it the schema's own examples and plain words do. */
  readonly anyText?: string;
}

/** So deep optional members are given; deeper only what must be. */
const MAX_FULL_DEPTH = 3;
const MAX_DEPTH = 12;

/** A value that a schema of any version describes; undefined where none was found, such as behind a reference in a circle. */
export function makeValue(schema: unknown, choices: ValueChoices, depth = 0): unknown {
  if (depth > MAX_DEPTH || schema === false) return undefined;
  const here = merged(schema, choices, 0);
  const stated = statedValue(here, choices);
  if (stated !== undefined) return stated;
  const branches = [...listOf(here["oneOf"]), ...listOf(here["anyOf"])].filter((branch) => !isNull(branch, choices));
  if (branches.length > 0) return makeBranch(here, branches, choices, depth);
  switch (typeOf(here)) {
    case "object":
      return makeObject(here, choices, depth);
    case "array":
      return makeList(here, choices, depth);
    case "integer":
    case "number":
      return makeNumber(here);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return makeText(here, choices);
  }
}

/** The schema with its references followed and what allOf adds. */
function merged(schema: unknown, choices: ValueChoices, depth: number): Json {
  const { follow } = choices;
  const here = follow(schema);
  if (!isMembers(here) || depth > MAX_DEPTH) return {};
  const own = isMembers(schema) && here !== schema ? withoutReference(schema) : {};
  const { allOf, ...rest } = { ...here, ...own } as Json;
  return listOf(allOf).reduce<Json>((whole, part) => join(whole, merged(part, choices, depth + 1)), rest);
}

function withoutReference(schema: Json): Json {
  const { $ref: _, ...rest } = schema;
  return rest;
}

function join(one: Json, other: Json): Json {
  const properties = { ...asMembers(other["properties"]), ...asMembers(one["properties"]) };
  const required = [...listOf(one["required"]), ...listOf(other["required"])];
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function asMembers(value: unknown): Json {
  return isMembers(value) ? value : {};
}

function isNull(schema: unknown, { follow }: ValueChoices): boolean {
  return asMembers(follow(schema))["type"] === "null";
}

function statedValue(schema: Json, { anyText }: ValueChoices): unknown {
  if (schema["const"] !== undefined) return schema["const"];
  const values: readonly unknown[] = listOf(schema["enum"]).filter((value) => value !== null);
  const example: unknown = schema["example"] ?? listOf(schema["examples"])[0] ?? schema["default"];
  if (values.length > 0) return values.includes(example) ? example : values[0];
  // A text that may be any is worth more than the one that its author thought of.
  if (anyText !== undefined && (isFreeText(schema) || typeOf(schema) === "object" || typeOf(schema) === "array")) {
    return undefined;
  }
  return isOfType(example, schema) ? example : undefined;
}

/** Authors write `example: "5"` for numbers, and lists of examples for one. */
function isOfType(value: unknown, schema: Json): boolean {
  const type = typeOf(schema);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isMembers(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function isFreeText(schema: Json): boolean {
  const { format, pattern, maxLength, contentEncoding } = schema;
  const isBound = format !== undefined || pattern !== undefined || contentEncoding !== undefined;
  return typeOf(schema) === "string" && !isBound && (maxLength === undefined || Number(maxLength) >= 40);
}

function typeOf(schema: Json): unknown {
  const { type, properties, items } = schema;
  const first = Array.isArray(type) ? type.find((name) => name !== "null") : type;
  if (first !== undefined) return first === "file" ? "string" : first;
  if (isMembers(properties) || isMembers(schema["additionalProperties"])) return "object";
  return items === undefined ? "string" : "array";
}

/** The first branch of which something comes, with what stands beside it. */
function makeBranch(here: Json, branches: readonly unknown[], choices: ValueChoices, depth: number): unknown {
  const { oneOf: _, anyOf: __, ...beside } = here;
  for (const branch of branches) {
    const value = makeValue(join(beside, merged(branch, choices, 0)), choices, depth + 1);
    if (value !== undefined) return value;
  }
  return undefined;
}

function makeObject(schema: Json, choices: ValueChoices, depth: number): Json | undefined {
  const required = new Set(listOf(schema["required"]));
  const members: [string, unknown][] = [];
  for (const [name, property] of Object.entries(asMembers(schema["properties"]))) {
    const isNeeded = required.has(name);
    if (!isNeeded && (!choices.isFull || depth >= MAX_FULL_DEPTH)) continue;
    const value = makeValue(property, choices, depth + 1);
    if (value === undefined && isNeeded) return undefined;
    if (value !== undefined) members.push([name, value]);
  }
  const more = schema["additionalProperties"];
  const isShort = members.length < Number(schema["minProperties"] ?? 0);
  if ((isShort || (choices.isFull && members.length === 0)) && more !== false) {
    const value = isMembers(more) ? makeValue(more, choices, depth + 1) : "more";
    if (value !== undefined) members.push(["more", value]);
  }
  return Object.fromEntries(members);
}

function makeList(schema: Json, choices: ValueChoices, depth: number): readonly unknown[] | undefined {
  const first = listOf(schema["prefixItems"]).map((item) => makeValue(item, choices, depth + 1));
  const wanted = Math.max(Number(schema["minItems"] ?? 0), choices.isFull && depth < MAX_FULL_DEPTH ? 2 : 1);
  const length = Math.min(wanted, Number(schema["maxItems"] ?? wanted), 50);
  const items = first.slice(0, length);
  while (items.length < length && schema["items"] !== false) {
    const item = makeValue(schema["items"] ?? {}, choices, depth + 1);
    if (item === undefined) return items.length >= Number(schema["minItems"] ?? 0) ? items : undefined;
    items.push(unlike(item, items, asMembers(choices.follow(schema["items"]))));
  }
  const texts = new Set(items.map((item) => JSON.stringify(item)));
  return texts.size === items.length ? items : items.slice(0, Math.max(1, Number(schema["minItems"] ?? 0)));
}

/** Lists may hold nothing twice, and whoever reads their schema may have left that out. */
function unlike(item: unknown, others: readonly unknown[], schema: Json): unknown {
  const values = listOf(schema["enum"]);
  if (values.length > 0) return values[others.length] ?? item;
  if (!others.includes(item)) return item;
  if (typeof item === "number") return item + others.length;
  return typeof item === "string" && schema["type"] === "string" && isFreeText(schema)
    ? `${item}${others.length}`
    : item;
}

function makeNumber(schema: Json): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const isWhole = typeOf(schema) === "integer";
  const step = typeof multipleOf === "number" ? multipleOf : isWhole ? 1 : 0.5;
  const above = typeof exclusiveMinimum === "number" ? exclusiveMinimum + step : undefined;
  const low = above ?? (exclusiveMinimum === true && typeof minimum === "number" ? minimum + step : minimum);
  const below = typeof exclusiveMaximum === "number" ? exclusiveMaximum - step : undefined;
  const high = below ?? (exclusiveMaximum === true && typeof maximum === "number" ? maximum - step : maximum);
  const wanted = typeof low === "number" ? low : typeof high === "number" ? Math.min(high, step) : step;
  const value = Math.ceil(wanted / step) * step;
  return typeof high === "number" && value > high ? high : value;
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  "date-time": "2026-11-21T08:30:00Z",
  date: "2026-11-21",
  time: "08:30:00Z",
  duration: "P1D",
  email: "ada@example.org",
  uri: "https://example.org/a?b=c&d=e",
  "uri-reference": "/a/b",
  iri: "https://example.org/",
  url: "https://example.org/",
  hostname: "example.org",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uuid: "2b1c5c3e-6a1f-4d0a-9a1e-3f6d1b7c8a90",
  byte: "aGVsbG8=",
  binary: "aGVsbG8=",
  "json-pointer": "/a/b",
  regex: "^a$",
};

function makeText(schema: Json, { anyText }: ValueChoices): string | undefined {
  const { format, pattern, contentEncoding } = schema;
  if (contentEncoding === "base64") return BY_FORMAT["byte"];
  if (typeof pattern === "string") return fromPattern(pattern, schema);
  const known = typeof format === "string" ? BY_FORMAT[format] : undefined;
  return fitted(known ?? (isFreeText(schema) ? (anyText ?? "word") : "word"), schema);
}

function fitted(text: string, { minLength = 0, maxLength = Infinity }: Json): string {
  return text.padEnd(Number(minLength), "x").slice(0, Number(maxLength));
}

/** The same text for the same pattern, always. */
function fromPattern(pattern: string, { minLength = 0, maxLength = 200 }: Json): string | undefined {
  try {
    const texts = fc.sample(fc.stringMatching(new RegExp(pattern.replace(/^\/(.*)\/$/s, "$1"))), {
      seed: 1,
      numRuns: 30,
    });
    return texts.find((text) => {
      const isPlain = !/[^\x20-\x7e]/.test(text) && text.trim() !== "" && text !== "." && text !== "..";
      return isPlain && text.length >= Number(minLength) && text.length <= Number(maxLength);
    });
  } catch {
    return undefined;
  }
}
