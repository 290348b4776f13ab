import { Document, isMap, isScalar, isSeq, type Node, type Pair, Scalar, type YAMLMap } from "yaml";
import type { DocumentPath } from "../../manifest/document-path.ts";
import { removeControls } from "../conversion/clean-text.ts";
import type { ImportComment, ImportedManifest } from "../conversion/imported-provider.ts";

/** The maximum width of lines in a manifest. */
export const LINE_WIDTH = 120;
const LONG_TEXT = 76;
/** Room for `{}` and a following comma. */
const FLOW_MARGIN = 6;
const MAX_FLOW_DEPTH = 3;

export interface RenderedParts {
  readonly manifest: ImportedManifest;
  readonly comments: readonly ImportComment[];
  /** Comment lines at the top of the file. */
  readonly head: readonly string[];
}

/** A manifest in the style of a person: short maps on one line, long texts folded, comments in place. */
export function renderManifest({ manifest, comments, head }: RenderedParts): string {
  const document = new Document(manifest, { aliasDuplicateObjects: false });
  if (isMap(document.contents)) layOut(document.contents, [], 0);
  for (const comment of comments) putComment(document, comment);
  document.commentBefore = head.map(toCommentLine).join("\n");
  return document.toString({ lineWidth: LINE_WIDTH, minContentWidth: 40, flowCollectionPadding: false });
}

/** Formats generated parts for readability: the whole file, or a part that is inserted. */
export function layOut(node: unknown, path: DocumentPath, indent: number): void {
  if (isMap(node)) {
    node.flow = isFlow(node, path, indent);
    if (node.flow) return;
    for (const pair of node.items) {
      const name = keyOf(pair);
      layOut(pair.value, [...path, name], indent + 2);
    }
  } else if (isSeq(node)) {
    node.flow = isFlow(node, path, indent);
    if (node.flow) return;
    node.items.forEach((item, index) => layOut(item, [...path, index], indent + 2));
  } else if (isScalar(node) && typeof node.value === "string") {
    const form = formOf(node.value);
    if (form !== undefined) node.type = form;
  }
}

/** Undefined: the style of short texts. Quotes preserve spaces around lines, which block styles may lose. */
function formOf(text: string): Scalar.Type | undefined {
  const lines = text.split("\n");
  const isLong = lines.some((line) => line.length > LONG_TEXT);
  if (!isLong && lines.length === 1) return undefined;
  if (lines.some((line) => line !== line.trim()) || lines[0] === "" || lines.at(-1) === "") return Scalar.QUOTE_DOUBLE;
  return isLong ? Scalar.BLOCK_FOLDED : Scalar.BLOCK_LITERAL;
}

function isFlow(node: Node & { items: readonly unknown[] }, path: DocumentPath, indent: number): boolean {
  if (node.items.length === 0) return true;
  if (isAlwaysBlock(path)) return false;
  const name = path.at(-1);
  const room = LINE_WIDTH - indent - (typeof name === "string" ? name.length : 2) - FLOW_MARGIN;
  return flowWidth(node, room, MAX_FLOW_DEPTH) <= room;
}

/** Sections that a person looks for are always on lines of their own, however short they are. */
function isAlwaysBlock(path: DocumentPath): boolean {
  const [top, , member, section, part] = path;
  if (path.length === 0) return true;
  if (path.length === 1) return top === "secrets" || top === "http" || top === "endpoints" || top === "schemas";
  if (top !== "endpoints") return false;
  if (path.length === 2) return true;
  if (path.length === 3) return member === "input" || member === "examples";
  if (member === "input") return path.length === 4 || (path.length === 5 && part === "properties");
  return member === "examples" && path.length === 4 && section !== undefined;
}

/** The width on one line; more than `room` when it does not fit, nests too deep or has several lines. */
function flowWidth(node: unknown, room: number, depth: number): number {
  if (isScalar(node)) {
    const text = typeof node.value === "string" ? node.value : String(node.value);
    return text.includes("\n") ? room + 1 : text.length + 2;
  }
  if (!isMap(node) && !isSeq(node)) return 4;
  if (depth === 0 && node.items.length > 0) return room + 1;
  let width = 4;
  for (const item of node.items) {
    const value = isMap(node) ? (item as Pair).value : item;
    width += (isMap(node) ? keyOf(item as Pair).length + 2 : 0) + 2 + flowWidth(value, room, depth - 1);
    if (width > room) return width;
  }
  return width;
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : String(key);
}

/** Placed above its subject; for a map on one line, after it. */
export function putComment(document: Document, { path, text }: ImportComment): void {
  const comment = toCommentLine(text);
  let node: unknown = document.contents;
  let owner: Pair | undefined;
  for (const part of path) {
    if (isMap(node) && node.flow !== true) {
      owner = (node as YAMLMap).items.find((pair) => keyOf(pair) === String(part));
      node = owner?.value;
    } else if (isSeq(node) && node.flow !== true) {
      node = node.items[Number(part)];
    } else {
      break;
    }
    if (node === undefined) return;
  }
  if (owner === undefined) return;
  const isShort = (isMap(node) || isSeq(node)) && node.flow === true;
  const isPlain = isScalar(node) && node.type !== Scalar.BLOCK_FOLDED && node.type !== Scalar.BLOCK_LITERAL;
  if ((isShort || isPlain) && comment.length <= LONG_TEXT) {
    const target = node as Node;
    target.comment = target.comment == null ? comment : `${target.comment};${comment}`;
  } else if (isScalar(owner.key)) {
    owner.key.commentBefore = owner.key.commentBefore == null ? comment : `${owner.key.commentBefore}\n${comment}`;
  }
}

/** A comment must not end before its line does. */
export function toCommentLine(text: string): string {
  const line = removeControls(text).replaceAll(/\s+/g, " ").trim();
  return line === "" ? "" : ` ${line}`;
}
