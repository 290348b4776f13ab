import { didYouMean } from "../core/near-misses.ts";

/** More names would not help: that would be the list itself. */
const MOST_NAMED = 5;

/**
 * ` Did you mean a?`, else ` There are b and c.`, or nothing where there is nothing: what gives results in place of a
 * word.
 */
export function nearOrThere(word: string, there: Iterable<string>): string {
  const names = [...new Set(there)];
  if (names.length === 0) return "";
  return didYouMean(word, names) || ` There ${names.length === 1 ? "is" : "are"} ${listed(names)}.`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED);
  const more = names.length - shown.length;
  const parts = more > 0 ? [...shown, `${more} more`] : shown;
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** The data is already delivered by then: a failed suggestion must not make the command fail. */
export async function ifItSays<Said>(saying: Promise<Said>): Promise<Said | undefined> {
  return await saying.catch(() => undefined);
}
