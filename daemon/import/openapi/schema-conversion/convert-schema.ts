import { isRecord } from "../../../../shared/is-record.ts";
import { type Members, textOf } from "../../conversion/members.ts";
import type { Located } from "../document/reference-resolver.ts";
import { ANY_JSON, type ManifestSchema, SHARED } from "../schemas/manifest-schema.ts";
import { annotationsOf, isOnlyWords } from "./annotations.ts";
import { addBranches, addItems } from "./parts.ts";
import { addProperties } from "./properties.ts";
import type { SchemaDraft, SchemaTools } from "./schema-tools.ts";
import { isNullable, typeOf } from "./schema-types.ts";
import { SharedDefinitions } from "./shared-definitions.ts";
import { UsablePatterns } from "./usable-patterns.ts";
import { addAllowedValues, addBounds, addPattern } from "./value-words.ts";

/** The maximum nesting of one definition; anything deeper becomes any JSON. */
const MAX_DEPTH = 12;

/**
 * Converts schemas of any OpenAPI version to those of a manifest, for input: read-only properties are left out. The
 * target of a reference becomes a definition of its own, converted on demand, so that cycles and chains need no stack.
 */
export class SchemaConverter {
  readonly #tools: SchemaTools;
  readonly #definitions = new SharedDefinitions();
  readonly #patterns: UsablePatterns;
  readonly #removed = new WeakMap<object, ReadonlySet<string>>();

  constructor(tools: SchemaTools) {
    this.#tools = tools;
    this.#patterns = new UsablePatterns(tools.meter);
  }

  /** Throws UnusableReference when a reference in it cannot be resolved. */
  convert(located: Located): ManifestSchema {
    return this.#schema(located.value, located.file, 0);
  }

  /** The schema behind `#/schemas/<name>`. Throws UnusableReference as `convert` does. */
  definition(name: string): ManifestSchema {
    return this.#definitions.get(name, (located) => this.convert(located));
  }

  /** Names of the properties that were left out of a converted schema because they occur only in answers. */
  readOnlyNames(schema: ManifestSchema): ReadonlySet<string> {
    return this.#removed.get(schema) ?? new Set();
  }

  #schema(raw: unknown, file: string, depth: number): ManifestSchema {
    this.#tools.meter.spend(1);
    if (raw === false) return { not: {} };
    if (!isRecord(raw)) return {};
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
    const name = this.#definitions.nameOf(this.#tools.resolver.follow(target), textOf(raw, "$ref") ?? "");
    if (name === undefined) return {};
    const { $ref: _, $dynamicRef: __, $recursiveRef: ___, ...siblings } = raw;
    const reference = { $ref: `${SHARED}${name}` };
    if (!isOnlyWords(siblings) && this.#tools.siblingsCount) {
      const beside = this.#plain(siblings, file, depth);
      return Object.keys(beside).length === 0 ? reference : { allOf: [reference, beside] };
    }
    const words = annotationsOf(siblings, undefined);
    if (isNullable(siblings)) return { ...words, anyOf: [reference, { type: "null" }] };
    return { ...reference, ...words };
  }

  /** The schema itself, keyword by keyword; later keywords use the result of the earlier ones. */
  #plain(raw: Members, file: string, depth: number): ManifestSchema {
    const tools = { ...this.#tools, patterns: this.#patterns };
    const schema: SchemaDraft = { ...typeOf(raw) };
    const inner = (value: unknown) => this.#schema(value, file, depth + 1);
    addAllowedValues(schema, raw, tools);
    addBounds(schema, raw);
    addPattern(schema, raw, this.#patterns, tools.notes);
    const removed = addProperties(schema, { value: raw, file }, inner, tools);
    if (removed.size > 0) this.#removed.set(schema, removed);
    addItems(schema, raw, inner);
    addBranches(schema, raw, inner, tools.notes);
    Object.assign(schema, annotationsOf(raw, schema["type"]));
    return schema;
  }
}
