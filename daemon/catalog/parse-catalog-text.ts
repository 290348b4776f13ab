import { Lexer, LineCounter, type Node, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { DocumentPath } from "../manifest/document-path.ts";
import { type CatalogProblem, ProblemList } from "./catalog-problem.ts";

export type ParsedText =
  | { readonly value: unknown; lineOf(path: DocumentPath): number | undefined }
  | { readonly problems: readonly CatalogProblem[] };

// Found by trying: so many tokens take about a second to compose; a key with its value on a line of its own takes seven.
const MAX_TOKENS = 600_000;
const MAX_NODES = 500_000;
const MAX_DEPTH = 64;
const MAX_ALIASES = 1_000;
/** Beyond this a JSON file is not read a second time for its lines. */
const MAX_JSON_WITH_LINES = 1024 * 1024;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** A text that must not be used, and why. */
class Refusal extends Error {
  readonly rule: string;
  readonly offset: number | undefined;
  readonly path: DocumentPath;

  constructor(rule: string, message: string, place: { offset?: number | undefined; path?: DocumentPath } = {}) {
    super(message);
    this.rule = rule;
    this.offset = place.offset;
    this.path = place.path ?? [];
  }
}

/**
 * YAML or JSON (by the file's ending) → plain data with lines. Refused: syntax errors, keys that are used twice, custom
 * tags, `__proto__` and its like as keys, numbers that JSON cannot hold, more than 64 levels, aliases that multiply.
 */
export function parseCatalogText(text: string, file: string): ParsedText {
  const lines = new LineCounter();
  try {
    if (file.toLowerCase().endsWith(".json")) return parseJson(text, lines);
    return parseYaml(text, lines);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const line = error.offset === undefined ? undefined : lineAt(text, error.offset);
    const problems = new ProblemList(file, () => line);
    problems.report(error.path, error.rule, error.message);
    return { problems: problems.list() };
  }
}

function parseJson(text: string, lines: LineCounter): ParsedText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(reason)?.[1];
    throw new Refusal("syntax", `This is not JSON: ${reason}.`, {
      ...(position !== undefined && { offset: Number(position) }),
    });
  }
  checkData(value);
  const plain = { value, lineOf: () => undefined };
  if (text.length > MAX_JSON_WITH_LINES) return plain;
  try {
    return parseYaml(text, lines);
  } catch (error) {
    // A few spellings are JSON and not YAML (tabs at odd places): then there are no lines, and no other loss.
    if (error instanceof Refusal && error.rule === "syntax") return plain;
    throw error;
  }
}

function parseYaml(text: string, lines: LineCounter): ParsedText {
  scan(text);
  const document = parseDocument(text, {
    lineCounter: lines,
    // Compared in the walk below: the parser's own comparison takes quadratic time.
    uniqueKeys: false,
    stringKeys: true,
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) {
    const tooDeep = error.message.includes("call stack");
    throw new Refusal(
      tooDeep ? "depth" : "syntax",
      tooDeep ? tooDeepMessage() : `This is not readable YAML: ${error.message}. Check the indentation around here.`,
      { offset: error.pos[0] },
    );
  }
  const value = new Walk().toData(document.contents, [], 0);
  return { value, lineOf: (path) => findLine(document.contents, path, lines) };
}

/** Counts before anything is built, so that a bomb is refused for the price of reading it. */
function scan(text: string): void {
  let tokens = 0;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > MAX_DEPTH) throw new Refusal("depth", tooDeepMessage());
    if (tokens > MAX_TOKENS) {
      throw new Refusal("size", "The file has too many parts (about 80,000 keys are read at most). Split it in two.");
    }
  }
}

class Walk {
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;
  #aliases = 0;

