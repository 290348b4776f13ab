import type { CatalogEntry } from "./catalog-entry.ts";
import { oncePer } from "../../base/once-per.ts";
import { parsePath, type PathSteps, readPath } from "../../manifest/extract.ts";
import { requireParsed } from "../../manifest/request-error.ts";

/**
 * The part of the answer that the caller sees; undefined when the selected place does not exist. An `omit` that begins
 * with `$` is a place in the whole answer; a plain name (dotted to go deeper) is a field of the output, or of each of
 * its items.
 */
export function shapeOutput(output: CatalogEntry["output"], body: unknown): unknown {
  const { omitPlaces, select, omitFields } = compiledOutput(output);
  let shaped = body;
  for (const steps of omitPlaces) shaped = withoutPath(shaped, steps);
  if (select !== undefined) shaped = readPath(shaped, select);
  for (const names of omitFields) shaped = withoutField(shaped, names);
  return shaped;
}

interface CompiledOutput {
  readonly omitPlaces: readonly PathSteps[];
  readonly select: PathSteps | undefined;
  readonly omitFields: readonly (readonly string[])[];
}

const compiledOutput = oncePer(({ omit, select }: CatalogEntry["output"]): CompiledOutput => ({
  omitPlaces: omit.filter((place) => place.startsWith("$")).map(stepsOf),
  select: select === undefined ? undefined : stepsOf(select),
  omitFields: omit.filter((place) => !place.startsWith("$")).map((name) => name.split(".")),
}));

function stepsOf(path: string): PathSteps {
  return requireParsed(parsePath(path));
}

function withoutField(value: unknown, names: readonly string[]): unknown {
  return Array.isArray(value) ? value.map((item) => withoutPath(item, names)) : withoutPath(value, names);
}

function withoutPath(value: unknown, steps: PathSteps): unknown {
  const [step, ...rest] = steps;
  if (typeof value !== "object" || value === null || step === undefined) return value;
  if (Array.isArray(value)) {
    if (typeof step !== "number") return value;
    const at = step < 0 ? value.length + step : step;
    return rest.length === 0 ? value.filter((_, index) => index !== at) : replaceItem(value, at, rest);
  }
  if (!Object.hasOwn(value, step)) return value;
  const entries = Object.entries(value);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== step));
  return Object.fromEntries(entries.map(([name, inner]) => [name, name === step ? withoutPath(inner, rest) : inner]));
}

function replaceItem(list: readonly unknown[], at: number, rest: PathSteps): unknown {
  return list.map((item, index) => (index === at ? withoutPath(item, rest) : item));
}

/** A copy of the answer with another value at one place; used to join the pages of a result. */
export function withValueAt(body: unknown, steps: PathSteps, value: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (Array.isArray(body)) return body.map((item, index) => (index === step ? withValueAt(item, rest, value) : item));
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, inner]) => [name, name === step ? withValueAt(inner, rest, value) : inner]),
  );
}
