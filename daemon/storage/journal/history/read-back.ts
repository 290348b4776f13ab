import { join } from "node:path";
import type { Files } from "../../files.ts";
import { LineIndex } from "../../line-index.ts";
import { JournalCorrupt } from "../../storage-errors.ts";
import { StoreState } from "../../store-state.ts";
import { removeTemporaries } from "../../durable-file.ts";
import { encodeIndex, INDEX_VERSION, type IndexHeader, type LinePlace } from "../indexes/index-file.ts";
import { type IndexThreads, makeIndexWith } from "../indexes/index-threads.ts";
import { JournalHistory } from "./journal-history.ts";
import { knownLine } from "../segments/line-shape.ts";
import { endBefore, listSegments, recoverJournal, type FoundLine } from "../segments/recovery.ts";
import { JOURNAL_START, type JournalEnd, type SegmentName, type SegmentSpan } from "../segments/segment.ts";
import { addFoundLine, ensureIndex, findIndexHeader, isSameEnd, writeIndex } from "../indexes/segment-index.ts";
import { decodeSnapshot, encodeSnapshot, listSnapshots, type FoundSnapshot } from "../segments/snapshot.ts";

/*
 * The start of a journal: the newest snapshot that fits, the lines after it, and the indexes of the segments before it. What
 * can be made from the segments is made again when it is missing or damaged. docs/storage.md, "Recovery" and
 * "Indexes and snapshots".
 */

/** Number of index headers that are read concurrently. */
const AT_ONCE = 16;
/** Threads take a moment to begin: fewer indexes are made sooner without them. */
const WORTH_THREADS = 4;

export interface ReadBackOptions {
  readonly files: Files;
  readonly folder: string;
  readonly stateFolder: string;
  readonly checkLock: () => Promise<void>;
  readonly maxSegmentFiles?: number;
  /** Absent: indexes are made in this thread, one after the other. */
  readonly indexThreads?: IndexThreads | undefined;
  readonly onProblem?: (error: unknown) => void;
  readonly onDamage?: (error: JournalCorrupt) => void;
}

export interface ReadBack {
  readonly state: StoreState;
  readonly history: JournalHistory;
  readonly end: JournalEnd;
  readonly cutBytes: number;
  /** There may be files of outputs that no line names: the process before died, or could not end what it began. */
  readonly needsSweep: boolean;
}

/** Rejects with `JournalCorrupt`; then nothing was changed but what is made from segments. */
export async function readBack(options: ReadBackOptions): Promise<ReadBack> {
  const { files, folder, stateFolder } = options;
  for (const one of [folder, stateFolder]) await removeTemporaries(files, one);
  const { segments, replaced } = await listSegments(files, folder);
  const snapshot = await findSnapshot(options, segments);
  const history: JournalHistory = new JournalHistory(
    { ...options, takeSnapshot: (end) => encodeSnapshot(state, end, history.endedForSnapshot()) },
    snapshot,
  );
  const state: StoreState = new StoreState((runId) => history.hasEnded(runId), snapshot?.before);
  const after = snapshot?.end ?? JOURNAL_START;
  const endedTo = snapshot?.ended.to ?? 0;
  for (const header of await openIndexes(options, segments, { upTo: after, endedTo })) history.addSealed(header);
  const { end, cutBytes } = await replay(options, { state, history, after });
  return { state, history, end, cutBytes, needsSweep: after.seq !== end.seq || replaced.length > 0 };
}

/** The newest snapshot that is whole and ends where a segment ends. */
async function findSnapshot(
  { files, folder, stateFolder }: ReadBackOptions,
  segments: readonly SegmentName[],
): Promise<FoundSnapshot | undefined> {
  for (const name of await listSnapshots(files, stateFolder)) {
    const snapshot = decodeSnapshot(await files.readFile(join(stateFolder, name)));
    if (snapshot === undefined) continue;
    const { end } = snapshot;
    const next = segments.find(({ number }) => number === end.segment + 1);
    const found = next === undefined ? undefined : await endBefore(files, folder, next);
    // A last segment without a header was never used; nothing speaks against the snapshot then.
    if (found === undefined ? end.segment >= segments.length - 1 : isSameEnd(found, end)) return snapshot;
  }
  return undefined;
}

