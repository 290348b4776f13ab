import { countParts, depthOf } from "../document/document-walk.ts";

interface DataBounds {
  readonly parts: number;
  readonly depth: number;
  readonly characters: number;
}

/** For defaults, allowed values and constants. */
const IN_SCHEMAS: DataBounds = { parts: 60, depth: 6, characters: 2_000 };
const IN_EXAMPLES: DataBounds = { parts: 400, depth: 16, characters: 8_000 };

/** Data that may be written in a schema unchanged: small, shallow, without names that are special in JavaScript. */
export function isSmallData(value: unknown, mostCharacters: number = IN_SCHEMAS.characters): boolean {
  return isWithin(value, { ...IN_SCHEMAS, characters: mostCharacters });
}

/** The same for an example's input and answer, which may be larger. */
export function isSmallExample(value: unknown): boolean {
  return value !== undefined && isWithin(value, IN_EXAMPLES);
}

function isWithin(value: unknown, { parts, depth, characters }: DataBounds): boolean {
  if (typeof value === "string") return value.length <= characters;
  if (typeof value !== "object" || value === null) return true;
  if (countParts(value, parts) > parts || depthOf(value, depth) > depth) return false;
  const text = JSON.stringify(value);
  return text.length <= characters && !/"(?:__proto__|constructor|prototype)":/.test(text);
}
