import { setImmediate as nextTurn } from "node:timers/promises";
import type { CatalogEntry } from "../../../catalog/entries/catalog-entry.ts";
import type { CosineScale } from "./cosine-scale.ts";
import { fitScaleToCatalog } from "./fit-scale-to-catalog.ts";
import type { Circuit } from "../calls/circuit.ts";
import type { ContentCache, ContentKey } from "./content-cache.ts";
import type { EmbeddingsClient } from "../calls/embeddings-client.ts";
import { endpointText } from "./endpoint-text.ts";
import { forEachInSteps } from "./for-each-in-steps.ts";
import { createNearEndpoints, type NearEndpoints } from "./near-endpoints.ts";
import { ServiceFailed } from "../calls/service-failed.ts";
import { createTextEmbedder, type Texts } from "./text-embedder.ts";
import { VectorSet } from "./vector-set.ts";

/** The vectors of a catalog, made and kept up to date in the background. */
export interface CatalogVectors {
  /** Takes the current catalog; only texts without a vector are sent. Returns at once. */
  follow(entries: readonly CatalogEntry[]): void;
  /** The last catalog that was embedded completely. Throws `ServiceFailed` of the kind "unready" until there is one. */
  embedded(): EmbeddedCatalog;
  /** Resolves when nothing is left to do, or the service rests. For tests. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface EmbeddedCatalog {
  readonly near: NearEndpoints;
  /** Undefined when the model does not separate the catalog's asks from off-topic sentences. */
  readonly scale: CosineScale | undefined;
}

export interface CatalogVectorsParts {
  readonly client: EmbeddingsClient;
  /** For the background work alone. */
  readonly circuit: Circuit;
  readonly cache: ContentCache;
  readonly keyOf: (text: string) => ContentKey;
  /** Called for unexpected errors; the work continues with the next catalog. */
  readonly onError: (error: unknown) => void;
}

export function createCatalogVectors(parts: CatalogVectorsParts): CatalogVectors {
  const closing = new AbortController();
  /** An entry is immutable; a change makes a new one. */
  const keys = new WeakMap<CatalogEntry, ContentKey>();
  let wanted: readonly CatalogEntry[] | undefined;
  let followed: readonly CatalogEntry[] | undefined;
  let working: Promise<void> | undefined;
  let vectors: VectorSet | undefined;
  let current: EmbeddedCatalog | undefined;
  let whyNone: string | undefined;
  let idlers: (() => void)[] = [];

  function tellIdlers(): void {
    const told = idlers;
    idlers = [];
    for (const tell of told) tell();
  }

  const embedder = createTextEmbedder({ ...parts, closing: closing.signal, onPause: tellIdlers });

  const keyOfEntry = (entry: CatalogEntry): ContentKey => {
    const key = keys.get(entry) ?? parts.keyOf(endpointText(entry));
    keys.set(entry, key);
    return key;
  };

  async function textsOf(entries: readonly CatalogEntry[]): Promise<Texts> {
    const texts = new Map<ContentKey, () => string>();
    await forEachInSteps(entries, (entry) => texts.set(keyOfEntry(entry), () => endpointText(entry)));
    return texts;
  }

  async function embed(texts: Texts, isWanted: () => boolean): Promise<boolean> {
    const sink = {
      has: (key: ContentKey) => vectors?.rowOf(key) !== undefined,
      take(key: ContentKey, packed: Int8Array) {
        vectors ??= new VectorSet(packed.length);
        vectors.reserve(texts.size);
        vectors.set(key, packed);
      },
    };
    return await embedder.collect(texts, sink, isWanted);
  }

  /** False when a newer catalog replaced this one meanwhile. */
  async function followOnce(entries: readonly CatalogEntry[], isWanted: () => boolean): Promise<boolean> {
    const texts = await textsOf(entries);
    if (!(await embed(texts, isWanted))) return false;
    if (vectors === undefined) {
      whyNone = entries.length === 0 ? "the catalog is empty" : "it takes none of the catalog's texts";
      return true;
    }
    for (const _ of vectors.settle()) await nextTurn();
    const near = await createNearEndpoints(vectors, entries, keyOfEntry);
    const { keyOf } = parts;
    const told = await fitScaleToCatalog({ entries, near, embedder, keyOf, keyOfEntry, isWanted });
    if (told === "not wanted") return false;
    current = { near, scale: told.scale };
    // Only now, because until here the previous catalog used the rows, too.
    vectors.retain(texts);
    return true;
  }

  const isBehind = () => !closing.signal.aborted && wanted !== followed;

  async function work(): Promise<void> {
    while (isBehind()) {
      const entries = wanted ?? [];
      whyNone = undefined;
      const isDone = await followOnce(entries, () => !closing.signal.aborted && wanted === entries);
      if (isDone) followed = entries;
    }
    working = undefined;
  }

  return {
    follow(entries) {
      wanted = entries;
      if (working !== undefined || !isBehind()) return;
      working = work()
        .catch((error: unknown) => {
          working = undefined;
          parts.onError(error);
        })
        .finally(tellIdlers);
    },
    embedded() {
      if (current === undefined) throw new ServiceFailed("unready", whyNone ?? embedder.progress());
      return current;
    },
    async idle() {
      if (working !== undefined) await new Promise<void>((resolve) => idlers.push(resolve));
    },
    async close() {
      closing.abort();
      await parts.client.close();
      await working;
      await parts.cache.close();
    },
  };
}
