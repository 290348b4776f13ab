import type { Hints } from "../../shared/contract/hints.ts";
import type { CategoryTree } from "../catalog/categories/category-tree.ts";
import type { Found, Match } from "./found.ts";
import { confidenceOfMatch } from "./ranking/confidence/confidence-of.ts";

/** What a caller should say in other words, in the place of words that only the caller knows. */
const WORDINGS: readonly string[] = ["<kind of data>", "<kind of the thing named>", "<what you have in hand>"];
const MAX_CATEGORIES = 3;

/**
 * Next steps after an answer in which nothing fits well: the same question in further wordings, unless there were some,
 * and the categories of what came nearest, unless something fits that only lacks a key. Undefined for a better answer.
 */
export function weakAnswerHints(
  {
    matches,
    unavailable,
    nearest,
    phrasings: [q, ...also],
  }: Pick<Found, "matches" | "unavailable" | "nearest" | "phrasings">,
  categories: Pick<CategoryTree, "list">,
): Hints | undefined {
  if (matches.some(fits)) return undefined;
  const again =
    also.length > 0 ? {} : { "Ask again in other words": { kind: "discover" as const, query: q, also: [...WORDINGS] } };
  const inCategories = (unavailable.some(fits) ? [] : nearestCategories(nearest, categories)).map(
    ({ id, displayName }) =>
      [`See what comes nearest in ${displayName}`, { kind: "discover" as const, query: q, category: id }] as const,
  );
  const hints: Hints = { ...again, ...Object.fromEntries(inCategories) };
  return Object.keys(hints).length === 0 ? undefined : hints;
}

function fits(match: Match): boolean {
  return confidenceOfMatch(match) !== "weak";
}

/** The categories that most of these belong to; of equal ones, that of the better match. */
function nearestCategories(nearest: readonly Match[], categories: Pick<CategoryTree, "list">) {
  const counts = new Map<string, { readonly id: string; readonly displayName: string; count: number }>();
  for (const { entry } of nearest) {
    for (const { id, displayName, kind } of categories.list([entry]).items) {
      if (kind !== "category") continue;
      const known = counts.get(id) ?? { id, displayName, count: 0 };
      known.count += 1;
      counts.set(id, known);
    }
  }
  return [...counts.values()].sort((one, other) => other.count - one.count).slice(0, MAX_CATEGORIES);
}
