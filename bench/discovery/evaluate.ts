import type { JudgedCollection } from "./collections.ts";
import type { Engine } from "./engines/engine.ts";
import { type Answers, measureQuality, type Quality } from "./metrics.ts";

/** As far down as the figures look. */
const LOOKED_AT = 10;

/** What an engine answers to all queries of a collection whose documents it was built of, in the order of `ids`. */
export async function answerAll(
  engine: Engine,
  { queries }: Pick<JudgedCollection, "queries">,
  ids: readonly string[],
): Promise<Answers> {
  const answers = new Map<string, readonly string[]>();
  for (const { qid, q } of queries) {
    const documents = await engine.search(q, LOOKED_AT);
    answers.set(
      qid,
      documents.map((document) => ids[document] ?? ""),
    );
  }
  return answers;
}

export async function evaluate(engine: Engine, collection: JudgedCollection, ids: readonly string[]): Promise<Quality> {
  return measureQuality(collection.judgements, await answerAll(engine, collection, ids));
}
