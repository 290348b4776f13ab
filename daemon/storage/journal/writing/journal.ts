import { errorText } from "../../../../shared/error-text.ts";
import { type DiskFull, StorageFailed } from "../../../ledger/transaction/commit-errors.ts";
import type { Line } from "../../../ledger/transaction/transaction.ts";
import { isOutOfDescriptors, writeFully, type Files, type OpenFile } from "../../files.ts";
import type { LineNumbers } from "../../line-index.ts";
import { isNoRoom } from "../disk/ballast.ts";
import type { DiskRoom } from "../disk/disk-room.ts";
import { encodeLine, type LineBody } from "../segments/line-codec.ts";
import { mayWait } from "../../may-wait.ts";
import { createSegment, type JournalEnd, type SegmentName } from "../segments/segment.ts";

const MAX_BATCH_LINES = 4_096;
const MAX_BATCH_BYTES = 4 * 1_024 * 1_024;
/** Maximum size of a segment, unless a single line is larger. A start after a crash reads this much again. */
export const SEGMENT_BYTES = 16 * 1_024 * 1_024;

/**
 * A segment grows in steps of this many bytes, filled with blanks that the next lines overwrite. A flush that need not
 * record a new file size takes half the time, and without other load a caller waits for nothing but the flush.
 */
const GROWTH_BYTES = 256 * 1_024;
/** A larger batch adds no blanks: the next one would fill them at once, and the disk would only write everything twice. */
const MAX_GROWING_BYTES = 64 * 1_024;
/** Made once: filled anew for each step, it took more time than all else that a batch needs. */
const BLANKS = Buffer.alloc(GROWTH_BYTES, " ");

/** The position of a line: the segment's number, offset and length in bytes, without the newline. */
export interface LineAddress {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

export interface JournalOptions {
  readonly files: Files;
  readonly folder: string;
  readonly generation: number;
  /** The end of the journal that recovery found. */
  readonly after: JournalEnd;
  readonly segmentBytes: number;
  readonly room: DiskRoom;
  /** Rejects when another process has taken over. */
  readonly checkLock: () => Promise<void>;
  /** Called when a line is durable: in the order of the lines, and before its promise resolves. */
  readonly onDurable: (line: Line, numbers: LineNumbers, address: LineAddress) => void;
  /**
   * A line got its number; returns the number of the line that accepted its run, when it ends one that another line accepted.
   * Called again with another number when the line has to be written anew.
   */
  readonly onNumbered: (line: Line, seq: number) => number | undefined;
  /**
   * Called when the disk is full: all lines that are not durable are refused except `kept`, which are in the order of
   * their calls. Called before the promises of the refused lines reject.
   */
  readonly onRefused: (kept: readonly Line[]) => void;
  /**
   * Called when a segment was begun. `after` is the final end of the segment before, and all its lines were passed to
   * `onDurable`. The journal waits for the result.
   */
  readonly onSegment: (segment: SegmentName, after: JournalEnd) => Promise<void>;
  /** Called after each batch that became durable, with its lines and the milliseconds of its write and flush. */
  readonly onBatch?: ((lines: readonly Line[], ms: number) => void) | undefined;
  /** Called once when the journal has failed for good. */
  readonly onFatal: (error: StorageFailed) => void;
}

interface WaitingLine {
  readonly line: Line;
  readonly body: LineBody;
  readonly resolve: () => void;
  readonly reject: (error: StorageFailed | DiskFull) => void;
}

/**
 * The append-only journal of one generation, with group commit: while the disk writes one batch, the next one is
 * collected. There is no timer. The first failure is final: nothing is retried or acknowledged after it, because it is
 * not known what a failed flush left on the disk; a restart finds out. There are two exceptions. A write that finds no
 * space is undone, as nothing of it was flushed: lines that may wait are refused, the others are held and written when
 * there is space. A segment that cannot be created for lack of descriptors is created later. Source: docs/storage.md,
 * "Commit".
 */
export class Journal {
  readonly #options: JournalOptions;
  #file: OpenFile;
  #end: JournalEnd;
  #headerBytes: number;
  /** Size of the file, blanks included. */
  #fileBytes: number;
  #queue: WaitingLine[] = [];
  #endingSegment: (() => void)[] = [];
  #working: Promise<void> | undefined;
  #failure: StorageFailed | undefined;
  #isClosed = false;

  static async begin(options: JournalOptions): Promise<Journal> {
    const { file, name, end } = await createSegment(options);
    await options.onSegment(name, options.after);
    return new Journal(options, file, end);
  }

  private constructor(options: JournalOptions, file: OpenFile, end: JournalEnd) {
    this.#options = options;
    this.#file = file;
    this.#end = end;
    this.#headerBytes = end.bytes;
    this.#fileBytes = end.bytes;
  }

  /** Everything up to here is durable. */
  get end(): JournalEnd {
    return this.#end;
  }

