import type { Logger } from "../base/logger.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import type { StorageFailed } from "../ledger/transaction/commit-errors.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";

export interface OpenStoreParts {
  readonly config: DaemonConfig;
  readonly shares: Pick<DescriptorShares, "segmentFiles">;
  readonly logger: Logger;
  readonly metrics: ServiceMetrics | undefined;
  /** Lines of this daemon became durable with one write, which took `ms`. Absent: nobody counts them. */
  readonly onCommitted: ((lines: readonly Line[], ms: number) => void) | undefined;
  readonly opened: OpenParts;
  readonly onFatal: (error: StorageFailed) => void;
}

export interface OpenStore {
  readonly store: DaemonStore;
  readonly documents: DocumentStore;
}
