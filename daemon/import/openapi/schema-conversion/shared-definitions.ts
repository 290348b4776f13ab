import { isForbiddenKey } from "../../../catalog/parsing/catalog-text.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import type { Located } from "../document/reference-resolver.ts";
import type { ManifestSchema } from "../schemas/manifest-schema.ts";

interface Definition {
  readonly located: Located;
  converted?: ManifestSchema;
}

/** The targets of references: each has one name, and is converted once, on demand. */
export class SharedDefinitions {
  readonly #definitions = new Map<string, Definition>();
  readonly #names = new Map<object, string>();

  /** Undefined when the target is not an object: `true` allows anything. `ref`: the source of a new name. */
  nameOf(target: Located, ref: string): string | undefined {
    if (!isRecord(target.value)) return undefined;
    const before = this.#names.get(target.value);
    if (before !== undefined) return before;
    const name = this.#freshName(ref);
    this.#names.set(target.value, name);
    this.#definitions.set(name, { located: target });
    return name;
  }

  /** Throws for an unknown name. */
  get(name: string, convert: (located: Located) => ManifestSchema): ManifestSchema {
    const definition = this.#definitions.get(name);
    if (definition === undefined) throw new Error(`no definition is named ${name}`);
    definition.converted ??= convert(definition.located);
    return definition.converted;
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
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return text;
  }
}
