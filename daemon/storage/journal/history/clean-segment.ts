import { join } from "node:path";
import { writeDurably } from "../../durable-file.ts";
import type { Line } from "../../../ledger/transaction/transaction.ts";
import { removeIfThere, type Files } from "../../files.ts";
import { hasOutput } from "../../line-index.ts";
import { JournalCorrupt } from "../../storage-errors.ts";
import type { IndexHeader } from "../indexes/index-file.ts";
import { decodeLine, encodeLine, lineBody, type DecodedLine, type RawLine } from "../segments/line-codec.ts";
import { knownLine } from "../segments/line-shape.ts";
import type { OutputReference } from "../writing/outputs.ts";
import { indexName, segmentName, type SegmentHeader, type SegmentSpan } from "../segments/segment.ts";
import { buildIndex, spanOf, writeIndex } from "../indexes/segment-index.ts";
import { readRawLines } from "../segments/segment-lines.ts";

/*
 * Retention: a sealed segment is rewritten without the outputs of old runs, under the next name of its number, and then
 * replaces the old one. Everything else in every line stays, including numbers, batches and postings. Its header keeps
 * the checksum and size with which the old one ended, so that the next segment's header still fits. After a crash at
 * any point, the next start finds either the old or the complete new one. docs/storage.md, "Retention".
 */

type RunDone = Extract<Line, { t: "run.done" }>;

const NEWLINE = Buffer.from("\n");

export interface CleaningOptions {
  readonly files: Files;
  readonly folder: string;
  /** Outputs of runs that ended before this time are removed; ISO 8601. */
  readonly before: string;
  /** The time of the removal, which is recorded in the runs. */
  readonly at: string;
  /** Rejects when another process has taken over. */
  readonly checkLock: () => Promise<void>;
}

export interface Cleaned {
  readonly header: IndexHeader;
  /** Number of runs whose output was removed. */
  readonly runs: number;
  /** Files that no line refers to any more. */
  readonly outputs: readonly OutputReference[];
}

/** Writes the new segment with its index; the old one stays for now. */
export async function cleanSegment(options: CleaningOptions, old: IndexHeader): Promise<Cleaned> {
  const { files, folder, checkLock } = options;
  const span = spanOf(old);
  const { number, generation, cleanings } = span.segment;
  const segment = segmentName(number, generation, cleanings + 1);
  const cleaning = new Cleaning(options, span);
  await checkLock();
  await writeDurably(files, folder, segment.name, cleaning.lines());
  const bytes = await buildIndex(files, folder, { ...span, segment, bytes: cleaning.bytes });
  await checkLock();
  return { header: await writeIndex(files, folder, bytes), runs: cleaning.runs, outputs: cleaning.outputs };
}

/** Removes a segment that was replaced. */
export async function removeSegment(files: Files, folder: string, name: string): Promise<void> {
  for (const one of [name, indexName(name)]) await removeIfThere(files, join(folder, one));
  await files.syncDirectory(folder);
}

class Cleaning {
  readonly #options: CleaningOptions;
  readonly #span: SegmentSpan;
  readonly #path: string;
  /** Where the lines that accepted runs are now, by their numbers; without those whose runs have ended. */
  readonly #accepted = new Map<number, number>();
  readonly outputs: OutputReference[] = [];
  runs = 0;
  /** Of the new segment, so far. */
  bytes = 0;

  constructor(options: CleaningOptions, span: SegmentSpan) {
    this.#options = options;
    this.#span = span;
    this.#path = join(options.folder, span.segment.name);
  }

  async *lines(): AsyncGenerator<Buffer> {
    for await (const lines of readRawLines(this.#options.files, this.#path, this.#span.bytes)) {
      yield Buffer.concat(lines.flatMap((raw) => this.#clean(raw)));
    }
  }

  /** The line with its newline. */
  #clean(raw: RawLine): Buffer[] {
    const line = raw.isWhole ? decodeLine(raw.bytes) : "the line has no end";
    if (typeof line === "string") throw new JournalCorrupt(this.#path, raw.offset, line);
    const content = raw.offset === 0 ? this.#headerOf(line) : this.#changed(line);
    const cleaned = content === undefined ? [raw.bytes, NEWLINE] : [encoded(content, line)];
    for (const { length } of cleaned) this.bytes += length;
    return cleaned;
  }

  #headerOf({ content }: DecodedLine): object {
    const { crc, bytes } = this.#span.end;
    const was: SegmentHeader["was"] = { crc, bytes };
    return { ...content, was };
  }

  /** Undefined if the line does not change. */
  #changed({ content, seq, accepted = seq }: DecodedLine): object | undefined {
    const line = knownLine(content);
    if (line.t === "run.accepted") this.#accepted.set(seq, this.bytes);
    if (line.t !== "run.done") return undefined;
    const offset = this.#accepted.get(accepted);
    this.#accepted.delete(accepted);
    const cleaned = this.#withoutOutput(line);
    const { from } = line;
    if (from === undefined || from.offset === offset) return cleaned;
    if (offset === undefined) throw new Error(`line ${seq} refers to an input that is not in its segment`);
    // What was taken out of lines before it has moved it.
    return { ...(cleaned ?? line), from: { ...from, offset } };
  }

  #withoutOutput(line: RunDone): RunDone | undefined {
    if (!hasOutput(line) || (line.rec.completedAt ?? line.at) >= this.#options.before) return undefined;
    const { out, ...rest } = line;
    this.runs += 1;
    if (out !== undefined) this.outputs.push(out);
    return { ...rest, rec: { ...line.rec, output: null, outputRemovedAt: this.#options.at } };
  }
}

function encoded(content: object, line: DecodedLine): Buffer {
  const body = lineBody(content);
  const bytes = Buffer.allocUnsafe(body.bytes);
  return bytes.subarray(0, encodeLine(bytes, 0, body, line).end);
}
