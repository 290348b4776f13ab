import { Composer, Lexer, LineCounter, type Node, Parser, isAlias, isMap, isScalar, isSeq } from "yaml";
import type { DocumentPath } from "../../manifest/document-path.ts";
import {
  CATALOG_LIMITS,
  type CatalogText,
  checkKey,
  checkNumber,
  isForbiddenKey,
  type TextLimits,
  TextRefused,
  tooDeep,
} from "./catalog-text.ts";
import { isRecord } from "../../../shared/is-record.ts";

const TOKENS_OF_A_KEY = 7;
const MERGE_KEY = "<<";

/** YAML → plain data. Throws TextRefused. */
export function parseYaml(text: string, limits = CATALOG_LIMITS): CatalogText {
  const lines = new LineCounter();
  const lexemes = scan(text, limits);
  const composer = new Composer({
    // Compared in the walk below: the parser's own comparison takes quadratic time.
    uniqueKeys: false,
    stringKeys: true,
    resolveKnownTags: false,
  });
  // Of several documents in one text the first one counts. There is always one, since it is forced here.
  const [document] = [...composer.compose(parse(lexemes, lines), true, text.length)];
  if (document === undefined) throw new Error("a text without a document");
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) {
    const place = { offset: error.pos[0] };
    if (error.message.includes("call stack")) throw tooDeep(limits, place);
    const message = `This is not readable YAML: ${error.message}. Check the indentation around here.`;
    throw new TextRefused("syntax", message, place);
  }
  const value = new Walk(limits).toData(document.contents, [], 0);
  return { value, lineOf: (path) => findLine(document.contents, path, lines) };
}

/** The tokens of the text, counted before anything is built from them: a bomb costs no more than reading it. */
function scan(text: string, limits: TextLimits): readonly string[] {
  const tokens: string[] = [];
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    tokens.push(token);
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > limits.maxDepth) throw tooDeep(limits);
    if (tokens.length > limits.maxTokens) {
      const keys = Math.floor(limits.maxTokens / TOKENS_OF_A_KEY / 1_000);
      throw new TextRefused(
        "size",
        `The file has too many parts (about ${keys},000 keys are read at most). Split it in two.`,
      );
    }
  }
  return tokens;
}

function* parse(lexemes: readonly string[], lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of lexemes) yield* parser.next(lexeme);
  yield* parser.end();
}

class Walk {
  readonly #limits: TextLimits;
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;
  #aliases = 0;

  constructor(limits: TextLimits) {
    this.#limits = limits;
  }

  toData(node: unknown, path: DocumentPath, depth: number): unknown {
    this.#nodes += 1;
    const offset = offsetOf(node);
    if (this.#nodes > this.#limits.maxNodes) {
      throw new TextRefused(
        "size",
        "The file is too large once its aliases are expanded. Write out only what is needed.",
        {
          path: path.slice(0, 3),
        },
      );
    }
    if (depth > this.#limits.maxDepth) throw tooDeep(this.#limits, { offset });
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
    const merged: object[] = [];
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : isAlias(key) ? `*${key.source}` : String(key);
      const place = { offset: offsetOf(key), path: [...path, name] };
      if (this.#limits.leaveOut !== undefined && isForbiddenKey(name)) {
        this.#limits.leaveOut(name, place.path);
        continue;
      }
      checkKey(name, seen.has(name), place);
      seen.add(name);
      const data = this.toData(value, place.path, depth + 1);
      if (name === MERGE_KEY && this.#limits.mergesMaps === true) merged.push(...mapsIn(data));
      else object[name] = data;
    }
    for (const map of merged) {
      for (const [name, data] of Object.entries(map)) if (!Object.hasOwn(object, name)) object[name] = data;
    }
    return object;
  }

  #follow(name: string, path: DocumentPath, depth: number, offset: number | undefined): unknown {
    this.#aliases += 1;
    if (this.#aliases > this.#limits.maxAliases) {
      const message = `The file uses more than ${this.#limits.maxAliases} aliases; write the values out.`;
      throw new TextRefused("aliases", message, { offset });
    }
    const target = this.#anchors.get(name);
    if (target === undefined) {
      throw new TextRefused("aliases", `The alias *${name} has no anchor &${name} before it.`, { offset, path });
    }
    return this.toData(target, path, depth + 1);
  }

  #remember(node: Node): void {
    if ("anchor" in node && typeof node.anchor === "string") this.#anchors.set(node.anchor, node);
  }
}

function mapsIn(data: unknown): object[] {
  const listed: unknown[] = Array.isArray(data) ? data : [data];
  return listed.filter(isRecord);
}

function toScalar(value: unknown, path: DocumentPath, offset: number | undefined): unknown {
  checkNumber(value, { path, offset });
  return value ?? null;
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
