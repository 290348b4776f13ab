import { isDeepStrictEqual } from "node:util";
import type { DocumentPath } from "../../manifest/document-path.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { type Members, membersOf } from "../conversion/members.ts";

/** One change of a file. `after`: the sibling that a new member follows; absent: it comes first. */
export type ManifestEdit =
  | { readonly kind: "set"; readonly path: DocumentPath; readonly value: unknown; readonly after?: string }
  | { readonly kind: "remove"; readonly path: DocumentPath };

/** The effect of a re-import on a file. */
export interface ManifestMerge {
  readonly edits: readonly ManifestEdit[];
  /** Places that both a person and the document changed: the person's value stays. */
  readonly kept: readonly DocumentPath[];
  /** Public paths of endpoints that a person removed and the document still has. */
  readonly stayRemoved: readonly string[];
  /** Public paths of endpoints that remain only in the file, because a person edited them. */
  readonly gone: readonly string[];
  /** The file's value after the edits. */
  readonly value: Members;
}

/** Marks a missing member. */
const ABSENT: unique symbol = Symbol("absent");

export const GONE = "gone from the document";

/** Objects whose parts belong together: half a person's price and half the document's make no valid price. */
const WHOLE: ReadonlySet<string> = new Set(["price", "auth", "usage"]);
/** Members that other parts of the file refer to by name: they stay while they are used. */
const SHARED: Readonly<Record<string, (name: string) => string>> = {
  schemas: (name) => `"#/schemas/${name}"`,
  secrets: (name) => `\${secret.${name}}`,
};

/**
 * Member by member: what only the document changed is taken, what a person changed stays.
 *
 * | last import → file | last import → document | comes out |
 * |---|---|---|
 * | same | changed, new or gone | the document's |
 * | changed, new or gone | same | the file's |
 * | changed | changed | of maps each member by itself; else the file's, told in `kept` |
 * | changed endpoint | gone | the file's, marked `deprecated` |
 *
 * `base`: what the last import wrote; absent: everything in the file is a person's, but for `formerDefaults`. `source` is
 * always the document's.
 */
export function mergeManifests(base: Members | undefined, mine: Members, theirs: Members): ManifestMerge {
  const merger = new Merger();
  const before = base ?? formerDefaults(mine, theirs);
  merger.merge([], { base: { ...before, source: mine["source"] }, mine, theirs });
  const edits = keepUsed(merger.edits, mine);
  return {
    edits,
    kept: merger.kept,
    stayRemoved: findStayRemoved(base, mine, theirs),
    gone: merger.gone,
    value: applyEdits(mine, edits),
  };
}

interface Versions {
  readonly base: Members;
  readonly mine: Members;
  readonly theirs: Members;
}

class Merger {
  readonly edits: ManifestEdit[] = [];
  readonly kept: DocumentPath[] = [];
  readonly gone: string[] = [];

  merge(path: DocumentPath, { base, mine, theirs }: Versions): void {
    const present = new Set(Object.keys(mine));
    let after: string | undefined;
    for (const name of Object.keys(theirs)) {
      this.#mergeMember(
        [...path, name],
        [memberOrAbsent(base, name), memberOrAbsent(mine, name), memberOrAbsent(theirs, name)],
        after,
      );
      if (present.has(name) || !Object.hasOwn(base, name)) after = name;
    }
    for (const name of present) {
      if (Object.hasOwn(theirs, name)) continue;
      this.#mergeMember([...path, name], [memberOrAbsent(base, name), memberOrAbsent(mine, name), ABSENT], undefined);
    }
  }

  #mergeMember(path: DocumentPath, [base, mine, theirs]: readonly unknown[], after: string | undefined): void {
    const isEndpoint = path.length === 2 && path[0] === "endpoints";
    const name = String(path.at(-1));
    if (isEndpoint && mine === ABSENT && base !== ABSENT) return;
    if (isEndpoint && isRecord(mine) && mine["deprecated"] === GONE && isRecord(theirs)) {
      this.edits.push({ kind: "remove", path: [...path, "deprecated"] });
    }
    if (isDeepStrictEqual(base, theirs) || isDeepStrictEqual(mine, theirs)) return;
    const isUntouched = isDeepStrictEqual(mine, base);
    if (isRecord(mine) && isRecord(theirs) && (isUntouched || !WHOLE.has(name))) {
      this.merge(path, { base: isRecord(base) ? base : {}, mine, theirs });
    } else if (isUntouched) {
      this.edits.push(
        theirs === ABSENT
          ? { kind: "remove", path }
          : { kind: "set", path, value: theirs, ...(after !== undefined && { after }) },
      );
    } else if (isEndpoint && theirs === ABSENT && isRecord(mine)) {
      this.gone.push(name);
      if (mine["deprecated"] === undefined) {
        this.edits.push({ kind: "set", path: [...path, "deprecated"], value: GONE, after: "description" });
      }
    } else {
      this.kept.push(path);
    }
  }
}

