import type { IndexView } from "../../index/index-view.ts";
import type { Shard } from "../../index/shard/shard.ts";
import { createRowProducts, type RowProducts } from "../../vectors/row-products.ts";

/** By document number: a cosine, −1 to 1; 0 for a document without a vector. */
export type Cosines = Float32Array;

/** The same of one document, by its number. */
export type CosineOf = (document: number) => number;

/** The similarity of documents to a unit vector in the space of the word vectors. */
export interface Similarity {
  /** For all documents of the view. Valid until the next call. */
  toAll(vector: Float32Array): Cosines;
  /** For single documents, on demand. */
  toEach(vector: Float32Array): CosineOf;
}

/** Integers multiply faster, and their sum does not depend on the order. */
const VECTOR_SCALE = 1_000;
const UNSCALED = 1 / VECTOR_SCALE;

/** A provider with more endpoints has no single subject. */
const ONE_SUBJECT = 60;
/** The number of its endpoints that are read. */
const LOOKED_AT = 16;

/** Uses memory that is allocated once. */
export function createSimilarity(view: IndexView): Similarity {
  const cosines = new Float32Array(view.bound);
  return {
    toAll(vector) {
      const query = toWholeNumbers(vector);
      for (const { shard, offset } of view.shards) {
        const { size, vectorScales } = shard;
        const products = productsFor(shard, vector)?.withAll(query);
        if (products === undefined) cosines.fill(0, offset, offset + size);
        else writeCosines(cosines, offset, products, vectorScales);
      }
      return cosines;
    },
    toEach(vector) {
      const query = toWholeNumbers(vector);
      return (document) => {
        const { shard, offset } = view.partOf(document);
        const local = document - offset;
        const product = productsFor(shard, vector)?.with(query, local) ?? 0;
        return cosine(product, shard.vectorScales[local] ?? 0);
      };
    },
  };
}

/** The mean cosine of the provider's endpoints; the document's own when there are too many to have one subject. */
export function providerCosine(view: IndexView, cosines: Cosines, document: number): number {
  const { shard, offset } = view.partOf(document);
  const group = shard.groups[document - offset] ?? 0;
  const [start = 0, end = 0] = [shard.groupStarts[group], shard.groupStarts[group + 1]];
  if (end - start > ONE_SUBJECT) return cosines[document] ?? 0;
  const step = Math.max(1, (end - start) / LOOKED_AT);
  let [sum, looked] = [0, 0];
  for (let local = start; local < end; local += step) {
    sum += cosines[offset + Math.floor(local)] ?? 0;
    looked += 1;
  }
  return sum / looked;
}

function writeCosines(cosines: Cosines, offset: number, products: Int32Array, scales: Float32Array): void {
  for (let local = 0; local < products.length; local += 1) {
    cosines[offset + local] = cosine(products[local] ?? 0, scales[local] ?? 0);
  }
}

function cosine(product: number, scale: number): number {
  return product * scale * UNSCALED;
}

const knownProducts = new WeakMap<Shard, RowProducts>();

/**
 * Made once for a shard, for all views that have it. Undefined when its vectors have another length, or it has none.
 */
function productsFor(shard: Shard, { length }: Float32Array): RowProducts | undefined {
  if (shard.dimensions !== length || length === 0) return undefined;
  const known = knownProducts.get(shard);
  if (known !== undefined) return known;
  const made = createRowProducts({ rows: shard.vectors, width: shard.dimensions });
  knownProducts.set(shard, made);
  return made;
}

function toWholeNumbers(vector: Float32Array): Int16Array {
  const numbers = new Int16Array(vector.length);
  for (let at = 0; at < vector.length; at += 1) numbers[at] = Math.round((vector[at] ?? 0) * VECTOR_SCALE);
  return numbers;
}
