import type { z } from "zod";
import { listNames } from "../../../shared/contract/closed-object.ts";
import { didYouMean } from "../../../shared/near-misses.ts";

type Issue = z.core.$ZodIssue;

const MAX_ISSUES = 3;
/** Maximum length for one fault; a message with all faults stays below 2,000 characters. */
const MAX_SENTENCE_CHARACTERS = 600;

/**
 * Why a value was refused, each field by its name: `query.limit: must be at most 100 (got 500)`. `place` is where the value
 * came in; fields of the body go by their own name alone.
 */
export function toValidationMessage(place: "body" | "query" | "path" | "header", issues: readonly Issue[]): string {
  const sentences = issues.slice(0, MAX_ISSUES).flatMap((issue) => describe(place, [], issue));
  const shown = sentences.slice(0, MAX_ISSUES).map(shorten);
  const left = sentences.length - shown.length + Math.max(0, issues.length - MAX_ISSUES);
  return left > 0 ? `${shown.join("; ")}; and ${left} more` : shown.join("; ");
}

function shorten(sentence: string): string {
  return sentence.length > MAX_SENTENCE_CHARACTERS ? `${sentence.slice(0, MAX_SENTENCE_CHARACTERS)}…` : sentence;
}

function describe(place: string, parentPath: readonly PropertyKey[], issue: Issue): string[] {
  const path = [...parentPath, ...issue.path];
  if (issue.code === "invalid_union") {
    const closest = closestBranch(issue.errors);
    if (closest !== undefined) {
      return closest.flatMap((inner) => describe(place, path, inner));
    }
  }
  if (issue.code === "invalid_key") {
    const record = fieldName(place, path.slice(0, -1));
    return issue.issues.map((inner) => `${record}: a name ${reason(inner)}${got(inner)}`);
  }
  return [`${fieldName(place, path)}: ${reason(issue)}${got(issue)}`];
}

/** The alternative that fits the value best: the one with the deepest faults, then the one with the fewest. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const depth = (branch: readonly Issue[]) => Math.max(0, ...branch.map((issue) => issue.path.length));
  return [...branches].sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
}

function fieldName(place: string, path: readonly PropertyKey[]): string {
  let name = place === "body" ? "" : place;
  for (const step of path) {
    name += typeof step === "number" ? `[${step}]` : `${name === "" ? "" : "."}${String(step)}`;
  }
  return name === "" ? "body" : name;
}

function reason(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (hasOwnWords(issue)) return issue.message;
      return issue.input === undefined ? required(issue.expected) : `must be ${typeName(issue.expected)}`;
    case "too_big":
      return `must ${bound(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "too_small":
      return `must ${bound(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "invalid_value":
      if (hasOwnWords(issue)) return issue.message;
      return `${issue.input === undefined ? "is required and " : ""}must be ${oneOf(issue.values)}${near(issue.input, issue.values)}`;
    case "unrecognized_keys":
      // The object's own words, unless they are zod's.
      return issue.message.startsWith("Unrecognized ")
        ? `has unknown members: ${listNames(issue.keys)}`
        : issue.message;
    case "invalid_format":
      if (issue.format !== "regex" || !("pattern" in issue)) return `must be a valid ${issue.format}`;
      return hasOwnWords(issue) ? issue.message : `must match ${String(issue.pattern)}`;
    default:
      // A refinement's own words, or zod's for the rare rest.
      return issue.message;
  }
}

/** True for messages of the contract, false for zod's own. */
function hasOwnWords({ message }: Issue): boolean {
  return !message.startsWith("Invalid ");
}

function required(expected: string): string {
  return expected === "nonoptional" ? "is required" : `is required (${typeName(expected)})`;
}

/** A JSON type as people say it. */
function typeName(expected: string): string {
  switch (expected) {
    case "int":
      return "a whole number";
    case "record":
    case "object":
      return "an object";
    case "array":
      return "a list";
    default:
      return `a ${expected}`;
  }
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  switch (origin) {
    case "string":
      return `have ${relation} ${limit} characters`;
    case "array":
    case "set":
      return `have ${relation} ${limit} items`;
    case "object":
    case "map":
    case "record":
      return `have ${relation} ${limit} members`;
    default:
      return `be ${relation} ${limit}`;
  }
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(", ")}`;
}

function near(input: unknown, values: readonly unknown[]): string {
  return typeof input === "string" ? didYouMean(input, values.map(String)) : "";
}

function got(issue: Issue): string {
  const { input } = issue;
  if (Array.isArray(input) && issue.code === "too_big") return ` (got ${input.length})`;
  if (Array.isArray(input) && issue.code !== "unrecognized_keys") {
    return " (got a list, or the same name more than once)";
  }
  if (input === undefined || input === null || typeof input === "object") {
    return input === null ? " (got null)" : "";
  }
  const text = JSON.stringify(input) ?? String(input);
  return ` (got ${text.length > 60 ? `${text.slice(0, 60)}…` : text})`;
}
