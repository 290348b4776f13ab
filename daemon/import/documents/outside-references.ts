/** The target of a `$ref` that leads out of its own file. */
export type OutsideReference =
  /** `path`: relative to the folder of the document, with `/`; it may begin with `..`. */
  | { readonly kind: "file"; readonly reference: string; readonly path: string }
  | { readonly kind: "refused"; readonly reference: string; readonly why: string };

/** Every reference in a value that leads out of its file, each once. A property named `$ref` does not count. */
export function findOutsideReferences(root: unknown, ownPath: string): OutsideReference[] {
  const references = new Set<string>();
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if ("$ref" in next && typeof next.$ref === "string" && !next.$ref.startsWith("#")) references.add(next.$ref);
    for (const member of Object.values(next)) if (typeof member === "object" && member !== null) open.push(member);
  }
  return [...references].map((reference) => toOutside(reference, ownPath));
}

function toOutside(reference: string, ownPath: string): OutsideReference {
  const refused = (why: string) => ({ kind: "refused", reference, why }) as const;
  const file = decoded(reference.split("#")[0] ?? "");
  if (/^(?:[a-z][a-z0-9+.-]+:|\/\/)/i.test(file)) {
    return refused("it leads to an address; references are never fetched. Put the document next to this one");
  }
  if (/^(?:[/\\~]|[a-z]:)/i.test(file))
    return refused("it leads to a place of the machine, not to a file beside this one");
  if (file.includes("\\") || file.includes("\0")) return refused("it is no relative path with /");
  return { kind: "file", reference, path: joinPaths(ownPath, file) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `schemas/Pet.yaml` and `../paths/x.yaml` → `paths/x.yaml`. */
export function joinPaths(ownPath: string, relativePath: string): string {
  const parts = ownPath.split("/").slice(0, -1);
  for (const part of relativePath.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}
