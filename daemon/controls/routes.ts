import { operations } from "../../shared/contract/index.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { keepAnswer } from "../idempotency/keep-answer.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import { damagedRuns } from "../http/answers/damaged-runs.ts";
import type { BudgetRecord, RunCapRecord } from "../ledger/records/control-records.ts";
import type { ControlService, MadeBudget } from "./control-service.ts";
import { toWorkspaceBudget, toWorkspaceBudgetRun, toWorkspaceRunCap, toWorkspaceRunCapRun } from "./control-wire.ts";

const DEFAULT_PAGE = 10;
const cursors = { budgets: "budgets", runCaps: "run-caps", budgetRuns: "budget-runs", runCapRuns: "run-cap-runs" };

interface ControlRoutesParts {
  readonly controls: ControlService;
  readonly ids: Pick<WireIds, "workspace">;
}

/** Budgets and run caps. docs/contract.md, "Controls". */
export function controlRoutes(parts: ControlRoutesParts): Route[] {
  return [...budgetRoutes(parts), ...runCapRoutes(parts)];
}

function budgetRoutes({ controls, ids }: ControlRoutesParts): Route[] {
  const show = async (budget: BudgetRecord) => {
    const shown = { ...budget, workspaceId: await ids.workspace(budget.workspaceId) };
    return toWorkspaceBudget(shown, await controls.readSpending(budget));
  };
  return [
    route(operations.listBudgets, async ({ caller, query }) => {
      const { items, next } = await controls.list(caller, "budget", controlPage(cursors.budgets, query));
      return reply(200, { items: await Promise.all(items.map(show)), cursor: nextCursor(cursors.budgets, next) });
    }),
    route(operations.createBudget, async ({ caller, body, idempotency }) => {
      const workspaceId = await ids.workspace(caller.workspaceId);
      const toMade = ({ budget, spending }: MadeBudget) => toWorkspaceBudget({ ...budget, workspaceId }, spending);
      return reply(201, toMade(await controls.createBudget(caller, body, keepAnswer(idempotency, 201, toMade))));
    }),
    route(operations.getBudget, async ({ caller, params }) =>
      reply(200, await show(await controls.get(caller, "budget", params.budgetControlId))),
    ),
    route(operations.updateBudget, async ({ caller, params, body }) =>
      reply(200, await show(await controls.change(caller, "budget", params.budgetControlId, body))),
    ),
    route(operations.deleteBudget, async ({ caller, params }) => {
      await controls.delete(caller, "budget", params.budgetControlId);
      return reply(204, undefined);
    }),
    route(operations.listBudgetRuns, async ({ caller, params, query }) => {
      const page = runPage(cursors.budgetRuns, query);
      const { items, damaged, next } = await controls.listBudgetRuns(caller, params.budgetControlId, query, page);
      const cursor = nextCursor(cursors.budgetRuns, next);
      return reply(200, { items: items.map(toWorkspaceBudgetRun), ...damagedRuns(damaged), cursor });
    }),
  ];
}

function runCapRoutes({ controls, ids }: ControlRoutesParts): Route[] {
  const show = async (runCap: RunCapRecord) =>
    toWorkspaceRunCap({ ...runCap, workspaceId: await ids.workspace(runCap.workspaceId) });
  return [
    route(operations.listRunCaps, async ({ caller, query }) => {
      const { items, next } = await controls.list(caller, "runCap", controlPage(cursors.runCaps, query));
      return reply(200, { items: await Promise.all(items.map(show)), cursor: nextCursor(cursors.runCaps, next) });
    }),
    route(operations.createRunCap, async ({ caller, body, idempotency }) => {
      const workspaceId = await ids.workspace(caller.workspaceId);
      const toMade = (runCap: RunCapRecord) => toWorkspaceRunCap({ ...runCap, workspaceId });
      return reply(201, toMade(await controls.createRunCap(caller, body, keepAnswer(idempotency, 201, toMade))));
    }),
    route(operations.getRunCap, async ({ caller, params }) =>
      reply(200, await show(await controls.get(caller, "runCap", params.runCapControlId))),
    ),
    route(operations.updateRunCap, async ({ caller, params, body }) =>
      reply(200, await show(await controls.change(caller, "runCap", params.runCapControlId, body))),
    ),
    route(operations.deleteRunCap, async ({ caller, params }) => {
      await controls.delete(caller, "runCap", params.runCapControlId);
      return reply(204, undefined);
    }),
    route(operations.listRunCapRuns, async ({ caller, params, query }) => {
      const page = runPage(cursors.runCapRuns, query);
      const { items, damaged, next } = await controls.listRunCapRuns(caller, params.runCapControlId, query, page);
      const cursor = nextCursor(cursors.runCapRuns, next);
      return reply(200, { items: items.map(toWorkspaceRunCapRun), ...damagedRuns(damaged), cursor });
    }),
  ];
}

interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

function controlPage(kind: string, { limit = DEFAULT_PAGE, cursor }: PageQuery): { limit: number; after?: string } {
  return cursor === undefined ? { limit } : { limit, after: String(decodeCursor(kind, cursor)) };
}

function runPage(kind: string, { limit = DEFAULT_PAGE, cursor }: PageQuery): { limit: number; before?: number } {
  return cursor === undefined ? { limit } : { limit, before: Number(decodeCursor(kind, cursor)) };
}

function nextCursor(kind: string, next: string | number | undefined): string | null {
  return next === undefined ? null : encodeCursor(kind, next);
}
