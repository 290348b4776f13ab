import { childSchemas, mapSchemas } from "../../../manifest/json-schema-walk.ts";
import { ANY_JSON, type ManifestSchema, SHARED } from "./manifest-schema.ts";
import type { ConversionMeter } from "../../conversion/conversion-meter.ts";

/** The names of shared definitions in a schema's own references, one for each occurrence. */
export function referencesIn(schema: ManifestSchema): string[] {
  const own = nameOf(schema);
  return [...(own === undefined ? [] : [own]), ...childSchemas(schema).flatMap((child) => referencesIn(child.schema))];
}

/** The name in `#/schemas/<name>`, if the schema is such a reference. */
export function nameOf(schema: ManifestSchema): string | undefined {
  const ref = schema["$ref"];
  return typeof ref === "string" && ref.startsWith(SHARED) ? ref.slice(SHARED.length) : undefined;
}

export function countSchemas(schema: ManifestSchema): number {
  return childSchemas(schema).reduce((sum, child) => sum + countSchemas(child.schema), 1);
}

interface SchemaSize {
  readonly subschemas: number;
  readonly characters: number;
  readonly references: readonly string[];
}

/** Measures each schema once, although every bound looks at all of them again. */
export class SchemaMeasures {
  readonly #known = new WeakMap<ManifestSchema, SchemaSize>();

  of(schema: ManifestSchema): SchemaSize {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const size = {
      subschemas: countSchemas(schema),
      characters: JSON.stringify(schema).length,
      references: referencesIn(schema),
    };
    this.#known.set(schema, size);
    return size;
  }
}

/** The cost of checking a value against a schema, with all the definitions that it leads to. */
export interface Closure {
  readonly subschemas: number;
  readonly characters: number;
  /** The maximum number of schemas for one value when every reference is followed; a cycle counts once. */
  readonly expanded: number;
}

/** Above every limit; counting stops here. */
const MOST = 20_000;

/** Shared definitions and their sizes; a replaced definition is measured again. */
export class SchemaSizes {
  readonly #sizes = new Map<string, SchemaSize>();
  readonly #measures: SchemaMeasures;
  readonly #meter: ConversionMeter;

  constructor(definitions: ReadonlyMap<string, ManifestSchema>, measures: SchemaMeasures, meter: ConversionMeter) {
    this.#measures = measures;
    this.#meter = meter;
    for (const [name, schema] of definitions) this.set(name, schema);
  }

  set(name: string, schema: ManifestSchema): void {
    const size = this.#measures.of(schema);
    this.#meter.spend(size.subschemas);
    this.#sizes.set(name, size);
  }

  /** The number of schemas in a definition and in everything it leads to; `most + 1` for more. */
  subschemasOf(name: string, most: number): number {
    return this.#walk({ subschemas: 0, characters: 0, references: [name] }, most).subschemas;
  }

  closureOf(schema: ManifestSchema, most: number): Closure {
    const own = this.#measures.of(schema);
    this.#meter.spend(own.subschemas);
    const { subschemas, characters } = this.#walk(own, most);
    return { subschemas, characters, expanded: this.#expanded(own, new Map()) };
  }

  #walk(own: SchemaSize, most: number): { readonly subschemas: number; readonly characters: number } {
    let { subschemas, characters } = own;
    const met = new Set(own.references);
    for (const name of met) {
      const size = this.#sizes.get(name);
      this.#meter.spend(1);
      subschemas += size?.subschemas ?? 0;
      characters += size?.characters ?? 0;
      if (subschemas > most) return { subschemas: most + 1, characters };
      for (const next of size?.references ?? []) met.add(next);
    }
    return { subschemas, characters };
  }

  #expanded(own: SchemaSize, known: Map<string, number>): number {
    let sum = own.subschemas;
    for (const name of own.references) {
      const target = this.#sizes.get(name);
      // A chain of this length exceeds every limit before the stack overflows.
      if (target === undefined || known.size > 2_000) continue;
      if (!known.has(name)) {
        known.set(name, 1);
        known.set(name, this.#expanded(target, known));
      }
      sum = Math.min(sum + (known.get(name) ?? 1), MOST);
    }
    return sum;
  }
}

/**
 * The schema with references replaced by any JSON, largest targets first, until it leads to at most `target` schemas.
 * The same schema when it leads to at most `limit`.
 */
export function cutReferences(
  schema: ManifestSchema,
  sizes: SchemaSizes,
  { limit, target }: { readonly limit: number; readonly target: number },
  describe: (name: string) => ManifestSchema,
): ManifestSchema {
  if (sizes.closureOf(schema, limit).subschemas <= limit) return schema;
  const heaviest = [...new Set(referencesIn(schema))]
    .map((name) => ({ name, size: sizes.subschemasOf(name, limit) }))
    .sort((one, other) => other.size - one.size);
  let current = schema;
  for (const { name } of heaviest) {
    current = withStub(current, name, stubOf(describe(name)));
    if (sizes.closureOf(current, limit).subschemas <= target) break;
  }
  return current;
}

function withStub(schema: ManifestSchema, name: string, stub: ManifestSchema): ManifestSchema {
  return mapSchemas(schema, (part) => {
    if (nameOf(part) !== name) return part;
    const { $ref: _, ...words } = part;
    const said = words["description"];
    return { ...stub, ...words, description: typeof said === "string" ? `${said} ${ANY_JSON}` : stub["description"] };
  });
}

/** The type and description of the value; its content is not checked. */
export function stubOf(schema: ManifestSchema): ManifestSchema {
  const { type, description } = schema;
  const words = typeof description === "string" && description !== "" ? `${description} ${ANY_JSON}` : ANY_JSON;
  return { ...(type !== undefined && { type }), description: words };
}
