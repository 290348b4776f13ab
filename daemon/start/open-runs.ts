import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { createEntryVersions } from "../catalog/editions/entry-versions.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { ofLastMember, ofLeftMember, ofRoute } from "../discovery/health/member-runs.ts";
import { ToolCheck } from "../import/tool-check.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import { MarketDesk } from "../runs/market/market-desk.ts";
import { MarketDocument, MarketId } from "../runs/market/market-id.ts";
import { createRunService, type RunService, type RunServiceParts } from "../runs/run-service.ts";
import { createScheduleDriver, type ScheduleDriver } from "../schedules/schedule-driver.ts";
import { createScheduleService, type ScheduleService } from "../schedules/schedule-service.ts";
import type { SecretVerdicts } from "../secret-verdicts/secret-verdicts.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";
import type { OpenCatalog } from "./open-catalog.ts";
import type { OpenConnections } from "./open-connections.ts";
import type { OpenDiscovery } from "./open-discovery.ts";
import type { openProviders } from "./open-providers.ts";
import type { OpenTraces } from "./open-traces.ts";
import type { OpenWebhooks } from "./open-webhooks.ts";

export interface OpenRunsParts
  extends
    Pick<OpenCatalog, "catalog" | "toolMarks">,
    Pick<OpenConnections, "connections">,
    Pick<OpenDiscovery, "health" | "uses">,
    Pick<OpenWebhooks, "outages"> {
  readonly config: DaemonConfig;
  readonly store: DaemonStore;
  readonly documents: DocumentStore;
  readonly provider: ReturnType<typeof openProviders>;
  readonly secretVerdicts: SecretVerdicts;
  readonly unlimited: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly traced: OpenTraces | undefined;
}

export interface OpenRuns {
  readonly runs: RunService;
  readonly marketId: MarketId;
  readonly schedules: ScheduleService;
  readonly scheduleDriver: ScheduleDriver;
}

/** Opens runs, the schedules that begin some of them, and what learns from their ends. */
export async function openRuns(parts: OpenRunsParts): Promise<OpenRuns> {
  const { config, store, documents, catalog, toolMarks, connections, provider, traced } = parts;
  const { clock, newId, logger, unlimited } = parts;
  const marketId = new MarketId(await documents.open("market.json", MarketDocument, {}), newId);
  const printOf = documents.printCredential;
  const runs = createRunService({
    catalog,
    versions: createEntryVersions(catalog, documents.versions),
    store,
    provider,
    markets: new MarketDesk(provider, marketId),
    accounts: connections,
    toolCheck: new ToolCheck({ marks: toolMarks, lister: provider, logger }),
    clock,
    newId,
    unlimited,
    credentialOf: async (version, workspaceId) => {
      const account = connections.idOf(workspaceId, version.provider);
      // No secret has a name with a blank.
      return await printOf({
        ...catalog.resolveSecrets(version),
        ...(account !== undefined && { "the account": account }),
      });
    },
    openRunLimits: config.openRunLimits,
    logger,
    figures: parts.health,
    knownRefusals: parts.secretVerdicts,
    ...(store.cluster !== undefined && { cluster: store.cluster }),
    ...(traced && { onAdmitted: (runId, sinceMs) => traced.traces.admitted(runId, sinceMs) }),
    ...whoLearns(parts, (run) => scheduleDriver.observe(run)),
  });
  const scheduleDriver = createScheduleDriver({ store, runs, clock, logger });
  const schedules = createScheduleService({
    store,
    runs,
    driver: scheduleDriver,
    limits: config.scheduleLimits,
    clock,
    newId,
  });
  return { runs, marketId, schedules, scheduleDriver };
}

/** Who is told of what runs tell of endpoints, webhooks, secrets and schedules. */
function whoLearns(
  { health, uses, outages, secretVerdicts }: OpenRunsParts,
  tellSchedules: (run: RunRecord) => void,
): Pick<RunServiceParts, "onFinished" | "onFinishedElsewhere" | "onUnreachable" | "onLeft" | "onLeftElsewhere"> {
  // All daemons rank alike: what runs tell of their endpoints is the same everywhere.
  const everywhere = (run: RunRecord) => {
    health.observe(ofLastMember(run));
    uses.learning?.observe(ofRoute(run));
    tellSchedules(run);
  };
  return {
    onFinishedElsewhere: everywhere,
    onLeftElsewhere: (run, left) => health.observe(ofLeftMember(run, left)),
    onFinished(run) {
      everywhere(run);
      outages.observe(run);
      secretVerdicts.observe(run);
    },
    onUnreachable(atMember) {
      health.observe(atMember);
      outages.observe(atMember);
    },
    onLeft(run, left) {
      const atMember = ofLeftMember(run, left);
      health.observe(atMember);
      outages.observe(atMember);
      const { manifestHash, market } = run;
      secretVerdicts.observe({ ...atMember, manifestHash, ...(market !== undefined && { market }) });
    },
  };
}
