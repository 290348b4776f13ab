import { SecretVerdicts, SecretVerdictsDocument } from "../secret-verdicts/secret-verdicts.ts";
import { type ApprovalRules, createApprovalRules } from "../approvals/approval-rules.ts";
import { createDocumentImports, type DocumentImports } from "../console/catalog/document-imports.ts";
import { consoleFiles } from "../console/console-files.ts";
import { type ConsoleSessions, createConsoleSessions } from "../console/console-sessions.ts";
import { createSignInWay, type SignInWay } from "../console/sign-in-way.ts";
import { EventHub } from "../console/events/event-hub.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { OpenParts } from "../base/open-parts.ts";
import { createEntryVersions } from "../catalog/editions/entry-versions.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import { type ControlService, createControlService } from "../controls/control-service.ts";
import { ToolCheck } from "../import/tool-check.ts";
import type { Pages } from "../http/pages.ts";
import type { Sealer } from "../http/sealer.ts";
import { createSettings, SettingsDocument } from "../operator/document-settings-store.ts";
import { KnownTimeDocument, type KnownTimeFile } from "../operator/retention.ts";
import type { SettingsStore } from "../operator/settings-store.ts";
import type { Redactor } from "../redaction/redact.ts";
import { createRenewals, type Renewals } from "../resources/renewals.ts";
import { createResourceService, type ResourceService } from "../resources/resource-service.ts";
import { MarketDesk } from "../runs/market/market-desk.ts";
import { MarketDocument, MarketId } from "../runs/market/market-id.ts";
import { ofLastMember, ofLeftMember, ofRoute } from "../discovery/health/member-runs.ts";
import { createRunService, type RunService } from "../runs/run-service.ts";
import { createScheduleDriver, type ScheduleDriver } from "../schedules/schedule-driver.ts";
import { createScheduleService, type ScheduleService } from "../schedules/schedule-service.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";
import { ScrubDocument, type ScrubFile } from "../storage/journal/scrub-document.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import { createUsageService, type UsageService } from "../usage/usage-service.ts";
import { createWalletService, type WalletService } from "../wallet/wallet-service.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { openCatalog, type OpenCatalog } from "./open-catalog.ts";
import { openConnections, type OpenConnections } from "./open-connections.ts";
import { openDiscovery, type OpenDiscovery } from "./open-discovery.ts";
import { openIdentity, type OpenIdentity } from "./open-identity.ts";
import type { OpenTraces } from "./open-traces.ts";
import { openProviders } from "./open-providers.ts";
import { openSealer } from "./open-sealer.ts";
import { openWebhooks, type OpenWebhooks } from "./open-webhooks.ts";

/** The services that the routes use. */
export interface Services extends OpenCatalog, OpenIdentity, OpenDiscovery, OpenWebhooks, OpenConnections {
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
  readonly runs: RunService;
  readonly marketId: MarketId;
  readonly schedules: ScheduleService;
  readonly scheduleDriver: ScheduleDriver;
  readonly usage: UsageService;
  readonly events: EventHub;
  readonly consoleSessions: ConsoleSessions;
  readonly signInWay: SignInWay;
  readonly documentImports: DocumentImports;
  readonly consolePages: Pages;
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
  const connected = await openConnections({
    ...parts,
    catalog,
    ids: identityParts.identity.ids,
    baseUrl: () => baseUrlOf(parts),
  });
  const provider = openProviders({
    ...parts,
    catalog,
    accounts: connected.accounts,
    traceparentOf: traced?.traceparentOf,
  });
  const found = await openDiscovery({
    ...parts,
    sharedUses: documents.uses,
    catalog,
    settings,
    accounts: connected.connections,
  });
  const printOf = documents.printCredential;
  const marketId = new MarketId(await documents.open("market.json", MarketDocument, {}), newId);
  const webhookParts = openWebhooks({ ...parts, health: found.health });
  const renewals = createRenewals({ store, catalog, provider, clock, unlimited, logger });
  const secretVerdicts = new SecretVerdicts({
    document: await documents.open("secret-verdicts.json", SecretVerdictsDocument, { verdicts: [] }),
    catalog,
    verifier: provider,
    changedAtMs: (names) => catalogParts.secrets.changedAtMs(names),
    printOf,
    store,
    clock,
    logger,
  });
  const runs = createRunService({
    catalog,
    versions: createEntryVersions(catalog, documents.versions),
    store,
    provider,
    markets: new MarketDesk(provider, marketId),
    accounts: connected.connections,
    toolCheck: new ToolCheck({ marks: catalogParts.toolMarks, lister: provider, logger }),
    clock,
    newId,
    unlimited,
    credentialOf: async (version, workspaceId) => {
      const account = connected.connections.idOf(workspaceId, version.provider);
      // No secret has a name with a blank.
      return await printOf({
        ...catalog.resolveSecrets(version),
        ...(account !== undefined && { "the account": account }),
      });
    },
    openRunLimits: config.openRunLimits,
    logger,
    figures: found.health,
    knownRefusals: secretVerdicts,
    ...(store.cluster !== undefined && { cluster: store.cluster }),
    ...(traced && { onAdmitted: (runId, sinceMs) => traced.traces.admitted(runId, sinceMs) }),
    // All daemons rank alike: what runs tell of their endpoints is the same everywhere.
    onFinishedElsewhere(run) {
      found.health.observe(ofLastMember(run));
      found.uses.learning?.observe(ofRoute(run));
      scheduleDriver.observe(run);
    },
    onLeftElsewhere(run, left) {
      found.health.observe(ofLeftMember(run, left));
    },
    onFinished(run) {
      found.health.observe(ofLastMember(run));
      found.uses.learning?.observe(ofRoute(run));
      webhookParts.outages.observe(run);
      scheduleDriver.observe(run);
      secretVerdicts.observe(run);
    },
    onUnreachable(atMember) {
      found.health.observe(atMember);
      webhookParts.outages.observe(atMember);
    },
    onLeft(run, left) {
      const atMember = ofLeftMember(run, left);
      found.health.observe(atMember);
      webhookParts.outages.observe(atMember);
      const { manifestHash, market } = run;
      secretVerdicts.observe({ ...atMember, manifestHash, ...(market !== undefined && { market }) });
    },
  });
  const scheduleDriver = createScheduleDriver({ store, runs, clock, logger });
  const signInWay = createSignInWay({ jwt: config.jwt, client: config.consoleClient, clock, logger });
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
    runs,
    marketId,
    schedules: createScheduleService({
      store,
      runs,
      driver: scheduleDriver,
      limits: config.scheduleLimits,
      clock,
      newId,
    }),
    scheduleDriver,
    usage: createUsageService(store, identityParts.identity.ids),
    events: new EventHub({ store, lastNumber: store.lastNumber }),
    consoleSessions: createConsoleSessions({ store, refresh: store.refresh, clock, newId }),
    signInWay,
    documentImports: createDocumentImports({
      configDir: config.configDir,
      bundledDir: config.bundledCatalogDir,
      worker: config.program?.importWorker,
      isShared: store.cluster !== undefined,
      isServed: (slug) => catalog.findProvider(slug) !== undefined || catalog.notLoaded().has(slug),
      clock,
    }),
    consolePages: consoleFiles({
      directory: config.consoleDir ?? config.program?.consoleDir,
      isOn: config.console,
      otherOrigins: signInWay.origins,
    }),
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
