import { firstRight, mean, qualityOf } from "../../../bench/discovery/metrics.ts";
import { FLOOR_SCORE } from "../../../daemon/discovery/ranking/weights/confidence-weights.ts";
import type { ConfidenceWord, DiscoverResult } from "../../../shared/contract/discovery.ts";
import type { Ask } from "../../support/request.ts";
import { endpointName, type JudgedAsk, judgementsOf, type OffTopicAsk } from "./ask-collection.ts";

/** Deep enough for every figure here; what is right only below these places counts as lost. */
const LOOKED_AT = 50;

/** Shares and means from 0 to 1. */
export interface AskFigures {
  /** Over all places, whatever the score. */
  readonly ndcg10: number;
  /** Asks whose first result is a right one, and those with a right one among the first three. */
  readonly firstIsRight: number;
  readonly rightAmongThree: number;
  /** Asks whose first right result is above the default floor. */
  readonly rightKept: number;
  /** Asks that nothing serves, and that are answered with nothing. */
  readonly offTopicUnanswered: number;
}

/** What came of an ask. */
export interface Outcome {
  readonly ask: JudgedAsk | OffTopicAsk;
  /** Of the first right result whatever its score, from 1; none when it is not there at all, or nothing is right. */
  readonly place?: number;
  /** How many results the default floor leaves. */
  readonly total: number;
  /** How sure the first result is said to be, whatever its score; none when there is none. */
  readonly confidence?: ConfidenceWord;
  /** The first ten whatever their score; of an ask that nothing serves, those above the floor. */
  readonly first: readonly string[];
}

export interface AskReport {
  readonly figures: AskFigures;
  readonly outcomes: readonly Outcome[];
}

/** Whether an ask came out otherwise than judged: no right result in front of all others and above the floor, or any at all. */
export function isMiss({ ask, place, total }: Outcome): boolean {
  return "right" in ask ? place !== 1 || total === 0 : total > 0;
}

/** Asks a daemon with the starter catalog everything, one after the other. */
export async function measureAsks(
  request: Ask,
  judged: readonly JudgedAsk[],
  offTopic: readonly OffTopicAsk[],
): Promise<AskReport> {
  const served: (Outcome & { readonly ndcg10: number })[] = [];
  for (const ask of judged) served.push(await askWhatIsServed(request, ask));
  const unserved: Outcome[] = [];
  for (const ask of offTopic) {
    const { names, total, confidence } = await discover(request, ask.q);
    unserved.push({ ask, total, first: names.slice(0, Math.min(total, 10)), ...confidence });
  }
  const shareOf = (holds: (place: number, outcome: Outcome) => boolean) =>
    mean(served.map((outcome) => (holds(outcome.place ?? Number.POSITIVE_INFINITY, outcome) ? 1 : 0)));
  return {
    figures: {
      ndcg10: mean(served.map(({ ndcg10 }) => ndcg10)),
      firstIsRight: shareOf((place) => place === 1),
      rightAmongThree: shareOf((place) => place <= 3),
      rightKept: shareOf((place, { total }) => place <= total),
      offTopicUnanswered: mean(unserved.map(({ total }) => (total === 0 ? 1 : 0))),
    },
    outcomes: [...served, ...unserved],
  };
}

async function askWhatIsServed(request: Ask, ask: JudgedAsk): Promise<Outcome & { readonly ndcg10: number }> {
  const { names, total, confidence } = await discover(request, ask.q);
  const right = judgementsOf(ask);
  const place = firstRight(right, names);
  return {
    ask,
    ...(place !== undefined && { place }),
    total,
    ...confidence,
    first: names.slice(0, 10),
    ndcg10: qualityOf(right, names).ndcg10,
  };
}

/** Everything whatever its score, and how many of these the default floor leaves. */
async function discover(request: Ask, q: string) {
  const { status, body, text } = await request("POST", "/v1/discover", { q, minScore: 0, limit: LOOKED_AT });
  if (status !== 200) throw new Error(`the daemon answered ${status} to ${JSON.stringify(q)}: ${text}`);
  const results: readonly DiscoverResult[] = body.results;
  const [first] = results;
  return {
    names: results.map(endpointName),
    total: results.filter(({ score }) => score >= FLOOR_SCORE).length,
    confidence: first?.confidence === undefined ? {} : { confidence: first.confidence },
  };
}

/** What became of the first results that have a word: how many, and the share of them that is right. */
export interface WordFigures {
  readonly word: ConfidenceWord;
  readonly count: number;
  readonly right: number;
}

/** By the word of the first result; of an ask that nothing serves, none is right. */
export function wordFigures(outcomes: readonly Outcome[]): WordFigures[] {
  return (["strong", "possible", "weak"] as const).map((word) => {
    const own = outcomes.filter(({ confidence }) => confidence === word);
    return { word, count: own.length, right: mean(own.map(({ place }) => (place === 1 ? 1 : 0))) };
  });
}
