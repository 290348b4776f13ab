/**
 * English words without their suffixes, so that "countries" and "country" are one word: the algorithm of M. F. Porter,
 * "An algorithm for suffix stripping" (1980), with its rules as tables. Words in other scripts, words with digits and
 * words of up to two letters are returned unchanged.
 */
export function stemWord(word: string): string {
  if (word.length <= 2 || !/^[a-z]+$/.test(word)) return word;
  const singular = withoutPlural(word);
  const bare = withoutPast(singular);
  const turned = turnY(bare);
  return tidyEnd(withoutAny(replaceAny(replaceAny(turned, DOUBLE_SUFFIXES), SUFFIXES), ENDINGS));
}

const DOUBLE_SUFFIXES: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];

const SUFFIXES: readonly (readonly [string, string])[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];

const ENDINGS: readonly string[] = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "ion",
  "al",
  "er",
  "ic",
  "ou",
];

function withoutPlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (word.endsWith("ies")) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
  if (word.endsWith("ss") || word.endsWith("us") || !word.endsWith("s")) return word;
  return word.slice(0, -1);
}

function withoutPast(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const stem = word.endsWith("ed") ? word.slice(0, -2) : word.endsWith("ing") ? word.slice(0, -3) : undefined;
  if (stem === undefined || !hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsInDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function turnY(word: string): string {
  return word.endsWith("y") && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

function replaceAny(word: string, rules: readonly (readonly [string, string])[]): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const stem = word.slice(0, -rule[0].length);
  return measure(stem) > 0 ? stem + rule[1] : word;
}

function withoutAny(word: string, endings: readonly string[]): string {
  const ending = endings.find((suffix) => word.endsWith(suffix));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  return measure(stem) > 1 && (ending !== "ion" || /[st]$/.test(stem)) ? stem : word;
}

function tidyEnd(word: string): string {
  const stem = word.endsWith("e") ? word.slice(0, -1) : word;
  const bare = stem !== word && (measure(stem) > 1 || (measure(stem) === 1 && !endsShort(stem))) ? stem : word;
  return bare.endsWith("ll") && measure(bare) > 1 ? bare.slice(0, -1) : bare;
}

/** How many times a vowel is followed by a consonant: Porter's m. */
function measure(stem: string): number {
  return shapeOf(stem).match(/v+c+/g)?.length ?? 0;
}

function hasVowel(stem: string): boolean {
  return shapeOf(stem).includes("v");
}

function endsInDouble(stem: string): boolean {
  return stem.length > 1 && stem.at(-1) === stem.at(-2) && shapeOf(stem).endsWith("c");
}

/** Consonant, vowel, consonant that is not w, x or y: such stems get an e ("hop" from "hoping"). */
function endsShort(stem: string): boolean {
  return shapeOf(stem).endsWith("cvc") && !/[wxy]$/.test(stem);
}

/** The word as consonants (c) and vowels (v); y is a vowel after a consonant. */
function shapeOf(word: string): string {
  let shape = "";
  for (const letter of word) {
    const isVowel = "aeiou".includes(letter) || (letter === "y" && shape.endsWith("c"));
    shape += isVowel ? "v" : "c";
  }
  return shape;
}
