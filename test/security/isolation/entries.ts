import type { OperationId } from "../../../shared/contract/index.ts";
import type { Operation } from "../../../shared/contract/operation.ts";

/**
 * What belongs to a workspace and has an id or a name that a request can give.
 *
 *   waiting    a run that waits for approval
 *   run        one that goes on; wherever that can be named, one that has ended is tried too
 *   number     what a provider calls a resource, in the input of a run
 *   tag        the name and the value of a run's tag
 *   newLabel   a label that is to be given, which another workspace has too
 *   sender     a schedule that sends messages from a number
 *   cursor     the place in another's list
 */
export type Thing =
  | "run"
  | "endedRun"
  | "resource"
  | "budget"
  | "runCap"
  | "approvalRule"
  | "waiting"
  | "webhook"
  | "schedule"
  | "sender"
  | "label"
  | "newLabel"
  | "tag"
  | "tagName"
  | "number"
  | "cursor";

/** Where a request gives it: `params.runId`, `query.tag`, `body.input`. */
export type Place = `${"params" | "query" | "body"}.${string}`;

/** By place, what of a workspace an operation takes; or that it is the operator's, whom nothing is hidden from. */
export type Entry = "operator" | Readonly<Partial<Record<Place, Thing>>>;

const run = { "params.runId": "run" } as const;
const resource = { "params.resourceId": "resource" } as const;
const budget = { "params.budgetControlId": "budget" } as const;
const runCap = { "params.runCapControlId": "runCap" } as const;
const waiting = { "params.runId": "waiting" } as const;
const approvalRule = { "params.ruleId": "approvalRule" } as const;
const webhook = { "params.webhookId": "webhook" } as const;
const schedule = { "params.scheduleId": "schedule" } as const;
const key = { "params.label": "label" } as const;
const page = { "query.cursor": "cursor" } as const;
const filters = { "query.tag": "tag", "query.keyLabel": "label" } as const;

/**
 * Every operation, with each thing of a workspace that it takes. `isolation.test.ts` makes all of them in one workspace and asks
 * for them with keys of others. What is in {@link ofEverybody} is not said here.
 */
export const entries: Readonly<Record<OperationId, Entry>> = {
  whoami: {},
  listWorkspaces: {},
  listPeople: {},

  browseEndpoints: {},
  discover: {},
  discoverEndpoints: {},
  discoverCategories: {},
  discoverProviders: {},
  forgetLearned: {},
  inspectEndpoint: {},

  startRun: { "body.input": "number" },
  quoteRun: { "body.input": "number" },
  listRuns: { ...page, ...filters },
  exportRuns: filters,
  getRun: run,
  stopRun: run,
  listRunControls: { ...run, ...page },
  createSchedule: { "body.input": "number" },
  listSchedules: page,
  getSchedule: schedule,
  updateSchedule: { "params.scheduleId": "sender", "body.input": "number" },
  listScheduleOccurrences: schedule,
  pauseSchedule: schedule,
  resumeSchedule: schedule,
  runSchedule: schedule,
  deleteSchedule: schedule,
  getUsage: { "query.groupBy": "tagName" },

  listBudgets: page,
  createBudget: {},
  getBudget: budget,
  updateBudget: budget,
  deleteBudget: budget,
  listBudgetRuns: { ...budget, ...page },
  listRunCaps: page,
  createRunCap: {},
  getRunCap: runCap,
  updateRunCap: runCap,
  deleteRunCap: runCap,
  listRunCapRuns: { ...runCap, ...page },

  listApprovals: page,
  getApproval: waiting,
  approveRun: waiting,
  denyRun: waiting,
  listApprovalRules: page,
  createApprovalRule: { "body.keyLabel": "label" },
  getApprovalRule: approvalRule,
  updateApprovalRule: approvalRule,
  deleteApprovalRule: approvalRule,

  listWebhooks: {},
  createWebhook: {},
  getWebhook: webhook,
  updateWebhook: webhook,
  deleteWebhook: webhook,
  rotateWebhookSecret: webhook,
  testWebhook: webhook,
  listWebhookDeliveries: { ...webhook, ...page },
  resendWebhookDeliveries: webhook,

  // Whose login it is, `test/connections/login.test.ts` tries: it takes a provider with one.
  listConnections: {},
  beginConnection: {},
  getConnectionAttempt: {},
  completeConnection: {},
  getConnection: {},
  deleteConnection: {},
  finishLogin: {},

  listResources: { ...page, "query.parent": "resource" },
  getResource: resource,
  getResourceExternal: resource,
  listResourceEvents: { ...resource, ...page },
  releaseResource: resource,

  getWalletBalance: {},
  getTopupConfig: {},
  listWalletActivities: page,

  listApiKeys: page,
  createApiKey: { "body.label": "newLabel" },
  listScopes: {},
  getApiKey: key,
  updateApiKey: { ...key, "body.label": "newLabel" },
  deleteApiKey: key,
  revokeApiKey: key,

  getPublicStats: {},
  listPublicCategories: {},
  listPublicEndpoints: {},
  listPublicProviders: {},
  listPublicProviderEndpoints: {},
  getPublicEndpoint: {},
  searchPublicEndpoints: {},
  publicDiscoverEndpoints: {},
  publicDiscoverCategories: {},
  publicDiscoverProviders: {},

  listCatalogProviders: {},
  getCatalogProvider: {},
  // Whose runs are counted, `test/console/catalog-views.test.ts` says.
  getCatalogHistory: {},
  getOverview: {},
  // Which events a reader gets, `test/console/events.test.ts` tries.
  followEvents: {},
  // Whose ticket and whose session it is, `test/console/sessions.test.ts` tries.
  createConsoleTicket: {},
  openConsoleSession: {},
  closeConsoleSession: {},
  getConsoleSignIn: {},

  getHealth: {},
  getReady: {},
  getOpenApiDocument: {},
  getLlmsText: {},

  listAdminWorkspaces: "operator",
  createAdminWorkspace: "operator",
  createAdminUser: "operator",
  createAdminApiKey: "operator",
  creditWallet: "operator",
  debitWallet: "operator",
  getAdminSettings: "operator",
  updateAdminSettings: "operator",
  getAdminCatalog: "operator",
  listGrants: "operator",
  previewImport: "operator",
  importDocument: "operator",
  createGrant: "operator",
  deleteGrant: "operator",
  listSecrets: "operator",
  listSecretVerdicts: "operator",
  testSecrets: "operator",
  putSecret: "operator",
  deleteSecret: "operator",
  listPrices: "operator",
  putPrice: "operator",
  deletePrice: "operator",
  createBackup: "operator",
};

