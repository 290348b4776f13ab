const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

/** In a shorter word a wrong letter usually makes another word: "storm" and "store". */
const LONG = 8;

/**
 * The words that a person may have meant by this one with a single typing error (Damerau and Levenshtein): a missing
 * letter, an extra one, two swapped, in a long word also a wrong one. The first letter is rarely wrong and stays; so
 * does the last when there is an extra one: it is more often a suffix than an error. Some words occur more than once.
 */
export function* wordsOneSlipAway(word: string): Generator<string> {
  for (let at = 1; at <= word.length; at += 1) {
    const [before, here, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)];
    for (const letter of LETTERS) yield before + letter + here + after;
    if (after === "") continue;
    yield before + after;
    yield before + after.slice(0, 1) + here + after.slice(1);
    if (word.length >= LONG) for (const letter of LETTERS) yield before + letter + after;
  }
}
