import { memberOf } from "../../../../shared/member-of.ts";
import { ImportRefused, type SkippedOperation } from "../../conversion/imported-provider.ts";
import { METHODS, type Method, type OperationPlace } from "./api-operation.ts";
import { removeControls } from "../../conversion/clean-text.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { entriesOf, listOf, type Members, textOf } from "../../conversion/members.ts";
import { type ReferenceResolver, UnusableReference, type Located } from "../document/reference-resolver.ts";

const MAX_OPERATIONS = 20_000;
const NOT_CALLED: ReadonlySet<string> = new Set(["options", "trace", "query"]);

export interface ListedOperations {
  readonly operations: readonly OperationPlace[];
  readonly skipped: readonly SkippedOperation[];
}

/** Every operation of a document in order, and those that cannot be endpoints. Throws ImportRefused without paths. */
export function listOperations(root: Members, resolver: ReferenceResolver): ListedOperations {
  const { value: paths, file } = readPaths(root, resolver);
  if (paths === undefined || paths === null) {
    const others = ["webhooks", "x-ms-paths"].filter((name) => Object.hasOwn(root, name));
    const what = others.length === 0 ? "" : `; ${others.join(" and ")} are not taken`;
    throw new ImportRefused("no-paths", `The document has no "paths": there is nothing to call${what}.`);
  }
  if (!isRecord(paths)) {
    const found = Array.isArray(paths) ? "a list" : `a ${typeof paths}`;
    throw new ImportRefused("no-paths", `"paths" must be an object of paths, and is ${found}.`);
  }
  const operations: OperationPlace[] = [];
  const skipped: SkippedOperation[] = [];
  for (const [path, value] of Object.entries(paths)) {
    if (path.startsWith("x-")) continue;
    try {
      const found = resolver.followWithSiblings({ value, file });
      if (isRecord(found.value)) readItem(path, found.value, found.file, { operations, skipped });
      else skipped.push({ operation: shownPath(path), why: "what is at this path is not an object" });
    } catch (error) {
      if (!(error instanceof UnusableReference)) throw error;
      skipped.push({ operation: shownPath(path), why: error.message });
    }
  }
  return { operations, skipped };
}

/** All paths may be in another place: `paths: {$ref: paths.yaml}`. */
function readPaths(root: Members, resolver: ReferenceResolver): Located {
  const value = memberOf(root, "paths");
  if (textOf(value, "$ref") === undefined) return { value, file: "" };
  try {
    return resolver.followWithSiblings({ value, file: "" });
  } catch (error) {
    if (!(error instanceof UnusableReference)) throw error;
    throw new ImportRefused("no-paths", `"paths" stands elsewhere and cannot be read: ${error.message}`);
  }
}

function readItem(
  path: string,
  item: Members,
  file: string,
  found: { readonly operations: OperationPlace[]; readonly skipped: SkippedOperation[] },
): void {
  for (const [name, operation] of Object.entries(item)) {
    const method = name.toUpperCase();
    const spelled = `${method} ${shownPath(path)}`;
    if (NOT_CALLED.has(name)) {
      found.skipped.push({ operation: spelled, why: `the method ${method} is not called` });
    } else if (!isMethod(method) || name !== name.toLowerCase()) {
      continue;
    } else if (!isRecord(operation)) {
      found.skipped.push({ operation: spelled, why: "what is there is not an object" });
    } else if (found.operations.length >= MAX_OPERATIONS) {
      throw new ImportRefused("too-many-operations", `The document has more than ${MAX_OPERATIONS} operations.`);
    } else {
      found.operations.push({ method, path, operation, item, file });
    }
  }
  for (const [name] of entriesOf(memberOf(item, "additionalOperations"))) {
    found.skipped.push({
      operation: `${shownPath(name).toUpperCase()} ${shownPath(path)}`,
      why: "this method is not called",
    });
  }
}

function isMethod(name: string): name is Method {
  return (METHODS as readonly string[]).includes(name);
}

/** The reason when the author excludes an operation; undefined when it may be imported. */
export function whyLeftOut({ operation, item }: OperationPlace): string | undefined {
  if (memberOf(operation, "deprecated") === true) return "it is deprecated";
  const kong = memberOf(operation, "x-kong-mcp-tool") ?? memberOf(operation, "x-kong-mcp-tool-enabled");
  if (kong === false || memberOf(operation, "x-kong-mcp-tool-ignore") === true) return "x-kong-mcp-tool says so";
  const word = ["x-mkt-ignore", "x-mkt-hidden", "x-cli-ignore", "x-cli-hidden", "x-internal"].find(
    (name) => memberOf(operation, name) === true || memberOf(item, name) === true,
  );
  return word === undefined ? undefined : `${word} says so`;
}

/** The names of an operation's tags, as the document writes them. */
export function tagsOf({ operation }: OperationPlace): string[] {
  return listOf(operation, "tags").filter((tag): tag is string => typeof tag === "string");
}

export function operationId({ operation }: OperationPlace): string | undefined {
  return textOf(operation, "operationId");
}

/** A path for display: on one line, without control characters, and of limited length. */
export function shownPath(path: string): string {
  const line = removeControls(path)
    .replaceAll("\n", " ")
    .replaceAll(/\/{2,}/g, "/");
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
