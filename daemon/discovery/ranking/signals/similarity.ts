import type { IndexView } from "../../index/index-view.ts";
import type { Shard } from "../../index/shard/shard.ts";
import { createRowProducts, type RowProducts } from "../../vectors/row-products.ts";

/** By document number: a cosine, −1 to 1; 0 for a document without a vector. */
export type Cosines = Float32Array;

/** The same of one document, by its number. */
export type CosineOf = (document: number) => number;

/** How near documents are to a vector of length 1 in the space of the word vectors. */
export interface Similarity {
  /** All documents of the view. Valid until this is asked again. */
  toAll(vector: Float32Array): Cosines;
  /** One document, whenever it is asked for. */
  toEach(vector: Float32Array): CosineOf;
}

/** Whole numbers multiply faster, and their sum is the same in any order. */
const VECTOR_SCALE = 1_000;
const UNSCALED = 1 / VECTOR_SCALE;

/** In memory that is taken once. */
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

function writeCosines(cosines: Cosines, offset: number, products: Int32Array, scales: Float32Array): void {
  for (let local = 0; local < products.length; local += 1) {
    cosines[offset + local] = cosine(products[local] ?? 0, scales[local] ?? 0);
  }
}

function cosine(product: number, scale: number): number {
  return product * scale * UNSCALED;
}

const knownProducts = new WeakMap<Shard, RowProducts>();

/** Made once for a shard, whichever views it is in. Undefined where its vectors are of another kind, or it has none. */
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
