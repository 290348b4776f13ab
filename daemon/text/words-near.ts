const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

/** In a shorter word a wrong letter mostly makes another word: "storm" and "store". */
const LONG = 8;

/**
 * What somebody may have meant who typed this word with one slip (Damerau and Levenshtein): a letter left out, one too many,
 * two exchanged, of a long word also a wrong one. The first letter is rarely wrong and stays; so does the last when one is too
 * many: it is an ending more often than a slip. Some words come more than once.
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
