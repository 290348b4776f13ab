import { mapSchemas } from "../../../manifest/json-schema-walk.ts";
import type { ManifestSchema } from "./manifest-schema.ts";
import { isLimitName } from "./estimate-limit.ts";
import { valueFits } from "./value-fits.ts";

/**
 * Fields that say how a result is wanted, not which: the version of an API, the format of an answer, its language, its
 * page.
 */
const SETTING_NAMES =
  /^(?:.*[-_. ])?(?:api[-_]?)?(?:version|ver|v|format|fmt|alt|output|locale|language|lang|hl|encoding|charset|page|page_?(?:number|no)|offset|start|skip|from_?index)$/i;

/**
 * For a required field with a default: a value that only says how a result is wanted (a listed value, a version, a
 * page) stays the default; an address, an id or a search word is really an example, and becomes one.
 */
export function settleNeeded(
  name: string,
  schema: ManifestSchema,
  { isSetting }: { readonly isSetting: boolean } = { isSetting: false },
): ManifestSchema {
  if (!Object.hasOwn(schema, "vendorDefault")) return schema;
  const { vendorDefault: value, ...rest } = schema;
  if (Object.hasOwn(rest, "default") || !valueFits(value, rest)) return rest;
  const isListed = Object.hasOwn(rest, "enum") || Object.hasOwn(rest, "const") || typeof value === "boolean";
  const says = isListed || isSetting || SETTING_NAMES.test(name) || isLimitName(name);
  if (says) return { ...rest, default: value };
  const isShown = ["examples", "$ref"].some((word) => Object.hasOwn(rest, word));
  return isShown ? rest : { ...rest, examples: [value] };
}

/** Applies `settleNeeded` to every required field of an object in a schema. */
export function settleNeededFields(schema: ManifestSchema): ManifestSchema {
  return mapSchemas(schema, (part) => {
    const { properties, required } = part;
    if (!Array.isArray(required) || typeof properties !== "object" || properties === null) return part;
    const needed = new Set<unknown>(required);
    const fields = Object.entries(properties as Readonly<Record<string, ManifestSchema>>);
    if (!fields.some(([name, field]) => needed.has(name) && Object.hasOwn(field, "vendorDefault"))) return part;
    const settled = fields.map(([name, field]) => [name, needed.has(name) ? settleNeeded(name, field) : field]);
    return { ...part, properties: Object.fromEntries(settled) as Readonly<Record<string, unknown>> };
  });
}
