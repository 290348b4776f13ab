import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchema } from "./json-schema-walk.ts";
import { compileLinearPattern } from "./linear-pattern.ts";

/** Fills defaults into the value that it is given and tells what is wrong with it; an empty list: nothing. */
export type CompiledSchema = (value: Record<string, unknown>) => readonly ErrorObject[];

/** Some formats are checked by patterns whose time grows with the square of the text. */
const MAX_FORMATTED_CHARACTERS = 8_192;
const UNBOUNDED_FORMATS: ReadonlySet<string> = new Set(["byte", "binary", "password"]);

/**
 * JSON Schema 2020-12 with formats, defaults filled in, patterns on a linear-time engine, and no `$data`
 * (security design, T12). Compiling makes code of a schema that `check-input-schemas.ts` has let through.
 */
export class SchemaCompiler {
  readonly #first = createAjv(false);
  #thorough: Ajv2020 | undefined;

  /** Why this is not a schema; undefined when it is one. Does not compile it. */
  explainInvalid(schema: JsonSchema): string | undefined {
    try {
      if (this.#first.validateSchema(schema) === true) return undefined;
    } catch (error) {
      return `this is not a JSON Schema: ${error instanceof Error ? error.message : String(error)}`;
    }
    const [error] = this.#first.errors ?? [];
    return `this is not a JSON Schema: ${error?.instancePath ?? ""} ${error?.message ?? "it does not fit the dialect"}`;
  }

  /** `thorough` finds every mistake of an input and not the first alone; its time is not bounded by the first mistake. */
  compile(schema: JsonSchema, options: { thorough: boolean }): CompiledSchema {
    const ajv = options.thorough ? (this.#thorough ??= createAjv(true)) : this.#first;
    let validate: ValidateFunction;
    try {
      validate = ajv.compile(schema);
    } finally {
      // The cache that counts is the caller's, and it is bounded; Ajv's own is not.
      ajv.removeSchema(schema);
    }
    return (value) => (validate(value) === true ? [] : (validate.errors ?? []));
  }
}

let shared: SchemaCompiler | undefined;

/** The one of this process, made on first use: it takes a tenth of a second and holds nothing of any catalog. */
export function schemaCompiler(): SchemaCompiler {
  shared ??= new SchemaCompiler();
  return shared;
}

/** Ajv keeps compiled patterns by their text form: without one of its own each would be the first. */
function toEngine(pattern: string) {
  return { ...compileLinearPattern(pattern), toString: () => `/${pattern}/` };
}

function createAjv(allErrors: boolean): Ajv2020 {
  const engine = Object.assign(toEngine, { code: "linearPattern" });
  const ajv = new Ajv2020({
    allErrors,
    strict: false,
    useDefaults: true,
    verbose: true,
    logger: false,
    validateSchema: false,
    code: { regExp: engine },
  });
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (!UNBOUNDED_FORMATS.has(name)) boundFormat(ajv, name, format);
  }
  return ajv;
}

type Format = Ajv2020["formats"][string];

function boundFormat(ajv: Ajv2020, name: string, format: Format): void {
  const test = typeof format === "object" && format !== null && "validate" in format ? format.validate : format;
  const check =
    test instanceof RegExp
      ? (text: string) => test.test(text)
      : typeof test === "function"
        ? (test as (text: string) => boolean)
        : undefined;
  const isForNumbers = typeof format === "object" && format !== null && "type" in format && format.type === "number";
  if (check === undefined || isForNumbers) return;
  ajv.addFormat(name, { type: "string", validate: (text) => text.length <= MAX_FORMATTED_CHARACTERS && check(text) });
}
