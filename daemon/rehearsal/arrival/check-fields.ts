import type { ExpectedPart } from "./expected-parts.ts";
import { isRecord } from "../../../shared/is-record.ts";

export interface FieldPlace {
  /** For messages: "query" or "body". */
  readonly place: string;
  /** Unexpected names that are allowed. */
  readonly allowed?: (name: string) => boolean;
}

/**
 * Checks names and values of a query or a form, in any style of lists and objects: each expected part must be present
 * with every scalar of its value, and nothing else. Returns what is wrong, in words.
 */
export function checkFields(
  came: readonly (readonly [string, string])[],
  expected: readonly ExpectedPart[],
  { place, allowed = () => false }: FieldPlace,
): string[] {
  const wanted = expected.filter(({ value }) => leavesOf(value).length > 0);
  // An empty list or object is optional.
  const known = new Set(expected.flatMap((part) => [...namesOf(part)]));
  const extra = came.filter(([name]) => !known.has(plainName(name)) && !known.has(name) && !allowed(name));
  return [
    ...wanted.flatMap((part) => checkField(came, part, place)),
    ...new Set(extra.map(([name]) => `${name} of the ${place} came, and is neither the caller's nor a fixed part`)),
  ];
}

function checkField(came: readonly (readonly [string, string])[], part: ExpectedPart, place: string): string[] {
  const names = namesOf(part);
  const texts = came.filter(([name]) => names.has(name) || names.has(plainName(name))).map(([, text]) => text);
  if (texts.length === 0) return [`${part.name} of the ${place} is missing`];
  const lacks = leavesOf(part.value).some((leaf) => !texts.some((text) => holdsLeaf(text, leaf)));
  return lacks ? [`${part.name} of the ${place} came with another value`] : [];
}

/** The members of an object may arrive as separate fields. */
function namesOf({ name, value }: ExpectedPart): ReadonlySet<string> {
  return new Set([name, ...(isRecord(value) ? Object.keys(value) : [])]);
}

function plainName(name: string): string {
  const bracket = name.indexOf("[", 1);
  return bracket < 0 ? name : name.slice(0, bracket);
}

/** Whether a text, possibly with several values, contains this one. */
export function holdsValue(text: string, value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return text === String(value);
  return leavesOf(value).every((leaf) => holdsLeaf(text, leaf));
}

function holdsLeaf(text: string, leaf: string): boolean {
  return text.includes(leaf) || text.includes(JSON.stringify(leaf).slice(1, -1));
}

/** The scalars of a value as texts. */
function leavesOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (isRecord(value)) return Object.values(value).flatMap(leavesOf);
  return [String(value)];
}