  toData(node: unknown, path: DocumentPath, depth: number): unknown {
    this.#nodes += 1;
    const offset = offsetOf(node);
    if (this.#nodes > MAX_NODES) {
      throw new Refusal("size", "The file is too large once its aliases are followed. Write out what is needed only.", {
        path: path.slice(0, 3),
      });
    }
    if (depth > MAX_DEPTH) throw new Refusal("depth", tooDeepMessage(), { offset });
    if (isAlias(node)) return this.#follow(node.source, path, depth, offset);
    if (isMap(node)) return this.#toObject(node, path, depth);
    if (isSeq(node)) {
      this.#remember(node);
      return node.items.map((item, index) => this.toData(item, [...path, index], depth + 1));
    }
    if (isScalar(node)) {
      this.#remember(node);
      return toScalar(node.value, path, offset);
    }
    return null;
  }

  #toObject(
    node: { anchor?: string | undefined; items: { key: unknown; value: unknown }[] },
    path: DocumentPath,
    depth: number,
  ) {
    this.#remember(node as Node);
    const object: Record<string, unknown> = {};
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : isAlias(key) ? `*${key.source}` : String(key);
      const place = { offset: offsetOf(key), path: [...path, name] };
      checkKey(name, place);
      if (seen.has(name)) throw new Refusal("duplicate", `"${name}" stands here twice; keep one of them.`, place);
      seen.add(name);
      object[name] = this.toData(value, place.path, depth + 1);
    }
    return object;
  }

  #follow(name: string, path: DocumentPath, depth: number, offset: number | undefined): unknown {
    this.#aliases += 1;
    if (this.#aliases > MAX_ALIASES) {
      throw new Refusal("aliases", `The file uses more than ${MAX_ALIASES} aliases; write the values out.`, { offset });
    }
    const target = this.#anchors.get(name);
    if (target === undefined) {
      throw new Refusal("aliases", `The alias *${name} has no anchor &${name} before it.`, { offset, path });
    }
    return this.toData(target, path, depth + 1);
  }

  #remember(node: Node): void {
    if ("anchor" in node && typeof node.anchor === "string") this.#anchors.set(node.anchor, node);
  }
}

function checkKey(name: string, place: { offset?: number | undefined; path: DocumentPath }): void {
  if (FORBIDDEN_KEYS.has(name)) {
    throw new Refusal("key", `"${name}" cannot be a key: it has a meaning of its own in JavaScript. Rename it.`, place);
  }
}

function toScalar(value: unknown, path: DocumentPath, offset: number | undefined): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new Refusal("number", "Infinity and NaN are not numbers that JSON can hold.", { path, offset });
  }
  return value ?? null;
}

/** The same bounds for data that JSON.parse has made; iterative, because the data may be deep. */
function checkData(root: unknown): void {
  let nodes = 0;
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    nodes += 1;
    if (nodes > MAX_NODES) throw new Refusal("size", `The file has more than ${MAX_NODES} parts. Split it.`);
    if (next.depth > MAX_DEPTH) throw new Refusal("depth", tooDeepMessage());
    if (typeof next.value !== "object" || next.value === null) continue;
    for (const [name, value] of Object.entries(next.value)) {
      if (!Array.isArray(next.value)) checkKey(name, { path: [name] });
      open.push({ value, depth: next.depth + 1 });
    }
  }
}

function tooDeepMessage(): string {
  return `The file is nested more than ${MAX_DEPTH} levels deep.`;
}

function findLine(root: unknown, path: DocumentPath, lines: LineCounter): number | undefined {
  let node = root;
  let offset = offsetOf(root);
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      offset = offsetOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(part)];
      if (item === undefined) break;
      offset = offsetOf(item) ?? offset;
      node = item;
    } else {
      break;
    }
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

function offsetOf(node: unknown): number | undefined {
  if (typeof node !== "object" || node === null || !("range" in node) || !Array.isArray(node.range)) return undefined;
  const [start]: unknown[] = node.range;
  return typeof start === "number" ? start : undefined;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line += 1;
  return line;
}
