import type { HttpMethod } from "./operation.ts";

function at<const Id extends string, const Method extends HttpMethod, const Path extends string>(
  operationId: Id,
  method: Method,
  path: Path,
) {
  return { operationId, method, path };
}

/**
 * Name, method and path of every operation, without its schemas: a caller that only sends requests loads this table and
 * not zod, which would slow down every start of the CLI. `operations` spreads these entries.
 */
export const operationPaths = {
  whoami: at("whoami", "GET", "/v1/auth/whoami"),
  listWorkspaces: at("listWorkspaces", "GET", "/v1/auth/workspaces"),

  browseEndpoints: at("browseEndpoints", "GET", "/v1/endpoints"),
  discover: at("discover", "POST", "/v1/discover"),
  discoverEndpoints: at("discoverEndpoints", "POST", "/v1/discover/endpoints"),
  discoverCategories: at("discoverCategories", "POST", "/v1/discover/categories"),
  discoverProviders: at("discoverProviders", "POST", "/v1/discover/providers"),
  inspectEndpoint: at("inspectEndpoint", "POST", "/v1/inspect"),

  startRun: at("startRun", "POST", "/v1/run"),
  listRuns: at("listRuns", "GET", "/v1/runs"),
  exportRuns: at("exportRuns", "GET", "/v1/runs/export"),
  getRun: at("getRun", "GET", "/v1/runs/{runId}"),
  stopRun: at("stopRun", "POST", "/v1/runs/{runId}/stop"),
  listRunControls: at("listRunControls", "GET", "/v1/runs/{runId}/controls"),
  quoteRun: at("quoteRun", "POST", "/v1/quote"),

  listBudgets: at("listBudgets", "GET", "/v1/controls/workspace/budgets"),
  createBudget: at("createBudget", "POST", "/v1/controls/workspace/budgets"),
  getBudget: at("getBudget", "GET", "/v1/controls/workspace/budgets/{budgetControlId}"),
  updateBudget: at("updateBudget", "PATCH", "/v1/controls/workspace/budgets/{budgetControlId}"),
  deleteBudget: at("deleteBudget", "DELETE", "/v1/controls/workspace/budgets/{budgetControlId}"),
  listBudgetRuns: at("listBudgetRuns", "GET", "/v1/controls/workspace/budgets/{budgetControlId}/runs"),
  listRunCaps: at("listRunCaps", "GET", "/v1/controls/workspace/run-caps"),
  createRunCap: at("createRunCap", "POST", "/v1/controls/workspace/run-caps"),
  getRunCap: at("getRunCap", "GET", "/v1/controls/workspace/run-caps/{runCapControlId}"),
  updateRunCap: at("updateRunCap", "PATCH", "/v1/controls/workspace/run-caps/{runCapControlId}"),
  deleteRunCap: at("deleteRunCap", "DELETE", "/v1/controls/workspace/run-caps/{runCapControlId}"),
  listRunCapRuns: at("listRunCapRuns", "GET", "/v1/controls/workspace/run-caps/{runCapControlId}/runs"),

  getUsage: at("getUsage", "GET", "/v1/usage"),

  listResources: at("listResources", "GET", "/v1/resources"),
  getResource: at("getResource", "GET", "/v1/resources/{resourceId}"),
  getResourceExternal: at("getResourceExternal", "GET", "/v1/resources/{resourceId}/external/{kind}"),
  listResourceEvents: at("listResourceEvents", "GET", "/v1/resources/{resourceId}/events"),
  releaseResource: at("releaseResource", "POST", "/v1/resources/{resourceId}/release"),

  getWalletBalance: at("getWalletBalance", "GET", "/v1/wallet/balance"),
  getTopupConfig: at("getTopupConfig", "GET", "/v1/wallet/topup"),
  listWalletActivities: at("listWalletActivities", "GET", "/v1/wallet/activities"),

  listApiKeys: at("listApiKeys", "GET", "/v1/api-keys"),
  createApiKey: at("createApiKey", "POST", "/v1/api-keys"),
  listScopes: at("listScopes", "GET", "/v1/api-keys/scopes"),
  getApiKey: at("getApiKey", "GET", "/v1/api-keys/{label}"),
  updateApiKey: at("updateApiKey", "PATCH", "/v1/api-keys/{label}"),
  deleteApiKey: at("deleteApiKey", "DELETE", "/v1/api-keys/{label}"),
  revokeApiKey: at("revokeApiKey", "POST", "/v1/api-keys/{label}/revoke"),

  getPublicStats: at("getPublicStats", "GET", "/public/v1/stats"),
  listPublicCategories: at("listPublicCategories", "GET", "/public/v1/categories"),
  listPublicEndpoints: at("listPublicEndpoints", "GET", "/public/v1/endpoints"),
  listPublicProviders: at("listPublicProviders", "GET", "/public/v1/providers"),
  listPublicProviderEndpoints: at("listPublicProviderEndpoints", "GET", "/public/v1/providers/{provider}/endpoints"),
  getPublicEndpoint: at("getPublicEndpoint", "GET", "/public/v1/providers/{provider}/endpoints/{endpoint}"),
  searchPublicEndpoints: at("searchPublicEndpoints", "GET", "/public/v1/search"),
  publicDiscoverEndpoints: at("publicDiscoverEndpoints", "POST", "/public/v1/discover/endpoints"),
  publicDiscoverCategories: at("publicDiscoverCategories", "POST", "/public/v1/discover/categories"),
  publicDiscoverProviders: at("publicDiscoverProviders", "POST", "/public/v1/discover/providers"),

  getHealth: at("getHealth", "GET", "/health"),
  getLlmsText: at("getLlmsText", "GET", "/llms.txt"),
  getOpenApiDocument: at("getOpenApiDocument", "GET", "/openapi.json"),

  listAdminWorkspaces: at("listAdminWorkspaces", "GET", "/v1/admin/workspaces"),
  createAdminWorkspace: at("createAdminWorkspace", "POST", "/v1/admin/workspaces"),
  createAdminUser: at("createAdminUser", "POST", "/v1/admin/users"),
  createAdminApiKey: at("createAdminApiKey", "POST", "/v1/admin/workspaces/{workspaceId}/api-keys"),
  creditWallet: at("creditWallet", "POST", "/v1/admin/workspaces/{workspaceId}/credits"),
  debitWallet: at("debitWallet", "POST", "/v1/admin/workspaces/{workspaceId}/debits"),
  getAdminSettings: at("getAdminSettings", "GET", "/v1/admin/settings"),
  updateAdminSettings: at("updateAdminSettings", "PATCH", "/v1/admin/settings"),
  getAdminCatalog: at("getAdminCatalog", "GET", "/v1/admin/catalog"),
  listGrants: at("listGrants", "GET", "/v1/admin/grants"),
  createGrant: at("createGrant", "POST", "/v1/admin/grants"),
  listSecrets: at("listSecrets", "GET", "/v1/admin/secrets"),
  putSecret: at("putSecret", "PUT", "/v1/admin/secrets/{name}"),
  deleteSecret: at("deleteSecret", "DELETE", "/v1/admin/secrets/{name}"),
  deleteGrant: at("deleteGrant", "DELETE", "/v1/admin/grants/{provider}"),
  listPrices: at("listPrices", "GET", "/v1/admin/prices"),
  putPrice: at("putPrice", "PUT", "/v1/admin/prices"),
  deletePrice: at("deletePrice", "DELETE", "/v1/admin/prices/{provider}"),
  createBackup: at("createBackup", "POST", "/v1/admin/backup"),
} as const;
