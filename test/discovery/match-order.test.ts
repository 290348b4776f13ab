import { expect, test } from "vitest";
import { byRank, type RankedMatch } from "../../daemon/discovery/match-order.ts";

function match(score: number, slug: string, path: string, verified = false): RankedMatch {
  return { score, entry: { provider: { provider: slug }, path, verified } };
}

test.each([
  ["the higher score comes first, tried or not", match(0.9, "zeta", "/z"), match(0.8, "alpha", "/a", true)],
  ["of twins the one that was tried comes first", match(0.9, "zeta", "/z", true), match(0.9, "alpha", "/a")],
  ["then they go by provider", match(0.9, "alpha", "/z"), match(0.9, "beta", "/a")],
  ["then by path", match(0.9, "alpha", "/a"), match(0.9, "alpha", "/b")],
])("%s", (_, first, second) => {
  expect([second, first].sort(byRank)).toEqual([first, second]);
  expect([first, second].sort(byRank)).toEqual([first, second]);
});
