/** Where the service's document differs from the reference on purpose. This list may only shrink. */
export interface KnownDifference {
  /** The place, as `contract-facts.ts` names it. */
  at: string;
  /** What stands there in the service's document. */
  ours: string;
  reason: string;
}

const noAnswer =
  "A run whose provider gave no answer (FAILED, TIMED_OUT) has no providerResponse; the reference says so in its text, not in its required list.";

const anyStatus = "(READY|RUNNING|STOPPING|COMPLETED|FAILED|BLOCKED|STOPPED|TIMED_OUT)";

const closed =
  'What gives power or spends money refuses members that it does not know: a slip must not grant more than was meant (docs/contract.md, "Closed bodies").';

export const knownDifferences: KnownDifference[] = [
  { at: "RunCompleted.providerResponse", ours: "optional #ProviderResponse", reason: noAnswer },
  { at: "RunErrorBody.providerResponse", ours: "optional #ProviderResponse", reason: noAnswer },
  {
    at: "listRuns.query.status",
    ours: `optional string pattern=${JSON.stringify(`^${anyStatus}(,${anyStatus})*$`)}`,
    reason: 'The filter takes a list as well as one status (docs/contract.md, "Listing runs").',
  },
  ...["CreateApiKeyRequest", "UpdateApiKeyRequest", "WorkspaceBudgetCreateRequest", "WorkspaceRunCapCreateRequest"].map(
    (at) => ({ at, ours: "object closed", reason: closed }),
  ),
  ...["WorkspaceBudgetPatchRequest", "WorkspaceRunCapPatchRequest"].map((at) => ({
    at,
    ours: "object minProperties=1 closed",
    reason: closed,
  })),
  { at: "MoneyUnits", ours: "object closed", reason: closed },
];

/** Members that every full run carries beside the contract. */
const ofRuns = [
  "alerts",
  "attempts",
  "manifestHash",
  "maxCost",
  "notes",
  "overrun",
  "providerMayHaveCharged",
  "retryOf",
  "tags",
];

/** Filters that every discover body takes beside the contract. */
const ofDiscovery = ["explain", "maxPrice", "mode", "provider", "tags"];

/** What takes an Idempotency-Key. */
const ofCreations = ["startRun", "createApiKey", "createBudget", "createRunCap"].flatMap((operation) =>
  ["header.Idempotency-Key", "responses.422", "responses.422.headers"].map((part) => `${operation}.${part}`),
);

/**
 * Members and parameters of ours beside the contract (docs/contract.md, "Additions"): a client that does not know them sees
 * no difference.
 */
