import { replaceHidden } from "../../shared/hidden-text.ts";

// Line breaks and tabs are layout; all other controls would be invisible.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * A text of others with every character that a screen would not show, or that would turn the order of the others,
 * named in its place: `⟨U+202E⟩`. docs/security.md, T26
 */
export function inertText(text: string): string {
  return replaceHidden(text, nameHidden).replace(CONTROLS, nameHidden);
}

function nameHidden(hidden: string): string {
  return Array.from(
    hidden,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  ).join("");
}
