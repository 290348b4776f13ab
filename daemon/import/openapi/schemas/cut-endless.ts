import { childSchemas } from "../../../manifest/json-schema-walk.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import { type ManifestSchema, SHARED } from "./manifest-schema.ts";
import { nameOf } from "./cut-schemas.ts";

const ABOUT_THE_SAME_VALUE: readonly string[] = ["allOf", "anyOf", "oneOf", "not"];

/** A union whose alternatives extend the union itself: checking it would never end. */
export function cutEndless(definitions: Map<string, ManifestSchema>, notes: ImportNotes): void {
  const state = new Map<string, "open" | "closed">();
  for (const start of definitions.keys()) {
    if (state.has(start)) continue;
    const path: { readonly name: string; readonly left: string[] }[] = [];
    const enter = (name: string) => {
      state.set(name, "open");
      path.push({ name, left: sameValueReferences(definitions.get(name) ?? {}) });
    };
    enter(start);
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const next = here.left.pop();
      if (next === undefined) {
        state.set(here.name, "closed");
        path.pop();
      } else if (state.get(next) === "open") {
        notes.add("schemas that refer to themselves for the same value were cut", `${SHARED}${here.name}`);
        definitions.set(here.name, withoutSameValue(definitions.get(here.name) ?? {}, next));
      } else if (!state.has(next)) {
        enter(next);
      }
    }
  }
}

/** The references of a definition that apply to the same value as the definition. */
function sameValueReferences(schema: ManifestSchema): string[] {
  const own = nameOf(schema);
  const inPlace = childSchemas(schema).filter(({ path }) => ABOUT_THE_SAME_VALUE.includes(String(path[0])));
  return [...(own === undefined ? [] : [own]), ...inPlace.flatMap((child) => sameValueReferences(child.schema))];
}

function withoutSameValue(schema: ManifestSchema, name: string): ManifestSchema {
  const copy: Record<string, unknown> = { ...schema };
  if (nameOf(schema) === name) delete copy["$ref"];
  for (const word of ABOUT_THE_SAME_VALUE) {
    const inside = copy[word];
    if (Array.isArray(inside)) {
      const kept = inside
        .map((one: ManifestSchema) => withoutSameValue(one, name))
        .filter((one) => Object.keys(one).length > 0);
      if (kept.length === 0) delete copy[word];
      else copy[word] = kept;
    } else if (typeof inside === "object" && inside !== null) {
      delete copy[word];
    }
  }
  return copy;
}
