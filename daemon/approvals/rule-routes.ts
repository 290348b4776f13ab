import { operations } from "../../shared/contract/index.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { keepAnswer } from "../idempotency/keep-answer.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { ApprovalRuleRecord } from "../ledger/records/approval-records.ts";
import type { ApprovalRules } from "./approval-rules.ts";
import { toApprovalRule } from "./approval-wire.ts";

const DEFAULT_PAGE = 10;
const CURSOR = "approval-rules";

export interface ApprovalRuleRoutesParts {
  readonly approvalRules: ApprovalRules;
  readonly ids: Pick<WireIds, "workspace">;
}

/** From which amount runs wait for a person. docs/contract.md, "Approval rules". */
export function approvalRuleRoutes({ approvalRules, ids }: ApprovalRuleRoutesParts): Route[] {
  const show = async (rule: ApprovalRuleRecord) =>
    toApprovalRule({ ...rule, workspaceId: await ids.workspace(rule.workspaceId) }, await approvalRules.labelOf(rule));
  return [
    route(operations.listApprovalRules, async ({ caller, query: { limit = DEFAULT_PAGE, cursor } }) => {
      const after = cursor === undefined ? {} : { after: String(decodeCursor(CURSOR, cursor)) };
      const { items, next } = await approvalRules.list(caller, { limit, ...after });
      const page = { items: await Promise.all(items.map(show)) };
      return reply(200, next === undefined ? page : { ...page, cursor: encodeCursor(CURSOR, next) });
    }),
    route(operations.createApprovalRule, async ({ caller, body, idempotency }) => {
      const workspaceId = await ids.workspace(caller.workspaceId);
      const toMade = (rule: ApprovalRuleRecord) => toApprovalRule({ ...rule, workspaceId }, rule.key?.label);
      return reply(201, toMade(await approvalRules.create(caller, body, keepAnswer(idempotency, 201, toMade))));
    }),
    route(operations.getApprovalRule, async ({ caller, params }) =>
      reply(200, await show(await approvalRules.get(caller, params.ruleId))),
    ),
    route(operations.updateApprovalRule, async ({ caller, params, body }) =>
      reply(200, await show(await approvalRules.change(caller, params.ruleId, body))),
    ),
    route(operations.deleteApprovalRule, async ({ caller, params }) => {
      await approvalRules.delete(caller, params.ruleId);
      return reply(204, undefined);
    }),
  ];
}
