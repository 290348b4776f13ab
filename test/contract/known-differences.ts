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

export const knownDifferences: KnownDifference[] = [
  { at: "RunCompleted.providerResponse", ours: "optional #ProviderResponse", reason: noAnswer },
  { at: "RunErrorBody.providerResponse", ours: "optional #ProviderResponse", reason: noAnswer },
  {
    at: "listRuns.query.status",
    ours: `optional string pattern=${JSON.stringify(`^${anyStatus}(,${anyStatus})*$`)}`,
    reason: "The filter takes a list as well as one status (contract semantics, 16).",
  },
];

/** Members that every full run carries beside the contract. */
const ofRuns = ["attempts", "manifestHash", "maxCost", "notes", "overrun", "providerMayHaveCharged", "tags"];

/** Filters that every discover body takes beside the contract. */
const ofDiscovery = ["maxPrice", "mode", "provider", "tags"];

/** Members and parameters of ours beside the contract (contract semantics, 16 and 17): a client that does not know them sees no difference. */
export const additions: string[] = [
  ...["Run", "RunCompleted", "RunErrorBody"].flatMap((schema) => ofRuns.map((member) => `${schema}.${member}`)),
  "Run.progress",
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
  "getRun.responses.400",
  "getRun.responses.400.headers",
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
  "WalletBalanceResponse.unlimited",
  "AuthCredential.operator",
  "ApiKey.operator",
  "CreateApiKeyResponse.operator",
  "updateApiKey.responses.409",
  "updateApiKey.responses.409.headers",
];

/** Operations of the reference that are not served yet. None of them is of tier core. */
export const absentOperations: string[] = [
  "browseEndpoints",
  "createBudget",
  "createRunCap",
  "deleteBudget",
  "deleteRunCap",
  "getBudget",
  "getRunCap",
  "getTopupConfig",
  "listBudgetRuns",
  "listBudgets",
  "listRunCapRuns",
  "listRunCaps",
  "listRunControls",
  "listWalletActivities",
  "updateBudget",
  "updateRunCap",
];
