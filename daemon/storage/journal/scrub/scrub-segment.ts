import { createHash } from "node:crypto";
import { join } from "node:path";
import { RunDoneLine } from "../../../ledger/lines/run-lines.ts";
import { systemErrorCode } from "../../../../shared/system-error-code.ts";
import { type Files } from "../../files.ts";
import { JournalCorrupt } from "../../storage-errors.ts";
import { decodeChecked } from "../segments/checked-text.ts";
import { decodeIndexHeader, type IndexFooter, type IndexHeader } from "../indexes/index-file.ts";
import type { OutputReference } from "../writing/outputs.ts";
import { readSegment } from "../segments/recovery.ts";
import { indexName } from "../segments/segment.ts";
import { spanOf } from "../indexes/segment-index.ts";
import { readRawLines } from "../segments/segment-lines.ts";

/** A place that is not what was written. */
export interface Damage {
  /** In the data folder. */
  readonly file: string;
  /** Bytes from the beginning of the file, where it is known. */
  readonly offset?: number;
  readonly why: string;
}

export interface ScrubbedSegment {
  /** Nothing makes it good again but a backup. */
  readonly damage: readonly Damage[];
  /** What is wrong with the index, which can be made from the segment. */
  readonly badIndex?: Damage;
  /** Bytes that were read. */
  readonly bytes: number;
}

const CHUNK_BYTES = 256 * 1_024;

/**
 * Reads a sealed segment, its index and the outputs that it names, every byte of them, and compares all checksums and how
 * each line follows the one before. Changes nothing. Rejects as reading does, also with ENOENT for a segment that was
 * replaced meanwhile.
 */
export async function scrubSegment(files: Files, dataDir: string, header: IndexHeader): Promise<ScrubbedSegment> {
  const damage: Damage[] = [];
  const outputs: OutputReference[] = [];
  const span = spanOf(header);
  try {
    await readSegment(files, join(dataDir, "log"), span, ({ content }) => {
      const out = content["t"] === "run.done" ? RunDoneLine.shape.out.safeParse(content["out"]).data : undefined;
      if (out !== undefined) outputs.push(out);
    });
  } catch (error) {
    if (!(error instanceof JournalCorrupt)) throw error;
    damage.push({ file: `log/${header.file}`, offset: error.offset, why: error.why });
  }
  const badIndex = await scrubIndex(files, dataDir, header);
  for (const output of outputs) damage.push(...(await scrubOutput(files, dataDir, output)));
  const bytes = header.bytes + outputs.reduce((sum, output) => sum + output.bytes, 0);
  return { damage, bytes, ...(badIndex !== undefined && { badIndex }) };
}

async function scrubIndex(files: Files, dataDir: string, header: IndexHeader): Promise<Damage | undefined> {
  const file = `log/${indexName(header.file)}`;
  const pieces = new Map<number, IndexPiece>();
  let footer: Readonly<Record<string, unknown>> = {};
  let size = 0;
  try {
    for await (const lines of readRawLines(files, join(dataDir, file))) {
      for (const { bytes, offset, isWhole } of lines) {
        const checked = isWhole ? decodeChecked(bytes) : "the line has no end";
        if (typeof checked === "string") return { file, offset, why: checked };
        if (offset === 0 && decodeIndexHeader(Buffer.concat([bytes, NEWLINE]))?.file !== header.file) {
          return { file, offset, why: "it is the index of another segment" };
        }
        const { t, rows } = checked.value;
        if (t === "footer") footer = checked.value;
        pieces.set(offset, { t, length: bytes.length, first: Array.isArray(rows) ? rows[0] : undefined });
        size = offset + bytes.length + 1;
      }
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return { file, why: "it is missing" };
    throw error;
  }
  const [offset, length] = header.footer;
  if (size !== offset + length + 1) return { file, offset: size, why: "it does not end with its footer" };
  const misplaced = findMisplaced(header, footer as unknown as IndexFooter, pieces);
  return misplaced === undefined ? undefined : { file, offset: misplaced, why: "another piece of it belongs there" };
}

/** What stands at a place of an index. */
interface IndexPiece {
  readonly t: unknown;
  readonly length: number;
  readonly first: unknown;
}

/** Each piece is whole: is it where header and footer say? */
function findMisplaced(
  { idFilter, keyFilter, termFilter, footer: footerPlace }: IndexHeader,
  { fences }: IndexFooter,
  pieces: ReadonlyMap<number, IndexPiece>,
): number | undefined {
  const expected: (readonly [place: readonly [number, number], t: string, key: readonly unknown[]])[] = [
    [idFilter, "filter", []],
    [keyFilter, "filter", []],
    ...(termFilter === undefined ? [] : ([[termFilter, "filter", []]] as const)),
    [footerPlace, "footer", []],
  ];
  for (const [section, all] of Object.entries(fences ?? {})) {
    for (const fence of all) {
      const [offset, length] = [Number(fence.at(-2)), Number(fence.at(-1))];
      expected.push([[offset, length], section, fence.slice(0, -2)]);
    }
  }
  for (const [[offset, length], t, key] of expected) {
    const piece = pieces.get(offset);
    const first = Array.isArray(piece?.first) ? piece.first : [];
    if (piece?.t !== t || piece.length !== length || key.some((member, at) => member !== first[at])) return offset;
  }
  return undefined;
}

const NEWLINE = Buffer.from("\n");

async function scrubOutput(files: Files, dataDir: string, output: OutputReference): Promise<Damage[]> {
  const file = `blobs/${output.sha256.slice(0, 2)}/${output.sha256}`;
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const open = await files.openForReading(join(dataDir, file));
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      for (let read = await open.read(chunk, 0); read > 0; read = await open.read(chunk, bytes)) {
        hash.update(chunk.subarray(0, read));
        bytes += read;
      }
    } finally {
      await open.close();
    }
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return [{ file, why: "the file is missing; it holds the output of a run" }];
  }
  const isSame = bytes === output.bytes && hash.digest("hex") === output.sha256;
  return isSame ? [] : [{ file, why: "its content does not fit its name" }];
}
