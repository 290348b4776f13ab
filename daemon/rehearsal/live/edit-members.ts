import { isDeepStrictEqual } from "node:util";
import { isMap, isScalar, isSeq, type Pair, parseDocument, stringify, type YAMLMap } from "yaml";
import type { DocumentPath } from "../../manifest/document-path.ts";

/** The text cannot be changed without changing more than requested; the message says what to do by hand. */
export class EditRefused extends Error {
  override readonly name = "EditRefused";
}

/** A member of a map to change or remove. */
export interface MemberEdit {
  /** The path of the map. */
  readonly path: DocumentPath;
  readonly name: string;
  /** Undefined removes the member. */
  readonly value: unknown;
}

/**
 * A YAML or JSON text with members changed, every byte beside them kept: comments, order, spelling. Throws EditRefused when
 * the text says such a place by an alias, or when the outcome would mean anything else than what was asked for.
 *
 * Not `editManifestText` of an import, which may lay the file out anew: people keep provider files in version control,
 * where the mark of a rehearsal should show as one changed line.
 */
export function editMembers(text: string, edits: readonly MemberEdit[]): string {
  return edits.reduce(editMember, text);
}

function editMember(text: string, edit: MemberEdit): string {
  const before = parseDocument(text);
  const map = mapAt(before.contents, edit);
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === edit.name);
  if (pair === undefined && edit.value === undefined) return text;
  const changed = changeText(text, { map, pair, edit });
  const after = parseDocument(changed);
  const wanted = withMember(before.toJS() as unknown, edit.path, edit);
  if (after.errors.length > 0 || !isDeepStrictEqual(after.toJS(), wanted)) throw refusal(edit);
  return changed;
}

interface Change {
  readonly map: YAMLMap;
  readonly pair: Pair | undefined;
  readonly edit: MemberEdit;
}

function changeText(text: string, { map, pair, edit }: Change): string {
  const range = pair === undefined ? undefined : rangeOf(pair, edit);
  if (edit.value === undefined) return range === undefined ? text : without(text, range, map.flow === true);
  const indent = indentOf(text, map, edit);
  if (range !== undefined) {
    const written = writeMember(edit, { indent, isFlow: map.flow === true, isJson: isJson(text) });
    return text.slice(0, range.from) + written + text.slice(range.to);
  }
  return map.flow === true ? addToFlow(text, map, { edit, indent }) : addToBlock(text, map, { edit, indent });
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function mapAt(contents: unknown, edit: MemberEdit): YAMLMap {
  let node: unknown = contents;
  for (const step of edit.path) {
    if (isMap(node)) node = node.items.find(({ key }) => isScalar(key) && key.value === step)?.value;
    else if (isSeq(node) && typeof step === "number") node = node.items[step];
    else throw refusal(edit);
  }
  if (!isMap(node)) throw refusal(edit);
  return node;
}

function rangeOf({ key, value }: Pair, edit: MemberEdit): Range {
  const [from] = rangeOfNode(key, edit);
  const [, to] = rangeOfNode(value, edit);
  return { from, to };
}

function rangeOfNode(node: unknown, edit: MemberEdit): readonly [number, number] {
  if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)) {
    return [Number(node.range[0]), Number(node.range[1])];
  }
  throw refusal(edit);
}

