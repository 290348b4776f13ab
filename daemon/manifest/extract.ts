import { type InputSection, type InputSections, isInputSection, readInput } from "./input-sections.ts";
import type { Parsed } from "./parsed.ts";

/** Steps of a singular JSONPath: names and (possibly negative) indexes. */
export type PathSteps = readonly (string | number)[];

/** Where a manifest reads a value from. */
export type Extractor =
  | { readonly kind: "path"; readonly steps: PathSteps }
  | { readonly kind: "start"; readonly steps: PathSteps }
  | { readonly kind: "header"; readonly name: string }
  | { readonly kind: "status" }
  | { readonly kind: "input"; readonly section: InputSection; readonly path: readonly string[] }
  | { readonly kind: "state"; readonly name: string }
  | { readonly kind: "elapsed" }
  | { readonly kind: "number"; readonly value: number };

/** What an extractor may read; what a phase does not have is absent and extracts as undefined. */
export interface ExtractScope {
  readonly status?: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** Numbers in the body that JavaScript cannot represent exactly, as their original text. */
  readonly numbersAsText?: ReadonlySet<string>;
  readonly input?: InputSections;
  readonly state?: Readonly<Record<string, string>>;
  /** Since the provider was first called; `elapsed` extracts seconds. */
  readonly elapsedMs?: number;
  /** Reads `start:$…`: the answer to the start call, or what a job kept of it. */
  readonly readStart?: (steps: PathSteps) => unknown;
}

const KNOWN =
  "known are $.a.b[0]['c d'], start:$…, header:<name>, status, input:<pathParams|queryParams|body>.<field>, state:<name>, elapsed and a number";

/** Parses an extractor of a manifest. Source: docs/manifest.md, "Extractors" (singular subset of RFC 9535). */
export function parseExtractor(source: string | number): Parsed<Extractor> {
  if (typeof source === "number") {
    if (!Number.isFinite(source)) return { ok: false, message: `${source} is not a finite number` };
    return { ok: true, value: { kind: "number", value: source } };
  }
  if (source.startsWith("$")) return ofSteps("path", parsePath(source));
  if (source.startsWith("start:$")) return ofSteps("start", parsePath(source.slice("start:".length)));
  if (source === "status" || source === "elapsed") return { ok: true, value: { kind: source } };
  const colon = source.indexOf(":");
  const rest = source.slice(colon + 1);
  if (colon > 0 && rest !== "") {
    const word = source.slice(0, colon);
    if (word === "header") return { ok: true, value: { kind: "header", name: rest.toLowerCase() } };
    if (word === "state") return { ok: true, value: { kind: "state", name: rest } };
    if (word === "input") {
      const [section = "", ...path] = rest.split(".");
      if (isInputSection(section) && path.length > 0 && path.every((step) => step !== "")) {
        return { ok: true, value: { kind: "input", section, path } };
      }
    }
  }
  return { ok: false, message: `unknown extractor ${JSON.stringify(source)}; ${KNOWN}` };
}

/** Whether a text that may be an extractor or plain words (`as.message`) is an extractor. */
export function looksLikeExtractor(text: string): boolean {
  return /^(?:start:)?\$(?:$|[.[])|^(?:header|state|input):\S+$|^(?:status|elapsed)$/.test(text);
}

/** The extracted value; undefined when it does not exist. Never throws. */
export function extract(extractor: Extractor, scope: ExtractScope): unknown {
  switch (extractor.kind) {
    case "path":
      return readPath(scope.body, extractor.steps);
    case "start":
      return scope.readStart?.(extractor.steps);
    case "header": {
      const value = scope.headers?.[extractor.name];
      return Array.isArray(value) ? value.join(", ") : value;
    }
    case "status":
      return scope.status;
    case "input":
      return readInput(scope.input ?? {}, extractor.section, extractor.path);
    case "state":
      return scope.state !== undefined && Object.hasOwn(scope.state, extractor.name)
        ? scope.state[extractor.name]
        : undefined;
    case "elapsed":
      return scope.elapsedMs === undefined ? undefined : scope.elapsedMs / 1_000;
    case "number":
      return extractor.value;
  }
}

/**
 * Own properties and list members only, so that `$.constructor` finds nothing. A negative index counts from the end.
 * Stricter than `valueAt` in `shared`, as JSONPath requires: names apply only to objects, indexes only to lists.
 */
export function readPath(root: unknown, steps: PathSteps): unknown {
  let value = root;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return undefined;
    if (typeof step === "number") {
      if (!Array.isArray(value)) return undefined;
      value = value.at(step);
    } else {
      if (Array.isArray(value) || !Object.hasOwn(value, step)) return undefined;
      value = (value as Record<string, unknown>)[step];
    }
  }
  return value;
}