export const additions: string[] = [
  ...["Run", "RunCompleted", "RunErrorBody"].flatMap((schema) => ofRuns.map((member) => `${schema}.${member}`)),
  "RunBlocked.retryOf",
  "RunListItem.tags",
  "DamagedRun",
  "DamagedRun.createdAt",
  "DamagedRun.endpoint",
  "DamagedRun.message",
  "DamagedRun.provider",
  "DamagedRun.runId",
  "DamagedRun.status",
  "RunPage.damaged",
  "WorkspaceBudgetRunPage.damaged",
  "WorkspaceRunCapRunPage.damaged",
  "Run.progress",
  "Run.progressUnit",
  ...["PublicPrice", "DiscoverPrice", "Price"].map((schema) => `${schema}.billedByVendor`),
  "BudgetAlert",
  ...["controlId", "limit", "percent", "period", "spent"].map((member) => `BudgetAlert.${member}`),
  "WorkspaceBudget.alert",
  "InspectResponse.output",
  "InspectResponse.output.schema",
  "InspectResponse.examples[].output",
  "InspectResponse.unavailable",
  "InspectResponse.unavailable.missing",
  "InspectResponse.unavailable.next",
  "InspectResponse.unavailable.reason",
  "RunAttempt",
  "RunAttempt.at",
  "RunAttempt.durationMs",
  "RunAttempt.error",
  "RunAttempt.httpStatus",
  "RunRequest.deadlineMs",
  "RunRequest.maxCost",
  "RunRequest.tags",
  "RunRequest.wait",
  "getRun.query.wait",
  "listRuns.query.endpoint",
  "listRuns.query.keyLabel",
  "listRuns.query.provider",
  "listRuns.query.since",
  "listRuns.query.tag",
  "listRuns.query.until",
  ...["Request", "EndpointsRequest", "CategoriesRequest", "ProvidersRequest"].flatMap((schema) =>
    ofDiscovery.map((member) => `Discover${schema}.${member}`),
  ),
  "DiscoverRequest.category",
  "DiscoverEndpointsRequest.includeUnavailable",
  "DiscoverCategoriesRequest.includeUnavailable",
  "DiscoverProvidersRequest.includeUnavailable",
  "WalletActivity.reason",
  "WalletActivityPage.damaged",
  "DamagedActivity",
  "DamagedActivity.activityId",
  "DamagedActivity.message",
  "WalletBalanceResponse.unlimited",
  "AuthCredential.operator",
  "ApiKey.operator",
  "CreateApiKeyResponse.operator",
  ...["ApiKey", "CreateApiKeyRequest", "CreateApiKeyResponse"].flatMap((schema) =>
    ["endpoints", "providers", "spendLimit"].map((member) => `${schema}.${member}`),
  ),
  "SpendLimit",
  "SpendLimit.amount",
  "SpendLimit.period",
  "KeySpending",
  ...["held", "left", "resetsAt", "spent"].map((member) => `KeySpending.${member}`),
  "KeyRole",
  ...["label", "role", "spendLimit", "spending"].map((member) => `AuthCredential.${member}`),
  ...["ApiKey", "CreateApiKeyResponse"].flatMap((schema) => [`${schema}.role`, `${schema}.spending`]),
  "CreateApiKeyRequest.role",
  "SpendLimitGiven",
  "SpendLimitGiven.amount",
  "SpendLimitGiven.period",
  "MoneyGiven",
  "MoneyGiven.currency",
  "MoneyGiven.value",
  "DiscoverExplanation",
  "DiscoverExplanation.expanded",
  ...["by", "to", "word"].map((member) => `DiscoverExplanation.expanded[].${member}`),
  "DiscoverExplanation.health",
  "DiscoverExplanation.meaning",
  "DiscoverExplanation.words",
  "DiscoverExplanation.words[].as",
  "DiscoverExplanation.words[].field",
  "DiscoverExplanation.words[].weight",
  "DiscoverExplanation.words[].word",
  "DiscoverExplanation.services[].name",
  "DiscoverExplanation.services[].score",
  "DiscoverExplanation.services",
  "ExplainedHealth",
  ...["effect", "effect.kind", "effect.score", "effect.scoreBefore", "status"].map((at) => `ExplainedHealth.${at}`),
  ...["runTimeMs", "runTimeMs.p50", "runTimeMs.p95"].map((at) => `ExplainedHealth.${at}`),
  "SearchServiceUse",
  ...["name", "reason", "used"].map((member) => `SearchServiceUse.${member}`),
  "DiscoverResponse.services",
  "DiscoverEndpointsResponse.services",
  "DiscoverEndpointsResponse.explanations",
  "DiscoverResult.explanation",
  "DiscoverResult.unavailable",
  "DiscoverResult.unavailable.missing",
  "DiscoverResult.unavailable.reason",
  "DiscoverResponse.unavailable",
  "DiscoverEndpointsResponse.unavailable",
  "UnavailableReason",
  "UnavailableMatches",
  ...["better", "count", "providers"].map((member) => `UnavailableMatches.${member}`),
  ...["count", "endpoint", "missing", "provider", "reason"].map((member) => `UnavailableMatches.providers[].${member}`),
  ...["discover", "discoverEndpoints", "discoverCategories", "discoverProviders"].map((id) => `${id}.query.explain`),
  ...["Endpoints", "Categories", "Providers"].map((kind) => `publicDiscover${kind}.query.explain`),
  "getPublicStats.query.q",
  "RunUnderWay",
  ...["code", "errorCode", "message", "runId"].map((member) => `RunUnderWay.${member}`),
  "startRun.responses.409",
  "startRun.responses.409.headers",
  ...ofCreations,
  "updateApiKey.responses.409",
  "updateApiKey.responses.409.headers",
];

/** Operations of the reference that are not served yet. None of them is of tier core. */
export const absentOperations: string[] = [];
