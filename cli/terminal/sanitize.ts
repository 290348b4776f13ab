import { visibleText } from "../../shared/hidden-text.ts";
import { withoutEscapeSequences } from "../../shared/hints/escape-sequences.ts";
import { escapeControls } from "../../shared/hints/printable.ts";

/**
 * The one place where text of others is made harmless before a terminal sees it. A provider's name or output may hold
 * escape sequences that rewrite the screen, set the clipboard or hide words.
 */

/* eslint-disable no-control-regex -- control characters are what this file is about */

// All of C0 but tab and newline, DEL, C1, and the characters that turn the direction of text.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text without escape sequences, control characters (newline and tab stay), direction marks and what nobody sees. */
export function sanitizeText(text: string): string {
  return visibleText(withoutEscapeSequences(text).replace(controls, ""));
}

/** A JSON value with every text in it sanitized, names of members included. */
export function sanitizeValue<Value>(value: Value): Value;
export function sanitizeValue(value: unknown): unknown {
  if (typeof value === "string") return sanitizeText(value);
  if (Array.isArray(value)) return value.map((item) => sanitizeValue(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [sanitizeText(name), sanitizeValue(member)]));
}

/** JSON in which every control and hidden character is an escape (`\u009b`): the same data, harmless on a screen. */
export function toSafeJson(value: unknown, indent?: number): string {
  return escapeControls(JSON.stringify(value, undefined, indent) ?? "null");
}
