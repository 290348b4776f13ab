import { INPUT_SECTIONS } from "../../manifest/input-sections.ts";
import type { DocumentPath } from "../../manifest/document-path.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import type { EndpointInputSchemas } from "../entries/catalog-entry.ts";
import { explainEndlessReference } from "./endless-reference.ts";
import {
  allSchemas,
  childSchemas,
  declaredProperties,
  isSchemaObject,
  type JsonSchema,
  resolveLocalRef,
} from "../../manifest/json-schema-walk.ts";
import {
  MAX_ENUM_ITEMS,
  MAX_PATTERN_PROPERTIES,
  MAX_UNIQUE_ITEMS,
  MAX_UNIQUE_PLAIN_ITEMS,
  maxUniqueItems,
} from "../../manifest/schema-bounds.ts";
import { explainUnusablePattern } from "../input/linear-pattern.ts";
import { didYouMean, findNearMisses } from "../../../shared/near-misses.ts";
import type { SchemaCompiler } from "../input/schema-compiler.ts";

// docs/security.md, T12: an endpoint whose schema exceeds these bounds is not served, and the reason is reported.
const MAX_SCHEMA_CHARACTERS = 512 * 1024;
const MAX_SCHEMA_DEPTH = 32;
const MAX_BRANCHES = 200;
const MAX_SUBSCHEMAS = 1_500;
/** Schemas that one value may be checked against once all references are followed. */
const MAX_EXPANDED = 20_000;
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

const KNOWN_KEYWORDS: ReadonlySet<string> = new Set(
  (
    "$schema $ref $defs $comment $anchor type enum const title description default vendorDefault examples deprecated readOnly writeOnly " +
    "properties patternProperties additionalProperties unevaluatedProperties propertyNames required dependentRequired " +
    "dependentSchemas minProperties maxProperties items prefixItems contains minContains maxContains unevaluatedItems " +
    "minItems maxItems uniqueItems minLength maxLength pattern format contentEncoding contentMediaType contentSchema " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf allOf anyOf oneOf not if then else definitions"
  ).split(" "),
);
/** Keywords of related dialects. They are not typing errors, but have no effect. */
const IGNORED_KEYWORDS: ReadonlySet<string> = new Set([
  "example",
  "nullable",
  "discriminator",
  "xml",
  "externalDocs",
  "dependencies",
  "additionalItems",
]);

/**
 * Checks the input schemas of one endpoint. Anything that could make checking an input slow or impossible takes the
 * endpoint down; anything that merely has no effect is reported. Compiling waits for the first use (a catalog may hold
 * 100,000 endpoints).
 */
export function checkInputSchemas(
  problems: ProblemList,
  path: DocumentPath,
  input: EndpointInputSchemas,
  compiler: SchemaCompiler,
): void {
  for (const section of INPUT_SECTIONS) {
    const schema = input[section];
    if (schema === undefined) continue;
    const place = [...path, section];
    const before = problems.list().length;
    checkSection(problems, place, schema);
    if (problems.list().length > before) continue;
    const complaint = compiler.explainInvalid(schema);
    if (complaint !== undefined) refuse(problems, place, complaint);
  }
}

function checkSection(problems: ProblemList, path: DocumentPath, schema: JsonSchema): void {
  if (schema["type"] !== "object") {
    refuse(
      problems,
      [...path, "type"],
      "the schema of a section must have type: object (or no type, which means the same)",
    );
  }
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS) {
    refuse(problems, path, `the schema has more than ${MAX_SCHEMA_CHARACTERS} characters; describe less of the body`);
    return;
  }
  const known = new Set(allSchemas(schema));
  const tooDeep = !checkTree(problems, path, schema, { root: schema, known, depth: 0 });
  if (!tooDeep && known.size > MAX_SUBSCHEMAS) {
    refuse(problems, path, `the schema has more than ${MAX_SUBSCHEMAS} schemas in it; describe less of the body`);
  }
  if (tooDeep) {
    refuse(
      problems,
      path,
      `the schema is nested more than ${MAX_SCHEMA_DEPTH} schemas deep; describe less of the body`,
    );
  } else if (countExpanded(schema) > MAX_EXPANDED) {
    refuse(problems, path, "the references multiply so often that checking an input would take too long; use fewer");
  }
  const endless = tooDeep ? undefined : explainEndlessReference(schema);
  if (endless !== undefined) refuse(problems, path, endless);
  const declared = declaredProperties(schema);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const name of required) {
    if (typeof name !== "string" || declared.has(name) || schema["additionalProperties"] !== false) continue;
    refuse(
      problems,
      [...path, "required"],
      `"${name}" is required and not declared${didYouMean(name, declared.keys())}`,
    );
  }
}

/** Where a schema is: in which document, and which of its other parts were visited. */
interface TreePosition {
  readonly root: JsonSchema;
  readonly known: ReadonlySet<unknown>;
  readonly depth: number;
}

/** Returns false when the schemas nest too deeply to go on. */
function checkTree(problems: ProblemList, path: DocumentPath, schema: JsonSchema, at: TreePosition): boolean {
  if (at.depth > MAX_SCHEMA_DEPTH) return false;
  checkKeywords(problems, path, schema, at);
  return childSchemas(schema).every((child) =>
    checkTree(problems, [...path, ...child.path], child.schema, { ...at, depth: at.depth + 1 }),
  );
}

