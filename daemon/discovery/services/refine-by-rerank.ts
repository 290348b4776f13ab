import type { Circuit } from "./calls/circuit.ts";
import type { ContentCache, ContentKey } from "./vectors/content-cache.ts";
import { cutAt, endpointText } from "./vectors/endpoint-text.ts";
import { fuseRerank } from "./fusion.ts";
import type { RerankClient, RerankResult } from "./calls/rerank-client.ts";
import type { RefinedEntry, RefineStep, StepLimits } from "./search-services.ts";
import { ServiceFailed } from "./calls/service-failed.ts";

export interface RefineByRerankParts {
  readonly client: Pick<RerankClient, "rerank">;
  readonly circuit: Circuit;
  readonly cache: ContentCache;
  readonly keyOf: (q: string, documents: readonly string[]) => ContentKey;
}

/** Rerankers take a tenth of a second for this many. */
const RERANKED = 50;
const MAX_CHARACTERS = 1_000;

/** Reorders the best of the ranking as a reranker says. */
export function createRefineByRerank({ client, circuit, cache, keyOf }: RefineByRerankParts): RefineStep {
  async function judge(q: string, documents: readonly string[], limits: StepLimits): Promise<readonly RerankResult[]> {
    const key = keyOf(q, documents);
    const kept = await cache.find(key);
    if (kept !== undefined) return JSON.parse(Buffer.from(kept).toString()) as RerankResult[];
    const results = await circuit.run(() => client.rerank(q, documents, limits));
    void cache.put([{ key, value: Buffer.from(JSON.stringify(results)) }]);
    return results;
  }

  return {
    name: "rerank",
    async refine(ranked, { q, floor }, limits) {
      const best = ranked.slice(0, RERANKED);
      const shown = best.filter(({ score }) => score >= floor).length;
      // Scores stay in place, so that reranking would have no other effect either.
      if (shown === 0 || best.length < 2) throw new ServiceFailed("unready", "there is nothing to put in order");
      const documents = best.map(({ item }) => cutAt(endpointText(item), MAX_CHARACTERS));
      const judged = new Map((await judge(q, documents, limits)).map(({ index, score }) => [index, score]));
      const told = new Map(best.map((entry, place) => [entry.item, scoresOf(entry, judged.get(place))]));
      const ordered = fuseRerank(best, judged).map((found) => ({ ...found, byServices: told.get(found.item) ?? [] }));
      return [...ordered, ...ranked.slice(RERANKED)];
    },
  };
}

function scoresOf({ byServices }: RefinedEntry, judgement: number | undefined): RefinedEntry["byServices"] {
  return judgement === undefined ? byServices : [...byServices, { name: "rerank", score: judgement }];
}
