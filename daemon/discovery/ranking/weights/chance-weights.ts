import type { Sign } from "./confidence-weights.ts";

/** What says how likely a match is right, beside its signs: how far it is ahead of others. */
export type Lead = "lead" | "providerLead";

/** The coefficients that turn signs and leads into log-odds that a match is right. */
export interface ChanceFit {
  /** Never negative; a sign that is not here says nothing. */
  readonly weights: Readonly<Partial<Record<Sign, number>> & Record<Lead, number>>;
  readonly bias: number;
}

/**
 * Fitted by `npm run train:floor -- --chance` on the first results of the asks of `test/discovery/asks`, without those that are held
 * back. Phrases, and whether a query is a request at all, say nothing more than the other signs here.
 */
export const CHANCE_FIT: ChanceFit = {
  weights: { share: 2.62, named: 1.96, known: 0.92, meaning: 2.25, covered: 3.78, lead: 1.81, providerLead: 0.95 },
  bias: -1.73,
};
