import { StorageFailed } from "../ledger/transaction/commit-errors.ts";
import { DamagedOnDisk } from "../ledger/stores/damaged-on-disk.ts";

/** A journal or document file holds what no crash leaves behind: the start stops. Source: docs/storage.md, P4. */
export class JournalCorrupt extends DamagedOnDisk {
  override readonly name = "JournalCorrupt";
  readonly file: string;
  /** Bytes from the beginning of the file. */
  readonly offset: number;
  readonly why: string;

  constructor(file: string, offset: number, why: string) {
    super(
      `${file} is damaged at byte ${offset}: ${why}. Nothing was changed. Restore the data folder from a backup, or keep a copy and repair it.`,
    );
    this.file = file;
    this.offset = offset;
    this.why = why;
  }
}

/** Another process holds the data folder, or may hold it. Source: docs/storage.md, "One writer". */
export class DataFolderInUse extends Error {
  override readonly name = "DataFolderInUse";
  readonly dataDir: string;
  /** Absent when the lock cannot be read. */
  readonly pid?: number;

  constructor(dataDir: string, pid: number | undefined, why: string) {
    super(`The data folder ${dataDir} is in use: ${why}`);
    this.dataDir = dataDir;
    if (pid !== undefined) this.pid = pid;
  }
}

/** Others than its owner may read or write the data folder. Source: docs/storage.md, "The data folder". */
export class DataFolderUnsafe extends Error {
  override readonly name = "DataFolderUnsafe";
  readonly path: string;

  constructor(path: string, mode: number) {
    super(
      `The data folder ${path} is open to other users of this machine (mode ${mode.toString(8).padStart(4, "0")}). Close it with: chmod 700 '${path}'`,
    );
    this.path = path;
  }
}

/** The data folder, or something in it, is somebody else's, or leads elsewhere. docs/security.md, T18. */
export class DataFolderForeign extends Error {
  override readonly name = "DataFolderForeign";
  readonly path: string;

  constructor(path: string, why: string) {
    super(`The data folder ${path} is refused: ${why}`);
    this.path = path;
  }
}

/** The data folder cannot be read, made or written. */
export class DataFolderUnusable extends Error {
  override readonly name = "DataFolderUnusable";
  readonly path: string;

  constructor(path: string, why: string, cause?: unknown) {
    super(`The data folder ${path} cannot be used: ${why}`, { cause });
    this.path = path;
  }
}

/** The data folder was written by another version of the format. */
export class DataFormatUnknown extends Error {
  override readonly name = "DataFormatUnknown";
  readonly path: string;

  constructor(path: string, found: string) {
    super(
      `${path} says ${found}; this version of mkt reads formats 1 and 2 only. Use the version of mkt that wrote it.`,
    );
    this.path = path;
  }
}

/** The lock was taken over by force: this process must not write any more. Source: docs/storage.md, "One writer". */
export class LockLost extends StorageFailed {
  constructor(dataDir: string) {
    super(`Another process took over the data folder ${dataDir} by force; this one stops writing`);
  }
}

/** The line breaks a rule that no caller may break. Nothing was taken. */
export class LineRefused extends Error {
  override readonly name = "LineRefused";
}

/** A segment was rewritten since its index was asked: the line lies somewhere else. Asking again helps. */
export class LineMoved extends Error {
  override readonly name = "LineMoved";

  constructor(file: string) {
    super(`${file} was replaced while it was read`);
  }
}
