import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, control characters most often. As fast-check's `unit: "binary"`, which makes a map of all million
 * characters at each use.
 */
// The way back lets fast-check put in texts that programs fall over, such as `__proto__`.
export const anyCharacter = fc.nat(0x10_ffff - SURROGATES.count).map(toCharacter, toPlace);

/** A text of any characters. */
export function anyText(
  lengths: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: anyCharacter });
}

/** The characters in the order of their code points, surrogates left out. */
function toCharacter(place: number): string {
  return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count);
}

/** Throws for what is not one of these characters. */
function toPlace(text: unknown): number {
  const point = String(text).codePointAt(0) ?? 0;
  const place = point < SURROGATES.first ? point : point - SURROGATES.count;
  if (toCharacter(place) !== text) throw new Error("this is no single character");
  return place;
}
