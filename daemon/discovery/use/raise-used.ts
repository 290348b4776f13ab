import { wordOf } from "../ranking/confidence/confidence-of.ts";
import type { ConfidenceWord } from "../../../shared/contract/discovery.ts";
import type { HealthyMatch } from "../health/health-effect.ts";
import type { LikeUses } from "./like-uses.ts";

/** An endpoint rises by at most this many places, and falls by no more when others rise. */
const MOST_PLACES = 3;
const MAX_SCORE = 2;

/** What former use did to a match, for an explanation. */
export interface UseEffect {
  /** Runs that succeeded after asks like this one. */
  readonly times: number;
  /** The places by which it rose; 0: none. */
  readonly raised: number;
}

/** The part of a match that use reads and sets. */
export interface UsedMatch extends HealthyMatch {
  /** Absent where it was not used for asks like this one. */
  readonly use?: UseEffect;
}

/**
 * Raises what was used for asks like this one. `matches`: those above the floor, best first. A match rises over those
 * that are at most three places ahead, whose odds are not e times its own, and that have no better confidence; what
 * health has lowered does not rise. Scores stay as they are.
 */
export function raiseUsed<Match extends UsedMatch>(
  matches: readonly Match[],
  usesOf: (match: Match) => LikeUses | undefined,
): readonly Match[] {
  const placed: { readonly match: Match; readonly from: number; readonly uses?: LikeUses; readonly worth: number }[] =
    [];
  for (const [from, match] of matches.entries()) {
    const uses = usesOf(match);
    const worth = logOdds(match.score) + (uses?.gain ?? 0);
    let to = placed.length;
    if (uses !== undefined && match.scoreBefore === undefined) {
      while (to > 0) {
        const before = placed[to - 1];
        if (before === undefined || from - before.from > MOST_PLACES || before.worth >= worth) break;
        if (isSurer(before.match, match)) break;
        to -= 1;
      }
    }
    placed.splice(to, 0, { match, from, worth, ...(uses !== undefined && { uses }) });
  }
  return placed.map(({ match, from, uses }, at) =>
    uses === undefined ? match : { ...match, use: { times: uses.times, raised: Math.max(0, from - at) } },
  );
}

const WORDS: readonly ConfidenceWord[] = ["weak", "possible", "strong"];

/** A better word, were both the best. */
function isSurer(before: HealthyMatch, match: HealthyMatch): boolean {
  return WORDS.indexOf(wordOf(before)) > WORDS.indexOf(wordOf(match));
}

function logOdds(score: number): number {
  const within = Math.min(MAX_SCORE - 1e-6, Math.max(1e-6, score));
  return Math.log(within / (MAX_SCORE - within));
}
