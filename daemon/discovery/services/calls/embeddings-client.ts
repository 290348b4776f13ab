import { isRecord } from "../../../../shared/is-record.ts";
import { nonsense, placeOf } from "./answer-shape.ts";
import type { ServiceCaller } from "./service-caller.ts";

/** Texts → vectors of length 1, by an endpoint of the OpenAI shape (`POST {url}/embeddings`). */
export interface EmbeddingsClient {
  /** One vector for each text, in the same order, all of the same dimensions. Rejects with `ServiceFailed`. */
  embed(texts: readonly string[], limits: { readonly timeoutMs: number }): Promise<Float32Array[]>;
  close(): Promise<void>;
}

const MAX_DIMENSIONS = 8_192;
/** A generous size for one number of a vector in JSON. */
const BYTES_PER_NUMBER = 24;
const BYTES_BESIDE_VECTORS = 65_536;
const VALUES_BESIDE_VECTORS = 4_096;

export function createEmbeddingsClient({
  caller,
  model,
}: {
  readonly caller: ServiceCaller;
  readonly model: string;
}): EmbeddingsClient {
  return {
    async embed(texts, { timeoutMs }) {
      const maxResponseBytes = BYTES_BESIDE_VECTORS + texts.length * MAX_DIMENSIONS * BYTES_PER_NUMBER;
      const maxValues = VALUES_BESIDE_VECTORS + texts.length * MAX_DIMENSIONS;
      const answer = await caller.post({ model, input: texts }, { timeoutMs, maxResponseBytes, maxValues });
      return readEmbeddings(answer, texts.length);
    },
    close: () => caller.close(),
  };
}

/** The vectors of an answer by the `index` of their text. Throws ServiceFailed when the answer is not what was asked. */
export function readEmbeddings(answer: unknown, count: number): Float32Array[] {
  const data = isRecord(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data)) throw nonsense("its answer has no list `data`");
  if (data.length !== count) throw nonsense(`it gives ${data.length} vectors for ${count} texts`);
  const taken = new Set<number>();
  const ordered: Float32Array[] = [];
  for (const [place, item] of data.entries()) {
    if (!isRecord(item)) throw nonsense("its answer has a vector that is none");
    const index = placeOf(item["index"] ?? place, count, taken);
    taken.add(index);
    ordered[index] = toUnit(readNumbers(item["embedding"]));
  }
  const dimensions = ordered[0]?.length ?? 0;
  if (ordered.some(({ length }) => length !== dimensions)) throw nonsense("its vectors are of different lengths");
  return ordered;
}

/** A list of numbers, or float32 in little-endian base64. */
function readNumbers(embedding: unknown): Float32Array {
  const numbers = typeof embedding === "string" ? decodeBase64(embedding) : embedding;
  if (!(numbers instanceof Float32Array) && !Array.isArray(numbers))
    throw nonsense("its answer has a vector that is none");
  if (numbers.length < 2 || numbers.length > MAX_DIMENSIONS) {
    throw nonsense(`its vectors have ${numbers.length} numbers, not 2 to ${MAX_DIMENSIONS}`);
  }
  const isNumeric = numbers instanceof Float32Array || numbers.every((number) => typeof number === "number");
  const vector = isNumeric ? Float32Array.from(numbers) : undefined;
  // Rejects numbers that are too large for four bytes, too.
  if (vector?.every(Number.isFinite) === true) return vector;
  throw nonsense("its answer has a vector of what are no numbers");
}

function decodeBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length % 4 !== 0) throw nonsense("its answer has a vector that is none");
  return Float32Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readFloatLE(place * 4));
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  if (!Number.isFinite(length) || length === 0) throw nonsense("its answer has a vector without a direction");
  return vector.map((number) => number / length);
}
