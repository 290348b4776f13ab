import { isForbiddenKey } from "../../../catalog/parsing/catalog-text.ts";
import { explainUnusablePattern } from "../../../catalog/input/linear-pattern.ts";
import { cleanText } from "../../conversion/clean-text.ts";
import type { ConversionMeter } from "../../conversion/conversion-meter.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import { entriesOf, isMembers, listOf, memberOf, type Members, textOf } from "../../conversion/members.ts";
import type { Located, ReferenceResolver } from "../document/reference-resolver.ts";
import { enumFor, isNullable, isSpelledOut, typeOf } from "./schema-types.ts";
import { isSmallData } from "./small-data.ts";
import { vendorDefaultOf } from "./vendor-default.ts";

/** A schema as a manifest says it: JSON Schema 2020-12, references only to `#/schemas/Name`. */
export type ManifestSchema = Readonly<Record<string, unknown>>;

export interface SchemaTools {
  readonly resolver: ReferenceResolver;
  readonly meter: ConversionMeter;
  readonly notes: ImportNotes;
  /** 3.1 gives members beside a `$ref` their own meaning; before, only words about the value are kept. */
  readonly siblingsCount: boolean;
}

export const SHARED = "#/schemas/";
export const ANY_JSON = "Any JSON.";

/** One definition may nest so deep by itself; what lies deeper becomes any JSON. */
const MAX_DEPTH = 12;
const MAX_PROPERTIES = 1_400;
const MAX_ENUM_ITEMS = 1_000;
const MAX_BRANCHES = 100;
/** References and parts of parts that are looked through for `readOnly`. */
const MAX_READ_ONLY_DEPTH = 3;
const MAX_PATTERN_PROPERTIES = 20;
const MAX_UNIQUE_PLAIN = 1_000;
const MAX_UNIQUE_OBJECTS = 100;
const MAX_DESCRIPTION = 500;
const MAX_EXAMPLE_CHARACTERS = 300;

const ANNOTATIONS: ReadonlySet<string> = new Set(
  "description title default vendorDefault example examples deprecated nullable x-nullable readOnly writeOnly summary".split(
    " ",
  ),
);

interface Definition {
  readonly located: Located;
  converted?: ManifestSchema;
}

/**
 * Schemas of any version of OpenAPI → those of a manifest, for input: what is read only is left out. What a reference
 * leads to becomes a definition of its own, converted when it is asked for, so that cycles and chains cost no stack.
 */
export class SchemaConverter {
  readonly #tools: SchemaTools;
  readonly #definitions = new Map<string, Definition>();
  readonly #names = new Map<object, string>();
  readonly #patterns = new Map<string, boolean>();
  readonly #removed = new WeakMap<object, ReadonlySet<string>>();

  constructor(tools: SchemaTools) {
    this.#tools = tools;
  }

  /** Throws UnusableReference when a reference in it leads nowhere. */
  convert(located: Located): ManifestSchema {
    return this.#schema(located.value, located.file, 0);
  }

  /** The schema behind `#/schemas/<name>`. Throws UnusableReference as `convert` does. */
  definition(name: string): ManifestSchema {
    const definition = this.#definitions.get(name);
    if (definition === undefined) throw new Error(`no definition is named ${name}`);
    definition.converted ??= this.#schema(definition.located.value, definition.located.file, 0);
    return definition.converted;
  }

  /** Names of the properties that were left out of a converted schema because only answers have them. */
  readOnlyNames(schema: ManifestSchema): ReadonlySet<string> {
    return this.#removed.get(schema) ?? new Set();
  }

