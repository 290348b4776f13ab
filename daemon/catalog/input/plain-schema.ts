import { childSchemas, isSchemaObject, type JsonSchema } from "../../manifest/json-schema-walk.ts";

type Rule = (value: unknown) => boolean;

const TYPES: ReadonlySet<unknown> = new Set(["null", "boolean", "object", "array", "number", "string", "integer"]);

const isAnything: Rule = () => true;
const isText: Rule = (value) => typeof value === "string";
const isFlag: Rule = (value) => typeof value === "boolean";
const isNumber: Rule = (value) => typeof value === "number";
const isCount: Rule = (value) => Number.isInteger(value) && (value as number) >= 0;
const isSchema: Rule = (value) => typeof value === "boolean" || isSchemaObject(value);
const isMapOfSchemas: Rule = (value) => isSchemaObject(value) && Object.values(value).every(isSchema);
const isListOfSchemas: Rule = (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isSetOfTexts: Rule = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isType: Rule = (value) => TYPES.has(value);
const isSetOfTypes: Rule = (value) =>
  isSetOfTexts(value) && (value as string[]).length > 0 && (value as string[]).every(isType);
/** As `resolveInputSchemas` writes them; whether the definition exists is checked with the other references. */
const isSharedReference: Rule = (value) => typeof value === "string" && /^#\/\$defs\/[A-Za-z0-9_-]+$/.test(value);

/** As the dialect's format `regex`; whether the engine of linear time can use it is checked with the other patterns. */
function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** The most common keywords, and the values that each may have. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["type", (value) => isType(value) || isSetOfTypes(value)],
  ["enum", (value) => Array.isArray(value) && value.length > 0],
  ["const", isAnything],
  ["default", isAnything],
  ["vendorDefault", isAnything],
  ["examples", Array.isArray],
  ["title", isText],
  ["description", isText],
  ["format", isText],
  ["deprecated", isFlag],
  ["readOnly", isFlag],
  ["writeOnly", isFlag],
  ["required", isSetOfTexts],
  ["minimum", isNumber],
  ["maximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["exclusiveMaximum", isNumber],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["minProperties", isCount],
  ["maxProperties", isCount],
  ["uniqueItems", isFlag],
  ["properties", isMapOfSchemas],
  ["items", isSchema],
  ["additionalProperties", isSchema],
  ["allOf", isListOfSchemas],
  ["anyOf", isListOfSchemas],
  ["oneOf", isListOfSchemas],
  ["not", isSchema],
  ["$ref", isSharedReference],
  ["$defs", isMapOfSchemas],
  ["unevaluatedProperties", isSchema],
  ["propertyNames", isSchema],
  ["prefixItems", isListOfSchemas],
  ["contains", isSchema],
  ["pattern", isPattern],
  ["contentEncoding", isText],
  ["contentMediaType", isText],
]);

/**
 * True when a schema consists only of common keywords with values that JSON Schema 2020-12 allows. Then the dialect's
 * own schema need not be compiled to validate it, which would take a tenth of a second of every start. False proves
 * nothing.
 */
export function isPlainSchema(schema: JsonSchema): boolean {
  return (
    Object.entries(schema).every(([word, value]) => RULES.get(word)?.(value) === true) &&
    childSchemas(schema).every((child) => isPlainSchema(child.schema))
  );
}
