import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { OpenParts } from "../base/open-parts.ts";
import { createEntryVersions } from "../catalog/editions/entry-versions.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import { type ControlService, createControlService } from "../controls/control-service.ts";
import type { Sealer } from "../http/sealer.ts";
import { createSettings, SettingsDocument } from "../operator/document-settings-store.ts";
import { KnownTimeDocument, type KnownTimeFile } from "../operator/retention.ts";
import type { SettingsStore } from "../operator/settings-store.ts";
import type { Redactor } from "../redaction/redact.ts";
import { createRenewals, type Renewals } from "../resources/renewals.ts";
import { createResourceService, type ResourceService } from "../resources/resource-service.ts";
import { createRunService, type RunService } from "../runs/run-service.ts";
import { openVersionFiles } from "../storage/documents/version-files.ts";
import type { JournalStore } from "../storage/journal/journal-store.ts";
import { ScrubDocument, type ScrubFile } from "../storage/journal/scrub-document.ts";
import type { Store } from "../storage/store.ts";
import { createUsageService, type UsageService } from "../usage/usage-service.ts";
import { createWalletService, type WalletService } from "../wallet/wallet-service.ts";
import { openCatalog, type OpenCatalog } from "./open-catalog.ts";
import { openDiscovery, type OpenDiscovery } from "./open-discovery.ts";
import { openDocuments } from "./open-documents.ts";
import { openIdentity, type OpenIdentity } from "./open-identity.ts";
import { openProviders } from "./open-providers.ts";
import { openSealer } from "./open-sealer.ts";

/** The services that the routes use. */
export interface Services extends OpenCatalog, OpenIdentity, OpenDiscovery {
  readonly settings: SettingsStore;
  readonly knownTime: KnownTimeFile;
  readonly scrubbed: ScrubFile;
  readonly sealer: Sealer;
  readonly wallet: WalletService;
  readonly controls: ControlService;
  readonly resources: ResourceService;
  readonly renewals: Renewals;
  readonly runs: RunService;
  readonly usage: UsageService;
  /** Loads the code that calls providers. If that fails, logs it; the first call tries again. */
  loadProviders(): Promise<void>;
}

export interface ServicesParts {
  readonly config: DaemonConfig;
  readonly shares: Pick<DescriptorShares, "atlas">;
  readonly store: Store & Pick<JournalStore, "lastNumber">;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly opened: OpenParts;
}

/** Reads documents and catalog, and builds the features on the store, from the lowest floor up. Starts nothing. */
export async function openServices(parts: ServicesParts): Promise<Services> {
  const { config, store, clock, newId, logger } = parts;
  const unlimited = config.startingCredit === "unlimited";
  const documents = await openDocuments(config.dataDir, logger);
  const settings = createSettings(await documents.open("settings.json", SettingsDocument, {}), config);
  const knownTime = await documents.open("known-time.json", KnownTimeDocument, { jumps: [] });
  const scrubbed = await documents.open("scrub.json", ScrubDocument, { next: 1, damage: [] });

  const catalogParts = await openCatalog({ ...parts, documents });
  const { catalog } = catalogParts;
  const identityParts = await openIdentity({ ...parts, documents });
  const provider = openProviders({ ...parts, catalog });
  const found = await openDiscovery({ ...parts, catalog, settings });
  const renewals = createRenewals({ store, catalog, provider, clock, unlimited, logger });
  const runs = createRunService({
    catalog,
    versions: createEntryVersions(catalog, openVersionFiles(documents.dir)),
    store,
    provider,
    clock,
    newId,
    unlimited,
    openRunLimits: config.openRunLimits,
    logger,
    onFinished: (run) => found.health.observe(run),
  });
  return {
    settings,
    knownTime,
    scrubbed,
    sealer: await openSealer({ documents, logger, lastNumber: store.lastNumber }),
    ...catalogParts,
    ...identityParts,
    ...found,
    wallet: createWalletService({ store, clock, unlimited }),
    controls: createControlService({ store, clock, newId }),
    resources: createResourceService({ store, catalog, provider, clock, onChanged: () => renewals.wake() }),
    renewals,
    runs,
    usage: createUsageService(store, identityParts.identity.ids),
    async loadProviders() {
      await provider
        .load()
        .catch((error: unknown) => logger.warn({ err: error }, "the code that calls providers could not be loaded"));
    },
  };
}