  #schema(raw: unknown, file: string, depth: number): ManifestSchema {
    this.#tools.meter.spend(1);
    if (raw === false) return { not: {} };
    if (!isMembers(raw)) return {};
    const ref = textOf(raw, "$ref");
    if (ref !== undefined) return this.#reference(raw, this.#tools.resolver.target(ref, file), file, depth);
    const dynamic = textOf(raw, "$dynamicRef") ?? textOf(raw, "$recursiveRef");
    if (dynamic !== undefined) return this.#reference(raw, this.#tools.resolver.target(dynamic, file), file, depth);
    if (depth > MAX_DEPTH) {
      this.#tools.notes.add(`schemas nested more than ${MAX_DEPTH} deep became any JSON`);
      return { description: ANY_JSON };
    }
    return this.#plain(raw, file, depth);
  }

  #reference(raw: Members, target: Located, file: string, depth: number): ManifestSchema {
    const name = this.#nameOf(this.#tools.resolver.follow(target), textOf(raw, "$ref") ?? "");
    if (name === undefined) return {};
    const { $ref: _, $dynamicRef: __, $recursiveRef: ___, ...siblings } = raw;
    const isOnlyWords = Object.keys(siblings).every((word) => ANNOTATIONS.has(word) || word.startsWith("x-"));
    const reference = { $ref: `${SHARED}${name}` };
    if (!isOnlyWords && this.#tools.siblingsCount) {
      const beside = this.#plain(siblings, file, depth);
      return Object.keys(beside).length === 0 ? reference : { allOf: [reference, beside] };
    }
    const words = this.#annotations(siblings, {});
    if (isNullable(siblings)) return { ...words, anyOf: [reference, { type: "null" }] };
    return { ...reference, ...words };
  }

  /** Undefined for what is no object: `true` stands for anything. */
  #nameOf(target: Located, ref: string): string | undefined {
    if (!isMembers(target.value)) return undefined;
    const before = this.#names.get(target.value);
    if (before !== undefined) return before;
    const name = this.#freshName(ref);
    this.#names.set(target.value, name);
    this.#definitions.set(name, { located: target });
    return name;
  }

  #freshName(ref: string): string {
    const last = decodeLoosely(ref.slice(Math.max(ref.lastIndexOf("/"), ref.lastIndexOf("#")) + 1));
    const cleaned = last
      .replace(/\.(?:ya?ml|json)$/i, "")
      .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
      .replace(/^[^A-Za-z_]+/, "")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, 60);
    const base = cleaned === "" || isForbiddenKey(cleaned) ? "Shared" : cleaned;
    let name = base;
    for (let count = 2; this.#definitions.has(name); count += 1) name = `${base}_${count}`;
    return name;
  }

  #plain(raw: Members, file: string, depth: number): ManifestSchema {
    const schema: Record<string, unknown> = { ...typeOf(raw) };
    const inner = (value: unknown) => this.#schema(value, file, depth + 1);
    this.#copyValues(raw, schema);
    this.#copyNumbers(raw, schema);
    this.#copyPattern(raw, schema);
    this.#copyProperties(raw, schema, file, inner);
    this.#copyItems(raw, schema, inner);
    this.#copyBranches(raw, schema, inner);
    Object.assign(schema, this.#annotations(raw, schema));
    return schema;
  }

  #copyValues(raw: Members, schema: Record<string, unknown>): void {
    const values = memberOf(raw, "enum");
    if (Array.isArray(values) && values.length > 0) {
      this.#tools.meter.spend(values.length);
      if (values.length > MAX_ENUM_ITEMS) {
        this.#tools.notes.add(`lists of more than ${MAX_ENUM_ITEMS} allowed values were left to the vendor`);
      } else {
        if (isSpelledOut(values, schema["type"])) schema["type"] = "string";
        const allowed = enumFor(values, schema["type"], isNullable(raw));
        if (allowed.length > 0) schema["enum"] = allowed;
      }
    }
    const constant = memberOf(raw, "const");
    if (constant !== undefined && isSmallData(constant)) schema["const"] = constant;
    for (const word of ["contentEncoding", "contentMediaType"]) {
      const text = textOf(raw, word);
      if (text !== undefined && text.length <= 100) schema[word] = text;
    }
    const isText = schema["type"] === undefined || schema["type"] === "string";
    const isBytes =
      schema["contentMediaType"] === "application/octet-stream" && !Object.hasOwn(schema, "contentEncoding");
    if (isText && isBytes) Object.assign(schema, { type: "string", format: "binary" });
  }

  #copyNumbers(raw: Members, schema: Record<string, unknown>): void {
    for (const [inclusive, exclusive] of [
      ["minimum", "exclusiveMinimum"],
      ["maximum", "exclusiveMaximum"],
    ] as const) {
      const bound = numberOf(raw, inclusive);
      const strict = memberOf(raw, exclusive);
      if (bound !== undefined) schema[strict === true ? exclusive : inclusive] = bound;
      const strictBound = numberOf(raw, exclusive);
      if (strictBound !== undefined) schema[exclusive] = strictBound;
    }
    const multiple = numberOf(raw, "multipleOf");
    if (multiple !== undefined && multiple > 0) schema["multipleOf"] = multiple;
    for (const word of ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]) {
      const count = numberOf(raw, word);
      if (count !== undefined && Number.isSafeInteger(count) && count >= 0) schema[word] = count;
    }
  }

  #copyPattern(raw: Members, schema: Record<string, unknown>): void {
    const pattern = textOf(raw, "pattern");
    if (pattern === undefined || pattern === "") return;
    const bare = /^\/(.*)\/$/s.exec(pattern)?.[1] ?? pattern;
    if (this.#isUsablePattern(bare)) schema["pattern"] = bare;
    else
      this.#tools.notes.add(
        "patterns that could take endless time, or are none, were left to the vendor",
        pattern.slice(0, 80),
      );
  }

  #isUsablePattern(pattern: string): boolean {
    const before = this.#patterns.get(pattern);
    if (before !== undefined) return before;
    this.#tools.meter.spend(1 + pattern.length);
    const isUsable = pattern.length <= 1_000 && explainUnusablePattern(pattern) === undefined;
    this.#patterns.set(pattern, isUsable);
    return isUsable;
  }

  #copyProperties(
    raw: Members,
    schema: Record<string, unknown>,
    file: string,
    inner: (value: unknown) => ManifestSchema,
  ): void {
    const properties: [string, ManifestSchema][] = [];
    const removed = new Set<string>();
    const required = new Set(listOf(raw, "required").filter((name): name is string => typeof name === "string"));
    for (const [name, value] of entriesOf(memberOf(raw, "properties"))) {
      if (isForbiddenKey(name)) {
        this.#tools.notes.add("properties whose names mean something to JavaScript were left out", name);
        removed.add(name);
      } else if (this.#isReadOnly(value, file)) {
        removed.add(name);
      } else if (name === "$ref" && typeof value === "string") {
        this.#tools.notes.add("a list of properties that is a reference itself was left out");
      } else if (properties.length >= MAX_PROPERTIES) {
        this.#tools.notes.add(`of objects with more than ${MAX_PROPERTIES} properties the rest was left out`);
        removed.add(name);
      } else {
        properties.push([name, inner(value)]);
        // A habit of drafts before 4: the property says it, and not the object.
        if (memberOf(value, "required") === true && !isMembers(memberOf(value, "properties"))) required.add(name);
      }
    }
    if (properties.length > 0) schema["properties"] = Object.fromEntries(properties);
    const needed = [...required].filter((name) => !removed.has(name) && !isForbiddenKey(name)).slice(0, MAX_PROPERTIES);
    if (needed.length > 0) schema["required"] = needed;
    if (removed.size > 0) this.#removed.set(schema, removed);
    const more = memberOf(raw, "additionalProperties");
    if (typeof more === "boolean") schema["additionalProperties"] = more;
    else if (isMembers(more)) schema["additionalProperties"] = inner(more);
    const names = memberOf(raw, "propertyNames");
    if (isMembers(names)) schema["propertyNames"] = inner(names);
    this.#copyPatternProperties(raw, schema, inner);
  }

  /** Whether only answers have it: as it says itself, behind its reference, or in a part that it is made of. */
  #isReadOnly(value: unknown, file: string, depth = 0): boolean {
    if (memberOf(value, "readOnly") === true) return true;
    if (depth > MAX_READ_ONLY_DEPTH) return false;
    if (textOf(value, "$ref") !== undefined) {
      const target = this.#followLoosely({ value, file });
      return target !== undefined && this.#isReadOnly(target.value, target.file, depth + 1);
    }
    return listOf(value, "allOf")
      .slice(0, MAX_BRANCHES)
      .some((part) => this.#isReadOnly(part, file, depth + 1));
  }

  /** One that leads nowhere is told where its schema is converted. */
  #followLoosely(located: Located): Located | undefined {
    try {
      return this.#tools.resolver.follow(located);
    } catch {
      return undefined;
    }
  }

  #copyPatternProperties(
    raw: Members,
    schema: Record<string, unknown>,
    inner: (value: unknown) => ManifestSchema,
  ): void {
    const all = entriesOf(memberOf(raw, "patternProperties"));
    if (all.length === 0) return;
    const usable = all.slice(0, MAX_PATTERN_PROPERTIES).filter(([name]) => this.#isUsablePattern(name));
    if (usable.length === all.length) {
      schema["patternProperties"] = Object.fromEntries(usable.map(([name, value]) => [name, inner(value)]));
    } else {
      this.#tools.notes.add("properties by patterns that cannot be checked were opened to any JSON");
      schema["additionalProperties"] = true;
    }
  }

  #copyItems(raw: Members, schema: Record<string, unknown>, inner: (value: unknown) => ManifestSchema): void {
    const items = memberOf(raw, "items");
    const first = memberOf(raw, "prefixItems") ?? (Array.isArray(items) ? items : undefined);
    if (Array.isArray(first) && first.length > 0) schema["prefixItems"] = first.slice(0, MAX_BRANCHES).map(inner);
    if (isMembers(items)) schema["items"] = inner(items);
    else if (items === false) schema["items"] = false;
    const contains = memberOf(raw, "contains");
    if (isMembers(contains)) schema["contains"] = inner(contains);
    if (memberOf(raw, "uniqueItems") !== true) return;
    const most = schema["maxItems"];
    const limit = hasPlainItems(schema["items"]) ? MAX_UNIQUE_PLAIN : MAX_UNIQUE_OBJECTS;
    if (typeof most === "number" && most <= limit) schema["uniqueItems"] = true;
  }

  #copyBranches(raw: Members, schema: Record<string, unknown>, inner: (value: unknown) => ManifestSchema): void {
    for (const [word, written] of [
      ["allOf", "allOf"],
      ["anyOf", "anyOf"],
      // Branches overlap in most documents, where JSON Schema would demand that exactly one fits: the vendor decides.
      ["oneOf", "anyOf"],
    ] as const) {
      const branches = listOf(raw, word).filter((branch) => isMembers(branch) || typeof branch === "boolean");
      if (branches.length === 0) continue;
      if (branches.length > MAX_BRANCHES) {
        this.#tools.notes.add(`choices between more than ${MAX_BRANCHES} schemas became any JSON`);
        continue;
      }
      const converted = branches.map(inner);
      if (schema[written] === undefined) schema[written] = converted;
      else schema["allOf"] = [...((schema["allOf"] as ManifestSchema[] | undefined) ?? []), { [written]: converted }];
    }
    const { anyOf, allOf } = schema as { anyOf?: ManifestSchema[]; allOf?: ManifestSchema[] };
    // A type beside the choice repeats what the branches say, but would refuse the null that is allowed.
    if (anyOf !== undefined && isNullable(raw) && schema["type"] === undefined) anyOf.push({ type: "null" });
    if (allOf?.length === 1 && Object.keys(schema).length === 1) {
      delete schema["allOf"];
      Object.assign(schema, allOf[0]);
    }
    const not = memberOf(raw, "not");
    if (isMembers(not) && Object.keys(not).length > 0) schema["not"] = inner(not);
  }

  /** Words about the value, which every version has beside a reference too. */
  #annotations(raw: Members, schema: ManifestSchema): Record<string, unknown> {
    const words: Record<string, unknown> = {};
    const description = cleanText(memberOf(raw, "description") ?? memberOf(raw, "title"), MAX_DESCRIPTION);
    if (description !== "") words["description"] = description;
    const standard = vendorDefaultOf(raw, schema["type"]);
    if (standard !== undefined) words["vendorDefault"] = standard;
    const examples = [memberOf(raw, "example"), ...listOf(raw, "examples")]
      .filter((value) => value !== undefined && value !== null && isSmallData(value, MAX_EXAMPLE_CHARACTERS))
      .slice(0, 1);
    if (examples.length > 0) words["examples"] = examples;
    if (memberOf(raw, "deprecated") === true) words["deprecated"] = true;
    return words;
  }
}

function numberOf(raw: Members, word: string): number | undefined {
  const found = memberOf(raw, word);
  const value = typeof found === "string" && found.trim() !== "" ? Number(found) : found;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function hasPlainItems(items: unknown): boolean {
  const type = memberOf(items, "type");
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.every((name) => typeof name === "string" && name !== "object" && name !== "array");
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return text;
  }
}
