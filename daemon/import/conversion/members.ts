import { isRecord } from "../../../shared/is-record.ts";
import { memberOf } from "../../../shared/member-of.ts";

/** An unchecked object of a document. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of an object; none for any other value. */
export function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

/** A member that is text; numbers and flags are not. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** Any value as a word: text, numbers and booleans as they are written, everything else as an empty text. */
export function wordOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** A member that is a list; an empty list for any other value. */
export function listOf(value: unknown, name: string): readonly unknown[] {
  const found = memberOf(value, name);
  return Array.isArray(found) ? found : [];
}

/** Own members with their names, in the document's order; none for a value that is not an object. */
export function entriesOf(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  return isRecord(value) ? Object.entries(value) : [];
}

/** A copy without undefined members, which are not written to a manifest. */
export function given(members: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
