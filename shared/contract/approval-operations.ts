import { z } from "zod";
import {
  Approval,
  ApprovalPage,
  ApprovalRule,
  ApprovalRuleCreateRequest,
  ApprovalRulePage,
  ApprovalRulePatchRequest,
  DenyRequest,
} from "./approvals.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Cursor, Limit100 } from "./query-values.ts";

const approvals = { tier: "mkt", tag: "Approvals", auth: "workspace" } as const;
const RunParams = z.object({ runId: z.string().meta({ description: "ULID." }) });
const RuleParams = z.object({ ruleId: z.string().meta({ description: "ULID." }) });
const paging = { limit: Limit100.optional(), cursor: Cursor.optional() };

/** Runs that wait for a person, and from which amount they do. docs/contract.md, "Waiting for approval". */
export const approvalOperations = {
  listApprovals: defineOperation({
    ...operationPaths.listApprovals,
    ...approvals,
    summary: "List the runs that wait for approval, newest first",
    scope: "runs:read",
    query: z.object(paging),
    responses: { 200: ApprovalPage },
    errors: [400],
  }),
  getApproval: defineOperation({
    ...operationPaths.getApproval,
    ...approvals,
    summary: "Get what a run needs approval for, and what became of it",
    scope: "runs:read",
    params: RunParams,
    responses: { 200: Approval },
    errors: [404],
  }),
  approveRun: defineOperation({
    ...operationPaths.approveRun,
    ...approvals,
    summary: "Approve a run, which then begins",
    description:
      "Not with the key that asked for it, a key that it made, or one of fewer rights. Approving again what the same caller approved changes nothing.",
    load: "vital",
    scope: "controls:update",
    params: RunParams,
    responses: { 200: Approval },
    errors: [404, 409],
  }),
  denyRun: defineOperation({
    ...operationPaths.denyRun,
    ...approvals,
    summary: "Deny a run, which ends BLOCKED",
    load: "vital",
    scope: "controls:update",
    params: RunParams,
    body: DenyRequest,
    responses: { 200: Approval },
    errors: [400, 404, 409],
  }),
  listApprovalRules: defineOperation({
    ...operationPaths.listApprovalRules,
    ...approvals,
    summary: "List approval rules, newest first",
    scope: "controls:read",
    query: z.object(paging),
    responses: { 200: ApprovalRulePage },
    errors: [400],
  }),
  createApprovalRule: defineOperation({
    ...operationPaths.createApprovalRule,
    ...approvals,
    summary: "Have runs above an amount wait for a person",
    scope: "controls:create",
    idempotent: true,
    body: ApprovalRuleCreateRequest,
    responses: { 201: ApprovalRule },
    errors: [400, 404, 409],
  }),
  getApprovalRule: defineOperation({
    ...operationPaths.getApprovalRule,
    ...approvals,
    summary: "Get an approval rule",
    scope: "controls:read",
    params: RuleParams,
    responses: { 200: ApprovalRule },
    errors: [404],
  }),
  updateApprovalRule: defineOperation({
    ...operationPaths.updateApprovalRule,
    ...approvals,
    summary: "Change, pause or resume an approval rule",
    description: "At least one field. Runs that wait go on waiting.",
    scope: "controls:update",
    params: RuleParams,
    body: ApprovalRulePatchRequest,
    responses: { 200: ApprovalRule },
    errors: [400, 404],
  }),
  deleteApprovalRule: defineOperation({
    ...operationPaths.deleteApprovalRule,
    ...approvals,
    summary: "Delete an approval rule",
    description: "Runs that wait go on waiting.",
    scope: "controls:delete",
    params: RuleParams,
    responses: { 204: null },
    errors: [404],
  }),
};
