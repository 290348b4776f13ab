import { isRecord } from "../../../shared/is-record.ts";
import { memberOf } from "../../../shared/member-of.ts";

/** An object of a document that nobody has checked. */
export type Members = Readonly<Record<string, unknown>>;

/** The members of an object; of anything else none. */
export function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

/** A member that is text; numbers and flags are not. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === "string" ? found : undefined;
}

/** Any value as a word: text, numbers and flags as they are written, everything else as none. */
export function wordOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** A member that is a list; anything else is an empty one. */
export function listOf(value: unknown, name: string): readonly unknown[] {
  const found = memberOf(value, name);
  return Array.isArray(found) ? found : [];
}

/** Own members with their names, in the document's order; none of what is no object. */
export function entriesOf(value: unknown): readonly (readonly [name: string, value: unknown])[] {
  return isRecord(value) ? Object.entries(value) : [];
}

/** A copy without what is undefined, for members of a manifest: what is left out is not written. */
export function given(members: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