/**
 * Earlier imports wrote a document's default as `default`, which is sent. Without a record of who wrote it, a default
 * that equals the document's is treated as the import's: the vendor behaves the same without it.
 */
function formerDefaults(mine: Members, theirs: Members): Members {
  const base: Record<string, unknown> = {};
  const { default: written } = mine;
  if (written !== undefined && !Object.hasOwn(theirs, "default")) {
    const { vendorDefault, examples } = theirs;
    const shown: readonly unknown[] = [vendorDefault, ...(Array.isArray(examples) ? (examples as unknown[]) : [])];
    const isDocuments = shown.some((value) => isDeepStrictEqual(value, written) || value === JSON.stringify(written));
    if (isDocuments) base["default"] = written;
  }
  for (const [name, member] of Object.entries(mine)) {
    const other = Object.hasOwn(theirs, name) ? theirs[name] : undefined;
    if (!isRecord(member) || !isRecord(other)) continue;
    const inside = formerDefaults(member, other);
    if (Object.keys(inside).length > 0) base[name] = inside;
  }
  return base;
}

function memberOrAbsent(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : ABSENT;
}

function findStayRemoved(base: Members | undefined, mine: Members, theirs: Members): string[] {
  const [before, now, offered] = [base, mine, theirs].map((value) => membersOf(value?.["endpoints"]));
  return Object.keys(offered ?? {}).filter((path) => path in (before ?? {}) && !(path in (now ?? {})));
}

/** Leaves out the removal of what the rest of the file still refers to. */
function keepUsed(edits: readonly ManifestEdit[], mine: Members): readonly ManifestEdit[] {
  let current = edits.flatMap((edit) => expandRemoval(edit, mine));
  for (;;) {
    const text = JSON.stringify(applyEdits(mine, current));
    const next = current.filter((edit) => {
      const toText = isSharedRemoval(edit) ? SHARED[String(edit.path[0])] : undefined;
      return toText === undefined || !text.includes(toText(String(edit.path[1])));
    });
    if (next.length === current.length) break;
    current = next;
  }
  return Object.keys(SHARED).reduce((all, name) => collapseRemovals(all, name, mine), current);
}

function isSharedRemoval({ kind, path }: ManifestEdit): boolean {
  return kind === "remove" && path.length === 2 && String(path[0]) in SHARED;
}

/** Splits the removal of all `schemas` into one removal each. */
function expandRemoval(edit: ManifestEdit, mine: Members): readonly ManifestEdit[] {
  const [name = ""] = edit.path;
  if (edit.kind !== "remove" || edit.path.length !== 1 || !(String(name) in SHARED)) return [edit];
  const members = Object.keys(membersOf(mine[String(name)]));
  return members.length === 0 ? [edit] : members.map((member) => ({ kind: "remove", path: [name, member] }));
}

/** The opposite: if nothing remains, the whole member is removed. */
function collapseRemovals(edits: ManifestEdit[], name: string, mine: Members): ManifestEdit[] {
  const removals = edits.filter((edit) => isSharedRemoval(edit) && edit.path[0] === name);
  if (removals.length === 0 || removals.length < Object.keys(membersOf(mine[name])).length) return edits;
  if (edits.some(({ kind, path }) => kind === "set" && path[0] === name)) return edits;
  return [...edits.filter((edit) => !removals.includes(edit)), { kind: "remove", path: [name] }];
}

function applyEdits(value: Members, edits: readonly ManifestEdit[]): Members {
  const result = structuredClone(value) as Record<string, unknown>;
  for (const edit of edits) {
    let owner = result;
    for (const part of edit.path.slice(0, -1)) owner = owner[String(part)] as Record<string, unknown>;
    const name = String(edit.path.at(-1));
    if (edit.kind === "set") owner[name] = edit.value;
    else delete owner[name];
  }
  return result;
}
