import type { RunId } from "../../../base/ids.ts";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import type { ResourceRecord } from "../../../ledger/records/resource-record.ts";
import type { Line } from "../../../ledger/transaction/transaction.ts";
import type { Files } from "../../files.ts";
import type { HistoryPart } from "../../history-part.ts";
import type { HistoryLines } from "../../history-lines.ts";
import { LineIndex, type LineNumbers } from "../../line-index.ts";
import { JournalCorrupt, LineMoved } from "../../storage-errors.ts";
import { BoundedCache } from "../indexes/bounded-cache.ts";
import { FilePool } from "../disk/file-pool.ts";
import {
  encodeIndex,
  INDEX_VERSION,
  type IndexFooter,
  type IndexHeader,
  type LinePlace,
} from "../indexes/index-file.ts";
import { type IndexThreads, makeIndexWith } from "../indexes/index-threads.ts";
import type { LineAddress } from "../writing/journal.ts";
import { decodeLine } from "../segments/line-codec.ts";
import { withInput } from "../writing/large-inputs.ts";
import { cleanSegment, removeSegment, type Cleaned } from "./clean-segment.ts";
import { knownLine } from "../segments/line-shape.ts";
import { SealedIndex } from "../indexes/sealed-index.ts";
import { indexName, type JournalEnd, type SegmentName, type SegmentSpan } from "../segments/segment.ts";
import { type MakeIndex, spanOf, writeIndex } from "../indexes/segment-index.ts";
import { type EndedBefore, type FoundSnapshot, NONE_ENDED, writeSnapshot } from "../segments/snapshot.ts";

/*
 * Finds the lines of the journal for readers. A segment goes through three states, in this order:
 *
 *   active     lines are added          index in memory
 *   ended      nothing is added         index in memory until its file is on the disk
 *   sealed     its `.idx` is durable    header in memory, the rest is read when it is asked for
 *
 * Sealing runs in the background. A failure costs only memory: it is tried again when the next segment ends, and at the
 * next start. Source: docs/storage.md, "Indexes and snapshots".
 */

/** Footers and filters that are kept in memory, in bytes on the disk. */
const CACHE_BYTES = 8 * 1_024 * 1_024;
/** Writing waits when this many segments are not sealed yet, to limit the memory of their indexes. */
const MAX_ENDED = 4;
/** Fewer old indexes are made again sooner without a thread. */
const WORTH_A_THREAD = 4;

interface EndedSegment {
  readonly span: SegmentSpan;
  readonly index: LineIndex<LinePlace>;
}

export interface JournalHistoryOptions {
  readonly files: Files;
  readonly folder: string;
  readonly stateFolder: string;
  /** The text of a snapshot of the present durable state. */
  readonly takeSnapshot: (end: JournalEnd) => Buffer;
  /** Rejects when another process has taken over: this one must not write any more. */
  readonly checkLock: () => Promise<void>;
  /** Called when a line that was read is damaged. */
  readonly onDamage?: (error: JournalCorrupt) => void;
  /** Files that are kept open for reading. */
  readonly maxSegmentFiles?: number;
  /** Called when sealing failed. */
  readonly onProblem?: (error: unknown) => void;
  /** Absent: indexes are made in this thread. */
  readonly indexThreads?: IndexThreads | undefined;
}

export class JournalHistory implements HistoryLines<LinePlace> {
  readonly #options: JournalHistoryOptions;
  readonly pool: FilePool;
  readonly #cache = new BoundedCache<IndexFooter | Buffer>(CACHE_BYTES);
  #sealed: readonly SealedIndex[] = [];
  #ended: readonly EndedSegment[] = [];
  #active:
    | { readonly segment: SegmentName; readonly after: JournalEnd; readonly index: LineIndex<LinePlace> }
    | undefined;
  /** The end of the newest snapshot, on the disk or being written. */
  #snapshotEnd: JournalEnd | undefined;
  #snapshot: { readonly end: JournalEnd; readonly bytes: Buffer } | undefined;
  #sealing: Promise<void> | undefined;
  /** All indexes of older versions, one after the other. */
  #renewal: Promise<void> | undefined;
  /** The one of them that is being made. */
  #renewing: Promise<void> | undefined;
  #makeIndex: MakeIndex;
  /** Resources that had ended at the snapshot of the start, while there are indexes that do not have them. */
  #endedBefore: EndedBefore;
  /** Its segment is being rewritten. */
  #cleaning: SealedIndex | undefined;
  readonly #closing = new AbortController();

  constructor(options: JournalHistoryOptions, snapshot?: Pick<FoundSnapshot, "end" | "ended">) {
    this.#options = options;
    this.#snapshotEnd = snapshot?.end;
    this.#endedBefore = snapshot?.ended ?? NONE_ENDED;
    this.#makeIndex = makeIndexWith(options, undefined);
    this.pool = new FilePool(options.files, options.folder, options.maxSegmentFiles);
  }