/** Removes the member; if it has a line of its own, the whole line; in braces, also its comma. */
function without(text: string, { from, to }: Range, isFlow: boolean): string {
  let [start, end] = [from, to];
  if (isFlow) {
    const comma = /^\s*,/.exec(text.slice(end));
    const commaBefore = /,\s*$/.exec(text.slice(0, start));
    if (comma !== null) end += comma[0].length;
    else if (commaBefore !== null) return text.slice(0, start - commaBefore[0].length) + text.slice(end);
  }
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const hasOwnLine =
    text.slice(lineStart, start).trim() === "" &&
    /^\s*(?:#.*)?$/.test(text.slice(end, lineEnd < 0 ? undefined : lineEnd).replace(/\r$/, ""));
  if (hasOwnLine) return text.slice(0, lineStart) + (lineEnd < 0 ? "" : text.slice(lineEnd + 1));
  const space = /^ +/.exec(text.slice(end))?.[0] ?? "";
  return text.slice(0, start) + text.slice(end + space.length);
}

/** The indentation of the members of a block map; for a map in braces, that of the line where it begins. */
function indentOf(text: string, map: YAMLMap, edit: MemberEdit): number {
  const [first] = map.items;
  const [at] = map.flow === true || first === undefined ? rangeOfNode(map, edit) : rangeOfNode(first.key, edit);
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(lineStart, at);
  return map.flow === true ? (/^[ -]*/.exec(line)?.[0].length ?? 0) : line.length;
}

interface MemberLayout {
  readonly indent: number;
  readonly isFlow: boolean;
  readonly isJson: boolean;
}

function isJson(text: string): boolean {
  return /^\s*\{\s*"/.test(text);
}

function writeMember({ name, value }: MemberEdit, place: MemberLayout): string {
  const margin = " ".repeat(place.indent);
  if (place.isFlow) {
    const key = place.isJson ? `${JSON.stringify(name)}: ` : `${name}: `;
    const unit = place.isJson ? JSON.stringify(value, null, 2) : JSON.stringify(value);
    return key + unit.replaceAll("\n", `\n${margin}  `);
  }
  const lines = stringify(
    { [name]: value },
    { lineWidth: 0, aliasDuplicateObjects: false, blockQuote: false },
  ).trimEnd();
  return lines.replaceAll(/\n(?=[^\n])/g, `\n${margin}`);
}

function addToBlock(
  text: string,
  map: YAMLMap,
  { edit, indent }: { readonly edit: MemberEdit; readonly indent: number },
): string {
  const last = map.items.at(-1);
  if (last === undefined) throw refusal(edit);
  const { to } = rangeOf(last, edit);
  const lineEnd = text.indexOf("\n", to === 0 ? 0 : to - 1);
  const end = lineEnd < 0 ? text.length : lineEnd;
  const written = `${" ".repeat(indent)}${writeMember(edit, { indent, isFlow: false, isJson: false })}`;
  return `${text.slice(0, end)}\n${written}${text.slice(end)}`;
}

function addToFlow(
  text: string,
  map: YAMLMap,
  { edit, indent }: { readonly edit: MemberEdit; readonly indent: number },
): string {
  const last = map.items.at(-1);
  const [, mapEnd] = rangeOfNode(map, edit);
  const at = last === undefined ? mapEnd - 1 : rangeOf(last, edit).to;
  const hasLines = text.slice(rangeOfNode(map, edit)[0], mapEnd).includes("\n");
  const written = writeMember(edit, { indent, isFlow: true, isJson: isJson(text) });
  const gap = hasLines && isJson(text) ? `\n${" ".repeat(indent + 2)}` : " ";
  return `${text.slice(0, at)}${last === undefined ? "" : ","}${gap}${written}${text.slice(at)}`;
}

function withMember(value: unknown, path: DocumentPath, edit: MemberEdit): unknown {
  const [step, ...rest] = path;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withMember(item, rest, edit) : item));
  if (typeof value !== "object" || value === null) return value;
  if (step !== undefined) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, name === step ? withMember(inner, rest, edit) : inner]),
    );
  }
  const { [edit.name]: _before, ...others } = value as Record<string, unknown>;
  return edit.value === undefined ? others : { ...others, [edit.name]: edit.value };
}

function refusal({ path, name, value }: MemberEdit): EditRefused {
  const place = [...path, name].join(".");
  const what = value === undefined ? `take ${place} out` : `set ${place}`;
  return new EditRefused(`the file could not be changed without touching other parts of it; ${what} by hand`);
}
