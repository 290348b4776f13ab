import { countCharacters } from "../../billing/count-characters.ts";
import { ceil, fromDecimal, multiply, type Rational } from "../../../shared/rational.ts";
import type { Usage } from "../../manifest/manifest.ts";
import { oncePer } from "../../base/once-per.ts";
import { extract, type Extractor, type ExtractScope } from "../../manifest/extract.ts";
import type { InputSections } from "../../manifest/input-sections.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Measured } from "../protocol/provider.ts";
import { valueAt } from "../../../shared/value-at.ts";
import { compileExtractor } from "./compiled-sources.ts";

/*
 * How much a value is, here and in the estimate alike: a number is itself, a list its items. What a text is follows from
 * where the file reads it and from the unit of its price, never from what stands in it:
 *
 *   read from               count                units, by the character   units, by anything else
 *   input:                  its characters       its characters            its characters
 *   $., start:$             the number it says   its characters            the number it says
 *   header:, state:         the number it says   the number it says        the number it says
 *
 * A header and what a job keeps are always texts. Characters are Unicode code points.
 */
type TextIs = "its characters" | "the number it says";

/**
 * The quantities that the manifest measures on an answer. A member is NaN when it should be measured but is missing,
 * negative or unreadable: never a silent zero, never an invented number (docs/manifest.md, "Unmeasured quantities").
 * `byCharacter`: the price counts characters.
 */
export function measure(
  usage: Usage,
  scope: ExtractScope,
  { byCharacter }: { readonly byCharacter: boolean },
): Measured {
  const { count, units } = compiledUsage(usage);
  return {
    ...(count !== undefined && { count: wholeOnly(quantityOf(count, scope, { byCharacter: false })) }),
    ...(units !== undefined && { units: quantityOf(units, scope, { byCharacter }) }),
    ...measureCost(usage, scope),
  };
}

interface CompiledUsage {
  readonly count?: Extractor;
  readonly units?: Extractor;
  readonly cost?: Extractor;
}

const compiledUsage = oncePer(({ count, units, cost }: Usage): CompiledUsage => ({
  ...(count !== undefined && { count: compileExtractor(count) }),
  ...(units !== undefined && { units: compileExtractor(units) }),
  ...(cost !== undefined && { cost: compileExtractor(cost.from) }),
}));

function measureCost(usage: Usage, scope: ExtractScope): Measured {
  const { cost } = compiledUsage(usage);
  if (usage.cost === undefined || cost === undefined) return {};
  return { costMicroDollars: readCost(usage.cost, extract(cost, scope)) };
}

/** The quantities of an answer that an error rule treats as an empty success: zero for everything that is counted. */
export function measureEmpty(usage: Usage, scope: ExtractScope): Measured {
  return {
    ...measureCost(usage, scope),
    ...(usage.count !== undefined && { count: 0 }),
    ...(usage.units !== undefined && { units: 0 }),
  };
}

function wholeOnly(count: number): number {
  return Number.isInteger(count) ? count : NaN;
}

function quantityOf(extractor: Extractor, scope: ExtractScope, { byCharacter }: { byCharacter: boolean }): number {
  const isBody = extractor.kind === "path" || extractor.kind === "start";
  const value = extract(extractor, scope);
  // A number that is a text only because it has more digits than a double is not measured in characters; the nearest
  // double counts.
  if (typeof value === "string" && scope.numbersAsText?.has(value) === true) return readQuantity(Number(value));
  const counted = extractor.kind === "input" || (isBody && byCharacter);
  return readQuantity(value, counted ? "its characters" : "the number it says");
}

const DECIMAL = /^\s*\d{1,16}(?:\.\d{1,16})?\s*$/;

function readQuantity(value: unknown, textIs: TextIs = "the number it says"): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === "string" && textIs === "its characters") return countCharacters(value);
  const number = typeof value === "string" && DECIMAL.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !(number >= 0) || number > Number.MAX_SAFE_INTEGER) return NaN;
  return number;
}