/** Inputs that name nothing of a workspace, by their names, wherever they stand: values, filters, and what the catalog has. */
const values = `after limit offset wait status since until format windowStart state resourceType includeChildren
  q query also minScore category includeUnavailable readonly effects tags maxPrice mode explain supportsX402 x402Network
  url events name overlapHours cron timeZone missed overlap budget pauseAfterFailures revision
  code redirectedTo iss error attemptId ticket
  maxCost deadlineMs maxAge maxPages allowUncertainRepeats period limitAmount expiresInSeconds reason role scopes expiresAt providers endpoints spendLimit`;
/** Looked for among the deliveries of the webhook in the path alone. */
const ofTheWebhook = "ids";
const ofTheCatalog = "source provider endpoint kind";
export const ofEverybody: ReadonlySet<string> = new Set(`${values} ${ofTheWebhook} ${ofTheCatalog}`.split(/\s+/));

/** Lists of the catalog, whose cursors are places in what everybody sees. */
const catalogLists: ReadonlySet<string> = new Set<OperationId>([
  "browseEndpoints",
  "listPublicEndpoints",
  "listPublicProviders",
  "listPublicProviderEndpoints",
  "searchPublicEndpoints",
  "listCatalogProviders",
  "getCatalogProvider",
]);

/** What is not said of an operation, one sentence each, with what to write; empty when all is. */
export function missingIn(all: readonly Operation[], table: Readonly<Record<string, Entry>>): string[] {
  const where = "test/security/isolation/entries.ts";
  return all.flatMap((operation) => {
    const { operationId } = operation;
    const entry = table[operationId];
    if (entry === undefined) {
      return [`${operationId} has no entry in ${where}: write what of a workspace it takes, {} if nothing`];
    }
    if (entry === "operator") {
      return operation.auth === "operator" ? [] : [`${operationId} is no operator's, and ${where} says that it is`];
    }
    if (operation.auth === "operator") return [`${operationId} is the operator's: its entry in ${where} is "operator"`];
    const inputs = inputsOf(operation);
    const unknown = Object.keys(entry).filter((place) => !inputs.includes(place as Place));
    return [
      ...unknown.map((place) => `${operationId} takes no ${place}, and ${where} says that it does`),
      ...inputs
        .filter((place) => !(place in entry) && !isOfEverybody(operationId, place))
        .map(
          (place) =>
            `${operationId} takes ${place}: say in its entry in ${where} what thing of a workspace that names, or add "${nameOf(place)}" to the values there if it names none`,
        ),
    ];
  });
}

function isOfEverybody(operationId: string, place: Place): boolean {
  return ofEverybody.has(nameOf(place)) || (place === "query.cursor" && catalogLists.has(operationId));
}

function nameOf(place: Place): string {
  return place.slice(place.indexOf(".") + 1);
}

/** Every place of an operation's request that takes something; of a body its members. */
export function inputsOf({ operationId, params, query, body }: Operation): Place[] {
  const namesIn = (part: "params" | "query" | "body", schema: object | undefined): Place[] => {
    if (schema === undefined) return [];
    if (!("shape" in schema)) throw new Error(`the ${part} of ${operationId} is no object: say here how it is read`);
    return Object.keys(schema.shape as object).map((name) => `${part}.${name}` as const);
  };
  return [...namesIn("params", params), ...namesIn("query", query), ...namesIn("body", body)];
}
