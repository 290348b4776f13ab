import { childSchemas, mapSchemas } from "../../../manifest/json-schema-walk.ts";
import type { ManifestSchema } from "./manifest-schema.ts";
import type { ConversionMeter } from "../../conversion/conversion-meter.ts";
import { cutEndless } from "./cut-endless.ts";
import { cutReferences, nameOf, referencesIn, SchemaMeasures, SchemaSizes, stubOf } from "./cut-schemas.ts";
import { countParts } from "../document/document-walk.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import { settleNeededFields } from "./needed-fields.ts";

/** A definition with at most this many members and items is inlined, however often it is used. */
const SMALL_PARTS = 12;
/** Definitions that nest deeper are not inlined, so that no file nests too deep. */
const MAX_INLINED_DEPTH = 8;
/** Below the limits of the catalog's check, so that what is written passes it. docs/security.md, T12. */
const MAX_CHARACTERS = 400_000;
const MAX_EXPANDED = 15_000;
/**
 * The number of schemas that one section may lead to: the first limit that keeps the total work for all sections of the
 * file below `MAX_WORK_IN_FILE`. The catalog check compiles each section, one schema at a time, and each takes longer
 * the more others there are: the maximum is a few seconds of work.
 */
const BOUNDS = [1_200, 600, 300, 150, 75, 40];
const MAX_WORK_IN_FILE = 30_000;
/** With this many schemas, each takes twice the time to compile. */
const DOUBLES_AT = 300;
const MAX_CUT_SUBSCHEMAS = 400;
const MAX_CUT_DEPTH = 6;

export interface SharedSchemasTools {
  readonly definition: (name: string) => ManifestSchema;
  readonly meter: ConversionMeter;
  readonly notes: ImportNotes;
}

export interface SettledSchemas {
  /** In the given order; undefined for a section that could not be made small enough to be checked. */
  readonly sections: readonly (ManifestSchema | undefined)[];
  /** Definitions that several sections, or the definitions themselves, refer to. */
  readonly shared: ReadonlyMap<string, ManifestSchema>;
}

/**
 * Decides which definitions are shared and which are inlined: small ones and those used once are inlined, recursive
 * ones and those used more often go to `schemas`. Cycles that lead back to the same value are cut, and so are sections
 * that are too large to be checked.
 */
export function settleSchemas(sections: readonly ManifestSchema[], tools: SharedSchemasTools): SettledSchemas {
  const definitions = reachable(sections, tools);
  cutEndless(definitions, tools.notes);
  const uses = countUses([...sections, ...definitions.values()]);
  const inlined = chooseInlined(definitions, uses, tools.meter);
  const whole = new Map([...definitions].filter(([name]) => !inlined.has(name)));
  for (const [name, schema] of whole) whole.set(name, inline(schema, inlined, tools.meter));
  const inputs = sections.map((section) => inline(section, inlined, tools.meter));
  const measures = new SchemaMeasures();
  for (const bound of BOUNDS) {
    const { settled, shared, work } = cutTo(bound, inputs, whole, { ...tools, measures });
    if (work > MAX_WORK_IN_FILE && bound !== BOUNDS.at(-1)) continue;
    if (bound !== BOUNDS[0])
      tools.notes.add(`inputs of more than ${bound} schemas were cut: what lies deeper is any JSON`);
    const used = namesUsed(settled, shared);
    return {
      sections: settled.map((section) => section && settleNeededFields(section)),
      shared: new Map(
        [...shared].flatMap(([name, schema]) => (used.has(name) ? [[name, settleNeededFields(schema)]] : [])),
      ),
    };
  }
  throw new Error("the last bound is always taken");
}

