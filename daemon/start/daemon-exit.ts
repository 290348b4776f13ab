import { quoteWord } from "../../shared/hints/shell-words.ts";
import { errorText } from "../../shared/error-text.ts";
import { DiskFull, LeaseLost, StorageAway, StorageFailed } from "../ledger/transaction/commit-errors.ts";
import { ConfigRefused } from "../config/config-refused.ts";
import { NoOwnerYet } from "../offline/reset-owner-key.ts";
import { DocumentInvalid } from "../storage/documents/document-invalid.ts";
import {
  DataFolderForeign,
  DataFolderInUse,
  DataFolderUnsafe,
  DataFolderUnusable,
  DataFormatUnknown,
  JournalCorrupt,
  LockLost,
} from "../storage/storage-errors.ts";

/** How a daemon ends that cannot start or go on. Codes as in sysexits; docs/command-line.md, "Exit codes". */
export interface DaemonExit {
  readonly code: 1 | 65 | 70 | 74 | 75 | 78;
  /** What happened, to what, what to do next. */
  readonly message: string;
}

const damages = [JournalCorrupt, DataFormatUnknown, DocumentInvalid];
const refusals = [ConfigRefused, DataFolderForeign, DataFolderUnsafe, DataFolderUnusable, NoOwnerYet];

/** By name: their code is loaded only where a database is set. */
const UNUSABLE_DATABASE: readonly string[] = [
  "DatabaseUrlInvalid",
  "DatabaseRefused",
  "SchemaUnknown",
  "DatabaseMoved",
];

/**
 *   65  the data are damaged         75  another daemon has the data folder, or the database is away
 *   70  lock or lease were lost      78  a setting, a port or a folder is not usable
 *   74  the disk failed               1  anything unforeseen
 */
export function toDaemonExit(error: unknown): DaemonExit {
  const message = errorText(error);
  if (damages.some((damage) => error instanceof damage)) return { code: 65, message };
  if (error instanceof LockLost || error instanceof LeaseLost) return { code: 70, message };
  if (error instanceof StorageFailed || error instanceof DiskFull) return { code: 74, message };
  if (error instanceof StorageAway)
    return { code: 75, message: `${message}. Start the daemon when the database answers` };
  // By name: their code is loaded only where a database is set.
  if (error instanceof Error && error.name === "DatabaseInUse") return { code: 75, message };
  if (error instanceof Error && error.name === "TargetDiffers") return { code: 65, message };
  if (error instanceof Error && UNUSABLE_DATABASE.includes(error.name)) return { code: 78, message };
  if (error instanceof DataFolderInUse) {
    // Of another host's or container's process, which `mkt daemon stop` cannot reach, the reason says what to do.
    const stoppable = error.pid !== undefined && !message.includes("--force-unlock");
    const stop = `mkt daemon stop --data-dir ${quoteWord(error.dataDir)}`;
    return { code: 75, message: stoppable ? `${message} Next: ${stop}` : message };
  }
  if (refusals.some((refusal) => error instanceof refusal)) return { code: 78, message };
  return { code: 1, message };
}
