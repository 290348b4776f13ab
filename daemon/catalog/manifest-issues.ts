import type { z } from "zod";
import type { DocumentPath } from "../manifest/document-path.ts";
import type { ProblemList } from "./catalog-problem.ts";
import { didYouMean } from "../../shared/near-misses.ts";

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** Tells what is wrong with the shape of a file in words of the file, one problem for each place. */
export function reportIssues(problems: ProblemList, schema: Schema, value: unknown, issues: readonly Issue[]): void {
  for (const issue of issues) reportIssue(problems, schema, value, issue, []);
}

function reportIssue(problems: ProblemList, schema: Schema, root: unknown, issue: Issue, above: DocumentPath): void {
  const path = [...above, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    for (const inner of likeliestBranch(issue.errors, valueAt(root, path))) {
      reportIssue(problems, schema, root, inner, path);
    }
    return;
  }
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(schema, path);
    for (const key of issue.keys) problems.report([...path, key], "unknown-key", wordUnknownKey(key, path, known));
    return;
  }
  problems.report(path, "shape", wordIssue(issue, valueAt(root, path)));
}

/** The branch that was probably meant: the one whose complaints lie deepest, then the one with the fewest. */
function likeliestBranch(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] {
  const depth = (issues: readonly Issue[]) => Math.max(0, ...issues.map((issue) => issue.path.length));
  const isOfWrongType = (issues: readonly Issue[]) =>
    issues.some((issue) => issue.code === "invalid_type" && issue.path.length === 0);
  const fitting = branches.filter((issues) => !isOfWrongType(issues));
  const candidates = fitting.length > 0 ? fitting : branches;
  const sorted = [...candidates].sort((a, b) => depth(b) - depth(a) || a.length - b.length);
  return value === undefined ? (branches[0] ?? []) : (sorted[0] ?? []);
}

function wordUnknownKey(key: string, path: DocumentPath, known: readonly string[]): string {
  const near = didYouMean(key, known);
  if (near !== "") return `"${key}" is not a key here${near}`;
  const where = path.length === 0 ? "at the top level" : "here";
  return known.length === 0
    ? `"${key}" is not a key here; take it out`
    : `"${key}" is not a key ${where}; possible are ${known.join(", ")}`;
}

function wordIssue(issue: Issue, value: unknown): string {
  if (
    value === undefined &&
    (issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union")
  ) {
    return `is missing; add ${wordExpected(issue)}`;
  }
  const got = ` (got ${wordValue(value)})${wordNearMiss(issue, value)}`;
  // A schema that says it in words of its own knows better.
  const hasOwnWords = !/^(?:Invalid|Too |Unrecognized)/.test(issue.message);
  if (hasOwnWords && issue.code !== "invalid_format" && issue.code !== "invalid_key") return `${issue.message}${got}`;
  switch (issue.code) {
    case "invalid_type":
    case "invalid_value":
    case "invalid_union":
      return `must be ${wordExpected(issue)}${got}`;
    case "too_small":
      return `must be at least ${issue.minimum}${wordSize(issue.origin)}${got}`;
    case "too_big":
      return `must be at most ${issue.maximum}${wordSize(issue.origin)}${got}`;
    case "invalid_key":
      return `the name does not fit: ${issue.issues.map((inner) => inner.message).join("; ")}`;
    case "invalid_format":
      return `must be ${issue.message.startsWith("Invalid") ? `a valid ${issue.format}` : issue.message}${got}`;
    default:
      return `${issue.message}${got}`;
  }
}

function wordExpected(issue: Issue): string {
  if (issue.code === "invalid_type") return wordType(issue.expected);
  const values = valuesOf(issue).map((value) => JSON.stringify(value));
  if (values.length === 0) return "of another form";
  return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
}

/** The values that are possible at a place, where they are few; what tells the branches of a union apart is among them. */
function valuesOf(issue: Issue): readonly unknown[] {
  if (issue.code === "invalid_value") return issue.values;
  return issue.code === "invalid_union" && "options" in issue ? (issue.options ?? []) : [];
}

function wordNearMiss(issue: Issue, value: unknown): string {
  if (typeof value !== "string") return "";
  return didYouMean(
    value,
    valuesOf(issue).filter((possible) => typeof possible === "string"),
  );
}

function wordType(type: string): string {
  const words: Record<string, string> = {
    array: "a list",
    boolean: "true or false",
    int: "a whole number",
    number: "a number",
    object: "a map of keys",
    record: "a map of keys",
    string: "a text",
  };
  return words[type] ?? type;
}

function wordSize(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " items long" : "";
}

/** A value for a message: short, one line, and never a whole subtree. */
export function wordValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "a map of keys";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function valueAt(root: unknown, path: DocumentPath): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** The keys that the schema knows at a place. Where several forms are possible: the keys of all of them. */
function keysAt(schema: Schema, path: DocumentPath): string[] {
  let schemas = unwrap(schema);
  for (const part of path) schemas = schemas.flatMap((candidate) => step(candidate, part)).flatMap(unwrap);
  const keys = schemas.flatMap((candidate) => ("shape" in defOf(candidate) ? Object.keys(shapeOf(candidate)) : []));
  return [...new Set(keys)].sort();
}

interface Def {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly options?: readonly Schema[];
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly valueType?: Schema;
  readonly element?: Schema;
  readonly getter?: () => Schema;
}

function defOf(schema: Schema): Def {
  // oxlint-disable-next-line no-underscore-dangle -- where zod keeps what a schema is made of
  return schema._zod.def as unknown as Def;
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> {
  return defOf(schema).shape ?? {};
}

function unwrap(schema: Schema): Schema[] {
  const def = defOf(schema);
  if (def.innerType !== undefined) return unwrap(def.innerType);
  if (def.type === "pipe" && def.in !== undefined) return unwrap(def.in);
  if (def.type === "lazy" && def.getter !== undefined) return unwrap(def.getter());
  if (def.options !== undefined) return def.options.flatMap(unwrap);
  return [schema];
}

function step(schema: Schema, part: string | number): Schema[] {
  const def = defOf(schema);
  const next = def.shape?.[String(part)] ?? def.valueType ?? def.element;
  return next === undefined ? [] : [next];
}
