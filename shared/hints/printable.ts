import { replaceHidden, visibleText } from "../hidden-text.ts";
import { withoutEscapeSequences } from "./escape-sequences.ts";

/**
 * External text as one line that cannot control a terminal: line breaks and tabs become spaces; escape sequences,
 * control, format and lone surrogate characters are removed. Text of right-to-left scripts stays, its invisible
 * direction marks do not.
 */
export function toPrintable(text: string): string {
  return visibleText(withoutEscapeSequences(text))
    .replace(/[\t\n\r\v\f\u2028\u2029]+/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "");
}

// Characters that JSON.stringify does not escape although a terminal acts on them.
const controlsInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON text with every control and hidden character escaped (`\u009b`): the same data, harmless on a screen. */
export function escapeControls(json: string): string {
  return replaceHidden(json.replace(controlsInJson, toEscape), (hidden) => hidden.replace(/[^]/g, toEscape));
}

/** One UTF-16 unit; a character above U+FFFF has two of them. */
function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
