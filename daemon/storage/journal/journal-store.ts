import { join, resolve } from "node:path";
import type { BackupStore } from "../../operator/backup-store.ts";
import type { StorageFailed } from "../../ledger/transaction/commit-errors.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import type { ThreadScript } from "../../processes/asked-thread.ts";
import { nodeFiles, type Files } from "../files.ts";
import { DataFolderUnusable, JournalCorrupt } from "../storage-errors.ts";
import { keyLabelsOf } from "../book/identity-book.ts";
import { History } from "../history.ts";
import { storeReads } from "../store-reads.ts";
import type { Store } from "../store.ts";
import { backUpDataFolder } from "./folder/backup.ts";
import { ensureFolder, markFormat, prepareDataFolder, raiseFormat, unusable } from "./folder/data-folder.ts";
import { acquireLock, type GenerationLock } from "./folder/generation-lock.ts";
import { DiskRoom, type DiskRoomOptions } from "./disk/disk-room.ts";
import { Journal, SEGMENT_BYTES } from "./writing/journal.ts";
import { IndexThreads } from "./indexes/index-threads.ts";
import { LargeInputs } from "./writing/large-inputs.ts";
import { LineWriter } from "./writing/line-writer.ts";
import { createOutputCleaner, type OutputCleaner } from "./history/output-cleaner.ts";
import { Outputs } from "./writing/outputs.ts";
import { systemProcesses, type ProcessTable } from "./folder/process-table.ts";
import { readBack } from "./history/read-back.ts";
import { Scrub, type Scrubbing, type ScrubParts } from "./scrub/scrub.ts";

export interface JournalStoreOptions extends Pick<DiskRoomOptions, "ballastBytes" | "onProblem"> {
  readonly dataDir: string;
  /**
   * Called once when the disk failed or another process took over (`LockLost`). Nothing is acknowledged any more, and
   * the process should exit with 74, or 70 for `LockLost`. Reads still work.
   */
  readonly onFatal: (error: StorageFailed) => void;
  /** Take the folder over from a holder that cannot be checked or may be alive. */
  readonly forceUnlock?: boolean;
  readonly files?: Files;
  readonly processes?: ProcessTable;
  /** Files of old segments that are kept open for reading. */
  readonly maxSegmentFiles?: number;
  /** The script of a thread that makes indexes; absent: they are made in this thread. */
  readonly segmentWorker?: (() => Promise<ThreadScript>) | undefined;
  /** Size from which a segment is full. */
  readonly segmentBytes?: number;
  /** Called when an unacknowledged batch, left by a crash, was cut off the end of the journal; its size in bytes. */
  readonly onCut?: (cutBytes: number) => void;
  /** Lines became durable with one write, which took this many milliseconds. */
  readonly onCommitted?: ((lines: readonly Line[], ms: number) => void) | undefined;
  /** The disk has become full, or has room again. */
  readonly onDiskFull?: DiskRoomOptions["onChange"];
}

/** A store on files, which can be copied and cleaned. */
export interface JournalStore extends Store, BackupStore, OutputCleaner {
  /** Starts the slow background check of all files on the disk; call it once. */
  startScrub(parts: ScrubParts): Scrubbing;
  /** Time of the newest line at the start, ISO 8601; undefined in a new folder. */
  readonly lastLineAt: string | undefined;
  /** Its number; 0 in a new folder. */
  readonly lastNumber: number;
  /** The process ends: writes held by a full disk are tried once more, and fail for good if they still do not fit. */
  endWaits(): void;
}

/**
 * The store of a daemon: an append-only journal in plain files. Rejects with
 * `DataFolderInUse`, `DataFolderUnsafe`, `DataFolderUnusable`, `DataFormatUnknown` or `JournalCorrupt`.
 */