/** Definitions and sections, cut so that none leads to more than `bound` schemas. */
function cutTo(
  bound: number,
  sections: readonly ManifestSchema[],
  whole: ReadonlyMap<string, ManifestSchema>,
  tools: SharedSchemasTools & { readonly measures: SchemaMeasures },
): { settled: (ManifestSchema | undefined)[]; shared: ReadonlyMap<string, ManifestSchema>; work: number } {
  const shared = new Map(whole);
  const sizes = new SchemaSizes(shared, tools.measures, tools.meter);
  const describe = (name: string) => whole.get(name) ?? {};
  // Definitions leave room for those that refer to them.
  const limits = { limit: bound, target: Math.ceil(bound * 0.6) };
  for (const name of leavesFirst(whole)) {
    const schema = shared.get(name) ?? {};
    const cutOne = cutReferences(schema, sizes, limits, describe);
    if (cutOne === schema) continue;
    shared.set(name, cutOne);
    sizes.set(name, cutOne);
  }
  let work = 0;
  const settled = sections.map((section) => {
    const schema = cutReferences(section, sizes, { limit: bound, target: bound }, describe);
    const closure = sizes.closureOf(schema, bound);
    work += closure.subschemas * (1 + closure.subschemas / DOUBLES_AT);
    const isCheckable =
      closure.subschemas <= bound && closure.characters <= MAX_CHARACTERS && closure.expanded <= MAX_EXPANDED;
    return isCheckable ? schema : cut(schema, shared, tools);
  });
  return { settled, shared, work };
}

/** Definitions in dependency order: each comes after those that it refers to; those in cycles come last. */
function leavesFirst(definitions: ReadonlyMap<string, ManifestSchema>): string[] {
  const waitsFor = new Map<string, number>();
  const waiting = new Map<string, string[]>();
  for (const [name, schema] of definitions) {
    const needed = new Set(referencesIn(schema).filter((one) => definitions.has(one)));
    waitsFor.set(name, needed.size);
    for (const one of needed) {
      const users = waiting.get(one) ?? [];
      users.push(name);
      waiting.set(one, users);
    }
  }
  const ready = new Set([...definitions.keys()].filter((name) => waitsFor.get(name) === 0));
  for (const name of ready) {
    for (const user of waiting.get(name) ?? []) {
      const left = (waitsFor.get(user) ?? 1) - 1;
      waitsFor.set(user, left);
      if (left === 0) ready.add(user);
    }
  }
  return [...new Set([...ready, ...definitions.keys()])];
}

/**
 * Follows everything that some sections refer to. Throws UnusableReference when a part cannot be resolved. `whole` has
 * the names that were followed completely before.
 */
export function requireWhole(
  sections: readonly ManifestSchema[],
  whole: Set<string>,
  { definition, meter }: Pick<SharedSchemasTools, "definition" | "meter">,
): void {
  const met = new Set(sections.flatMap(referencesIn).filter((name) => !whole.has(name)));
  for (const name of met) {
    meter.spend(1);
    for (const next of referencesIn(definition(name))) if (!whole.has(next)) met.add(next);
  }
  for (const name of met) whole.add(name);
}

/** The definitions that some sections need, in the order of their first use. */
function reachable(sections: readonly ManifestSchema[], tools: SharedSchemasTools): Map<string, ManifestSchema> {
  const found = new Map<string, ManifestSchema>();
  const open = sections.flatMap(referencesIn);
  for (let at = 0; at < open.length; at += 1) {
    const name = open[at] ?? "";
    if (found.has(name)) continue;
    const schema = tools.definition(name);
    found.set(name, schema);
    const next = referencesIn(schema);
    tools.meter.spend(1 + next.length);
    open.push(...next);
  }
  return found;
}

