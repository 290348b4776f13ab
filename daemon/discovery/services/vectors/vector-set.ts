/**
 * Vectors of length 1 by key, one byte a number, and which of them are nearest to another.
 *
 * Looking at every number of every vector takes 150 ms for 100,000 vectors of 1,536 numbers, so the order to look in comes
 * from signatures: one bit a number, on which side of the mean of all vectors it lies. The mean has to go first: the vectors
 * of some models all point roughly the same way.
 */
export class VectorSet {
  readonly dimensions: number;
  readonly #words: number;
  readonly #rows = new Map<string, number>();
  readonly #free: number[] = [];
  #used = 0;
  #vectors: Int8Array;
  /** 1 / length of the packed vector. */
  #scales: Float32Array;
  #signatures: Uint32Array;
  #mean: Float32Array;
  /** The number of vectors that the mean was computed from. */
  #meanOf = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#words = Math.ceil(dimensions / 32);
    this.#vectors = new Int8Array(0);
    this.#scales = new Float32Array(0);
    this.#signatures = new Uint32Array(0);
    this.#mean = new Float32Array(dimensions);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The row of a key, valid as long as it is kept; undefined when there is none. */
  rowOf(key: string): number | undefined {
    return this.#rows.get(key);
  }

  /** `packed` has as many bytes as there are dimensions. */
  set(key: string, packed: Int8Array): void {
    const row = this.#rows.get(key) ?? this.#free.pop() ?? this.#used++;
    if (row >= this.#scales.length) this.#grow(Math.max(64, Math.ceil(this.#scales.length * 1.5)));
    this.#rows.set(key, row);
    this.#vectors.set(packed, row * this.dimensions);
    this.#scales[row] = 1 / Math.sqrt(packed.reduce((sum, number) => sum + number * number, 0) || 1);
    this.#sign(row);
  }

  /** Deletes all but these; their rows are reused. */
  retain(keys: { has(key: string): boolean }): void {
    for (const [key, row] of this.#rows) {
      if (keys.has(key)) continue;
      this.#rows.delete(key);
      this.#free.push(row);
    }
  }

  /** Reserves room for this many at once, instead of growing step by step. */
  reserve(count: number): void {
    if (count > this.#scales.length) this.#grow(count);
  }

  /** Recomputes the mean when there are twice as many vectors as it was computed from; yields now and then. */
  *settle(): Generator<void> {
    if (this.size < this.#meanOf * 2) return;
    const rowsAStep = Math.ceil(NUMBERS_A_STEP / this.dimensions);
    const sums = new Float64Array(this.dimensions);
    let seen = 0;
    for (const row of this.#rows.values()) {
      const scale = this.#scales[row] ?? 0;
      for (let place = 0, at = row * this.dimensions; place < this.dimensions; place += 1, at += 1) {
        sums[place] = (sums[place] ?? 0) + (this.#vectors[at] ?? 0) * scale;
      }
      if (++seen % rowsAStep === 0) yield;
    }
    this.#mean = Float32Array.from(sums, (sum) => sum / Math.max(1, seen));
    this.#meanOf = seen;
    for (const row of this.#rows.values()) {
      this.#sign(row);
      if (++seen % rowsAStep === 0) yield;
    }
  }

  /** −1 to 1. */
  cosine(query: Float32Array, row: number): number {
    const from = row * this.dimensions;
    let sum = 0;
    for (let place = 0; place < this.dimensions; place += 1) {
      sum += (query[place] ?? 0) * (this.#vectors[from + place] ?? 0);
    }
    return sum * (this.#scales[row] ?? 0);
  }

  /** Indexes into `rows` (−1: none), ordered by likely distance, nearest first; those without a row are left out. */
  likelyNearest(query: Float32Array, rows: Int32Array): Uint32Array {
    const signature = new Uint32Array(this.#words);
    const bitsOf = (place: number) => ((query[place] ?? 0) > (this.#mean[place] ?? 0) ? 1 : 0);
    for (let place = 0; place < this.dimensions; place += 1) {
      signature[place >>> 5] = (signature[place >>> 5] ?? 0) | (bitsOf(place) << (place & 31));
    }
    const distances = new Uint16Array(rows.length);
    const starts = new Uint32Array(this.dimensions + 2);
    for (let place = 0; place < rows.length; place += 1) {
      const row = rows[place] ?? -1;
      if (row < 0) continue;
      const distance = this.#distance(signature, row);
      distances[place] = distance;
      starts[distance + 1] = (starts[distance + 1] ?? 0) + 1;
    }
    for (let distance = 1; distance < starts.length; distance += 1) {
      starts[distance] = (starts[distance] ?? 0) + (starts[distance - 1] ?? 0);
    }
    const ordered = new Uint32Array(starts[this.dimensions + 1] ?? 0);
    for (let place = 0; place < rows.length; place += 1) {
      if ((rows[place] ?? -1) < 0) continue;
      const distance = distances[place] ?? 0;
      const at = starts[distance] ?? 0;
      ordered[at] = place;
      starts[distance] = at + 1;
    }
    return ordered;
  }

  /** The number of bits in which a row differs. */
  #distance(signature: Uint32Array, row: number): number {
    const from = row * this.#words;
    let distance = 0;
    for (let word = 0; word < this.#words; word += 1) {
      distance += countBits((this.#signatures[from + word] ?? 0) ^ (signature[word] ?? 0));
    }
    return distance;
  }

  #sign(row: number): void {
    const scale = this.#scales[row] ?? 0;
    const [from, signatureFrom] = [row * this.dimensions, row * this.#words];
    this.#signatures.fill(0, signatureFrom, signatureFrom + this.#words);
    for (let place = 0; place < this.dimensions; place += 1) {
      if ((this.#vectors[from + place] ?? 0) * scale <= (this.#mean[place] ?? 0)) continue;
      const word = signatureFrom + (place >>> 5);
      this.#signatures[word] = (this.#signatures[word] ?? 0) | (1 << (place & 31));
    }
  }

  #grow(rows: number): void {
    const [vectors, scales, signatures] = [this.#vectors, this.#scales, this.#signatures];
    this.#vectors = new Int8Array(rows * this.dimensions);
    this.#vectors.set(vectors);
    this.#scales = new Float32Array(rows);
    this.#scales.set(scales);
    this.#signatures = new Uint32Array(rows * this.#words);
    this.#signatures.set(signatures);
  }
}

/** Numbers that a step of `settle` processes: some milliseconds. */
const NUMBERS_A_STEP = 200_000;

/** A vector with one byte for each number; only its direction is kept. */
export function packVector(vector: Float32Array): Int8Array {
  const largest = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  return Int8Array.from(vector, (number) => Math.round((number / (largest || 1)) * 127));
}

/** The unit vector of packed bytes. */
export function unpackVector(packed: Int8Array): Float32Array {
  const length = Math.sqrt(packed.reduce((sum, number) => sum + number * number, 0)) || 1;
  return Float32Array.from(packed, (number) => number / length);
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
