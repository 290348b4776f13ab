import { SecretVerdicts, SecretVerdictsDocument } from "../secret-verdicts/secret-verdicts.ts";
import { type ApprovalRules, createApprovalRules } from "../approvals/approval-rules.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import { type ControlService, createControlService } from "../controls/control-service.ts";
import type { Sealer } from "../http/cursors/sealer.ts";
import { createSettings, SettingsDocument } from "../operator/document-settings-store.ts";
import { KnownTimeDocument, type KnownTimeFile } from "../operator/retention.ts";
import type { SettingsStore } from "../operator/settings-store.ts";
import type { Redactor } from "../redaction/redact.ts";
import { createRenewals, type Renewals } from "../resources/renewals.ts";
import { createResourceService, type ResourceService } from "../resources/resource-service.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";
import { ScrubDocument, type ScrubFile } from "../storage/journal/scrub/scrub-document.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import { createUsageService, type UsageService } from "../usage/usage-service.ts";
import { createWalletService, type WalletService } from "../wallet/wallet-service.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { openCatalog, type OpenCatalog } from "./open-catalog.ts";
import { openConnections, type OpenConnections } from "./open-connections.ts";
import { openConsole, type OpenConsole } from "./open-console.ts";
import { openDiscovery, type OpenDiscovery } from "./open-discovery.ts";
import { openIdentity, type OpenIdentity } from "./open-identity.ts";
import type { OpenTraces } from "./open-traces.ts";
import { openProviders } from "./open-providers.ts";
import { openRuns, type OpenRuns } from "./open-runs.ts";
import { openSealer } from "./open-sealer.ts";
import { openWebhooks, type OpenWebhooks } from "./open-webhooks.ts";

/** The services that the routes use. */
export interface Services
  extends OpenCatalog, OpenIdentity, OpenDiscovery, OpenWebhooks, OpenConnections, OpenRuns, OpenConsole {
  readonly settings: SettingsStore;
  readonly knownTime: KnownTimeFile;
  readonly scrubbed: ScrubFile;
  readonly sealer: Sealer;
  readonly wallet: WalletService;
  readonly controls: ControlService;
  readonly approvalRules: ApprovalRules;
  readonly secretVerdicts: SecretVerdicts;
  readonly resources: ResourceService;
  readonly renewals: Renewals;
  readonly usage: UsageService;
  /** Loads the code that calls providers. If that fails, logs it; the first call tries again. */
  loadProviders(): Promise<void>;
}

export interface ServicesParts {
  readonly config: DaemonConfig;
  readonly shares: Pick<DescriptorShares, "atlas">;
  readonly store: DaemonStore;
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly opened: OpenParts;
  /** Absent: nothing is traced. */
  readonly traced: OpenTraces | undefined;
  /** The address of the service on this machine; undefined until it listens. */
  readonly serviceUrl: () => string | undefined;
}

/** Reads documents and catalog, and builds the features on the store, from the lowest floor up. Starts nothing. */
export async function openServices(parts: ServicesParts): Promise<Services> {
  const { config, store, documents, clock, newId, logger, traced } = parts;
  const unlimited = config.startingCredit === "unlimited";
  const settings = createSettings(await documents.open("settings.json", SettingsDocument, {}), config);
  const knownTime = await documents.open("known-time.json", KnownTimeDocument, { jumps: [] });
  const scrubbed = await documents.open("scrub.json", ScrubDocument, { next: 1, damage: [] });

  const catalogParts = await openCatalog(parts);
  const { catalog } = catalogParts;
  const identityParts = await openIdentity(parts);
  const { ids } = identityParts.identity;
  const connected = await openConnections({ ...parts, catalog, ids, baseUrl: () => baseUrlOf(parts) });
  const { accounts, connections } = connected;
  const provider = openProviders({ ...parts, catalog, accounts, traceparentOf: traced?.traceparentOf });
  const found = await openDiscovery({ ...parts, sharedUses: documents.uses, catalog, settings, accounts: connections });
  const webhookParts = openWebhooks({ ...parts, health: found.health });
  const renewals = createRenewals({ store, catalog, provider, clock, unlimited, logger });
  const secretVerdicts = new SecretVerdicts({
    document: await documents.open("secret-verdicts.json", SecretVerdictsDocument, { verdicts: [] }),
    catalog,
    verifier: provider,
    changedAtMs: (names) => catalogParts.secrets.changedAtMs(names),
    printOf: documents.printCredential,
    store,
    clock,
    logger,
  });
  const runParts = await openRuns({
    ...parts,
    ...catalogParts,
    ...connected,
    ...found,
    ...webhookParts,
    provider,
    secretVerdicts,
    unlimited,
  });
  return {
    settings,
    knownTime,
    scrubbed,
    sealer: await openSealer({ documents, logger, lastNumber: store.lastNumber }),
    ...catalogParts,
    ...identityParts,
    ...connected,
    ...found,
    ...webhookParts,
    wallet: createWalletService({ store, clock, unlimited }),
    controls: createControlService({ store, clock, newId }),
    approvalRules: createApprovalRules({ store, clock, newId }),
    secretVerdicts,
    resources: createResourceService({ store, catalog, provider, clock, onChanged: () => renewals.wake() }),
    renewals,
    ...runParts,
    usage: createUsageService(store, ids),
    ...openConsole({ ...parts, catalog }),
    async loadProviders() {
      await provider
        .load()
        .catch((error: unknown) => logger.warn({ err: error }, "the code that calls providers could not be loaded"));
    },
  };
}

/** Where browsers reach the service. Nobody but the operator knows that of one that other machines may reach. */
function baseUrlOf({ config: { publicUrl, host }, serviceUrl }: ServicesParts): string | undefined {
  return publicUrl ?? (isLoopback(host) ? serviceUrl() : undefined);
}
