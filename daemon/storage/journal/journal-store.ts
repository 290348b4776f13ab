import { join, resolve } from "node:path";
import { RunDoneLine } from "../../runs/run-lines.ts";
import type { RunRecord } from "../../runs/run-record.ts";
import type { StorageFailed } from "../../commit-errors.ts";
import { Line } from "../../transaction.ts";
import { nodeFiles, type Files } from "../files.ts";
import { DataFolderUnusable } from "../storage-errors.ts";
import { StoreState, storeReads } from "../store-state.ts";
import type { Store } from "../store.ts";
import { ensureFolder, markFormat, prepareDataFolder, unusable } from "./data-folder.ts";
import { acquireLock, type GenerationLock } from "./generation-lock.ts";
import { Journal, SEGMENT_BYTES, type LineAddress } from "./journal.ts";
import { lineBody } from "./line-codec.ts";
import { systemProcesses, type ProcessTable } from "./process-table.ts";
import { recoverJournal, type FoundLine, type Recovered } from "./recovery.ts";
import { SegmentFiles } from "./segment-files.ts";

export interface JournalStoreOptions {
  readonly dataDir: string;
  /**
   * The disk failed, or another process took over (`LockLost`). Called once; nothing is acknowledged any more, and the
   * process should end: 74, or 70 for `LockLost`. Reads go on working.
   */
  readonly onFatal: (error: StorageFailed) => void;
  /** Take the folder over from a holder that cannot be judged or may live. */
  readonly forceUnlock?: boolean;
  readonly files?: Files;
  readonly processes?: ProcessTable;
  /** Size from which a segment is full. */
  readonly segmentBytes?: number;
  /** An unacknowledged batch was cut off at the end of the journal, in bytes: what a crash leaves. */
  readonly onCut?: (cutBytes: number) => void;
}

/**
 * The store of a daemon: an append-only journal in plain files, read back as a whole at start. Rejects with
 * `DataFolderInUse`, `DataFolderUnsafe`, `DataFolderUnusable`, `DataFormatUnknown` or `JournalCorrupt`.
 */
export async function openJournalStore(options: JournalStoreOptions): Promise<Store> {
  const dataDir = resolve(options.dataDir);
  if (process.platform === "win32") {
    throw new DataFolderUnusable(dataDir, "Windows cannot keep it safe. Run mkt in WSL: https://aka.ms/wsl");
  }
  const { files = nodeFiles(), processes = systemProcesses(), forceUnlock = false } = options;
  await prepareDataFolder(files, dataDir);
  try {
    const lock = await acquireLock({ files, processes, dataDir, logFolder: join(dataDir, "log"), forceUnlock });
    try {
      return await openLocked(options, files, dataDir, lock);
    } catch (error) {
      await release(lock);
      throw error;
    }
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

async function openLocked(
  options: JournalStoreOptions,
  files: Files,
  dataDir: string,
  lock: GenerationLock,
): Promise<Store> {
  await markFormat(files, dataDir);
  const folder = await ensureFolder(files, dataDir, "log");
  const state = new StoreState<LineAddress>();
  const recovered = await recoverJournal(files, folder, (line) => replay(state, line));
  if (recovered.cutBytes > 0) options.onCut?.(recovered.cutBytes);
  const segments = segmentFilesOf(files, folder, recovered);
  const journal = await Journal.begin({
    files,
    folder,
    generation: lock.generation,
    after: recovered.end,
    segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
    checkLock: () => lock.check(),
    onDurable: (line, seq, address) => state.settle(line, seq, address),
    onSegment: (number, name) => segments.add(number, name),
    onFatal: options.onFatal,
  });

  const closeAll = async () => {
    await journal.close();
    await segments.close();
    await release(lock);
  };
  let closing: Promise<void> | undefined;

  return {
    async commit(transaction) {
      journal.checkOpen();
      const line = state.take(transaction);
      const body = lineBody(line);
      // The record of a run under way is kept in memory; a caller may go on changing its own.
      await journal.append(line.t === "run.done" ? line : structuredClone(line), body);
    },
    ...storeReads(state, (address) => readRecord(segments, address)),
    close: () => (closing ??= closeAll()),
  };
}

/** The process ends soon and frees the lock in any case. */
async function release(lock: GenerationLock): Promise<void> {
  await lock.release().catch(() => undefined);
}

function replay(state: StoreState<LineAddress>, found: FoundLine): void {
  const parsed = Line.safeParse(found.content);
  if (!parsed.success) {
    const { t, v } = found.content;
    throw new Error(
      `a line of type ${JSON.stringify(t)}, version ${JSON.stringify(v)}, is not as this version of mkt knows it`,
    );
  }
  const { segment, offset, length } = found;
  state.take({ line: parsed.data });
  state.settle(parsed.data, found.seq, { segment, offset, length });
}

function segmentFilesOf(files: Files, folder: string, recovered: Recovered): SegmentFiles {
  const segments = new SegmentFiles(files, folder);
  for (const { number, name } of recovered.segments) segments.add(number, name);
  return segments;
}

async function readRecord(segments: SegmentFiles, address: LineAddress): Promise<RunRecord> {
  const parsed = RunDoneLine.safeParse(await segments.read(address));
  if (!parsed.success) throw segments.damaged(address, "the line is not a finished run");
  return parsed.data.rec;
}