  /** Throws if the journal accepts no more lines. */
  checkOpen(): void {
    if (this.#failure !== undefined) throw new StorageFailed("The journal has failed", { cause: this.#failure });
    if (this.#isClosed) throw new StorageFailed("The journal is closed");
  }

  /**
   * Resolves when the line is durable; rejects with `StorageFailed` when it may not be, and with `DiskFull` when it surely is
   * not. Order is the order of calls.
   */
  append(line: Line, body: LineBody): Promise<void> {
    this.checkOpen();
    return new Promise((resolve, reject) => {
      this.#queue.push({ line, body, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /**
   * Waits until all accepted lines are durable or have failed. No more lines are accepted. Resolves to the end of the
   * journal; undefined if the journal has failed, so that the end is not known.
   */
  async close(): Promise<JournalEnd | undefined> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      await this.#working;
      await this.#closeFile(this.#file, this.#end);
    }
    return this.#failure === undefined ? this.#end : undefined;
  }

  /** Resolves when the segment has ended, unless nothing is in it, there is no room for another, or the journal has failed. */
  endSegment(): Promise<void> {
    this.checkOpen();
    return new Promise((resolve) => {
      this.#endingSegment.push(resolve);
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    try {
      await this.#options.checkLock();
      while (this.#queue.length > 0 || this.#endingSegment.length > 0) {
        if (this.#endingSegment.length > 0) await this.#endSegment();
        // On a full disk a single line may fit when many do not.
        const batch = nextBatch(this.#queue, this.#options.room.isFull ? 1 : MAX_BATCH_LINES);
        if (batch.length === 0) continue;
        const begin = performance.now();
        const written = await this.#write(batch);
        if (written === undefined) await this.#makeRoom();
        else {
          await this.#flush(batch, written);
          this.#options.onBatch?.(
            batch.map(({ line }) => line),
            performance.now() - begin,
          );
        }
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#working = undefined;
  }

  /** Undefined if the disk has no space: then no line of the batch is valid. */
  async #write(batch: readonly WaitingLine[]): Promise<EncodedBatch | undefined> {
    try {
      if (this.#isFullFor(batch)) await this.#rollIfPossible();
      const encoded = encodeBatch(batch, this.#end, this.#options.onNumbered);
      await this.#writeGrowing(encoded.bytes);
      return encoded;
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      return undefined;
    }
  }

  async #writeGrowing(bytes: Buffer): Promise<void> {
    const { segmentBytes, room } = this.#options;
    const end = this.#end.bytes + bytes.length;
    if (end <= this.#fileBytes || room.isFull || bytes.length > MAX_GROWING_BYTES) {
      await writeFully(this.#file, bytes, this.#end.bytes);
      this.#fileBytes = Math.max(this.#fileBytes, end);
      return;
    }
    const size = Math.max(end, Math.min(end + GROWTH_BYTES, segmentBytes));
    await writeFully(this.#file, bytes, this.#end.bytes);
    await writeFully(this.#file, BLANKS.subarray(0, size - end), end);
    this.#fileBytes = size;
  }

  async #flush(batch: readonly WaitingLine[], { placed, end }: EncodedBatch): Promise<void> {
    await this.#file.datasync();
    // A process that takes over reads the journal after it took the lock. If the lock is still ours, it will read this
    // batch.
    await this.#options.checkLock();
    this.#end = end;
    this.#queue.splice(0, batch.length);
    for (const [index, { line, resolve }] of batch.entries()) {
      const found = placed[index];
      if (found === undefined) throw new Error("a line of the batch has no place");
      this.#options.onDurable(line, found.numbers, found.address);
      resolve();
    }
  }

  /**
   * Cuts off the partly written batch, refuses lines that may wait, and makes space or waits for the others. The cut
   * comes first: a start would accept complete lines of the batch, although their callers were told that they were
   * refused.
   */
  async #makeRoom(): Promise<void> {
    const { room, onRefused, checkLock } = this.#options;
    // A process that took over may have accepted those lines already; then this one must not cut them off.
    await checkLock();
    await this.#cutBack();
    // From here on lines that may wait are refused.
    const made = room.make();
    const refused = this.#queue.filter(({ line }) => mayWait(line));
    if (refused.length > 0) {
      this.#queue = this.#queue.filter(({ line }) => !mayWait(line));
      onRefused(this.#queue.map(({ line }) => line));
      for (const { reject } of refused) reject(room.refusal());
    }
    await made;
    await checkLock();
  }

  async #cutBack(): Promise<void> {
    await this.#file.truncate(this.#end.bytes);
    this.#fileBytes = this.#end.bytes;
    await this.#file.datasync();
  }

  /** A batch larger than the maximum gets a segment of its own. On a full disk no segment is created. */
  #isFullFor(batch: readonly WaitingLine[]): boolean {
    const isFresh = this.#end.bytes === this.#headerBytes;
    return (
      !isFresh &&
      !this.#options.room.isFull &&
      this.#end.bytes + bytesIn(this.#end.segment, batch) > this.#options.segmentBytes
    );
  }

  async #endSegment(): Promise<void> {
    const asked = this.#endingSegment.splice(0);
    try {
      if (this.#end.bytes > this.#headerBytes && !this.#options.room.isFull) await this.#rollIfPossible();
    } catch (error) {
      if (!isNoRoom(error)) throw error;
    } finally {
      for (const resolve of asked) resolve();
    }
  }

  /** Without a descriptor for another file, the segment grows beyond its maximum until a later batch finds one. */
  async #rollIfPossible(): Promise<void> {
    try {
      await this.#roll();
    } catch (error) {
      if (!isOutOfDescriptors(error)) throw error;
    }
  }

  async #roll(): Promise<void> {
    const { files, folder, generation, room, checkLock } = this.#options;
    const after = this.#end;
    const beforeAnotherTry = async () => {
      await room.pause();
      await checkLock();
    };
    const next = await createSegment({ files, folder, generation, after, beforeAnotherTry });
    const full = this.#file;
    this.#file = next.file;
    this.#end = next.end;
    this.#headerBytes = next.end.bytes;
    this.#fileBytes = next.end.bytes;
    await this.#options.onSegment(next.name, after);
    await this.#closeFile(full, after);
  }

  /**
   * Removes the blanks, but not after a failure: another process may rely on lines that this one does not know as
   * durable.
   */
  async #closeFile(file: OpenFile, end: JournalEnd): Promise<void> {
    try {
      if (this.#failure === undefined) await file.truncate(end.bytes);
    } catch {
      // Blanks do no harm, and the next start removes them.
    } finally {
      await file.close();
    }
  }

  #fail(error: unknown): void {
    const failure =
      error instanceof StorageFailed
        ? error
        : new StorageFailed(`The journal in ${this.#options.folder} cannot be written: ${errorText(error)}`, {
            cause: error,
          });
    this.#failure = failure;
    const waiting = this.#queue;
    this.#queue = [];
    for (const resolve of this.#endingSegment.splice(0)) resolve();
    for (const { reject } of waiting) reject(failure);
    this.#options.onFatal(failure);
  }
}

/** The lines of the next batch, at the head of the queue: at least one, however long it is. */
function nextBatch(queue: readonly WaitingLine[], maxLines: number): WaitingLine[] {
  let bytes = 0;
  let count = 0;
  for (const { body } of queue) {
    bytes += body.bytes;
    if (count === maxLines || (count > 0 && bytes > MAX_BATCH_BYTES)) break;
    count += 1;
  }
  return queue.slice(0, count);
}

/** Upper limit of the size of the batch in the file. */
function bytesOf(batch: readonly WaitingLine[]): number {
  return batch.reduce((sum, { body }) => sum + body.bytes, 0);
}

/** The same, in the file of this segment. */
function bytesIn(segment: number, batch: readonly WaitingLine[]): number {
  return batch.reduce((sum, { body }) => sum + (body.onlyIn?.segment === segment ? body.onlyIn.bytes : body.bytes), 0);
}

function textIn(segment: number, { json, onlyIn }: LineBody): string {
  return onlyIn === undefined || onlyIn.segment === segment ? json : onlyIn.otherwise();
}

interface EncodedBatch {
  readonly bytes: Buffer;
  /** Of each line. */
  readonly placed: readonly { readonly numbers: LineNumbers; readonly address: LineAddress }[];
  readonly end: JournalEnd;
}

function encodeBatch(
  batch: readonly WaitingLine[],
  after: JournalEnd,
  onNumbered: JournalOptions["onNumbered"],
): EncodedBatch {
  const buffer = Buffer.allocUnsafe(bytesOf(batch));
  const placed: EncodedBatch["placed"][number][] = [];
  let used = 0;
  let lastCrc = after.crc;
  for (const [index, { line, body }] of batch.entries()) {
    const seq = after.seq + 1 + index;
    const accepted = onNumbered(line, seq);
    const place = { seq, batch: after.batch + 1, endsBatch: index === batch.length - 1 };
    const text = { json: textIn(after.segment, body) };
    const { end, crc } = encodeLine(buffer, used, text, accepted === undefined ? place : { ...place, accepted });
    placed.push({
      numbers: { seq, accepted: accepted ?? seq },
      address: { segment: after.segment, offset: after.bytes + used, length: end - 1 - used },
    });
    used = end;
    lastCrc = crc;
  }
  return {
    bytes: buffer.subarray(0, used),
    placed,
    end: {
      seq: after.seq + batch.length,
      batch: after.batch + 1,
      crc: lastCrc,
      segment: after.segment,
      bytes: after.bytes + used,
    },
  };
}
