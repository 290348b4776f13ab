import { createRequire } from "node:module";
import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { errorText } from "../../../shared/error-text.ts";
import { childSchemas, type JsonSchema, mapSchemas } from "../../manifest/json-schema-walk.ts";
import { triedSchemas } from "./branch-defaults.ts";
import { compileLinearPattern } from "./linear-pattern.ts";
import { isPlainSchema } from "./plain-schema.ts";
import { WorkMeter } from "./work-meter.ts";

/**
 * Fills defaults into the value and returns what is wrong with it; an empty list: nothing. Throws TooMuchWork when it
 * would take too long, and RangeError when a schema refers to itself without end.
 */
export type CompiledSchema = (value: Record<string, unknown>) => readonly ErrorObject[];

/** Some formats are checked by patterns whose time is quadratic in the length of the text. */
const MAX_FORMATTED_CHARACTERS = 8_192;
const UNBOUNDED_FORMATS: ReadonlySet<string> = new Set(["byte", "binary", "password"]);
/** Checked by a pattern with quadratic time: about a microsecond for this many pairs of characters. */
const SQUARE_FORMAT = "url";
const PAIRS_PER_UNIT = 64;
/** Added to every schema for compiling only; its value is the cost of one check of the schema. */
const WORK_KEYWORD = "x-mkt-work";
/** Ajv implements these keywords of older dialects, but the checks at load do not look into them. */
const FOREIGN_KEYWORDS = ["dependencies", "$recursiveRef", "$recursiveAnchor"];

/**
 * JSON Schema 2020-12 with formats, defaults filled in, patterns on a linear-time engine, and no `$data`
 * (docs/security.md, T12). Compiles schemas that `check-input-schemas.ts` has accepted to code; the code counts its
 * work and stops when it is too much.
 */
export class SchemaCompiler {
  readonly #meter = new WorkMeter();
  #quick: Ajv2020 | undefined;
  #thorough: Ajv2020 | undefined;

  /** Why this is not a valid schema; undefined when it is one. Does not compile it. */
  explainInvalid(schema: JsonSchema): string | undefined {
    if (isPlainSchema(schema)) return undefined;
    const ajv = this.#first();
    try {
      if (ajv.validateSchema(schema) === true) return undefined;
    } catch (error) {
      return `this is not a JSON Schema: ${errorText(error)}`;
    }
    const [error] = ajv.errors ?? [];
    return `this is not a JSON Schema: ${wordDialectError(error)}`;
  }

