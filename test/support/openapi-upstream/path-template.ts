import { listOf, membersOf, type Operation } from "./api-document.ts";

/** A request's path as one template of the document reads it. */
export interface PathMatch {
  readonly operation: Operation;
  /** By the document's name of the placeholder, as they came: still encoded. */
  readonly values: ReadonlyMap<string, string>;
  /** What the template's own query fixes; a value may be a placeholder. */
  readonly fixedQuery: readonly (readonly [name: string, value: string])[];
  /** How much of the template is fixed text: the more, the better it fits. */
  readonly weight: number;
}

/** Every operation that a request may be meant for, the best first; a concrete path goes before one with placeholders. */
export function matchOperations(operations: readonly Operation[], method: string, path: string): readonly PathMatch[] {
  const found = operations
    .filter((operation) => operation.method === method)
    .flatMap((operation) => matchOperation(operation, path));
  const best = Math.max(...found.map(({ weight }) => weight));
  return found.filter(({ weight }) => weight === best);
}

function matchOperation(operation: Operation, path: string): readonly PathMatch[] {
  const [template = "", query = ""] = splitOutside(splitOutside(operation.path, "#")[0] ?? "", "?");
  const matches = operation.bases.flatMap((base) => {
    const whole = `${base}${template.startsWith("/") ? "" : "/"}${template}`;
    const { expression, names, weight } = compile(whole, operation);
    const found = expression.exec(path);
    if (found === null) return [];
    const values = new Map(names.map((name, index) => [name, found[index + 1] ?? ""]));
    return [{ operation, values, fixedQuery: readQuery(query), weight }];
  });
  return matches.slice(0, 1);
}

/** The two parts of a text around the first such character that stands in no braces. */
function splitOutside(text: string, character: string): readonly string[] {
  const bare = text.replaceAll(/\{[^{}]*\}/g, (inside) => "x".repeat(inside.length));
  const at = bare.indexOf(character);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function readQuery(query: string): PathMatch["fixedQuery"] {
  return query
    .split(/&|%26/i)
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [decodeURIComponent(name), value.join("=")] as const;
    });
}

/** It is part of its segment, and no other spelling means the same. */
const ENCODED_SLASH = "%2[Ff]";

interface CompiledTemplate {
  readonly expression: RegExp;
  readonly names: readonly string[];
  readonly weight: number;
}

/** By operation and then by whole template: it may be called at several servers. */
const compiledTemplates = new WeakMap<Operation, Map<string, CompiledTemplate>>();

function compile(template: string, operation: Operation): CompiledTemplate {
  const known = compiledTemplates.get(operation) ?? new Map<string, CompiledTemplate>();
  compiledTemplates.set(operation, known);
  const before = known.get(template);
  if (before !== undefined) return before;
  const names: string[] = [];
  let weight = 0;
  const expression = template
    .split(/(\$?\{[^{}]*\})/)
    .map((part, index) => {
      if (index % 2 === 1) {
        const name = part.replace(/^\$?\{/, "").slice(0, -1);
        names.push(name);
        return placeholder(name, operation);
      }
      weight += part.length;
      const literals = part.split(/%2F/i).map((text) => spellAll(decodeURIComponent(text)));
      return literals.join(ENCODED_SLASH);
    })
    .join("");
  const compiled = { expression: new RegExp(`^${expression}$`), names, weight };
  known.set(template, compiled);
  return compiled;
}

/** The values that a placeholder may have tell it from another one right beside it. */
function placeholder(name: string, { parameters }: Operation): string {
  const own = parameters.find((one) => one.in === "path" && one.name === name);
  const values = listOf(membersOf(own?.schema)["enum"]).filter((value) => value !== "");
  if (values.length === 0) return "([^/]+?)";
  const texts = values.map((value) => String(value).split("/").map(spellAll).join(ENCODED_SLASH));
  return `(${texts.join("|")})`;
}

function spellAll(text: string): string {
  return [...text].map(spellings).join("");
}

/** A character of fixed text, plain or encoded: both mean the same, but for the slash. */
function spellings(character: string): string {
  if (character === "/") return "/";
  const bytes = [...Buffer.from(character)];
  const encoded = bytes
    .map((byte) => {
      const hex = byte.toString(16).padStart(2, "0");
      return `%(?:${hex.toUpperCase()}|${hex})`;
    })
    .join("");
  const mustBeEncoded = /[^\x21-\x7e]|["<>\\^`{|}]/.test(character);
  return mustBeEncoded ? encoded : `(?:\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}|${encoded})`;
}
