import type { JudgedCollection, OffTopicQuery } from "./collections.ts";
import type { Engine } from "./engines/engine.ts";
import type { FloorMeasurement, OffTopicFigures } from "./measurement.ts";

/** As many as a discovery looks at. */
const POOL = 200;

export interface FloorQueries {
  readonly offTopic: readonly OffTopicQuery[];
  readonly judged: JudgedCollection | undefined;
}

/** How often an engine says that nothing fits, where nothing does and where something does. */
export async function measureFloor(
  engine: Engine,
  ids: readonly string[],
  { offTopic, judged }: FloorQueries,
): Promise<FloorMeasurement> {
  const answered = new Set<string>();
  for (const { q } of offTopic) if ((await answersOf(engine, q)).length > 0) answered.add(q);
  const kinds = [...new Set(offTopic.map(({ kind }) => kind))];
  return {
    offTopic: kinds.map((kind) => figuresOf(kind, offTopic, answered)),
    judged: await countLost(engine, ids, judged),
  };
}

function figuresOf(kind: string, offTopic: readonly OffTopicQuery[], answered: ReadonlySet<string>): OffTopicFigures {
  const asked = offTopic.filter((query) => query.kind === kind).map(({ q }) => q);
  const wrong = asked.filter((q) => answered.has(q));
  return { kind, asked: asked.length, empty: asked.length - wrong.length, answered: wrong };
}

async function countLost(
  engine: Engine,
  ids: readonly string[],
  judged: JudgedCollection | undefined,
): Promise<FloorMeasurement["judged"]> {
  let found = 0;
  let lost = 0;
  if (engine.searchAboveFloor === undefined) return { found, lost };
  for (const { qid, q } of judged?.queries ?? []) {
    const right = judged?.judgements.get(qid);
    const ranked = await engine.search(q, POOL);
    const first = ranked.find((document) => (right?.get(ids[document] ?? "") ?? 0) > 0);
    if (first === undefined) continue;
    found += 1;
    if (!(await answersOf(engine, q)).includes(first)) lost += 1;
  }
  return { found, lost };
}

async function answersOf(engine: Engine, query: string): Promise<readonly number[]> {
  return engine.searchAboveFloor?.(query, POOL) ?? (await engine.search(query, POOL));
}
