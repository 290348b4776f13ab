import { valueAtDottedName } from "../../shared/value-at.ts";

/** The three sections of a call's input, named as in the manifest and on the wire. */
export const INPUT_SECTIONS = ["pathParams", "queryParams", "body"] as const;
export type InputSection = (typeof INPUT_SECTIONS)[number];

/** Checked input in composite form; only what templates and extractors read. */
export type InputSections = { readonly [section in InputSection]?: unknown };

export function isInputSection(text: string): text is InputSection {
  return (INPUT_SECTIONS as readonly string[]).includes(text);
}

/**
 * The value at a path of names below one section; undefined when any step is missing. Own properties only. A field
 * whose own name contains dots (`filter.city`) is looked up by that name first.
 */
export function readInput(input: InputSections, section: InputSection, path: readonly string[]): unknown {
  return valueAtDottedName(input[section], path);
}
