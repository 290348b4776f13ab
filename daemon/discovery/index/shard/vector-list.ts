import type { Shard } from "./shard.ts";

const MAX = 127;

/** Document vectors, with a byte for each number and a scale for each document. */
export class VectorList {
  dimensions = 0;
  #count = 0;
  #vectors = new Int8Array(0);
  #scales = new Float32Array(0);

  add(vector: Float32Array | undefined): void {
    const [at, place] = this.#nextPlace(vector?.length ?? 0);
    if (vector === undefined) return;
    let longest = 0;
    for (const number of vector) longest = Math.max(longest, Math.abs(number));
    if (longest === 0) return;
    this.#scales[at] = longest / MAX;
    for (let dimension = 0; dimension < vector.length; dimension += 1) {
      this.#vectors[place + dimension] = Math.round(((vector[dimension] ?? 0) * MAX) / longest);
    }
  }

  /** Copies it unchanged. */
  addFrom({ vectors, vectorScales, dimensions }: Shard, document: number): void {
    const [at, place] = this.#nextPlace(dimensions);
    if (dimensions === 0) return;
    this.#scales[at] = vectorScales[document] ?? 0;
    this.#vectors.set(vectors.subarray(document * dimensions, (document + 1) * dimensions), place);
  }

  /** Empty when no document has a vector. */
  views(): { readonly vectors: Int8Array; readonly vectorScales: Float32Array } {
    const count = this.dimensions === 0 ? 0 : this.#count;
    return {
      vectors: this.#vectors.subarray(0, count * this.dimensions),
      vectorScales: this.#scales.subarray(0, count),
    };
  }

  #nextPlace(dimensions: number): readonly [number, number] {
    if (dimensions > 0) {
      if (this.dimensions === 0) this.dimensions = dimensions;
      else if (this.dimensions !== dimensions)
        throw new Error(`a vector of ${dimensions} among those of ${this.dimensions}`);
    }
    const at = this.#count;
    this.#count += 1;
    this.#makeRoom();
    return [at, at * this.dimensions];
  }

  #makeRoom(): void {
    if (this.dimensions === 0 || this.#scales.length >= this.#count) return;
    const room = Math.max(64, this.#count * 2);
    const [vectors, scales] = [new Int8Array(room * this.dimensions), new Float32Array(room)];
    vectors.set(this.#vectors);
    scales.set(this.#scales);
    this.#vectors = vectors;
    this.#scales = scales;
  }
}