  /**
   * `thorough` finds every mistake of an input, not only the first, so its time is not bounded by the first mistake.
   */
  compile(schema: JsonSchema, options: { thorough: boolean }): CompiledSchema {
    const ajv = options.thorough ? (this.#thorough ??= createAjv(true, this.#meter)) : this.#first();
    const tried = triedSchemas(schema);
    const metered = mapSchemas(schema, (part) => {
      const { default: _, ...rest } = part;
      return { ...(tried.has(part) ? rest : part), [WORK_KEYWORD]: workOf(part) };
    });
    let validate: ValidateFunction;
    try {
      validate = ajv.compile(metered);
    } finally {
      // The caller has a bounded cache; Ajv's own would grow without bound.
      ajv.removeSchema(metered);
    }
    return (value) => {
      this.#meter.reset();
      return validate(value) === true ? [] : (validate.errors ?? []);
    };
  }

  #first(): Ajv2020 {
    return (this.#quick ??= createAjv(false, this.#meter));
  }
}

function wordDialectError(error: ErrorObject | undefined): string {
  if (error === undefined) return "it does not fit the dialect";
  const place = error.instancePath.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
  const { allowedValues, type } = error.params as { allowedValues?: readonly unknown[]; type?: unknown };
  const shown = JSON.stringify(error.data) ?? "nothing";
  const got = shown.length > 60 ? "" : ` (got ${shown})`;
  const values = allowedValues?.map((value) => JSON.stringify(value)).join(", ");
  const wanted =
    values !== undefined
      ? `must be one of ${values}`
      : typeof type === "string" && Object.hasOwn(DIALECT_TYPES, type)
        ? `must be ${DIALECT_TYPES[type] ?? type}`
        : (error.message ?? "does not fit the dialect");
  return `${place === "" ? "it" : place} ${wanted}${got}`;
}

const DIALECT_TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  object: "a map of keys",
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

let shared: SchemaCompiler | undefined;

/** The process's shared compiler: its engines take a tenth of a second to make, and keep nothing of any catalog. */
export function schemaCompiler(): SchemaCompiler {
  shared ??= new SchemaCompiler();
  return shared;
}

/** The cost of checking one value against this schema itself, without its subschemas. */
function workOf(schema: JsonSchema): number {
  const { enum: values, required } = schema;
  const listed = (Array.isArray(values) ? values.length : 0) + (Array.isArray(required) ? required.length : 0);
  return 1 + childSchemas(schema).length + listed;
}

function createEngine(meter: WorkMeter) {
  const engine = (pattern: string) => {
    const { size, test } = compileLinearPattern(pattern);
    return {
      test(text: string): boolean {
        const matches = test(text);
        meter.spend(size * text.length);
        return matches;
      },
      // Ajv caches compiled patterns by their text form: without a distinct one, all would be taken for the first.
      toString: () => `/${pattern}/`,
    };
  };
  return Object.assign(engine, { code: "linearPattern" });
}

const require = createRequire(import.meta.url);

/**
 * Loaded with the first schema that is compiled: a start does not need it, and it takes a tenth of the time and memory.
 */
function loadAjv() {
  const ajv = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  const formats = require("ajv-formats") as (typeof import("ajv-formats"))["default"];
  return { ...ajv, addFormats: formats.default };
}

/** Before `$ref`, so that work is counted on the way down and not only on the way back. */
function addWorkKeyword(ajv: Ajv2020, meter: WorkMeter): void {
  const { _ } = loadAjv();
  const spend = (units: number) => meter.spend(units);
  ajv.addKeyword({
    keyword: WORK_KEYWORD,
    before: "$ref",
    code({ gen, schema }) {
      gen.code(_`${gen.scopeValue("func", { ref: spend })}(${schema})`);
    },
  });
}

function createAjv(allErrors: boolean, meter: WorkMeter): Ajv2020 {
  const { Ajv2020: Engine, addFormats } = loadAjv();
  const ajv = new Engine({
    allErrors,
    strict: false,
    useDefaults: true,
    verbose: true,
    logger: false,
    validateSchema: false,
    // An input is checked once or twice; optimizing the generated code takes longer than that.
    code: { regExp: createEngine(meter), optimize: false },
  });
  for (const keyword of FOREIGN_KEYWORDS) ajv.removeKeyword(keyword);
  addWorkKeyword(ajv, meter);
  addFormats(ajv);
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (!UNBOUNDED_FORMATS.has(name)) boundFormat(ajv, name, format, meter);
  }
  return ajv;
}

type Format = Ajv2020["formats"][string];

function boundFormat(ajv: Ajv2020, name: string, format: Format, meter: WorkMeter): void {
  const test = typeof format === "object" && format !== null && "validate" in format ? format.validate : format;
  const check =
    test instanceof RegExp
      ? (text: string) => test.test(text)
      : typeof test === "function"
        ? (test as (text: string) => boolean)
        : undefined;
  const isForNumbers = typeof format === "object" && format !== null && "type" in format && format.type === "number";
  if (check === undefined || isForNumbers) return;
  const workFor = (length: number) => (name === SQUARE_FORMAT ? (length * length) / PAIRS_PER_UNIT : length);
  ajv.addFormat(name, {
    type: "string",
    validate(text) {
      if (text.length > MAX_FORMATTED_CHARACTERS) return false;
      meter.spend(workFor(text.length));
      return check(text);
    },
  });
}
