import { createHash } from "node:crypto";
import type { RunInput } from "../../../shared/contract/runs.ts";
import { ApiError } from "../../../shared/errors.ts";
import { INPUT_SECTIONS, type InputSection } from "../../manifest/input-sections.ts";
import type { InputTarget } from "./input-form.ts";
import { isSchemaObject, type JsonSchema } from "../../manifest/json-schema-walk.ts";
import { LruCache } from "../../base/lru-cache.ts";
import { type CompiledSchema, schemaCompiler } from "./schema-compiler.ts";
import { TooMuchWork } from "./work-meter.ts";
import { type InputProblem, wordSchemaError } from "./word-schema-error.ts";

export { normalizeInput } from "./input-form.ts";
export type { InputProblem } from "./word-schema-error.ts";

/** The number of compiled schemas that are kept: a catalog may hold 100,000 endpoints, of which few are run. */
const MAX_COMPILED = 1_000;
/** For larger inputs only the first mistake is reported: finding all of them takes time for every part. */
const MAX_PARTS_FOR_ALL_PROBLEMS = 2_000;
const MAX_PROBLEMS_TOLD = 10;

/**
 * Checks a composite input against the endpoint's JSON Schemas and returns a copy with defaults filled in; the input
 * itself is not changed. Throws invalidInput whose message names field, rule and value, or says that checking takes too
 * long.
 */
export function validateInput(target: InputTarget, input: RunInput): RunInput {
  const result = checkInput(target, input);
  if ("input" in result) return result.input;
  const told = result.problems.slice(0, MAX_PROBLEMS_TOLD).map(({ message }) => message);
  const more = result.problems.length - told.length;
  throw new ApiError("invalidInput", [...told, ...(more > 0 ? [`and ${more} more`] : [])].join("; "));
}

/** As `validateInput`, but returns the problems; throws only for what takes too long. */
export function checkInput(
  target: InputTarget,
  input: RunInput,
): { readonly input: RunInput } | { readonly problems: readonly InputProblem[] } {
  const checked: { [section in InputSection]?: Record<string, unknown> } = {};
  const problems: InputProblem[] = [];
  for (const section of INPUT_SECTIONS) {
    const schema = target.input[section];
    const given = input[section];
    if (schema === undefined) {
      problems.push(...refuseSection(section, given));
      continue;
    }
    const filled = given === undefined ? {} : copyJson(given);
    problems.push(...checkSection(section, schema, filled));
    if (given !== undefined || Object.keys(filled).length > 0) checked[section] = filled;
  }
  return problems.length > 0 ? { problems } : { input: checked };
}

/** A deep copy. What it copies came out of a JSON text, so a `structuredClone`, which costs more than the check, is not needed. */
function copyJson<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyJson) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyJson(member)])) as Value;
}

function checkSection(section: InputSection, schema: JsonSchema, value: Record<string, unknown>): InputProblem[] {
  const errors = inTime(section, () => compiled(schema, { thorough: false })(value));
  if (errors.length === 0) return [];
  const all = hasFewParts(value) ? inTime(section, () => compiled(schema, { thorough: true })(value)) : errors;
  const problems = leastSpecificLast(all.length > 0 ? all : errors).map((error) => wordSchemaError(section, error));
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

function inTime<T>(section: InputSection, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (cause instanceof TooMuchWork) throw new ApiError("invalidInput", `${section}: ${cause.message}`, { cause });
    // Stack overflow: a schema recursed more often than any reasonable input would cause.
    if (!(cause instanceof RangeError)) throw cause;
    throw new ApiError("invalidInput", `${section}: checking this input takes too long; nest it less`, { cause });
  }
}

/** The errors inside the branches of an anyOf or an if are clearer than the error that it failed. */
function leastSpecificLast<E extends { readonly keyword: string }>(errors: readonly E[]): E[] {
  const isSummary = ({ keyword }: E) => ["anyOf", "oneOf", "if", "not", "allOf"].includes(keyword);
  const specific = errors.filter((error) => !isSummary(error));
  return specific.length > 0 ? specific : [...errors];
}

function refuseSection(section: InputSection, given: Record<string, unknown> | undefined): InputProblem[] {
  return Object.entries(given ?? {}).map(([name, value]) => ({
    field: `${section}.${name}`,
    rule: "additionalProperties",
    value,
    message: `${section}.${name} is not a parameter of this endpoint: it takes no ${section}`,
  }));
}

function hasFewParts(root: unknown): boolean {
  let parts = 0;
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    parts += 1;
    if (parts > MAX_PARTS_FOR_ALL_PROBLEMS) return false;
    if (Array.isArray(value)) open.push(...value.slice(0, MAX_PARTS_FOR_ALL_PROBLEMS + 1));
    else if (isSchemaObject(value)) open.push(...Object.values(value));
  }
  return true;
}

interface Compiled {
  readonly bySchema: LruCache<JsonSchema, CompiledSchema>;
  /** By a hash of its text: after a file is read again, the same schema is a different object. */
  readonly byText: LruCache<string, CompiledSchema>;
}

/** Made on first use and shared by all catalogs: it only caches compiled schemas. */
let memory: { readonly first: Compiled; readonly thorough: Compiled } | undefined;

function compiled(schema: JsonSchema, options: { thorough: boolean }): CompiledSchema {
  memory ??= { first: emptyMemory(), thorough: emptyMemory() };
  const { bySchema, byText } = options.thorough ? memory.thorough : memory.first;
  return bySchema.getOrMake(schema, () => byText.getOrMake(hashOf(schema), () => compileNow(schema, options)));
}

function emptyMemory(): Compiled {
  return { bySchema: new LruCache(MAX_COMPILED), byText: new LruCache(MAX_COMPILED) };
}

function hashOf(schema: JsonSchema): string {
  return createHash("sha256").update(JSON.stringify(schema)).digest("base64");
}

function compileNow(schema: JsonSchema, options: { thorough: boolean }): CompiledSchema {
  try {
    return schemaCompiler().compile(schema, options);
  } catch (cause) {
    const message = "The endpoint's input schema cannot be compiled, so no input can be checked; tell the operator";
    throw new ApiError("unavailable", message, { cause, errorCode: "PROVIDER_NOT_LOADED" });
  }
}
