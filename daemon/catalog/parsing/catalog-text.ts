import type { DocumentPath } from "../../manifest/document-path.ts";

/** A text as plain data, and the line of each part of it (or of the nearest part around it). */
export interface CatalogText {
  readonly value: unknown;
  lineOf(path: DocumentPath): number | undefined;
}

/** How large a text may be, and what happens to content that a catalog file may not have. */
export interface TextLimits {
  readonly maxNodes: number;
  readonly maxDepth: number;
  /**
   * For YAML. Measured: 600,000 take about a second to compose; a key with its value on a line of its own takes seven.
   */
  readonly maxTokens: number;
  readonly maxAliases: number;
  /** Whether `<<` merges the members of another map, as in YAML 1.1. */
  readonly mergesMaps?: boolean;
  /**
   * Called for each key with a special meaning in JavaScript, which is then left out; without it the text is refused.
   */
  readonly leaveOut?: (name: string, path: DocumentPath) => void;
}

/** For files in a catalog folder. */
export const CATALOG_LIMITS: TextLimits = { maxNodes: 500_000, maxDepth: 64, maxTokens: 600_000, maxAliases: 1_000 };
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

interface TextPlace {
  readonly offset?: number | undefined;
  readonly path?: DocumentPath;
}

/** A text that must not be used, and why. */
export class TextRefused extends Error {
  override readonly name = "TextRefused";
  readonly rule: string;
  readonly offset: number | undefined;
  readonly path: DocumentPath;

  constructor(rule: string, message: string, place: TextPlace = {}) {
    super(message);
    this.rule = rule;
    this.offset = place.offset;
    this.path = place.path ?? [];
  }
}

export function tooDeep({ maxDepth }: TextLimits, place?: TextPlace): TextRefused {
  return new TextRefused("depth", `The file is nested more than ${maxDepth} levels deep.`, place);
}

/** Whether a key has a special meaning in JavaScript, so that no catalog file may have it. */
export function isForbiddenKey(name: string): boolean {
  return FORBIDDEN_KEYS.has(name);
}

/** `isRepeated`: the same object has it already. */
export function checkKey(name: string, isRepeated: boolean, place: TextPlace): void {
  if (isForbiddenKey(name)) {
    throw new TextRefused(
      "key",
      `"${name}" cannot be a key: it has a special meaning in JavaScript. Rename it.`,
      place,
    );
  }
  if (isRepeated) throw new TextRefused("duplicate", `"${name}" occurs here twice; keep one of them.`, place);
}

export function checkNumber(value: unknown, place: TextPlace): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TextRefused("number", "Infinity and NaN are not valid JSON numbers.", place);
  }
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line += 1;
  return line;
}
