import type { Side } from "./towers.ts";

/** What one text of a side has of a word. */
interface Posting {
  readonly place: number;
  readonly value: number;
}

/**
 * How much requests and tools say the same words: for every request, a row of cosines to the tools, between 0 and 1, where every
 * word is a dimension of its own. Discovery adds up such a sign and that of the vectors.
 */
export function wordOverlap(requests: Side, tools: Side): Float32Array {
  const width = tools.chosen.length;
  const overlap = new Float32Array(requests.chosen.length * width);
  const postings = new Map<number, Posting[]>();
  forEachUnitWord(tools, (place, word, value) => {
    const those = postings.get(word);
    if (those === undefined) postings.set(word, [{ place, value }]);
    else those.push({ place, value });
  });
  forEachUnitWord(requests, (request, word, value) => {
    for (const posting of postings.get(word) ?? []) {
      const at = request * width + posting.place;
      overlap[at] = (overlap[at] ?? 0) + value * posting.value;
    }
  });
  return overlap;
}

/** The words of the chosen texts, each text scaled to the length of 1. */
function forEachUnitWord(
  { texts, chosen, importance }: Side,
  visit: (place: number, word: number, value: number) => void,
): void {
  for (const [place, row] of chosen.entries()) {
    const [from, to] = [texts.starts[row] ?? 0, texts.starts[row + 1] ?? 0];
    const words = texts.columns.subarray(from, to);
    const values = texts.values.subarray(from, to).map((value, at) => value * (importance[words[at] ?? 0] ?? 0));
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    if (length === 0) continue;
    for (const [at, word] of words.entries()) visit(place, word, (values[at] ?? 0) / length);
  }
}
