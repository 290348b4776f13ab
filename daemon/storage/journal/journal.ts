import { StorageFailed } from "../../commit-errors.ts";
import type { Line } from "../../transaction.ts";
import { writeFully, type Files, type OpenFile } from "../files.ts";
import { encodeLine, type LineBody } from "./line-codec.ts";
import { createSegment, type JournalEnd } from "./segment.ts";

const MAX_BATCH_LINES = 4_096;
const MAX_BATCH_BYTES = 4 * 1_024 * 1_024;
/** A segment is at most so large, unless a single line is larger. Source: storage design, 2. */
export const SEGMENT_BYTES = 64 * 1_024 * 1_024;

/** Where a line lies: the segment's number, offset and length in bytes, without the newline. */
export interface LineAddress {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

export interface JournalOptions {
  readonly files: Files;
  readonly folder: string;
  readonly generation: number;
  /** Where recovery left off. */
  readonly after: JournalEnd;
  readonly segmentBytes: number;
  /** Rejects when another process has taken over. */
  readonly checkLock: () => Promise<void>;
  /** A line is durable; called in the order of the lines, before whoever waits for it goes on. */
  readonly onDurable: (line: Line, seq: number, address: LineAddress) => void;
  /** A segment was begun. */
  readonly onSegment: (number: number, name: string) => void;
  /** The journal has failed for good; called once. */
  readonly onFatal: (error: StorageFailed) => void;
}

interface WaitingLine {
  readonly line: Line;
  readonly body: LineBody;
  readonly resolve: () => void;
  readonly reject: (error: StorageFailed) => void;
}

/**
 * The append-only journal of one generation, with group commit: while the disk works on one batch, the next one gathers.
 * There is no timer. The first failure is final: nothing is tried again or acknowledged after it, because what a failed
 * flush left on the disk is not known; a restart finds out. Source: storage design, 4.
 */
export class Journal {
  readonly #options: JournalOptions;
  #file: OpenFile;
  #end: JournalEnd;
  #headerBytes: number;
  #queue: WaitingLine[] = [];
  #working: Promise<void> | undefined;
  #failure: StorageFailed | undefined;
  #isClosed = false;

  static async begin(options: JournalOptions): Promise<Journal> {
    const { file, name, end } = await createSegment(options.files, options.folder, options.generation, options.after);
    options.onSegment(name.number, name.name);
    return new Journal(options, file, end);
  }

  private constructor(options: JournalOptions, file: OpenFile, end: JournalEnd) {
    this.#options = options;
    this.#file = file;
    this.#end = end;
    this.#headerBytes = end.bytes;
  }

  /** Throws when nothing can be taken any more. */
  checkOpen(): void {
    if (this.#failure !== undefined) throw new StorageFailed("The journal has failed", { cause: this.#failure });
    if (this.#isClosed) throw new StorageFailed("The journal is closed");
  }

  /** Resolves when the line is durable; rejects with `StorageFailed` when it may not be. Order is the order of calls. */
  append(line: Line, body: LineBody): Promise<void> {
    this.checkOpen();
    return new Promise((resolve, reject) => {
      this.#queue.push({ line, body, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** Waits until everything taken is durable or has failed. Nothing is taken afterwards. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#working;
    await this.#file.close();
  }

  async #work(): Promise<void> {
    let batch: WaitingLine[] = [];
    try {
      await this.#options.checkLock();
      while (this.#queue.length > 0) {
        batch = takeBatch(this.#queue);
        if (this.#isFullFor(batch)) await this.#roll();
        await this.#write(batch);
        batch = [];
      }
    } catch (error) {
      this.#fail(error, batch);
    }
    this.#working = undefined;
  }

  async #write(batch: readonly WaitingLine[]): Promise<void> {
    const { bytes, addresses, end } = encodeBatch(batch, this.#end);
    await writeFully(this.#file, bytes, this.#end.bytes);
    await this.#file.datasync();
    // Whoever takes over reads the journal after it took the lock: if the lock is still ours, it will read this batch.
    await this.#options.checkLock();
    const firstSeq = this.#end.seq + 1;
    this.#end = end;
    for (const [index, { line, resolve }] of batch.entries()) {
      const address = addresses[index];
      if (address === undefined) throw new Error("a line of the batch has no address");
      this.#options.onDurable(line, firstSeq + index, address);
      resolve();
    }
  }

  /** A batch that is larger than a segment may be gets one of its own. */
  #isFullFor(batch: readonly WaitingLine[]): boolean {
    const isFresh = this.#end.bytes === this.#headerBytes;
    return !isFresh && this.#end.bytes + bytesOf(batch) > this.#options.segmentBytes;
  }

  async #roll(): Promise<void> {
    const { files, folder, generation } = this.#options;
    const next = await createSegment(files, folder, generation, this.#end);
    const full = this.#file;
    this.#file = next.file;
    this.#end = next.end;
    this.#headerBytes = next.end.bytes;
    this.#options.onSegment(next.name.number, next.name.name);
    await full.close();
  }

  #fail(error: unknown, batch: readonly WaitingLine[]): void {
    const failure =
      error instanceof StorageFailed
        ? error
        : new StorageFailed(`The journal in ${this.#options.folder} cannot be written: ${reasonOf(error)}`, {
            cause: error,
          });
    this.#failure = failure;
    const waiting = [...batch, ...this.#queue];
    this.#queue = [];
    for (const { reject } of waiting) reject(failure);
    this.#options.onFatal(failure);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Takes the lines of the next batch off the queue: at least one, however long it is. */
function takeBatch(queue: WaitingLine[]): WaitingLine[] {
  let bytes = 0;
  let count = 0;
  for (const { body } of queue) {
    bytes += body.bytes;
    if (count === MAX_BATCH_LINES || (count > 0 && bytes > MAX_BATCH_BYTES)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** Upper limit of what the batch takes in the file. */
function bytesOf(batch: readonly WaitingLine[]): number {
  return batch.reduce((sum, { body }) => sum + body.bytes, 0);
}

function encodeBatch(
  batch: readonly WaitingLine[],
  after: JournalEnd,
): { bytes: Buffer; addresses: LineAddress[]; end: JournalEnd } {
  const buffer = Buffer.allocUnsafe(bytesOf(batch));
  const addresses: LineAddress[] = [];
  let used = 0;
  let lastCrc = after.crc;
  for (const [index, { body }] of batch.entries()) {
    const place = { seq: after.seq + 1 + index, batch: after.batch + 1, endsBatch: index === batch.length - 1 };
    const { end, crc } = encodeLine(buffer, used, body, place);
    addresses.push({ segment: after.segment, offset: after.bytes + used, length: end - 1 - used });
    used = end;
    lastCrc = crc;
  }
  return {
    bytes: buffer.subarray(0, used),
    addresses,
    end: {
      seq: after.seq + batch.length,
      batch: after.batch + 1,
      crc: lastCrc,
      segment: after.segment,
      bytes: after.bytes + used,
    },
  };
}
