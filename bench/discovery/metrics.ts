import type { Judgements } from "./collections.ts";

/** Figures of one engine on one collection, each 0 to 1: means over all judged queries. */
export interface Quality {
  /** Gain 2^rel − 1, discount log2(place + 1). */
  readonly ndcg10: number;
  readonly recall5: number;
  readonly recall10: number;
  /** 1 / place of the first right answer among the first ten. */
  readonly mrr10: number;
  readonly queries: number;
}

/** Ids by query id, best first. */
export type Answers = ReadonlyMap<string, readonly string[]>;

/** The same figures as `score.mjs` of the collections, unrounded. A query without an answer counts 0. */
export function measureQuality(judgements: Judgements, answers: Answers): Quality {
  const perQuery = [...judgements].map(([qid, right]) => qualityOf(right, answers.get(qid) ?? []));
  return {
    ndcg10: mean(perQuery.map(({ ndcg10 }) => ndcg10)),
    recall5: mean(perQuery.map(({ recall5 }) => recall5)),
    recall10: mean(perQuery.map(({ recall10 }) => recall10)),
    mrr10: mean(perQuery.map(({ mrr10 }) => mrr10)),
    queries: judgements.size,
  };
}

/** As `measureQuality`, of one query; `right` has at least one answer. */
export function qualityOf(right: ReadonlyMap<string, number>, answer: readonly string[]): Omit<Quality, "queries"> {
  const relevances = answer.map((id) => right.get(id) ?? 0);
  const foundAmong = (places: number) => relevances.slice(0, places).filter((relevance) => relevance > 0).length;
  const first = firstRight(right, answer.slice(0, 10));
  const ideal = [...right.values()].sort((a, b) => b - a);
  return {
    ndcg10: discountedGain(relevances) / discountedGain(ideal),
    recall5: foundAmong(5) / right.size,
    recall10: foundAmong(10) / right.size,
    mrr10: first === undefined ? 0 : 1 / first,
  };
}

/** Place of the first right answer, counted from 1. */
export function firstRight(right: ReadonlyMap<string, number>, answer: readonly string[]): number | undefined {
  const place = answer.findIndex((id) => (right.get(id) ?? 0) > 0);
  return place < 0 ? undefined : place + 1;
}

function discountedGain(relevances: readonly number[]): number {
  return relevances
    .slice(0, 10)
    .reduce((sum, relevance, place) => sum + (2 ** relevance - 1) / Math.log2(place + 2), 0);
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value that a share of all lie below; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