/** A canonical text for each path, used as the name under which a job keeps a value of its start answer. */
export function spellPath(steps: PathSteps): string {
  return "$" + steps.map((step) => `[${JSON.stringify(step)}]`).join("");
}

function ofSteps(kind: "path" | "start", steps: Parsed<PathSteps>): Parsed<Extractor> {
  return steps.ok ? { ok: true, value: { kind, steps: steps.value } } : steps;
}

const DOT_NAME = /\.([A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*)/uy;
const INDEX = /\[\s*(0|-?[1-9][0-9]{0,14})\s*\]/y;
const SINGLE_QUOTED = /\[\s*'((?:[^'\\]|\\.)*)'\s*\]/y;
const DOUBLE_QUOTED = /\[\s*"((?:[^"\\]|\\.)*)"\s*\]/y;

/** Parses `$.a.b[0]['c d']`: names, indexes and nothing that could match more than once. */
export function parsePath(text: string): Parsed<PathSteps> {
  const steps: (string | number)[] = [];
  let at = 1;
  while (at < text.length) {
    const step = readStep(text, at);
    if (step === undefined) return { ok: false, message: explainPath(text, at) };
    steps.push(step.step);
    at = step.end;
  }
  return text.startsWith("$")
    ? { ok: true, value: steps }
    : { ok: false, message: `a path must start with "$": ${text}` };
}

function readStep(text: string, at: number): { step: string | number; end: number } | undefined {
  const dot = matchAt(DOT_NAME, text, at);
  if (dot !== undefined) return { step: dot.captured, end: dot.end };
  const index = matchAt(INDEX, text, at);
  if (index !== undefined) return { step: Number(index.captured), end: index.end };
  const single = matchAt(SINGLE_QUOTED, text, at);
  const quoted = single ?? matchAt(DOUBLE_QUOTED, text, at);
  if (quoted === undefined) return undefined;
  const name = unescapeName(quoted.captured, single === undefined ? '"' : "'");
  return name === undefined ? undefined : { step: name, end: quoted.end };
}

function matchAt(pattern: RegExp, text: string, at: number): { captured: string; end: number } | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match === null ? undefined : { captured: match[1] ?? "", end: pattern.lastIndex };
}

function unescapeName(raw: string, quote: '"' | "'"): string | undefined {
  const json = quote === "'" ? raw.replaceAll("\\'", "'").replace(/(\\.)|"/g, (all, pair) => pair ?? `\\${all}`) : raw;
  try {
    return JSON.parse(`"${json}"`) as string;
  } catch {
    return undefined;
  }
}

function explainPath(text: string, at: number): string {
  const rest = text.slice(at);
  const place = `at character ${at + 1} of ${JSON.stringify(text)}`;
  if (/^\.\.|^\.\*|^\[\s*(\*|\?|-?\d*\s*:)|^\[[^\]]*,/.test(rest)) {
    return `only paths to one value are allowed, no wildcards, slices or filters (${place})`;
  }
  if (/^[.\w]*-/.test(rest) || rest.startsWith("-")) return `write a name with "-" as ['like-this'] (${place})`;
  return `expected .name, [0] or ['name'] ${place}`;
}
