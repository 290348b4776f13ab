import { computed, signal } from "@preact/signals";
import type { Operations } from "../../shared/contract/index.ts";
import type { WhoamiResponse } from "../../shared/contract/identity.ts";
import { grants } from "../../shared/contract/scope-grants.ts";

/** Who the session's key belongs to, once the service said so. */
export const caller = signal<WhoamiResponse | undefined>(undefined);

/** The scope of an operation in the contract, which is not loaded here: the compiler holds this table to it. */
const NEEDED = {
  listRuns: "runs:read",
  getRun: "runs:read",
  startRun: "runs:create",
  stopRun: "runs:update",
  quoteRun: "runs:create",
  getUsage: "runs:read",
  listRunControls: "runs:read",
  listApprovals: "runs:read",
  approveRun: "controls:update",
  denyRun: "controls:update",
  listBudgets: "controls:read",
  createBudget: "controls:create",
  updateBudget: "controls:update",
  deleteBudget: "controls:delete",
  listApprovalRules: "controls:read",
  createApprovalRule: "controls:create",
  updateApprovalRule: "controls:update",
  deleteApprovalRule: "controls:delete",
  listRunCaps: "controls:read",
  createRunCap: "controls:create",
  updateRunCap: "controls:update",
  deleteRunCap: "controls:delete",
  listWebhooks: "controls:read",
  createWebhook: "controls:create",
  updateWebhook: "controls:update",
  deleteWebhook: "controls:delete",
  testWebhook: "controls:update",
  rotateWebhookSecret: "controls:update",
  resendWebhookDeliveries: "controls:update",
  listSchedules: "runs:read",
  createSchedule: "runs:create",
  updateSchedule: "runs:create",
  pauseSchedule: "runs:update",
  resumeSchedule: "runs:create",
  runSchedule: "runs:create",
  deleteSchedule: "runs:update",
  getWalletBalance: "wallet:read",
  listWalletActivities: "wallet:read",
  listApiKeys: "api_keys:read",
  listPeople: "api_keys:read",
  createApiKey: "api_keys:create",
  updateApiKey: "api_keys:update",
  revokeApiKey: "api_keys:delete",
} as const satisfies { [Id in keyof Operations]?: Operations[Id] extends { scope: infer Scope } ? Scope : never };

export type Right = keyof typeof NEEDED | "operator";

/** Whether the key may do this; what it may not is not shown. A session of a person without a key has the person's grants. */
export function may(right: Right): boolean {
  const credential = caller.value?.credential;
  if (right === "operator") return credential?.operator === true;
  return credential?.operator === true || grants(credential?.scopes ?? [], NEEDED[right]);
}

export const isOperator = computed(() => may("operator"));
