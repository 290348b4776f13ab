import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };
const PRINTABLE = { first: 0x20, count: 0x60 };

/**
 * Any character of Unicode; a counterexample shrinks to what a keyboard has. As fast-check's `unit: "binary"`, which makes a map of
 * all million characters at each use.
 */
export const anyCharacter = fc
  .nat(0x10_ffff - SURROGATES.count)
  .map((place) => String.fromCodePoint(codePointAt(place)));

/** A text of any characters. */
export function anyText(
  lengths: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: anyCharacter });
}

function codePointAt(place: number): number {
  if (place < PRINTABLE.count) return place + PRINTABLE.first;
  if (place < PRINTABLE.count + PRINTABLE.first) return place - PRINTABLE.count;
  return place < SURROGATES.first ? place : place + SURROGATES.count;
}