  parts(): HistoryPart<LinePlace>[] {
    const inMemory = this.#ended.map(({ index }) => index);
    return [...this.#sealed, ...inMemory, ...(this.#active === undefined ? [] : [this.#active.index])];
  }

  endedBefore(): readonly ResourceRecord[] {
    return this.endedForSnapshot().resources;
  }

  endedForSnapshot(): EndedBefore {
    if (this.#endedBefore.to > 0 && !this.#sealed.some(isOld)) this.#endedBefore = NONE_ENDED;
    return this.#endedBefore;
  }

  /** True if the end of the run may be in memory; false for all other runs. */
  hasEnded(runId: RunId): boolean {
    return this.#active?.index.mayHaveRun(runId) === true || this.#ended.some(({ index }) => index.mayHaveRun(runId));
  }

  async readLine({ file, offset, length }: LinePlace): Promise<Line> {
    const bytes = await this.pool.read(file, offset, length);
    if (bytes === undefined && !this.#isCurrent(file)) throw new LineMoved(file);
    if (bytes === undefined) throw this.damaged(file, offset, "the file is missing");
    const line = bytes.length < length ? "the file is shorter than it was" : decodeLine(bytes);
    if (typeof line === "string") throw this.damaged(file, offset, line);
    return knownLine(line.content);
  }

  async readWhole(place: LinePlace): Promise<Line> {
    const line = await this.readLine(place);
    if (line.t !== "run.done" || line.from === undefined) return line;
    const { file, offset } = place;
    const first = await this.readLine({ file, ...line.from });
    if (first.t === "run.accepted" && first.run === line.run) return withInput(line, first);
    throw this.damaged(file, offset, `the line that accepted its run is not at byte ${line.from.offset}`);
  }

  damaged(file: string, offset: number, why: string): JournalCorrupt {
    const error = new JournalCorrupt(this.pool.pathOf(file), offset, why);
    this.#options.onDamage?.(error);
    return error;
  }

  /** Headers of the segments whose index is on the disk; a rewritten segment gets a new object. */
  sealedHeaders(): readonly IndexHeader[] {
    return this.#sealed.map(({ header }) => header);
  }

  /** Rebuilds the index of a sealed segment; does nothing if the segment no longer exists. */
  async renewIndex(file: string): Promise<void> {
    await this.#sealed.find(({ header }) => header.file === file)?.renew();
  }

  /**
   * Makes the indexes of older versions again, newest first, in the background. They serve until then: a start after an update
   * does not wait.
   */
  renewOldIndexes(): void {
    if (this.#sealed.some(isOld)) this.#renewal ??= this.#renewOld();
  }

  async #renewOld(): Promise<void> {
    const old = this.#sealed.filter(isOld).toReversed();
    const threads = old.length < WORTH_A_THREAD ? undefined : this.#options.indexThreads;
    this.#makeIndex = makeIndexWith(this.#options, threads);
    try {
      for (const index of old) {
        const begin = performance.now();
        // Cleaning makes a new one by itself.
        if (isOld(index) && index !== this.#cleaning) {
          // One that cannot be made again, as its segment is damaged, goes on serving, and must not keep the others from it.
          this.#renewing = index.renew().catch((error: unknown) => this.#options.onProblem?.(error));
          await this.#renewing;
          this.#renewing = undefined;
        }
        // Half of the time is left to requests.
        await this.#pause(performance.now() - begin);
        if (this.#closing.signal.aborted) return;
      }
    } finally {
      this.#makeIndex = makeIndexWith(this.#options, undefined);
      await threads?.close();
    }
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
  }

  /** Whether the line that ended the run names this file as its output. */
  async namesOutput(runId: RunId, sha256: string): Promise<boolean> {
    for (const part of this.parts()) {
      const found = part.mayHaveRun(runId) ? await part.findRun(runId) : undefined;
      if (found === undefined) continue;
      const line = await this.readLine(found.where);
      return line.t === "run.done" && line.out?.sha256 === sha256;
    }
    return false;
  }

  /** Adds a durable line of the active segment. */
  add(line: Line, numbers: LineNumbers, { offset, length }: LineAddress): void {
    if (this.#active === undefined) throw new Error("a line was written before a segment was begun");
    const { segment, index } = this.#active;
    index.add(line, numbers, { file: segment.name, offset, length });
  }

  /** Adds a segment whose index is on the disk. */
  addSealed(header: IndexHeader): void {
    const options = { pool: this.pool, cache: this.#cache, rebuild: (index: SealedIndex) => this.#rebuild(index) };
    this.#sealed = [...this.#sealed, new SealedIndex(options, header)];
  }

  /** Adds a segment that was read back and is not sealed. */
  addEnded(span: SegmentSpan, index: LineIndex<LinePlace>): void {
    this.#ended = [...this.#ended, { span, index }];
  }

  /** The next segment is begun: the one before ends with `after`, and all its lines were added. Waits only under pressure. */
  async begin(segment: SegmentName, after: JournalEnd): Promise<void> {
    this.#endActive(after);
    this.#active = { segment, after, index: new LineIndex() };
    this.#seal(after);
    if (this.#ended.length > MAX_ENDED) await this.#sealing;
  }

  /** Whether the segment that lines are added to has an output of a run that ended before. */
  hasActiveOutputBefore(before: string): boolean {
    return this.#active !== undefined && isBefore(this.#active.index.oldestOutputAt, before);
  }

  /**
   * Takes the outputs of runs that ended before out of a sealed segment that has one. Readers are not held up; what they read
   * meanwhile is the old or the new. Undefined when no segment has one.
   */
  async cleanNext(before: string, at: string): Promise<Cleaned | undefined> {
    await this.#sealing;
    // Not for all of them: with many segments that takes minutes, and a stop waits for this.
    for (let known = this.#renewing; known !== undefined; known = this.#renewing) await known;
    const sealed = this.#sealed.find(({ header }) => isBefore(header.oldestOutputAt, before));
    if (sealed === undefined) return undefined;
    this.#cleaning = sealed;
    try {
      return await this.#clean(sealed, { before, at });
    } finally {
      this.#cleaning = undefined;
    }
  }

  async #clean(sealed: SealedIndex, times: { readonly before: string; readonly at: string }): Promise<Cleaned> {
    const { files, folder, checkLock } = this.#options;
    const { file } = sealed.header;
    const cleaned = await cleanSegment({ files, folder, ...times, checkLock }, sealed.header);
    sealed.replace(cleaned.header);
    await removeSegment(files, folder, file);
    for (const name of [file, indexName(file)]) await this.pool.forget(name);
    return cleaned;
  }

  /** Seals all segments; nothing may be added afterwards. */
  async finish(end: JournalEnd): Promise<void> {
    this.#closing.abort();
    await this.#sealing;
    this.#endActive(end);
    this.#seal(end);
    await this.#sealing;
  }

  /** Closes the files. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sealing;
    await this.#renewal;
    await this.pool.close();
  }

  #endActive(end: JournalEnd): void {
    if (this.#active === undefined) return;
    const { segment, after, index } = this.#active;
    this.#active = undefined;
    this.addEnded({ segment, bytes: end.bytes, after, end }, index);
  }

  /** What is durable now is what the lines up to `end` say. A snapshot that is on its way makes the next one wait. */
  #seal(end: JournalEnd): void {
    if (this.#ended.length > 0 && this.#snapshot === undefined && this.#snapshotEnd?.seq !== end.seq) {
      this.#snapshot = { end, bytes: this.#options.takeSnapshot(end) };
      this.#snapshotEnd = end;
    }
    this.#sealing ??= this.#sealAll();
  }

  async #sealAll(): Promise<void> {
    // Lets the caller store the promise first.
    await setImmediate();
    try {
      while (this.#ended.length > 0 || this.#snapshot !== undefined) {
        for (let next = this.#ended[0]; next !== undefined; next = this.#ended[0]) await this.#sealOne(next);
        await this.#writeSnapshot();
      }
    } catch (error) {
      this.#snapshot = undefined;
      this.#snapshotEnd = undefined;
      this.#options.onProblem?.(error);
    }
    this.#sealing = undefined;
  }

  async #writeSnapshot(): Promise<void> {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return;
    const { files, stateFolder, checkLock } = this.#options;
    await checkLock();
    await writeSnapshot(files, stateFolder, snapshot.end, snapshot.bytes);
    this.#snapshot = undefined;
  }

  async #sealOne(ended: EndedSegment): Promise<void> {
    const { files, folder, checkLock } = this.#options;
    const bytes = await encodeIndex(ended.span, ended.index);
    await checkLock();
    const header = await writeIndex(files, folder, bytes);
    this.#ended = this.#ended.filter((other) => other !== ended);
    this.addSealed(header);
  }

  async #rebuild({ header }: SealedIndex): Promise<IndexHeader> {
    const { files, folder, checkLock } = this.#options;
    const bytes = await this.#makeIndex(spanOf(header));
    await checkLock();
    return writeIndex(files, folder, bytes);
  }

  #isCurrent(file: string): boolean {
    return (
      this.#active?.segment.name === file ||
      this.#ended.some(({ span }) => span.segment.name === file) ||
      this.#sealed.some(({ header }) => header.file === file)
    );
  }
}

function isOld({ header }: SealedIndex): boolean {
  return header.v < INDEX_VERSION;
}

/** `time` is empty if there is none. */
function isBefore(time: string, before: string): boolean {
  return time !== "" && time < before;
}
