import type { Logger } from "../base/logger.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import type { StorageFailed } from "../ledger/commit-errors.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";
import { openFileDocuments } from "../storage/documents/file-documents.ts";
import { openJournalStore } from "../storage/journal/journal-store.ts";

export interface OpenStoreParts {
  readonly config: DaemonConfig;
  readonly shares: Pick<DescriptorShares, "segmentFiles">;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics | undefined;
  readonly opened: OpenParts;
  readonly onFatal: (error: StorageFailed) => void;
}

export interface OpenStore {
  readonly store: DaemonStore;
  readonly documents: DocumentStore;
}

/** Opens what everything is kept in. Rejects as its parts do. */
export async function openStore(parts: OpenStoreParts): Promise<OpenStore> {
  return await openFiles(parts);
}

async function openFiles({ config, shares, logger, metrics, opened, onFatal }: OpenStoreParts): Promise<OpenStore> {
  const { dataDir, configDir } = config;
  const store = opened.use(
    await openJournalStore({
      dataDir,
      forceUnlock: config.forceUnlock,
      onFatal,
      ballastBytes: config.ballastBytes,
      maxSegmentFiles: shares.segmentFiles,
      onCommitted: metrics && ((lines, ms) => metrics.committed(lines, ms)),
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
