import { type Book, emptyBook } from "./book.ts";

/*
 * Converts a book to JSON and back, for snapshots. The kind of each member is read from the empty book. So every member
 * of the book is in snapshots without further code, and a snapshot of another shape is refused:
 *
 *   map    [[key, value], …]; when its values are maps: {"maps": [[key, [[key, value], …]], …]}
 *   set    [value, …]
 *   else   as it is
 *
 * Values of maps are records or lists of plain JSON.
 */

export function bookToJson(book: Book): unknown {
  return toJson(book);
}

/** Throws when the value is not a book of this version. The returned book shares nothing with the value. */
export function bookFromJson(value: unknown): Book {
  // The empty book has every member of a book, each of the right kind.
  return fromJson(emptyBook(), value, "book") as Book;
}

/** Members of the book that snapshots of earlier versions do not have. */
const LATER_MEMBERS = ["webhooks", "approvals", "schedules", "console"] as const satisfies readonly (keyof Book)[];

/** A book as JSON of an earlier version, with the later members as they were then: empty. */
export function withLaterMembers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const empty = emptyBook();
  return { ...Object.fromEntries(LATER_MEMBERS.map((member) => [member, toJson(empty[member])])), ...value };
}

function toJson(value: unknown): unknown {
  if (value instanceof Map) return mapToJson(value);
  if (value instanceof Set) return [...value];
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]));
}

function mapToJson(map: ReadonlyMap<unknown, unknown>): unknown {
  const entries = [...map];
  return entries[0]?.[1] instanceof Map
    ? { maps: entries.map(([key, inner]) => [key, [...(inner as ReadonlyMap<unknown, unknown>)]]) }
    : entries;
}

function fromJson(empty: unknown, value: unknown, name: string): unknown {
  if (empty instanceof Map) return mapFromJson(value, name);
  if (empty instanceof Set) return new Set(asList(value, name));
  if (typeof empty !== "object" || empty === null) {
    if (typeof value !== typeof empty) throw new Error(`${name} is not a ${typeof empty}`);
    return value;
  }
  if (typeof value !== "object" || value === null) throw new Error(`${name} is missing`);
  const found = new Map(Object.entries(value));
  return Object.fromEntries(
    Object.entries(empty).map(([member, inner]) => [member, fromJson(inner, found.get(member), `${name}.${member}`)]),
  );
}

function mapFromJson(value: unknown, name: string): Map<unknown, unknown> {
  if (typeof value === "object" && value !== null && "maps" in value) {
    return new Map(asEntries(value.maps, name).map(([key, inner]) => [key, new Map(asEntries(inner, name))]));
  }
  return new Map(asEntries(value, name));
}

function asEntries(value: unknown, name: string): (readonly [unknown, unknown])[] {
  return asList(value, name).map((entry) => {
    const [key, inner, ...rest] = asList(entry, name);
    if (key === undefined || rest.length > 0) throw new Error(`${name} has an entry that is not a pair`);
    return [key, inner];
  });
}

function asList(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value;
}
