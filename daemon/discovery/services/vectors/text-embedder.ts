import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { nonsense } from "../calls/answer-shape.ts";
import type { Circuit } from "../calls/circuit.ts";
import type { ContentCache, ContentKey } from "./content-cache.ts";
import type { EmbeddingsClient } from "../calls/embeddings-client.ts";
import { ServiceFailed } from "../calls/service-failed.ts";
import { packVector } from "./vector-set.ts";

/** Many texts → their vectors, from the disk or else from the service, however long that takes. */
export interface TextEmbedder {
  /**
   * Passes the vector of each text to the sink, except for texts that the service rejects. Resolves to false as soon as
   * it is no longer wanted; vectors received by then are kept.
   */
  collect(texts: Texts, sink: VectorSink, isWanted: () => boolean): Promise<boolean>;
  /** What it is waiting for. */
  progress(): string;
}

/** Key → its text, made when it is needed. */
export type Texts = ReadonlyMap<ContentKey, () => string>;

export interface VectorSink {
  has(key: ContentKey): boolean;
  take(key: ContentKey, packed: Int8Array): void;
}

export interface TextEmbedderParts {
  readonly client: Pick<EmbeddingsClient, "embed">;
  /** For the background work alone. */
  readonly circuit: Circuit;
  readonly cache: ContentCache;
  readonly closing: AbortSignal;
  /** Called when the service rests for a while. */
  readonly onPause: () => void;
}

interface Text {
  readonly key: ContentKey;
  readonly text: () => string;
}

const BATCH_TEXTS = 64;
const BATCH_TIMEOUT_MS = 60_000;
/** After a failure that does not make the circuit rest. */
const PAUSE_MS = 1_000;
/** Between attempts at a service that accepts nothing. */
const LONG_PAUSE_MS = 60_000;
const REJECTIONS_BEFORE_PAUSE = 3;
/** Texts between two yields to other work in this thread. */
const STEP_TEXTS = 200;
/** The number of times that a text is sent alone before it is skipped. */
const ATTEMPTS_ALONE = 2;

export function createTextEmbedder({ client, circuit, cache, closing, onPause }: TextEmbedderParts): TextEmbedder {
  /** The number of times that each was rejected when sent alone. */
  const rejections = new Map<ContentKey, number>();
  let dimensions: number | undefined;
  let progress = "the catalog was not read yet";

  async function pause(ms: number): Promise<void> {
    onPause();
    await delay(ms, undefined, { signal: closing, ref: false }).catch(() => {});
  }

  /** Undefined when there is none, or it comes from an earlier model of the same name. */
  async function findKept(key: ContentKey): Promise<Int8Array | undefined> {
    const kept = await cache.find(key);
    if (kept === undefined || kept.length !== (dimensions ?? kept.length)) return undefined;
    dimensions = kept.length;
    return Int8Array.from(new Int8Array(kept.buffer, kept.byteOffset, kept.length));
  }

  /** Why there are no vectors; undefined when the sink has them. */
  async function embedBatch(batch: readonly Text[], sink: VectorSink): Promise<ServiceFailed | undefined> {
    try {
      const texts = batch.map(({ text }) => text());
      const packed = await circuit.run(async () => {
        const vectors = await client.embed(texts, { timeoutMs: BATCH_TIMEOUT_MS });
        assertDimensions(vectors, dimensions);
        return vectors.map(packVector);
      });
      const records = batch.flatMap(({ key }, place) => {
        const vector = packed[place];
        return vector === undefined ? [] : { key, vector };
      });
      dimensions = packed[0]?.length;
      for (const { key, vector } of records) sink.take(key, vector);
      await cache.put(records.map(({ key, vector }) => ({ key, value: new Uint8Array(vector.buffer) })));
      return undefined;
    } catch (error) {
      if (error instanceof ServiceFailed) return error;
      throw error;
    }
  }

  /** Moves the first to the end, until it was rejected too often. */
  function putOff(queue: Text[]): void {
    const first = queue.shift();
    if (first === undefined) return;
    const times = (rejections.get(first.key) ?? 0) + 1;
    rejections.set(first.key, times);
    if (times < ATTEMPTS_ALONE) queue.push(first);
  }

  async function embedAll(queue: Text[], sink: VectorSink, isWanted: () => boolean): Promise<boolean> {
    const all = queue.length;
    let batchTexts = BATCH_TEXTS;
    let rejectedAlone = 0;
    while (queue.length > 0) {
      if (!isWanted()) return false;
      progress = `the catalog's vectors are being made: ${all - queue.length} of ${all}`;
      const batch = queue.slice(0, batchTexts);
      const failure = await embedBatch(batch, sink);
      if (failure === undefined) {
        queue.splice(0, batch.length);
        batchTexts = Math.min(BATCH_TEXTS, batchTexts * 2);
        rejectedAlone = 0;
      } else if (failure.kind !== "rejected") {
        progress = `${progress}; ${failure.message}`;
        await pause(Math.max(circuit.restMs(), PAUSE_MS));
      } else if (batch.length > 1) {
        // One of them is too long, or rejected for another reason.
        batchTexts = Math.ceil(batch.length / 4);
      } else {
        putOff(queue);
        if (++rejectedAlone % REJECTIONS_BEFORE_PAUSE === 0) await pause(LONG_PAUSE_MS);
      }
    }
    return true;
  }

  return {
    progress: () => progress,
    async collect(texts, sink, isWanted) {
      progress = "the catalog's vectors are being read";
      const missing: Text[] = [];
      let looked = 0;
      for (const [key, text] of texts) {
        if (++looked % STEP_TEXTS === 0) await nextTurn();
        if (sink.has(key)) continue;
        const kept = await findKept(key);
        if (kept !== undefined) sink.take(key, kept);
        else if ((rejections.get(key) ?? 0) < ATTEMPTS_ALONE) missing.push({ key, text });
        if (!isWanted()) return false;
      }
      return await embedAll(missing, sink, isWanted);
    },
  };
}

/** Throws ServiceFailed: vectors with different dimensions cannot be compared. */
export function assertDimensions(vectors: readonly Float32Array[], dimensions: number | undefined): void {
  const other = vectors.find(({ length }) => length !== (dimensions ?? length));
  if (other === undefined) return;
  throw nonsense(`its vectors have ${other.length} numbers, those of the catalog ${dimensions}`);
}
