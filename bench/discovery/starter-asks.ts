import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildShard, runAtOnce } from "../../daemon/discovery/index/shard/build-shard.ts";
import { viewOf } from "../../daemon/discovery/index/index-view.ts";
import { calibrateInSteps } from "../../daemon/discovery/ranking/confidence/calibration.ts";
import { leadsOf } from "../../daemon/discovery/ranking/confidence/chance.ts";
import { createConfidence, createSignReading } from "../../daemon/discovery/ranking/confidence/confidence.ts";
import { confidenceOfMatch } from "../../daemon/discovery/ranking/confidence/confidence-of.ts";
import { createRanker } from "../../daemon/discovery/ranking/scoring/rank.ts";
import type { Lead } from "../../daemon/discovery/ranking/weights/chance-weights.ts";
import type { Sign } from "../../daemon/discovery/ranking/weights/confidence-weights.ts";
import { loadWordVectors } from "../../daemon/discovery/vectors/load-word-vectors.ts";
import type { ConfidenceWord } from "../../shared/contract/discovery.ts";
import { loadBundledExpansion } from "./bundled-thesaurus.ts";
import { firstRight, mean } from "./metrics.ts";
import { modelFolderFor } from "./train/model-places.ts";
import { openStarter } from "./subject.ts";
import { table } from "./tables.ts";

/** The files of `test/discovery/asks`, by what they are; the last three are held back. */
const SETS = [
  ["everyday asks", "asks", "offtopic"],
  ["in other words", "other-words", "other-words-lacking"],
  ["in six languages", "other-languages", "other-languages-lacking"],
  ["needs, in view", "needs-in-view", "needs-in-view-lacking"],
  ["held back, November", "held-back", "held-back-lacking"],
  ["held back, new", "fresh", "fresh-lacking"],
  ["needs, held back", "needs-unseen", "needs-unseen-lacking"],
] as const;
const HELD_BACK = SETS.slice(-3).map(([name]) => name as string);

/** What came of an ask that is put to the starter catalog, in this process. */
export interface AskOutcome {
  readonly set: string;
  readonly isServed: boolean;
  /** The place of the first right answer, from 1; absent where there is none among all. */
  readonly place?: number;
  /** Of the first answer; absent where there is none. */
  readonly word?: ConfidenceWord;
  /** Absent too where it does something else than is wanted: its chance is fixed. */
  readonly signs?: Readonly<Record<Sign | Lead, number>>;
}

/** One line of the files: what is right, of an ask that something serves. */
interface Line {
  readonly q: string;
  readonly right?: readonly { readonly provider: string; readonly endpoint: string; readonly rel: number }[];
}

const POOL = 200;

/** Asks everything, whatever is set up: what is judged is the order. */
export async function askStarterCatalog(projectDir: string): Promise<AskOutcome[]> {
  const { ids, documents } = await openStarter(projectDir);
  const kept = [...documents()];
  const vectors = await loadWordVectors(modelFolderFor(projectDir, ""));
  const view = viewOf(buildShard(kept, { vectorOf: (stems) => vectors.documentVector(stems) }));
  const ranker = createRanker(view, { vectors, expand: await loadBundledExpansion(projectDir) });
  const catalog = { ...runAtOnce(calibrateInSteps(ranker, view.size)), size: view.size };
  const [readSigns, judge] = [createSignReading(), createConfidence()];
  const ask = (set: string, { q, right }: Line): AskOutcome => {
    const ranking = ranker.rank(q, { limit: POOL, shapeOf: (document) => kept[document]?.shape });
    const [first] = ranking.candidates;
    const [judged] = judge(q, ranking, catalog);
    const names = ranking.candidates.map(({ document }) => ids[document] ?? "");
    const place = right && firstRight(new Map(right.map((one) => [one.provider + one.endpoint, one.rel])), names);
    return {
      set,
      isServed: right !== undefined,
      ...(place !== undefined && { place }),
      ...(judged !== undefined && { word: confidenceOfMatch({ ...judged, isBest: true }) }),
      ...(first?.fit.otherEffect === 0 && {
        signs: { ...readSigns(q, ranking, catalog)(first), ...leadsOf(ranking.candidates) },
      }),
    };
  };
  return SETS.flatMap(([set, ...files]) =>
    files.flatMap((file) => readLines(projectDir, file).map((line) => ask(set, line))),
  );
}

export function isHeldBack({ set }: AskOutcome): boolean {
  return HELD_BACK.includes(set);
}

/** First right, among three, how far the words can be relied on, and what nothing serves and is told; in per cent. */
export function asksTable(outcomes: readonly AskOutcome[]): string {
  const percent = (some: readonly AskOutcome[], holds: (outcome: AskOutcome) => boolean) =>
    some.length === 0 ? "–" : (100 * mean(some.map((outcome) => (holds(outcome) ? 1 : 0)))).toFixed(1);
  const isFirst = ({ place }: AskOutcome) => place === 1;
  return table([
    ["asks", "n", "first right", "among three", "not weak", "strong", "of these right", "lacking", "told"],
    ...SETS.map(([name]) => {
      const own = outcomes.filter(({ set }) => set === name);
      const [served, lacking] = [own.filter(({ isServed }) => isServed), own.filter(({ isServed }) => !isServed)];
      const strong = own.filter(({ word }) => word === "strong");
      return [
        name,
        String(served.length),
        percent(served, isFirst),
        percent(served, ({ place = POOL }) => place <= 3),
        percent(served, ({ word }) => word !== undefined && word !== "weak"),
        String(strong.length),
        percent(strong, isFirst),
        String(lacking.length),
        percent(lacking, ({ word }) => word === undefined || word === "weak"),
      ];
    }),
  ]);
}

function readLines(projectDir: string, name: string): Line[] {
  return readFileSync(join(projectDir, "test", "discovery", "asks", `${name}.ndjson`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}