const MICRO_DOLLARS_PER_UNIT = { USD: 1_000_000, CENT: 10_000, MICRO_DOLLAR: 1 } as const;
/** Enough for the shortest text of every double. */
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

/** The quantities that a price estimate needs, as numbers; a member is absent when the input does not determine it. */
export interface ResolvedEstimate {
  readonly count?: number;
  readonly units?: number;
  readonly max?: number;
}

/** JSON Schemas of the input's sections; they give the maximum for a missing field. */
export type EstimateSchemas = { readonly [section in keyof InputSections]?: Readonly<Record<string, unknown>> };

/**
 * `usage.estimate` for one input. A list of factors is multiplied; each factor is read in the same way as it will be
 * measured. For a missing field its schema's default is used, otherwise its maximum.
 */
export function resolveEstimate(
  estimate: Usage["estimate"],
  input: InputSections,
  schemas: EstimateSchemas = {},
): ResolvedEstimate {
  if (estimate === undefined) return {};
  const compiled = compiledEstimate(estimate);
  const count = product(compiled.count, input, schemas);
  const units = product(compiled.units, input, schemas);
  const max = product(compiled.max, input, schemas);
  return {
    ...(count !== undefined && { count }),
    ...(units !== undefined && { units }),
    ...(max !== undefined && { max }),
  };
}

/**
 * The maximum that a caller pays for, at an endpoint whose overrun the caller pays; undefined when the input does not
 * determine it.
 */
export function resolveCallerBound(
  overrun: Exclude<CatalogEntry["overrun"], "operator">,
  input: InputSections,
  schemas: EstimateSchemas,
): number | undefined {
  return product(compiledCallerBound(overrun), input, schemas);
}

type Factor = string | number;

interface CompiledEstimate {
  readonly count: readonly Extractor[] | undefined;
  readonly units: readonly Extractor[] | undefined;
  readonly max: readonly Extractor[] | undefined;
}

const compiledEstimate = oncePer(({ count, units, max }: NonNullable<Usage["estimate"]>): CompiledEstimate => ({
  count: count === undefined ? undefined : compileFactors(count),
  units: units === undefined ? undefined : compileFactors(units),
  max: max === undefined ? undefined : compileFactors(max),
}));

const compiledCallerBound = oncePer(({ caller }: Exclude<CatalogEntry["overrun"], "operator">) =>
  compileFactors(caller),
);

function compileFactors(factors: Factor | readonly Factor[]): readonly Extractor[] {
  return (typeof factors === "object" ? factors : [factors]).map(compileExtractor);
}

function product(
  factors: readonly Extractor[] | undefined,
  input: InputSections,
  schemas: EstimateSchemas,
): number | undefined {
  if (factors === undefined) return undefined;
  let result = 1;
  for (const factor of factors) {
    const value = factorOf(factor, input, schemas);
    if (value === undefined) return undefined;
    result *= value;
  }
  return Number.isFinite(result) ? result : undefined;
}

function factorOf(extractor: Extractor, input: InputSections, schemas: EstimateSchemas): number | undefined {
  const told = quantityOf(extractor, { input }, { byCharacter: false });
  if (!Number.isNaN(told)) return told;
  return extractor.kind === "input" ? mostOf(fieldSchema(schemas[extractor.section], extractor.path)) : undefined;
}

function fieldSchema(schema: unknown, path: readonly string[]): unknown {
  const whole = valueAt(schema, ["properties", path.join(".")]);
  if (whole !== undefined) return whole;
  return valueAt(
    schema,
    path.flatMap((name) => ["properties", name]),
  );
}

function mostOf(schema: unknown): number | undefined {
  const candidates = ["default", "vendorDefault", "maximum", "maxItems", "maxLength"].map((name) =>
    valueAt(schema, [name]),
  );
  const exclusive = valueAt(schema, ["exclusiveMaximum"]);
  return [...candidates, exclusive].find((value): value is number => typeof value === "number" && value >= 0);
}
