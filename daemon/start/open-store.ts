import type { Logger } from "../base/logger.ts";
import { openFileDocuments } from "../storage/documents/file-documents.ts";
import { openJournalStore } from "../storage/journal/journal-store.ts";
import { refuseMovedFolder } from "../storage/moved-folder.ts";
import type { OpenStore, OpenStoreParts } from "./opened-store.ts";

/** Opens what everything is kept in. Rejects as its parts do. */
export async function openStore(parts: OpenStoreParts): Promise<OpenStore> {
  const { database } = parts.config;
  if (database === undefined) return await openFiles(parts);
  // Loaded only where a database is set: a daemon on files starts without it.
  const { openDatabaseStore } = await import("./open-database-store.ts");
  return await openDatabaseStore(parts, database);
}

async function openFiles({ config, shares, logger, onCommitted, opened, onFatal }: OpenStoreParts): Promise<OpenStore> {
  const { dataDir, configDir } = config;
  await refuseMovedFolder(dataDir);
  const store = opened.use(
    await openJournalStore({
      dataDir,
      forceUnlock: config.forceUnlock,
      onFatal,
      ballastBytes: config.ballastBytes,
      maxSegmentFiles: shares.segmentFiles,
      segmentWorker: config.program?.segmentWorker,
      onCommitted,
      onCut: (bytes) => logger.info({ bytes }, "removed the rest of a write that was not acknowledged"),
      onDiskFull: (isFull) => logDiskFull(logger, dataDir, isFull),
      onProblem: (error) =>
        logger.warn({ err: error }, "background work of the store failed; nothing is lost, and it is retried"),
    }),
  );
  return { store, documents: await openFileDocuments({ dataDir, configDir, logger }) };
}

function logDiskFull(logger: Logger, dataDir: string, isFull: boolean): void {
  if (isFull) logger.error({ dataDir }, "the disk is full: until there is space, only the ends of runs are recorded");
  else logger.info({ dataDir }, "the disk has space again");
}