/** The indexes of the segments up to a place, oldest first; the resources that ended up to a line are known without them. */
async function openIndexes(
  { files, folder, indexThreads, checkLock }: ReadBackOptions,
  segments: readonly SegmentName[],
  { upTo, endedTo }: { readonly upTo: JournalEnd; readonly endedTo: number },
): Promise<IndexHeader[]> {
  const sealed = segments.filter(({ number }) => number <= upTo.segment);
  if (sealed.length < upTo.segment) {
    throw new JournalCorrupt(folder, 0, `segment ${sealed.length + 1} is missing: a snapshot knows ${upTo.segment}`);
  }
  const known = await findHeaders(files, folder, sealed);
  const expected: Omit<SegmentSpan, "bytes">[] = [];
  for (const [index, segment] of sealed.entries()) {
    const after = expected.at(-1)?.end ?? JOURNAL_START;
    const next = sealed[index + 1];
    const end = next === undefined ? upTo : (known[index + 1]?.after ?? (await getEndBefore(files, folder, next)));
    expected.push({ segment, after, end });
  }
  // A daemon of an earlier version may have made indexes anew beside a snapshot that it does not know.
  const whole = known.map((header) =>
    header !== undefined && header.v < INDEX_VERSION && header.end.seq > endedTo ? undefined : header,
  );
  const missing = whole.filter((header) => header === undefined).length;
  const threads = missing < WORTH_THREADS ? undefined : indexThreads;
  const makeOne = makeIndexWith({ files, folder }, threads);
  const make = async (span: SegmentSpan) => {
    const bytes = await makeOne(span);
    // It took a while, and what is not written under the lock is not written.
    await checkLock();
    return bytes;
  };
  try {
    return await mapInOrder(expected, threads?.atOnce ?? 1, (one, index) =>
      ensureIndex(files, folder, whole[index], one, make),
    );
  } finally {
    await threads?.close();
  }
}

/** As `map`, so many at a time. Rejects as the first one that rejected does, when none is under way any more. */
async function mapInOrder<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  map: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      const item = items[index] as Item;
      await map(item, index).then(
        (result) => void (results[index] = result),
        (error: unknown) => void failures.push(error),
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

async function getEndBefore(files: Files, folder: string, segment: SegmentName): Promise<JournalEnd> {
  const end = await endBefore(files, folder, segment);
  if (end !== undefined) return end;
  throw new JournalCorrupt(join(folder, segment.name), 0, "the segment does not begin with a header");
}

async function findHeaders(
  files: Files,
  folder: string,
  segments: readonly SegmentName[],
): Promise<(IndexHeader | undefined)[]> {
  const headers: (IndexHeader | undefined)[] = [];
  for (let from = 0; from < segments.length; from += AT_ONCE) {
    const some = segments.slice(from, from + AT_ONCE);
    headers.push(...(await Promise.all(some.map((segment) => findIndexHeader(files, folder, segment)))));
  }
  return headers;
}

/** Reads the lines after a place. Each segment but the last is sealed before the next is read: memory stays small. */
async function replay(
  { files, folder, checkLock }: ReadBackOptions,
  { state, history, after }: { state: StoreState; history: JournalHistory; after: JournalEnd },
): Promise<{ end: JournalEnd; cutBytes: number }> {
  let index = new LineIndex<LinePlace>();
  return recoverJournal(files, folder, {
    after,
    onLine(found) {
      takeFound(state, found);
      addFoundLine(index, found);
    },
    async onSegment(span, isLast) {
      const ended = index;
      index = new LineIndex();
      if (isLast) return history.addEnded(span, ended);
      const bytes = await encodeIndex(span, ended);
      await checkLock();
      history.addSealed(await writeIndex(files, folder, bytes));
    },
  });
}

function takeFound(state: StoreState, { content, seq }: FoundLine): void {
  const line = knownLine(content);
  state.take({ line });
  state.settle(line, seq);
}
