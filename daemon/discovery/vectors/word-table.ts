import { endianness } from "node:os";

/**
 * Vectors of words, as a model file and an index store them. A word's vector in a request is its row multiplied by its
 * request weight, in a document by its document weight; both weights include the row's scale and the weight of the
 * word.
 */
export interface WordTable {
  readonly dimensions: number;
  /** The words, one for each row, each once. */
  readonly stems: readonly string[];
  readonly requestWeights: Float32Array;
  readonly documentWeights: Float32Array;
  /** The rows in sequence, `dimensions` numbers each; the first dimensions are the most significant. */
  readonly rows: Int8Array;
}

const MAGIC = "mkt word vectors 1\n";
const FLOAT_BYTES = 4;

/** The file is not a file of word vectors, or is cut off. */
export class WordTableBroken extends Error {
  override readonly name = "WordTableBroken";
}

/**
 * The table as bytes: a line of magic, a line of JSON with its sizes, request weights and document weights as 32-bit floats
 * (little end first), the rows as signed bytes, the stems in UTF-8, one a line.
 */
export function encodeWordTable({ dimensions, stems, requestWeights, documentWeights, rows }: WordTable): Uint8Array {
  const words = Buffer.from(stems.join("\n"));
  const sizes = { dimensions, words: stems.length, wordBytes: words.length };
  return Buffer.concat([
    Buffer.from(`${MAGIC}${JSON.stringify(sizes)}\n`),
    floatsToBytes(requestWeights),
    floatsToBytes(documentWeights),
    Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength),
    words,
  ]);
}

/** Decodes such bytes, which must not change afterwards. Throws `WordTableBroken`. */
export function decodeWordTable(bytes: Uint8Array): WordTable {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf("\n", MAGIC.length);
  if (!buffer.subarray(0, MAGIC.length).equals(Buffer.from(MAGIC)) || end < 0) {
    throw new WordTableBroken("These bytes are no table of word vectors");
  }
  const { dimensions, words, wordBytes } = readSizes(buffer.toString("utf8", MAGIC.length, end));
  const weights = end + 1;
  const rows = weights + 2 * words * FLOAT_BYTES;
  const text = rows + words * dimensions;
  if (buffer.length !== text + wordBytes) {
    throw new WordTableBroken(
      `A table of ${words} word vectors has ${text + wordBytes} bytes, this one ${buffer.length}`,
    );
  }
  const named = countLines(buffer.subarray(text));
  if (named !== words) throw new WordTableBroken(`A table of ${words} word vectors names ${named} words`);
  // A daemon that is never asked needs no texts.
  let stems: readonly string[] | undefined;
  return {
    dimensions,
    get stems() {
      return (stems ??= words === 0 ? [] : buffer.toString("utf8", text).split("\n"));
    },
    requestWeights: bytesToFloats(buffer, weights, words),
    documentWeights: bytesToFloats(buffer, weights + words * FLOAT_BYTES, words),
    rows: new Int8Array(buffer.buffer, buffer.byteOffset + rows, text - rows),
  };
}

/** In Latin-1: a search in a text costs a fraction of one in a buffer, and line ends are the same bytes in UTF-8. */
function countLines(bytes: Buffer): number {
  const text = bytes.toString("latin1");
  let count = text === "" ? 0 : 1;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) count += 1;
  return count;
}

/** Writes a vector into a row of signed bytes and returns the scale: `vector ≈ scale · row`. */
export function toByteRow(vector: Float32Array, row: Int8Array): number {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  if (largest === 0) return 0;
  const scale = largest / 127;
  for (const [at, value] of vector.entries()) row[at] = Math.round(value / scale);
  return scale;
}

interface Sizes {
  readonly dimensions: number;
  readonly words: number;
  readonly wordBytes: number;
}

function readSizes(line: string): Sizes {
  const sizes = parsed(line);
  if (!isSizes(sizes)) throw new WordTableBroken("A table of word vectors does not give its sizes");
  return sizes;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new WordTableBroken("A table of word vectors does not give its sizes", { cause });
  }
}

function isSizes(value: unknown): value is Sizes {
  return (
    typeof value === "object" &&
    value !== null &&
    ["dimensions", "words", "wordBytes"].every((key) => {
      const size: unknown = Reflect.get(value, key);
      return Number.isSafeInteger(size) && Number(size) >= 0;
    })
  );
}

function floatsToBytes(values: Float32Array): Buffer {
  const bytes = Buffer.alloc(values.length * FLOAT_BYTES);
  for (const [place, value] of values.entries()) bytes.writeFloatLE(value, place * FLOAT_BYTES);
  return bytes;
}

function bytesToFloats(bytes: Buffer, from: number, count: number): Float32Array {
  const copied = Buffer.alloc(count * FLOAT_BYTES);
  bytes.copy(copied, 0, from);
  if (endianness() === "BE") copied.swap32();
  return new Float32Array(copied.buffer, copied.byteOffset, count);
}
