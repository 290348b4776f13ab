import type { Logger } from "../base/logger.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import type { StorageFailed } from "../ledger/commit-errors.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";

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
