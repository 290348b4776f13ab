import type { ErrorObject } from "ajv/dist/2020.js";
import { wordValue } from "../problems/manifest-issues.ts";
import { didYouMean } from "../../../shared/near-misses.ts";

/** One thing wrong with an input. `message` names field, rule and value. */
export interface InputProblem {
  /** Such as `queryParams.days`. */
  readonly field: string;
  /** The keyword of the schema that was broken. */
  readonly rule: string;
  readonly value: unknown;
  readonly message: string;
}

/** Turns a schema error into words: `queryParams.days must be at most 16 (got 99)`. */
export function wordSchemaError(section: string, error: ErrorObject): InputProblem {
  const steps = error.instancePath.split("/").slice(1).map(decodeStep);
  const field = [section, ...steps].join(".");
  const { keyword, params, data } = error;
  const problem = (at: string, value: unknown, words: string, got = ` (got ${wordValue(value)})`): InputProblem => ({
    field: at,
    rule: keyword,
    value,
    message: `${at} ${words}${got}`,
  });
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return problem(`${field}.${String(params["missingProperty"])}`, undefined, "is required", "");
    case "additionalProperties":
    case "unevaluatedProperties":
      return unknownField(error, field);
    case "type":
      return problem(field, data, `must be ${wordTypes(params["type"])}`);
    case "enum":
      return problem(field, data, `must be one of ${wordList(params["allowedValues"])}`);
    case "const":
      return problem(field, data, `must be ${JSON.stringify(params["allowedValue"])}`);
    case "format":
      return problem(field, data, `must be a valid ${String(params["format"])}`);
    case "pattern":
      return problem(field, data, `must match the pattern ${String(params["pattern"])}`);
    case "multipleOf":
      return problem(field, data, `must be a multiple of ${String(params["multipleOf"])}`);
    default:
      return problem(field, data, wordLimit(keyword, params["limit"]) ?? error.message ?? `breaks the rule ${keyword}`);
  }
}

function unknownField(error: ErrorObject, field: string): InputProblem {
  const name = String(error.params["additionalProperty"] ?? error.params["unevaluatedProperty"]);
  const properties: unknown = error.parentSchema?.["properties"];
  const known = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const taken = known.length === 0 ? "" : `; known here: ${known.slice(0, 20).join(", ")}`;
  const data: unknown = error.data;
  const value = typeof data === "object" && data !== null ? (data as Record<string, unknown>)[name] : undefined;
  return {
    field: `${field}.${name}`,
    rule: error.keyword,
    value,
    message: `${field}.${name} is not a parameter of this endpoint${didYouMean(name, known) || taken}`,
  };
}

function wordLimit(keyword: string, limit: unknown): string | undefined {
  const words: Record<string, string> = {
    minimum: `must be at least ${limit}`,
    maximum: `must be at most ${limit}`,
    exclusiveMinimum: `must be more than ${limit}`,
    exclusiveMaximum: `must be less than ${limit}`,
    minLength: `must have at least ${limit} characters`,
    maxLength: `must have at most ${limit} characters`,
    minItems: `must have at least ${limit} items`,
    maxItems: `must have at most ${limit} items`,
    minProperties: `must have at least ${limit} members`,
    maxProperties: `must have at most ${limit} members`,
  };
  return words[keyword];
}

function wordTypes(types: unknown): string {
  const words: Record<string, string> = {
    array: "a list",
    boolean: "true or false",
    integer: "a whole number",
    null: "null",
    number: "a number",
    object: "an object",
    string: "a text",
  };
  const list = Array.isArray(types) ? types : [types];
  return list.map((type) => words[String(type)] ?? String(type)).join(" or ");
}

function wordList(values: unknown): string {
  const list = Array.isArray(values) ? values : [];
  const shown = list.slice(0, 20).map((value) => JSON.stringify(value));
  return list.length > shown.length ? `${shown.join(", ")} and ${list.length - shown.length} more` : shown.join(", ");
}

function decodeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
