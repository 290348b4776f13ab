/** Most words: nothing in them can be a boundary. */
const PLAIN = /^[a-z]+$/;
const LETTERS_OR_DIGITS = /\p{N}+|[^\p{N}]+/gu;

/** The parts of a compound word, each folded: `userId2` → user, id, 2; for a plain word, only itself. */
export function splitIdentifier(written: string, fold: (piece: string) => string): string[] {
  if (PLAIN.test(written)) return [fold(written)];
  return written
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(" ")
    .flatMap((piece) => fold(piece).match(LETTERS_OR_DIGITS) ?? []);
}
