import { isDeepStrictEqual } from "node:util";
import { type Document, isMap, isScalar, type Pair, parseDocument, Scalar, type YAMLMap } from "yaml";
import { parseYaml } from "../../catalog/parsing/parse-yaml.ts";
import type { DocumentPath } from "../../manifest/document-path.ts";
import { type ImportComment, ImportRefused } from "../conversion/imported-provider.ts";
import type { ManifestEdit, ManifestMerge } from "./merge-manifest.ts";
import { layOut, LINE_WIDTH, putComment } from "./render-manifest.ts";

/**
 * Puts the edits of a merge into a manifest's YAML; comments, order and blank lines of the rest stay. Comments come with the
 * parts that are new. No edits: the very same text. Throws ImportRefused when anchors of the file are in the way.
 *
 * Writes the whole document again, so that long lines are folded as in a file that is new. Where a single member changes and
 * every other byte is to stay, as after a rehearsal, `editMembers` cuts it into the text instead.
 */
export function editManifestText(
  text: string,
  { edits, value }: Pick<ManifestMerge, "edits" | "value">,
  comments: readonly ImportComment[] = [],
): string {
  if (edits.length === 0) return text;
  const document = parseDocument(text, { stringKeys: true, resolveKnownTags: false, uniqueKeys: false });
  for (const edit of edits) applyEdit(document, edit);
  const added = edits.flatMap((edit) => (edit.kind === "set" ? [edit.path] : []));
  for (const comment of comments) if (added.some((path) => isBelow(comment.path, path))) putComment(document, comment);
  // Some texts change when their lines are folded.
  for (const lineWidth of [LINE_WIDTH, 0]) {
    const edited = toText(document, { before: text, lineWidth });
    if (edited !== undefined && isDeepStrictEqual(parseYaml(edited).value, value)) return edited;
  }
  throw new ImportRefused(
    "anchors",
    "The manifest uses anchors (&name, *name) where the document changed. Write those values out, then import again.",
  );
}

/** In the format of the original text; undefined when an alias has lost its anchor. */
function toText(
  document: Document,
  { before, lineWidth }: { readonly before: string; readonly lineWidth: number },
): string | undefined {
  try {
    return document.toString({
      lineWidth,
      minContentWidth: 40,
      flowCollectionPadding: /[:-] [{[] /.test(before),
      indentSeq: !/^( *)[^\s#-][^\n]*:\n\1- /m.test(before),
    });
  } catch (error) {
    if (error instanceof Error && error.message.includes("alias")) return undefined;
    throw error;
  }
}

function applyEdit(document: Document, edit: ManifestEdit): void {
  const owner = document.getIn(edit.path.slice(0, -1), true);
  const name = String(edit.path.at(-1));
  // An alias, whose value is elsewhere; the comparison of the result reports it.
  if (!isMap(owner)) return;
  const at = owner.items.findIndex((pair) => isNamed(pair, name));
  if (edit.kind === "remove") {
    if (at !== -1) owner.items.splice(at, 1);
    return;
  }
  const pair = document.createPair(name, edit.value);
  layOut(pair.value, edit.path, edit.path.length * 2);
  const existing = owner.items[at];
  if (existing === undefined) addPair(owner, pair, edit.after);
  else replaceValue(existing, pair.value);
}

/** A text that replaces a text keeps its comment, and its style unless that no longer fits. */
function replaceValue(pair: Pair, value: unknown): void {
  const before = pair.value;
  if (isScalar(before) && isScalar(value)) {
    if (before.comment != null) value.comment = before.comment;
    if (before.commentBefore != null) value.commentBefore = before.commentBefore;
    const { type } = before;
    const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
    if (isQuoted && typeof value.value === "string" && value.type === undefined) value.type = type;
  }
  pair.value = value;
}

function addPair(owner: YAMLMap, pair: Pair, after: string | undefined): void {
  const at = after === undefined ? owner.items.length - 1 : owner.items.findIndex((item) => isNamed(item, after));
  owner.items.splice(at === -1 ? owner.items.length : at + 1, 0, pair);
}

function isNamed({ key }: Pair, name: string): boolean {
  return isScalar(key) && String(key.value) === name;
}

function isBelow(path: DocumentPath, above: DocumentPath): boolean {
  return above.every((part, index) => path[index] === part);
}
