import type { DiscoverExplanation } from "../../shared/contract/discovery.ts";

/** So many words of a query tell enough. */
const MOST_WORDS = 6;

/**
 * Why a result was found, in a few words: `sunrise, sunset in name; rain as weather in tags; near in meaning`. Each word of
 * the query is told once, with the field where it is worth most. Undefined where nothing speaks for it.
 */
export function matchWords({ words, meaning }: DiscoverExplanation): string | undefined {
  const best = new Map<string, DiscoverExplanation["words"][number]>();
  for (const found of words) {
    if (found.weight > (best.get(found.word)?.weight ?? 0)) best.set(found.word, found);
  }
  const told = [...best.values()].sort((a, b) => b.weight - a.weight).slice(0, MOST_WORDS);
  const fields = [...new Set(told.map(({ field }) => field))].map((field) => {
    const inField = told.filter((found) => found.field === field);
    return `${inField.map(({ word, as }) => (as === undefined ? word : `${word} as ${as}`)).join(", ")} in ${field}`;
  });
  const reasons = [...fields, ...(meaning === undefined ? [] : ["near in meaning"])];
  return reasons.length === 0 ? undefined : reasons.join("; ");
}
