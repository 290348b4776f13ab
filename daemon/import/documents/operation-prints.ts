import { createHash } from "node:crypto";
import type { Description } from "./description.ts";
import { type Members, membersOf } from "../conversion/members.ts";
import { joinPaths } from "./outside-references.ts";
import { valueAt } from "../../../shared/value-at.ts";

/** Short hashes of operations, by `GET /path`: the same hash means that no part of the operation has changed. */
export type OperationPrints = Readonly<Record<string, string>>;

const METHODS: ReadonlySet<string> = new Set([
  "get",
  "head",
  "post",
  "put",
  "patch",
  "delete",
  "options",
  "trace",
  "query",
]);
/** Hexadecimal digits of a print. */
export const PRINT_LENGTH = 16;
/** For all operations together: beyond it, references are no longer followed. */
const MAX_REFERENCES = 2_000_000;

interface Part {
  /** The hash of the part, without what it refers to. */
  readonly hash: string;
  /** Complete references: the file's path, `#`, the pointer. */
  readonly references: readonly string[];
}

/**
 * The hashes of the operations in an OpenAPI document, each including all that its references lead to. Other documents
 * have none.
 */
export function printOperations(description: Description): OperationPrints {
  const printer = new Printer(description);
  const prints: Record<string, string> = {};
  const { paths } = membersOf(description.value);
  for (const [path, item] of Object.entries(membersOf(paths))) {
    const { shared, operations } = splitPathItem(membersOf(item));
    for (const [method, operation] of operations) {
      prints[`${method.toUpperCase()} ${path}`] = printer.print([shared, operation]);
    }
    const { $ref } = membersOf(item);
    if (operations.length === 0 && typeof $ref === "string") prints[path] = printer.print([item]);
  }
  return prints;
}

function splitPathItem(item: Members): { shared: Members; operations: [string, unknown][] } {
  const entries = Object.entries(item);
  return {
    shared: Object.fromEntries(entries.filter(([name]) => !METHODS.has(name))),
    operations: entries.filter(([name]) => METHODS.has(name)),
  };
}

class Printer {
  readonly #documents: ReadonlyMap<string, unknown>;
  readonly #parts = new Map<string, Part>();
  #followed = 0;

  constructor({ value, siblings }: Description) {
    this.#documents = new Map<string, unknown>([["", value], ...siblings]);
  }

  print(roots: readonly unknown[]): string {
    const first = roots.map((root) => describe(root, ""));
    const open = first.flatMap(({ references }) => references);
    const seen = new Set<string>();
    const hashes = first.map(({ hash }) => hash);
    for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
      if (seen.has(reference) || this.#followed >= MAX_REFERENCES) continue;
      seen.add(reference);
      this.#followed += 1;
      open.push(...this.#partAt(reference).references);
    }
    for (const reference of [...seen].sort()) hashes.push(reference, this.#partAt(reference).hash);
    return createHash("sha256").update(hashes.join("\n")).digest("hex").slice(0, PRINT_LENGTH);
  }

  #partAt(reference: string): Part {
    const known = this.#parts.get(reference);
    if (known !== undefined) return known;
    const [file = "", pointer = ""] = reference.split("#");
    const part = describe(valueAt(this.#documents.get(file), namesOf(pointer)), file);
    this.#parts.set(reference, part);
    return part;
  }
}

function describe(root: unknown, file: string): Part {
  const references = new Set<string>();
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if ("$ref" in next && typeof next.$ref === "string") references.add(wholeReference(next.$ref, file));
    for (const member of Object.values(next)) if (typeof member === "object" && member !== null) open.push(member);
  }
  const hash = createHash("sha256")
    .update(JSON.stringify(root) ?? "")
    .digest("hex");
  return { hash, references: [...references] };
}

function wholeReference(reference: string, file: string): string {
  const [target = "", pointer = ""] = reference.split("#");
  return `${target === "" ? file : joinPaths(file, target)}#${pointer}`;
}

/** Does not decode URL escapes, unlike `resolveLocalRef`: the stored hashes of earlier imports were made this way. */
function namesOf(pointer: string): string[] {
  const parts = pointer.split("/").filter((text) => text !== "");
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Which operations differ between two readings of a source; names in their order there. */
export function compareOperations(before: OperationPrints, now: OperationPrints) {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(now))];
  return {
    added: [...current.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !current.has(name)),
    changed: [...current.keys()].filter((name) => old.has(name) && old.get(name) !== current.get(name)),
  };
}
