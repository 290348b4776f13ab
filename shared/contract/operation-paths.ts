import type { HttpMethod } from "./operation.ts";

function at<const Id extends string, const Method extends HttpMethod, const Path extends string>(
  operationId: Id,
  method: Method,
  path: Path,
) {
  return { operationId, method, path };
}

/**
 * Name, method and path of every operation, apart from its schemas: a caller that only sends requests
 * loads this table and not zod, which a CLI feels on every start. `operations` spreads these entries.
 */
export const operationPaths = {
  whoami: at("whoami", "GET", "/v1/auth/whoami"),
  listWorkspaces: at("listWorkspaces", "GET", "/v1/auth/workspaces"),

  discover: at("discover", "POST", "/v1/discover"),
  discoverEndpoints: at("discoverEndpoints", "POST", "/v1/discover/endpoints"),
  discoverCategories: at("discoverCategories", "POST", "/v1/discover/categories"),
  discoverProviders: at("discoverProviders", "POST", "/v1/discover/providers"),
  inspectEndpoint: at("inspectEndpoint", "POST", "/v1/inspect"),

  startRun: at("startRun", "POST", "/v1/run"),
  listRuns: at("listRuns", "GET", "/v1/runs"),
  getRun: at("getRun", "GET", "/v1/runs/{runId}"),
  stopRun: at("stopRun", "POST", "/v1/runs/{runId}/stop"),

  listResources: at("listResources", "GET", "/v1/resources"),
  getResource: at("getResource", "GET", "/v1/resources/{resourceId}"),
  getResourceExternal: at("getResourceExternal", "GET", "/v1/resources/{resourceId}/external/{kind}"),
  listResourceEvents: at("listResourceEvents", "GET", "/v1/resources/{resourceId}/events"),
  releaseResource: at("releaseResource", "POST", "/v1/resources/{resourceId}/release"),

  getWalletBalance: at("getWalletBalance", "GET", "/v1/wallet/balance"),

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
  deleteGrant: at("deleteGrant", "DELETE", "/v1/admin/grants/{provider}"),
} as const;
