import type { Query } from "./collections.ts";

const WORDS = 30;

/**
 * Queries of thirty words each, for measuring speed: longer ones are cut, shorter ones joined with those that follow.
 * At most so many.
 */
export function thirtyWordQueries(queries: readonly Pick<Query, "q">[], limit: number): string[] {
  const long: string[] = [];
  let words: string[] = [];
  for (const { q } of queries) {
    if (long.length === limit) break;
    words.push(...q.split(/\s+/).filter((word) => word !== ""));
    if (words.length < WORDS) continue;
    long.push(words.slice(0, WORDS).join(" "));
    words = [];
  }
  return long;
}
