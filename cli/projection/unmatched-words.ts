import { didYouMean } from "../core/near-misses.ts";
import { type FieldPath, fieldPathWords } from "./field-path.ts";

const mostNamed = 40;

/** `There is no field "prise". Did you mean price? There are: provider, price.` */
export function unmatchedWords(value: unknown, path: FieldPath): string {
  const { known, names } = longestKnown(value, path);
  const [next = ""] = path.slice(known.length);
  if (names.includes(next)) {
    return `There is no field "${fieldPathWords(path)}": ${fieldPathWords([...known, next])} has no fields.`;
  }
  const full = names.map((name) => fieldPathWords([...known, name]));
  const near = didYouMean(fieldPathWords(path.slice(0, known.length + 1)), full);
  const listed = full.slice(0, mostNamed).join(", ") + (full.length > mostNamed ? ", …" : "");
  return `There is no field "${fieldPathWords(path)}".${near}${listed === "" ? "" : ` There are: ${listed}.`}`;
}

/** How far the path leads, and what it might have named there. */
function longestKnown(value: unknown, path: FieldPath): { known: string[]; names: string[] } {
  for (let length = path.length - 1; length > 0; length--) {
    const known = path.slice(0, length);
    const names = fieldNames(value, known);
    if (names.length > 0) return { known, names };
  }
  return { known: [], names: fieldNames(value, []) };
}

/** The names of members below a path, lists gone through, in the order in which they come; none where it leads nowhere. */
function fieldNames(value: unknown, path: readonly string[]): string[] {
  const names = new Set<string>();
  collect(value, path, names);
  return [...names];
}

function collect(value: unknown, path: readonly string[], names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, path, names);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const [name, ...deeper] = path;
  if (name === undefined) {
    for (const member of Object.keys(value)) names.add(member);
  } else if (Object.hasOwn(value, name)) {
    collect((value as Readonly<Record<string, unknown>>)[name], deeper, names);
  }
}
