import { operations } from "../../shared/contract/index.ts";
import { toApproval, toApprovalItem } from "../approvals/approval-wire.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { ApprovalRun } from "./run-approvals.ts";
import type { RunService } from "./run-service.ts";

const DEFAULT_PAGE = 10;
const CURSOR = "approvals";

export interface ApprovalRoutesParts {
  readonly runs: Pick<RunService, "approvals">;
  readonly ids: Pick<WireIds, "ofRun">;
}

/** Runs that wait for a person. docs/contract.md, "Waiting for approval". */
export function approvalRoutes({ runs: { approvals }, ids }: ApprovalRoutesParts): Route[] {
  const show = async (kept: ApprovalRun) => {
    const run = await ids.ofRun(kept);
    return toApproval(run, run.approval);
  };
  return [
    route(operations.listApprovals, async ({ caller, query: { limit = DEFAULT_PAGE, cursor } }) => {
      const after = cursor === undefined ? {} : { after: String(decodeCursor(CURSOR, cursor)) };
      const { items, next } = approvals.list(caller, { limit, ...after });
      const runs = await Promise.all(items.map(async (run) => await ids.ofRun(run)));
      const page = { items: runs.map((run) => toApprovalItem(run, run.approval)) };
      return reply(200, next === undefined ? page : { ...page, cursor: encodeCursor(CURSOR, next) });
    }),
    route(operations.getApproval, async ({ caller, params }) =>
      reply(200, await show(await approvals.get(caller, params.runId))),
    ),
    route(operations.approveRun, async ({ caller, params }) =>
      reply(200, await show(await approvals.approve(caller, params.runId))),
    ),
    route(operations.denyRun, async ({ caller, params, body }) =>
      reply(200, await show(await approvals.deny(caller, params.runId, body.reason))),
    ),
  ];
}
