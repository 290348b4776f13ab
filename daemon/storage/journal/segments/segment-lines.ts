import { readFully, type Files, type OpenFile } from "../../files.ts";
import { splitLines, type RawLine } from "./line-codec.ts";

const CHUNK_BYTES = 256 * 1_024;
const NEWLINE = 0x0a;

/** The lines of a file up to `end` bytes, read piece by piece: a large file is never in memory as a whole. */
export async function* readRawLines(files: Files, path: string, end = Infinity): AsyncGenerator<readonly RawLine[]> {
  const file = await files.openForReading(path);
  try {
    yield* readOpenFile(file, end);
  } finally {
    await file.close();
  }
}

async function* readOpenFile(file: OpenFile, end: number): AsyncGenerator<readonly RawLine[]> {
  let begin = 0;
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    // A line that is longer than a piece is read in pieces that double.
    const wanted = Math.min(Math.max(CHUNK_BYTES, rest.length), end - begin - rest.length);
    const piece = await readFully(file, begin + rest.length, wanted);
    const isEnd = piece.length < wanted || begin + rest.length + piece.length >= end;
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const size = isEnd ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
    const lines = linesAt(bytes.subarray(0, size), begin);
    if (lines.length > 0) yield lines;
    if (isEnd) return;
    begin += size;
    rest = bytes.subarray(size);
  }
}

function linesAt(bytes: Buffer, begin: number): RawLine[] {
  return [...splitLines(bytes)].map((line) => ({ ...line, offset: begin + line.offset }));
}