function checkKeywords(problems: ProblemList, path: DocumentPath, schema: JsonSchema, at: TreePosition): void {
  for (const keyword of Object.keys(schema)) checkSpelling(problems, path, keyword);
  if (at.depth === 0) checkBareFields(problems, path, schema);
  const { $schema, $ref, $id, $dynamicRef } = schema;
  if ($schema !== undefined && $schema !== DIALECT) {
    refuse(problems, [...path, "$schema"], `only JSON Schema 2020-12 is read (${DIALECT}); take $schema out`);
  }
  if ($id !== undefined || $dynamicRef !== undefined) {
    refuse(problems, path, "$id and $dynamicRef are not supported; refer to #/$defs/Name or #/schemas/Name");
  }
  if (typeof $ref === "string") checkRef(problems, [...path, "$ref"], $ref, at);
  checkPatterns(problems, path, schema);
  checkLists(problems, path, schema);
}

function checkPatterns(problems: ProblemList, path: DocumentPath, schema: JsonSchema): void {
  const { pattern, patternProperties } = schema;
  const names = isSchemaObject(patternProperties) ? Object.keys(patternProperties) : [];
  if (names.length > MAX_PATTERN_PROPERTIES) {
    const place = [...path, "patternProperties"];
    refuse(
      problems,
      place,
      `at most ${MAX_PATTERN_PROPERTIES} patterns may stand here: each name meets each; join some`,
    );
    return;
  }
  for (const source of [pattern, ...names]) {
    const complaint = typeof source === "string" ? explainUnusablePattern(source) : undefined;
    if (complaint !== undefined) refuse(problems, [...path, "pattern"], complaint);
  }
}

function checkLists(problems: ProblemList, path: DocumentPath, schema: JsonSchema): void {
  const { enum: values, uniqueItems, maxItems, items } = schema;
  if (uniqueItems === true && !(typeof maxItems === "number" && maxItems <= maxUniqueItems(items))) {
    const most = `${MAX_UNIQUE_ITEMS}, or of ${MAX_UNIQUE_PLAIN_ITEMS} where items has a type other than object and array`;
    const why = "comparing the items of a long list takes too long";
    refuse(problems, path, `uniqueItems needs maxItems of at most ${most}: ${why}`);
  }
  if (Array.isArray(values) && values.length > MAX_ENUM_ITEMS) {
    const words = `at most ${MAX_ENUM_ITEMS} values may stand in enum; describe them by a pattern, or leave them to the vendor`;
    refuse(problems, [...path, "enum"], words);
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const list = schema[keyword];
    if (Array.isArray(list) && list.length > MAX_BRANCHES) {
      refuse(problems, [...path, keyword], `at most ${MAX_BRANCHES} schemas may stand in ${keyword}`);
    }
  }
}

function checkSpelling(problems: ProblemList, path: DocumentPath, keyword: string): void {
  if (KNOWN_KEYWORDS.has(keyword) || IGNORED_KEYWORDS.has(keyword) || keyword.startsWith("x-")) return;
  if (keyword === "$id" || keyword === "$dynamicRef" || keyword === "$dynamicAnchor") return;
  if (findNearMisses(keyword, KNOWN_KEYWORDS).length === 0) return;
  const message = `"${keyword}" is not a keyword of JSON Schema and has no effect${didYouMean(keyword, KNOWN_KEYWORDS)}`;
  problems.report([...path, keyword], "input-schema", message, "nothing");
}

/** Fields that were written beside `type` instead of below `properties`: the section would accept none of them. */
function checkBareFields(problems: ProblemList, path: DocumentPath, schema: JsonSchema): void {
  for (const [name, value] of Object.entries(schema)) {
    const isWord = KNOWN_KEYWORDS.has(name) || IGNORED_KEYWORDS.has(name) || /^[$]|^x-/.test(name);
    if (isWord || !isSchemaObject(value) || findNearMisses(name, KNOWN_KEYWORDS).length > 0) continue;
    const message = `"${name}" is no keyword of JSON Schema and has no effect; a field stands below properties: {${name}: …}`;
    problems.report([...path, name], "input-schema", message, "nothing");
  }
}

function checkRef(problems: ProblemList, path: DocumentPath, ref: string, { root, known }: TreePosition): void {
  if (!ref.startsWith("#")) {
    refuse(problems, path, `only references into this file are followed: #/schemas/Name (got ${JSON.stringify(ref)})`);
    return;
  }
  const target = resolveLocalRef(root, ref);
  const shown = ref.replace("#/$defs/", "#/schemas/");
  if (target === undefined) {
    refuse(problems, path, `there is nothing at ${shown}; add it under schemas, or correct the name`);
  } else if (typeof target !== "boolean" && !known.has(target)) {
    // Only places where schemas belong have been checked here.
    refuse(problems, path, `what stands at ${shown} is not a schema; put it under schemas and refer to #/schemas/Name`);
  }
}

/**
 * The maximum number of schemas that one value is checked against, each reference counted with all that it leads to;
 * recursion counts once.
 */
function countExpanded(root: JsonSchema): number {
  const known = new Map<JsonSchema, number>();
  const count = (schema: JsonSchema): number => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    known.set(schema, 1);
    const target = typeof schema["$ref"] === "string" ? resolveLocalRef(root, schema["$ref"]) : undefined;
    let sum = 1;
    if (isSchemaObject(target)) sum += count(target);
    for (const child of childSchemas(schema)) {
      if (child.path[0] !== "$defs" && child.path[0] !== "definitions") sum += count(child.schema);
      if (sum > MAX_EXPANDED) break;
    }
    known.set(schema, Math.min(sum, MAX_EXPANDED + 1));
    return sum;
  };
  return count(root);
}

function refuse(problems: ProblemList, path: DocumentPath, message: string): void {
  problems.report(path, "input-schema", message, "endpoint");
}