function countUses(schemas: readonly ManifestSchema[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const name of schemas.flatMap(referencesIn)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return uses;
}

/**
 * Leaves first, so that an inlined definition has no reference to another inlined one. Definitions in a cycle are not
 * inlined.
 */
function chooseInlined(
  definitions: ReadonlyMap<string, ManifestSchema>,
  uses: ReadonlyMap<string, number>,
  meter: ConversionMeter,
): ReadonlyMap<string, ManifestSchema> {
  const inlined = new Map<string, ManifestSchema>();
  const settled = new Set<string>();
  for (const name of leavesFirst(definitions)) {
    const own = definitions.get(name) ?? {};
    const isInCycle = referencesIn(own).some((one) => !settled.has(one));
    settled.add(name);
    if (isInCycle) continue;
    const schema = inline(own, inlined, meter);
    const isSmall = countParts(schema, SMALL_PARTS) <= SMALL_PARTS || uses.get(name) === 1;
    if (isSmall && schemaDepth(schema) <= MAX_INLINED_DEPTH) inlined.set(name, schema);
  }
  return inlined;
}

function schemaDepth(schema: ManifestSchema): number {
  return 1 + Math.max(0, ...childSchemas(schema).map((child) => schemaDepth(child.schema)));
}

/** The schema with each reference to one of `definitions` replaced by its target. */
function inline(
  schema: ManifestSchema,
  definitions: ReadonlyMap<string, ManifestSchema>,
  meter: ConversionMeter,
): ManifestSchema {
  if (definitions.size === 0 && nameOf(schema) === undefined) return schema;
  return mapSchemas(schema, (part) => {
    meter.spend(1);
    const name = nameOf(part);
    const target = name === undefined ? undefined : definitions.get(name);
    if (target === undefined) return part;
    // Members beside a reference override those of its target.
    const { $ref: _, ...words } = part;
    return { ...target, ...words };
  });
}

/**
 * The same section, self-contained, to the greatest possible depth; below that any JSON. Undefined when it is too
 * large.
 */
function cut(
  section: ManifestSchema,
  shared: ReadonlyMap<string, ManifestSchema>,
  { meter, notes }: SharedSchemasTools,
): ManifestSchema | undefined {
  for (let depth = MAX_CUT_DEPTH; depth >= 1; depth -= 1) {
    const budget = { left: MAX_CUT_SUBSCHEMAS };
    const schema = expand(section, { shared, meter, budget }, depth);
    if (budget.left < 0) continue;
    notes.add("bodies too large to be checked were cut: what lies deeper is any JSON");
    return schema;
  }
  return undefined;
}

interface ExpansionBudget {
  readonly shared: ReadonlyMap<string, ManifestSchema>;
  readonly meter: ConversionMeter;
  readonly budget: { left: number };
}

function expand(schema: ManifestSchema, within: ExpansionBudget, depth: number): ManifestSchema {
  within.budget.left -= 1;
  within.meter.spend(1);
  if (within.budget.left < 0) return {};
  const name = nameOf(schema);
  const { $ref: _, ...words } = schema;
  const whole = name === undefined ? schema : { ...within.shared.get(name), ...words };
  if (depth === 0) return stubOf(whole);
  const copy: Record<string, unknown> = { ...whole };
  // A definition that is only a reference to another one.
  if (nameOf(whole) !== undefined) return expand(whole, within, depth - 1);
  const children = childSchemas(whole);
  if (children.length > within.budget.left) {
    within.budget.left = -1;
    return {};
  }
  const containers = new Set<unknown>();
  for (const { schema: child, path } of children) {
    const [word, part] = [String(path[0]), path[1]];
    const inside = expand(child, within, depth - 1);
    if (part === undefined) {
      copy[word] = inside;
      continue;
    }
    if (!containers.has(word)) copy[word] = Array.isArray(copy[word]) ? [...copy[word]] : { ...(copy[word] as object) };
    containers.add(word);
    (copy[word] as Record<string | number, unknown>)[part] = inside;
  }
  return copy;
}

function namesUsed(
  sections: readonly (ManifestSchema | undefined)[],
  shared: ReadonlyMap<string, ManifestSchema>,
): ReadonlySet<string> {
  const used = new Set<string>();
  for (const section of sections) for (const name of referencesIn(section ?? {})) used.add(name);
  for (const name of used) for (const next of referencesIn(shared.get(name) ?? {})) used.add(next);
  return used;
}
