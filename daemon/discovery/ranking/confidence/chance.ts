import type { Candidate } from "../scoring/fuse.ts";
import type { Sign } from "../weights/confidence-weights.ts";
import { CHANCE_FIT, type ChanceFit, type Lead } from "../weights/chance-weights.ts";

/*
 * How likely each match of a ranking is what the query asks for, from 0 to 1:
 *
 *   lead            relevance of the first minus that of the second, 0.4 at most; of all others 0
 *   providerLead    the same over the first of another provider
 *   chance(place)   σ(Σ weight · sign + leads), never above that of the places before
 *
 * What does something else than is wanted has a low chance, whatever its words, and lowers none after it.
 *
 * The score says whether there is anything about the subject. Two endpoints about it have the same score where only one
 * is right: the lead tells that.
 */

/** Further ahead says nothing more, and in a small catalog everything is far ahead. */
const MOST_LEAD = 0.4;

/** Of what reads instead of deleting, or deletes instead of reading, however well its words fit: never possible. */
const OTHER_EFFECT_CHANCE = 0.25;

/** What the first candidate of a ranking is ahead by. */
export function leadsOf(candidates: readonly Pick<Candidate, "relevance" | "group">[]): Readonly<Record<Lead, number>> {
  const [first, second] = candidates;
  if (first === undefined) return { lead: 0, providerLead: 0 };
  const other = candidates.find(({ group }) => group !== first.group);
  const over = (one: { readonly relevance: number } | undefined) =>
    one === undefined ? MOST_LEAD : Math.min(MOST_LEAD, first.relevance - one.relevance);
  return { lead: over(second), providerLead: over(other) };
}

/** A chance for each candidate, in order. */
export function chancesOf(
  candidates: readonly Candidate[],
  signsOf: (candidate: Candidate) => Readonly<Record<Sign, number>>,
  { weights, bias }: ChanceFit = CHANCE_FIT,
): number[] {
  const { lead, providerLead, ...ofSigns } = weights;
  const ahead = leadsOf(candidates);
  const terms = Object.entries(ofSigns) as [Sign, number][];
  let least = 1;
  return candidates.map((candidate, place) => {
    const signs = signsOf(candidate);
    const own = terms.reduce((sum, [sign, weight]) => sum + weight * signs[sign], bias);
    const odds = place === 0 ? own + lead * ahead.lead + providerLead * ahead.providerLead : own;
    const chance = 1 / (1 + Math.exp(-odds));
    // Not in the least: what is right may well come after it.
    if (candidate.fit.otherEffect > 0) return Math.min(least, OTHER_EFFECT_CHANCE, chance);
    least = Math.min(least, chance);
    return least;
  });
}
