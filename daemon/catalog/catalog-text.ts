import type { DocumentPath } from "../manifest/document-path.ts";

/** A text as plain data, and the line on which each part of it stands (or the nearest part around it). */
export interface CatalogText {
  readonly value: unknown;
  lineOf(path: DocumentPath): number | undefined;
}

export const MAX_NODES = 500_000;
export const MAX_DEPTH = 64;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

interface Place {
  readonly offset?: number | undefined;
  readonly path?: DocumentPath;
}

/** A text that must not be used, and why. */
export class TextRefused extends Error {
  override readonly name = "TextRefused";
  readonly rule: string;
  readonly offset: number | undefined;
  readonly path: DocumentPath;

  constructor(rule: string, message: string, place: Place = {}) {
    super(message);
    this.rule = rule;
    this.offset = place.offset;
    this.path = place.path ?? [];
  }
}

export function tooDeep(place?: Place): TextRefused {
  return new TextRefused("depth", `The file is nested more than ${MAX_DEPTH} levels deep.`, place);
}

/** `isRepeated`: the same object has it already. */
export function checkKey(name: string, isRepeated: boolean, place: Place): void {
  if (FORBIDDEN_KEYS.has(name)) {
    throw new TextRefused(
      "key",
      `"${name}" cannot be a key: it has a meaning of its own in JavaScript. Rename it.`,
      place,
    );
  }
  if (isRepeated) throw new TextRefused("duplicate", `"${name}" stands here twice; keep one of them.`, place);
}

export function checkNumber(value: unknown, place: Place): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TextRefused("number", "Infinity and NaN are not numbers that JSON can hold.", place);
  }
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line += 1;
  return line;
}
