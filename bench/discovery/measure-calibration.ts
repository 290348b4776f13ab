import { wordOf } from "../../daemon/discovery/ranking/confidence/confidence-of.ts";
import type { Engine, ScoredDocument } from "./engines/engine.ts";
import type { FloorQueries } from "./measure-floor.ts";
import { CALIBRATED_WORDS, type CalibratedWord } from "./measurement.ts";

/**
 * Whether the words for a score keep what they say. Of a collection only some endpoints are judged, so that an answer may
 * count as wrong although it is right: the share of right answers is a lower bound.
 */
export function measureCalibration(
  best: NonNullable<Engine["best"]>,
  ids: readonly string[],
  { offTopic, judged }: FloorQueries,
): CalibratedWord[] {
  const isRight = (qid: string, { document }: ScoredDocument) =>
    (judged?.judgements.get(qid)?.get(ids[document] ?? "") ?? 0) > 0;
  const ofJudged = (judged?.queries ?? []).map(({ qid, q }) => {
    const found = best(q);
    return { word: wordOfBest(found), right: found !== undefined && isRight(qid, found) };
  });
  const ofOffTopic = offTopic.map(({ q }) => wordOfBest(best(q)));
  return CALIBRATED_WORDS.map((word) => {
    const own = ofJudged.filter((one) => one.word === word);
    return {
      word,
      judged: own.length,
      right: own.filter(({ right }) => right).length,
      offTopic: ofOffTopic.filter((one) => one === word).length,
    };
  });
}

function wordOfBest(found: ScoredDocument | undefined): CalibratedWord["word"] {
  return found === undefined ? "none" : wordOf(found);
}
