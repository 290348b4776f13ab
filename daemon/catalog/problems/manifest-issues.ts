import { safeParse, type z } from "zod";
import type { DocumentPath } from "../../manifest/document-path.ts";
import type { ProblemList } from "./catalog-problem.ts";
import { didYouMean, findNearMisses } from "../../../shared/near-misses.ts";
import { valueAt } from "../../../shared/value-at.ts";

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** Describes what is wrong with the shape of a file in terms of the file, one problem for each place. */
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
    const forms = formsAt(schema, path, root);
    const other = forms.find(({ name, keys }) => name === undefined && issue.keys.every((key) => keys.includes(key)));
    if (other !== undefined && forms.length > 1) {
      // Zod chose a form that has none of the keys; the form that has them reports the mistake.
      const result = safeParse(other.schema, valueAt(root, path));
      for (const inner of result.error?.issues ?? []) reportIssue(problems, schema, root, inner, path);
      return;
    }
    for (const key of issue.keys) problems.report([...path, key], "unknown-key", wordUnknownKey(key, path, forms));
    return;
  }
  problems.report(path, "shape", wordIssue(issue, valueAt(root, path)));
}

/**
 * The branch that was probably meant: the one that has the most of the keys, then the one whose errors are deepest,
 * then the one with the fewest.
 */
function likeliestBranch(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] {
  const depth = (issues: readonly Issue[]) => Math.max(0, ...issues.map((issue) => issue.path.length));
  const unknown = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 0), 0);
  const isOfWrongType = (issues: readonly Issue[]) =>
    issues.some((issue) => issue.code === "invalid_type" && issue.path.length === 0);
  const fitting = branches.filter((issues) => !isOfWrongType(issues));
  if (fitting.length === 0 && value !== undefined) return wrongTypes(branches);
  const candidates = fitting.length > 0 ? fitting : branches;
  const sorted = [...candidates].sort((a, b) => unknown(a) - unknown(b) || depth(b) - depth(a) || a.length - b.length);
  return value === undefined ? (branches[0] ?? []) : (sorted[0] ?? []);
}

/** No branch accepts a value of this kind: one error that names all accepted kinds. */
function wrongTypes(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const [first] = branches[0] ?? [];
  if (first?.code !== "invalid_type" || hasOwnWords(first)) return branches[0] ?? [];
  const kinds = branches.flatMap((issues) =>
    issues.flatMap((issue) =>
      issue.code === "invalid_type" && issue.path.length === 0 ? [wordType(issue.expected)] : [],
    ),
  );
  return [{ ...first, message: `must be ${[...new Set(kinds)].join(" or ")}` }];
}

/** The forms that a place may have, chosen by `type`: `PER_CALL` takes these keys. */
interface Form {
  readonly schema: Schema;
  readonly name?: string;
  readonly keys: readonly string[];
  /** The value there says that it is this form. */
  readonly isMeant: boolean;
}

