import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { type CosineScale, meaningScore } from "./vectors/cosine-scale.ts";
import type { CatalogVectors, EmbeddedCatalog } from "./vectors/catalog-vectors.ts";
import type { Circuit } from "./calls/circuit.ts";
import type { ContentCache, ContentKey } from "./vectors/content-cache.ts";
import type { EmbeddingsClient } from "./calls/embeddings-client.ts";
import { fuseMeaning, fuseUncalibrated } from "./fusion.ts";
import type { RefineQuestion, RefineStep, StepLimits } from "./search-services.ts";
import { assertDimensions } from "./vectors/text-embedder.ts";
import { packVector, unpackVector } from "./vectors/vector-set.ts";

export interface RefineByMeaningParts {
  readonly client: Pick<EmbeddingsClient, "embed">;
  /** For queries alone, because a caller waits for these. */
  readonly circuit: Circuit;
  /** For queries alone, so that they do not evict the catalog. */
  readonly cache: ContentCache;
  readonly keyOf: (text: string) => ContentKey;
  readonly vectors: Pick<CatalogVectors, "embedded">;
  /** The score by words that separates matches from the rest, whatever floor is set. */
  readonly honestFloor: number;
}

/** Finds endpoints whose meaning is close to the query's, with or without its words. */
export function createRefineByMeaning(parts: RefineByMeaningParts): RefineStep {
  const { client, circuit, cache, keyOf, honestFloor } = parts;

  async function vectorOf(q: string, dimensions: number, { timeoutMs }: StepLimits): Promise<Float32Array> {
    const key = keyOf(q);
    const kept = await cache.find(key);
    if (kept?.length === dimensions) return unpackVector(new Int8Array(kept.buffer, kept.byteOffset, kept.length));
    const [packed = new Int8Array(dimensions)] = await circuit.run(async () => {
      const vectors = await client.embed([q], { timeoutMs });
      assertDimensions(vectors, dimensions);
      return vectors.map(packVector);
    });
    void cache.put([{ key, value: new Uint8Array(packed.buffer) }]);
    return unpackVector(packed);
  }

  return {
    name: "embeddings",
    async refine(ranked, question, limits) {
      const catalog = parts.vectors.embedded();
      const query = await vectorOf(question.q, catalog.near.dimensions, limits);
      const cosines = cosinesOf(query, question, catalog);
      const meanings = scoresOf(cosines, catalog.scale, honestFloor);
      const fused = catalog.scale === undefined ? fuseUncalibrated(ranked, cosines) : fuseMeaning(ranked, meanings);
      return fused.map(({ item, score }) => {
        const meaning = meanings.get(item);
        return { item, score, byServices: meaning === undefined ? [] : [{ name: "embeddings", score: meaning }] };
      });
    },
  };
}

type EndpointCosines = ReadonlyMap<CatalogEntry, number>;

/** For the nearest endpoints, and for those that words found. */
function cosinesOf(
  query: Float32Array,
  { byWords, limit, accept }: RefineQuestion,
  { near }: EmbeddedCatalog,
): EndpointCosines {
  const cosines = new Map<CatalogEntry, number>();
  for (const { entry, cosine } of near.nearest(query, { limit, accept })) cosines.set(entry, cosine);
  for (const { item } of byWords) {
    const cosine = near.cosine(query, item);
    if (cosine !== undefined) cosines.set(item, cosine);
  }
  return cosines;
}

/** The score by meaning alone; without a known scale, the cosine itself if it is above 0. */
function scoresOf(cosines: EndpointCosines, scale: CosineScale | undefined, honestFloor: number): EndpointCosines {
  const scoreOf = (cosine: number) =>
    scale === undefined ? Math.max(0, cosine) : meaningScore(cosine, scale, honestFloor);
  return new Map([...cosines].map(([entry, cosine]) => [entry, scoreOf(cosine)]));
}
