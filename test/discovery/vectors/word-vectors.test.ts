import { describe, expect, test } from "vitest";
import {
  decodeWordTable,
  encodeWordTable,
  toByteRow,
  WordTableBroken,
  type WordTable,
} from "../../../daemon/discovery/vectors/word-table.ts";
import { createWordVectors } from "../../../daemon/discovery/vectors/word-vectors.ts";

/** Weather is the first direction, money the second; "api" says little of anything. */
const table = tableOf({
  forecast: { vector: [1, 0, 0], weight: 4 },
  weather: { vector: [0.9, 0.1, 0], weight: 4 },
  currenc: { vector: [0, 1, 0], weight: 4 },
  exchang: { vector: [0.1, 0.9, 0], weight: 4 },
  api: { vector: [0, 0, 1], weight: 0.1 },
});
const vectors = createWordVectors(table);

describe("vectors of queries and documents", () => {
  test("a query and a document that share no word are near when their words are", () => {
    const query = vectors.queryVector([{ stems: ["weather"], weight: 1 }]);

    const near = cosine(query, vectors.documentVector({ name: ["forecast"] }));
    const far = cosine(query, vectors.documentVector({ name: ["currenc"] }));

    expect(near).toBeGreaterThan(0.9);
    expect(far).toBeLessThan(0.2);
  });

  test("they are unit vectors, however long the text", () => {
    const query = vectors.queryVector([
      { stems: ["weather"], weight: 1 },
      { stems: ["api"], weight: 0.2 },
    ]);
    const document = vectors.documentVector({ name: ["forecast"], description: Array(500).fill("currenc") });

    expect(cosine(query, query)).toBeCloseTo(1, 5);
    expect(cosine(document, document)).toBeCloseTo(1, 5);
  });

  test("words without a vector change nothing, and alone give zeros", () => {
    const known = { stems: ["weather"], weight: 1 };
    const unknown = { stems: ["blorf", "snirkl"], weight: 1 };

    expect(vectors.queryVector([known, unknown])).toEqual(vectors.queryVector([known]));
    expect(vectors.queryVector([unknown])).toEqual(new Float32Array(3));
    expect(vectors.documentVector({ description: ["blorf"] })).toEqual(new Float32Array(3));
    expect(vectors.rowOf("blorf")).toBe(-1);
  });

  test("a name says more than a parameter", () => {
    const document = vectors.documentVector({ name: ["forecast"], parameters: ["currenc"] });

    expect(cosine(document, axis(0))).toBeGreaterThan(2 * cosine(document, axis(1)));
  });

  test("a word that is said five hundred times does not drown the others", () => {
    const document = vectors.documentVector({ description: [...Array<string>(500).fill("currenc"), "forecast"] });

    expect(cosine(document, axis(0))).toBeGreaterThan(0.1);
  });

  test("a word of more weight draws the query its way", () => {
    const query = vectors.queryVector([
      { stems: ["forecast"], weight: 0.2 },
      { stems: ["currenc"], weight: 1 },
    ]);

    expect(cosine(query, axis(1))).toBeGreaterThan(cosine(query, axis(0)));
  });

  test("a document leaves nothing behind for the next", () => {
    const fresh = createWordVectors(table).documentVector({ name: ["weather"] });

    vectors.documentVector({ name: ["currenc", "api"], description: ["weather"] });

    expect(vectors.documentVector({ name: ["weather"] })).toEqual(fresh);
  });
});

describe("a table of word vectors as bytes", () => {
  test("is read as it was written", () => {
    expect(decodeWordTable(encodeWordTable(table))).toEqual(table);
  });

  test.each([
    ["cut off", encodeWordTable(table).subarray(0, -1)],
    ["cut off in its first line", encodeWordTable(table).subarray(0, 25)],
    ["something else", new TextEncoder().encode("vectors\nof words\n")],
    ["nothing", new Uint8Array()],
    ["without sizes", new TextEncoder().encode("mkt word vectors 1\n[]\n")],
    ["with sizes that are none", new TextEncoder().encode('mkt word vectors 1\n{"dimensions":-1,"words":"x"}\n')],
  ])("is refused when it is %s", (_, bytes) => {
    expect(() => decodeWordTable(bytes)).toThrow(WordTableBroken);
  });

  test("keeps a vector to within half a step of its largest number", () => {
    const vector = Float32Array.of(0.5, -0.123, 0.004);
    const row = new Int8Array(3);

    const scale = toByteRow(vector, row);

    for (const [at, value] of vector.entries()) {
      expect(Math.abs(value - scale * (row[at] ?? 0))).toBeLessThanOrEqual(0.5 / 127 / 2 + 1e-7);
    }
  });
});

interface Word {
  readonly vector: readonly number[];
  readonly weight: number;
}

function tableOf(words: Readonly<Record<string, Word>>): WordTable {
  const entries = Object.entries(words);
  const rows = new Int8Array(entries.length * 3);
  const weights = Float32Array.from(entries, ([, { vector, weight }], place) => {
    return weight * toByteRow(Float32Array.from(vector), rows.subarray(place * 3, place * 3 + 3));
  });
  const stems = entries.map(([stem]) => stem);
  return { dimensions: 3, stems, requestWeights: weights, documentWeights: weights, rows };
}

function axis(place: number): Float32Array {
  return Float32Array.from({ length: 3 }, (_, at) => (at === place ? 1 : 0));
}

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
