import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { OperationId } from "../../shared/contract/index.ts";
import { operations } from "../../shared/contract/index.ts";
import { runMkt, TextSink } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { openScene, type Scene } from "./every-command/scene.ts";

const document = JSON.stringify({
  openapi: "3.0.0",
  info: { title: "Acme", version: "1" },
  servers: [{ url: "https://api.example.com" }],
  paths: { "/x": { get: { responses: { 200: { description: "ok" } } } } },
});

/**
 * The command that asks for each operation; a type holds the list complete. Those that have none of their own are asked by
 * `mkt api`: the public twins of what a key reads, the older and the newer shapes of what another command asks, and what is
 * for programs.
 */
const commandOf: Readonly<Record<OperationId, string>> = {
  whoami: "whoami",
  listWorkspaces: "workspaces",
  browseEndpoints: "api GET /v1/endpoints",
  discover: "discover sunrise",
  discoverEndpoints: 'api POST /v1/discover/endpoints -i {"q":"sunrise"}',
  discoverCategories: "discover sunrise --by category",
  discoverProviders: "discover sunrise --by provider",
  forgetLearned: "discover forget",
  inspectEndpoint: "inspect atlas/sun",
  startRun: "run atlas/sun latitude=38.7 longitude=-9.1",
  listRuns: "runs",
  exportRuns: "runs export",
  getRun: "get-run {done}",
  stopRun: "stop {going}",
  listRunControls: "runs controls {done}",
  quoteRun: "quote atlas/sun latitude=38.7 longitude=-9.1",
  listBudgets: "budgets",
  createBudget: "budgets create --period hour --limit 500",
  getBudget: "budgets get {budget}",
  updateBudget: "budgets update {budget} --limit 600",
  deleteBudget: "budgets delete {newbudget}",
  listBudgetRuns: "budgets runs {budget}",
  listRunCaps: "caps",
  createRunCap: "caps create --limit 500",
  getRunCap: "caps get {cap}",
  updateRunCap: "caps update {cap} --limit 600",
  deleteRunCap: "caps delete {newcap}",
  listRunCapRuns: "caps runs {cap}",
  listApprovals: "approvals",
  getApproval: "approvals show {waiting}",
  approveRun: "approvals approve {waiting} --yes",
  denyRun: "approvals deny {waiting}",
  listApprovalRules: "approvals rules",
  createApprovalRule: "approvals rules create --above 500",
  getApprovalRule: "approvals rules get {rule}",
  updateApprovalRule: "approvals rules update {rule} --above 600",
  deleteApprovalRule: "approvals rules delete {newrule}",
  createSchedule: "schedules create atlas/time/now --cron @daily",
  listSchedules: "schedules",
  getSchedule: "schedules show {schedule}",
  updateSchedule: "schedules update {schedule} --missed once",
  listScheduleOccurrences: "schedules history {schedule}",
  pauseSchedule: "schedules pause {schedule}",
  resumeSchedule: "schedules resume {schedule}",
  runSchedule: "schedules run-now {schedule}",
  deleteSchedule: "schedules delete {schedule} --yes",
  getUsage: "usage",
  listConnections: "connections",
  beginConnection: "connect acme --no-wait",
  getConnectionAttempt: "api GET /v1/connections/attempts/{attempt}",
  completeConnection: "connect acme --attempt {attempt} --redirected-to {landed}",
  getConnection: "connections show {account}",
  deleteConnection: "connections remove {account} --yes",
  finishLogin: "api GET /oauth/callback/acme",
  listResources: "resources",
  getResource: "resources get {resource}",
  getResourceExternal: "api GET /v1/resources/{resource}/external/state",
  listResourceEvents: "resources events {resource}",
  releaseResource: "release {resource}",
  getWalletBalance: "wallet",
  getTopupConfig: "wallet topup",
  listWalletActivities: "wallet activities",
  listApiKeys: "keys",
  createApiKey: "keys create --label {new}",
  listScopes: "keys scopes",
  getApiKey: "keys get {key}",
  updateApiKey: "keys rename {key} {new}",
  deleteApiKey: "api DELETE /v1/api-keys/{key}",
  revokeApiKey: "keys revoke {key}",
  getPublicStats: "api GET /public/v1/stats",
  listPublicCategories: "categories",
  listPublicEndpoints: "endpoints",
  listPublicProviders: "providers",
  listPublicProviderEndpoints: "api GET /public/v1/providers/atlas/endpoints",
  getPublicEndpoint: "api GET /public/v1/providers/atlas/endpoints/sun",
  searchPublicEndpoints: "api GET /public/v1/search --query q=sun",
  publicDiscoverEndpoints: 'api POST /public/v1/discover/endpoints -i {"q":"sunrise"}',
  publicDiscoverCategories: 'api POST /public/v1/discover/categories -i {"q":"sunrise"}',
  publicDiscoverProviders: 'api POST /public/v1/discover/providers -i {"q":"sunrise"}',
  listCatalogProviders: "api GET /v1/catalog/providers",
  getCatalogProvider: "api GET /v1/catalog/providers/shop",
  getCatalogHistory: "api GET /v1/catalog/providers/shop/history",
  listPeople: "api GET /v1/people",
  getOverview: "api GET /v1/overview",
  followEvents: "api GET /v1/events",
  createConsoleTicket: "console --print",
  openConsoleSession: 'api POST /v1/console/sessions -i {"ticket":"tkt_x"}',
  closeConsoleSession: "api DELETE /v1/console/session",
  getConsoleSignIn: "api GET /v1/console/sign-in",
  getHealth: "api GET /health",
  getReady: "api GET /ready",
  getOpenApiDocument: "api GET /openapi.json",
  getLlmsText: "api GET /llms.txt",
  listWebhooks: "webhooks",
  createWebhook: "webhooks create https://hooks.example.com/x",
  getWebhook: "webhooks show {webhook}",
  updateWebhook: "webhooks update {webhook} --event run.*",
  deleteWebhook: "webhooks delete {newwebhook} --yes",
  rotateWebhookSecret: "webhooks rotate {webhook}",
  testWebhook: "webhooks test {webhook}",
  listWebhookDeliveries: "webhooks deliveries {webhook}",
  resendWebhookDeliveries: "webhooks resend {webhook} --since 1h",
  listAdminWorkspaces: "api GET /v1/admin/workspaces",
  createAdminWorkspace: "workspaces create {new}",
  createAdminUser: "users add {new}",
  createAdminApiKey: "keys create --label {new} --workspace default --operator",
  creditWallet: "wallet credit 5",
  debitWallet: "wallet debit 5",
  getAdminSettings: "settings",
  updateAdminSettings: "settings set discoverPool=150",
  getAdminCatalog: "catalog list",
  previewImport: `api POST /v1/admin/catalog/import/preview -i ${JSON.stringify({ document })}`,
  importDocument: `api POST /v1/admin/catalog/import -i ${JSON.stringify({ document, provider: "imported" })}`,
  listGrants: "catalog grants",
  createGrant: "catalog grant shop --yes",
  listSecrets: "secrets",
  listSecretVerdicts: "secrets verdicts",
  testSecrets: "secrets test keyed",
  putSecret: "secrets set {SECRET}",
  deleteSecret: "secrets remove {secret}",
  deleteGrant: "catalog revoke shop",
  listPrices: "catalog prices",
  putPrice: "catalog price atlas/sun 0.003",
  deletePrice: "catalog price atlas/sun --remove",
  createBackup: 'api POST /v1/admin/backup -i {"directory":"BACKUP"}',
};

