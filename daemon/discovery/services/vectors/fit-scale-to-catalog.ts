import { setImmediate as nextTurn } from "node:timers/promises";
import type { CatalogEntry } from "../../../catalog/entries/catalog-entry.ts";
import { OFF_TOPIC_PROBES } from "../../ranking/confidence/off-topic-probes.ts";
import { fitCosineScale, type CosineScale } from "./cosine-scale.ts";
import type { ContentKey } from "./content-cache.ts";
import { endpointText } from "./endpoint-text.ts";
import { forEachInSteps } from "./for-each-in-steps.ts";
import type { NearEndpoints } from "./near-endpoints.ts";
import type { Texts, TextEmbedder } from "./text-embedder.ts";
import { unpackVector } from "./vector-set.ts";

/** The number of endpoints whose asks are used to find the right cosine. */
const CALIBRATION_ENDPOINTS = 100;

export interface FittingParts {
  readonly entries: readonly CatalogEntry[];
  readonly near: NearEndpoints;
  readonly embedder: TextEmbedder;
  readonly keyOf: (text: string) => ContentKey;
  readonly keyOfEntry: (entry: CatalogEntry) => ContentKey;
  readonly isWanted: () => boolean;
}

export interface FittedScale {
  /** Undefined: the model does not separate the two. */
  readonly scale: CosineScale | undefined;
}

/** Tries the model on off-topic sentences, and on asks of this catalog. */
export async function fitScaleToCatalog(parts: FittingParts): Promise<FittedScale | "not wanted"> {
  const { near, embedder, keyOf, isWanted } = parts;
  const pairs = (await sampleOf(parts)).map((entry) => {
    const ask = entry.asks[0] ?? entry.displayName;
    return { ask, text: endpointText(entry, { without: ask }) };
  });
  const probes = [...OFF_TOPIC_PROBES, ...pairs.flatMap(({ ask, text }) => [ask, text])];
  const texts: Texts = new Map(probes.map((text) => [keyOf(text), () => text]));
  const found = new Map<ContentKey, Float32Array>();
  const sink = {
    has: (key: ContentKey) => found.has(key),
    take: (key: ContentKey, packed: Int8Array) => void found.set(key, unpackVector(packed)),
  };
  if (!(await embedder.collect(texts, sink, isWanted))) return "not wanted";

  const vectorOf = (text: string) => found.get(keyOf(text));
  return { scale: fitCosineScale(await bestOfOffTopic(near, vectorOf), ownCosines(pairs, vectorOf)) };
}

type TextVectorOf = (text: string) => Float32Array | undefined;

async function bestOfOffTopic(near: NearEndpoints, vectorOf: TextVectorOf): Promise<number[]> {
  const best: number[] = [];
  for (const sentence of OFF_TOPIC_PROBES) {
    const vector = vectorOf(sentence);
    const [first] = vector === undefined ? [] : near.nearest(vector, { limit: 1, accept: () => true });
    if (first !== undefined) best.push(first.cosine);
    await nextTurn();
  }
  return best;
}

function ownCosines(
  pairs: readonly { readonly ask: string; readonly text: string }[],
  vectorOf: TextVectorOf,
): number[] {
  return pairs.flatMap(({ ask, text }) => {
    const [one, other] = [vectorOf(ask), vectorOf(text)];
    return one === undefined || other === undefined ? [] : dot(one, other);
  });
}

/** A sample of endpoints chosen by their texts, so that it stays nearly the same after the catalog changes. */
async function sampleOf({ entries, keyOfEntry }: FittingParts): Promise<CatalogEntry[]> {
  const share = (2 * CALIBRATION_ENDPOINTS) / Math.max(1, entries.length);
  const drawn: { readonly entry: CatalogEntry; readonly chance: number }[] = [];
  await forEachInSteps(entries, (entry) => {
    const chance = Number.parseInt(keyOfEntry(entry).slice(0, 8), 16) / 2 ** 32;
    if (chance < share) drawn.push({ entry, chance });
  });
  drawn.sort((one, other) => one.chance - other.chance);
  return drawn.slice(0, CALIBRATION_ENDPOINTS).map(({ entry }) => entry);
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, number, place) => sum + number * (other[place] ?? 0), 0);
}