function wordUnknownKey(key: string, path: DocumentPath, forms: readonly Form[]): string {
  const meant = forms.filter(({ isMeant }) => isMeant);
  const known = [...new Set(meant.flatMap(({ keys }) => keys))].filter((one) => one !== key).sort();
  const near = findNearMisses(key, known);
  const others = forms.filter(({ isMeant }) => !isMeant);
  const spelled = others.flatMap(({ keys }) => keys).find((one) => one.toLowerCase() === key.toLowerCase());
  const [only] = meant;
  if (spelled !== undefined && only?.name !== undefined && near[0]?.toLowerCase() !== key.toLowerCase()) {
    const owners = others.flatMap(({ name, keys }) => (name !== undefined && keys.includes(spelled) ? [name] : []));
    const takes = `${only.name} takes ${listWords([...only.keys].sort())}`;
    return `"${key}" is not a key here: ${takes}; ${spelled} belongs to ${listWords(owners)}`;
  }
  if (near.length > 0) return `"${key}" is not a key here${didYouMean(key, known)}`;
  const where = path.length === 0 ? "at the top level" : "here";
  return known.length === 0
    ? `"${key}" is not a key here; remove it`
    : `"${key}" is not a key ${where}; possible are ${known.join(", ")}`;
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

function wordIssue(issue: Issue, value: unknown): string {
  if (
    value === undefined &&
    (issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union")
  ) {
    return `is missing; add ${wordExpected(issue)}`;
  }
  const got = ` (got ${wordValue(value)})${wordNearMiss(issue, value)}`;
  // A schema with a message of its own is more specific.
  if (hasOwnWords(issue) && issue.code !== "invalid_format" && issue.code !== "invalid_key")
    return `${issue.message}${got}`;
  switch (issue.code) {
    case "invalid_type":
    case "invalid_value":
    case "invalid_union":
      return `must be ${wordExpected(issue)}${got}`;
    case "too_small":
      if (issue.minimum === 1 && SIZED.has(issue.origin)) return `must not be empty${got}`;
      return `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${wordSize(issue.origin)}${got}`;
    case "too_big":
      return `must be ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${wordSize(issue.origin)}${got}`;
    case "invalid_key":
      return `the name does not fit: ${issue.issues.map((inner) => inner.message).join("; ")}`;
    case "invalid_format":
      if (issue.format === "url") return `must be a whole address, such as ${exampleAddress(value)}${got}`;
      return `must be ${issue.message.startsWith("Invalid") ? `a valid ${issue.format}` : issue.message}${got}`;
    default:
      return `${issue.message}${got}`;
  }
}

/** Made from the value, when only the beginning of the address is missing. */
function exampleAddress(value: unknown): string {
  const isHost = typeof value === "string" && /^[\w-]+(?:\.[\w-]+)+(?:[/:?#]\S*)?$/.test(value);
  return isHost ? `https://${value}` : "https://api.example.com";
}

function hasOwnWords({ message }: Issue): boolean {
  return !/^(?:Invalid|Too |Unrecognized)/.test(message);
}

function wordExpected(issue: Issue): string {
  if (issue.code === "invalid_type") return wordType(issue.expected);
  const values = valuesOf(issue).map((value) => JSON.stringify(value));
  if (values.length === 0) return "of another form";
  return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
}

/**
 * The values that are possible at a place, when they are few, including the `type` values that distinguish the branches
 * of a union.
 */
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
    nonoptional: "a value",
    int: "a whole number",
    number: "a number",
    object: "a map of keys",
    record: "a map of keys",
    string: "a text",
  };
  return words[type] ?? type;
}

/** Kinds with a length: an empty one is reported as empty. */
const SIZED: ReadonlySet<string> = new Set(["string", "array"]);

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

/** The forms that the schema allows at a place, and which of them the value there names. */
function formsAt(schema: Schema, path: DocumentPath, root: unknown): Form[] {
  let options = unwrap(schema, root);
  path.forEach((part, index) => {
    const value = valueAt(root, path.slice(0, index + 1));
    options = options
      .filter(({ isMeant }) => isMeant)
      .flatMap(({ schema: candidate }) => step(candidate, part))
      .flatMap((next) => unwrap(next, value));
  });
  return options.flatMap(({ schema: candidate, name, isMeant }) =>
    "shape" in defOf(candidate)
      ? [{ schema: candidate, ...(name !== undefined && { name }), keys: Object.keys(shapeOf(candidate)), isMeant }]
      : [],
  );
}

interface Def {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly values?: readonly unknown[];
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

interface Option {
  readonly schema: Schema;
  readonly name?: string;
  readonly isMeant: boolean;
}

/** The schemas behind wrappers and unions. In a union by `type`, the value's type selects the branch. */
function unwrap(schema: Schema, value: unknown): Option[] {
  const def = defOf(schema);
  if (def.innerType !== undefined) return unwrap(def.innerType, value);
  if (def.type === "pipe" && def.in !== undefined) return unwrap(def.in, value);
  if (def.type === "lazy" && def.getter !== undefined) return unwrap(def.getter(), value);
  if (def.options === undefined) return [{ schema, isMeant: true }];
  const { discriminator } = def;
  if (discriminator === undefined) return def.options.flatMap((option) => unwrap(option, value));
  const said = valueAt(value, [discriminator]);
  const options = def.options.flatMap((option) => unwrap(option, value));
  const named = options.map((option) => ({ ...option, ...nameOf(option.schema, discriminator) }));
  const isKnown = named.some(({ name }) => name === said);
  return named.map((option) => ({ ...option, isMeant: !isKnown || option.name === said }));
}

function nameOf(schema: Schema, discriminator: string): { readonly name?: string } {
  const literal = shapeOf(schema)[discriminator];
  const [name] = (literal === undefined ? undefined : defOf(literal).values) ?? [];
  return typeof name === "string" ? { name } : {};
}

function step(schema: Schema, part: string | number): Schema[] {
  const def = defOf(schema);
  const next = def.shape?.[String(part)] ?? def.valueType ?? def.element;
  return next === undefined ? [] : [next];
}