/**
 * Nothing of atlas has more to read at its provider than the resource itself, as the route says. The console's own requests come
 * from a browser: no ticket was made, and a key is no session.
 */
const refused: Partial<Record<OperationId, { exitCode: number; status: number }>> = {
  getResourceExternal: { exitCode: 8, status: 404 },
  openConsoleSession: { exitCode: 4, status: 401 },
  closeConsoleSession: { exitCode: 5, status: 409 },
};

let scene: Scene;
const folder = tempDir();
beforeAll(async () => {
  scene = await openScene();
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe("every operation of the contract is asked by a command", () => {
  test.each(Object.entries(commandOf).filter(([operationId]) => operationId !== "followEvents"))(
    "%s: mkt %s",
    async (operationId, line) => {
      const { home } = scene;
      const words = (await scene.wordsOf(line)).map((word) => word.replace("BACKUP", `${folder.path}/backup`));

      const { exitCode, stderr } = await runMkt([...words, "--debug"], {
        env: { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir },
        stdin: "s3cret\n",
      });

      const expected = refused[operationId as OperationId] ?? { exitCode: 0, status: 200 };
      expect(exitCode, stderr).toBe(expected.exitCode);
      expect(stderr).toMatch(requestOf(operationId as OperationId, expected.status));
    },
  );
});

test("followEvents: mkt api GET /v1/events, which goes on until its key ends", async () => {
  const { url, request } = scene.daemon;
  const { body } = await request("POST", "/v1/api-keys", { label: "follows" });
  const stdout = new TextSink();
  const env = { MKT_API_URL: url, MKT_API_KEY: body.key };

  const going = runMkt(["api", "GET", "/v1/events", "--debug"], { env, stdout });
  await vi.waitFor(() => expect(stdout.text).toContain("event: ready"), { timeout: 20_000 });
  await request("POST", "/v1/api-keys/follows/revoke");

  const { exitCode, stderr } = await going;
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toMatch(requestOf("followEvents", 200));
});

/** The line of `--debug` that tells a request for the operation, with a status of this hundred. */
function requestOf(operationId: OperationId, status: number): RegExp {
  const { method, path } = operations[operationId];
  return new RegExp(
    `^${method} http://[^/]+${path.replaceAll(/\{\w+\}/g, "[^/]+")}(?:\\?\\S*)?: ${String(status)[0]}\\d\\d `,
    "m",
  );
}