export async function openJournalStore(options: JournalStoreOptions): Promise<JournalStore> {
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
): Promise<JournalStore> {
  await markFormat(files, dataDir);
  const folder = await ensureFolder(files, dataDir, "log");
  const stateFolder = await ensureFolder(files, dataDir, "state");
  const checkLock = () => lock.check();
  const { segmentWorker } = options;
  let scrub: Scrub | undefined;
  const noteDamage = (error: unknown) => {
    if (error instanceof JournalCorrupt) scrub?.note(error);
  };
  const { state, history, end, cutBytes, needsSweep } = await readBack({
    ...options,
    files,
    folder,
    stateFolder,
    checkLock,
    onDamage: noteDamage,
    indexThreads: segmentWorker === undefined ? undefined : new IndexThreads(folder, segmentWorker, options.onProblem),
  });
  await raiseFormat(files, dataDir);
  if (cutBytes > 0) options.onCut?.(cutBytes);
  const lastLineAt = newestOf(history.parts().map(({ newestAt }) => newestAt));
  const outputs = await Outputs.open(files, dataDir, options.onProblem);
  const room = openRoom(options, files, dataDir);
  const inputs = new LargeInputs();
  const journal = await Journal.begin({
    files,
    folder,
    generation: lock.generation,
    after: end,
    segmentBytes: options.segmentBytes ?? SEGMENT_BYTES,
    room,
    checkLock,
    onNumbered: (line, seq) => state.runs.number(line, seq),
    onDurable(line, numbers, address) {
      state.settle(line, numbers.seq);
      history.add(line, numbers, address);
      inputs.settle(line, address);
    },
    onRefused: (kept) => state.retake(kept),
    onSegment(segment, after) {
      inputs.clear();
      return history.begin(segment, after);
    },
    onBatch: options.onCommitted,
    onFatal: options.onFatal,
  });

  room.start();
  history.renewOldIndexes();
  const startSweep = () => outputs.startSweep((runId, sha256) => history.namesOutput(runId, sha256));
  if (needsSweep) startSweep();

  const cleaner = createOutputCleaner({ journal, history, outputs, startSweep });
  const writer = new LineWriter({ state, journal, room, outputs, inputs });
  const closeAll = async () => {
    await scrub?.close();
    await room.close();
    await cleaner.close();
    const closedAt = await journal.close();
    if (closedAt !== undefined) await history.finish(closedAt);
    await outputs.close();
    await history.close();
    await release(lock);
  };
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeAll());

  return {
    commit: (transaction) => writer.commit(transaction),
    ...storeReads(
      state,
      new History(state.runs, history, toldOutputs(outputs, noteDamage), keyLabelsOf(state.book.identity)),
    ),
    hasRoom: () => !room.isFull,
    endWaits: () => room.endWaits(),
    startScrub(parts) {
      scrub = new Scrub(parts, { files, dataDir, history });
      scrub.start();
      return scrub;
    },
    lastLineAt,
    lastNumber: end.seq,
    removeOutputs: (times) => cleaner.removeOutputs(times),
    backup: (directory) => cleaner.whileKept(() => backUpDataFolder({ files, dataDir, directory, end: journal.end })),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function openRoom(options: JournalStoreOptions, files: Files, dataDir: string): DiskRoom {
  const { ballastBytes, onDiskFull, onProblem } = options;
  return new DiskRoom({
    files,
    dataDir,
    ...(ballastBytes !== undefined && { ballastBytes }),
    ...(onDiskFull !== undefined && { onChange: onDiskFull }),
    ...(onProblem !== undefined && { onProblem }),
  });
}

/** Reports damage that reading finds. */
function toldOutputs(outputs: Outputs, onDamage: (error: unknown) => void): Pick<Outputs, "read"> {
  return {
    async read(reference) {
      try {
        return await outputs.read(reference);
      } catch (error) {
        onDamage(error);
        throw error;
      }
    },
  };
}

/** The newest of times in ISO 8601, some of which may be empty. */
function newestOf(times: readonly string[]): string | undefined {
  return times
    .filter((time) => time !== "")
    .reduce<string | undefined>((newest, time) => (newest !== undefined && newest > time ? newest : time), undefined);
}

/** Errors are ignored: the process ends soon, which frees the lock. */
async function release(lock: GenerationLock): Promise<void> {
  await lock.release().catch(() => undefined);
}
