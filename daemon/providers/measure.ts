import { ceil, fromDecimal, multiply, type Rational } from "../billing/rational.ts";
import type { Usage } from "../manifest/manifest.ts";
import { extract, type Extractor, type ExtractScope, parseExtractor } from "../manifest/extract.ts";
import type { InputSections } from "../manifest/input-sections.ts";
import type { Measured } from "./provider.ts";
import { requireParsed } from "./request-error.ts";

/**
 * What the manifest measures on an answer. A member is NaN when it was to be measured and is missing, negative or
 * unreadable: never a silent zero, never an invented number (Manifest rule 8).
 */
export function measure(usage: Usage, scope: ExtractScope): Measured {
  return {
    ...(usage.count !== undefined && { count: readCount(extract(parse(usage.count), scope)) }),
    ...(usage.units !== undefined && { units: readQuantity(extract(parse(usage.units), scope)) }),
    ...(usage.cost !== undefined && { costMicroDollars: readCost(usage.cost, extract(parse(usage.cost.from), scope)) }),
  };
}

/** What an answer measures that an error rule calls an empty success: zero of everything that is counted. */
export function measureEmpty(usage: Usage, scope: ExtractScope): Measured {
  return {
    ...measure({ ...(usage.cost !== undefined && { cost: usage.cost }) }, scope),
    ...(usage.count !== undefined && { count: 0 }),
    ...(usage.units !== undefined && { units: 0 }),
  };
}

function readCount(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  const count = readQuantity(value);
  return Number.isInteger(count) ? count : NaN;
}

const DECIMAL = /^\s*\d{1,16}(?:\.\d{1,16})?\s*$/;

/** A number of things, also as decimal text, since headers are text; a list counts by its length. */
function readQuantity(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  const number = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !(number >= 0) || number > Number.MAX_SAFE_INTEGER) return NaN;
  return number;
}

const MICRO_DOLLARS_PER_UNIT = { USD: 1_000_000, CENT: 10_000, MICRO_DOLLAR: 1 } as const;
/** Enough for every double's shortest text. */
const ANY_DIGITS = 400;

function readCost(cost: NonNullable<Usage["cost"]>, value: unknown): number {
  const told = readDecimal(value);
  if (told === undefined || told.n < 0n) return NaN;
  const perUnit =
    cost.usdPerUnit === undefined
      ? fromDecimal(MICRO_DOLLARS_PER_UNIT[cost.unit ?? "USD"])
      : multiply(fromDecimal(cost.usdPerUnit, ANY_DIGITS), fromDecimal(MICRO_DOLLARS_PER_UNIT.USD));
  const microDollars = Number(ceil(multiply(told, perUnit)));
  return Number.isSafeInteger(microDollars) ? microDollars : NaN;
}

function readDecimal(value: unknown): Rational | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  try {
    return fromDecimal(typeof value === "string" ? value.trim() : value, ANY_DIGITS);
  } catch {
    return undefined;
  }
}

/** The quantities that a price estimate needs, as numbers; a member is absent when the input does not tell it. */
export interface ResolvedEstimate {
  readonly count?: number;
  readonly units?: number;
  readonly max?: number;
}

/** JSON Schemas of the input's places; they tell the most that a field left out may mean. */
export type EstimateSchemas = { readonly [section in keyof InputSections]?: Readonly<Record<string, unknown>> };

/**
 * `usage.estimate` for one input. A list of factors is multiplied; an input that is a list counts by its length, a text by
 * its characters. For a field that the caller left out its schema's default, else its maximum, is taken.
 */
export function resolveEstimate(
  estimate: Usage["estimate"],
  input: InputSections,
  schemas: EstimateSchemas = {},
): ResolvedEstimate {
  const count = product(estimate?.count, input, schemas);
  const units = product(estimate?.units, input, schemas);
  const max = product(estimate?.max, input, schemas);
  return {
    ...(count !== undefined && { count }),
    ...(units !== undefined && { units }),
    ...(max !== undefined && { max }),
  };
}

type Factor = string | number;

function product(
  factors: Factor | readonly Factor[] | undefined,
  input: InputSections,
  schemas: EstimateSchemas,
): number | undefined {
  if (factors === undefined) return undefined;
  let result = 1;
  for (const factor of Array.isArray(factors) ? (factors as readonly Factor[]) : [factors as Factor]) {
    const value = factorOf(parse(factor), input, schemas);
    if (value === undefined) return undefined;
    result *= value;
  }
  return Number.isFinite(result) ? result : undefined;
}

function factorOf(extractor: Extractor, input: InputSections, schemas: EstimateSchemas): number | undefined {
  const value = extract(extractor, { input });
  const told = typeof value === "string" ? value.length : readQuantity(value);
  if (!Number.isNaN(told)) return told;
  return extractor.kind === "input" ? mostOf(fieldSchema(schemas[extractor.section], extractor.path)) : undefined;
}

function fieldSchema(schema: unknown, path: readonly string[]): unknown {
  const whole = member(member(schema, "properties"), path.join("."));
  if (whole !== undefined) return whole;
  let found: unknown = schema;
  for (const name of path) found = member(member(found, "properties"), name);
  return found;
}

function mostOf(schema: unknown): number | undefined {
  const candidates = ["default", "maximum", "maxItems", "maxLength"].map((name) => member(schema, name));
  const exclusive = member(schema, "exclusiveMaximum");
  return [...candidates, exclusive].find((value): value is number => typeof value === "number" && value >= 0);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function parse(source: string | number): Extractor {
  return requireParsed(parseExtractor(source));
}
