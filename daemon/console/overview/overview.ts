import type { Attention, Overview } from "../../../shared/contract/overview.ts";
import { grants } from "../../../shared/contract/scope-grants.ts";
import { toMoney } from "../../../shared/micro-dollars.ts";
import { isoNow } from "../../base/clock.ts";
import { toWorkspaceBudget } from "../../controls/control-wire.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../../http/callers/caller.ts";
import type { MoneyReads } from "../../ledger/transaction/money-reads.ts";
import { ownOnly } from "../../runs/answers/run-filter.ts";
import { toRunListItem } from "../../runs/answers/run-wire.ts";
import { attentionOf } from "./attention.ts";
import type { OverviewParts } from "./overview-parts.ts";
import { openRunStatuses } from "../../../shared/run-status.ts";

const MOST_BUDGETS = 20;
const SHOWN_RUNS = 10;
const COUNTED_RUNS = 100;
/** A budget is worth a look from here, percent of its limit. */
const NEARLY_SPENT = 80;

/** The state of a workspace, from what is in memory: it takes as long with a million runs as with one. */
export async function readOverview(parts: OverviewParts, caller: WorkspaceCaller): Promise<Overview> {
  const { store, clock, identity, wallet } = parts;
  const { workspaceId, scopes } = caller;
  const money = await store.readMoney({ workspaceId });
  const { workspace } = await identity.workspaces.whoIs(caller);
  const isWhole = onlyKeyOf(caller) === undefined;
  const seesMoney = grants(scopes, "wallet:read");
  const budgets = isWhole && grants(scopes, "controls:read") ? await readBudgets(parts, caller) : undefined;
  const inFlight = grants(scopes, "runs:read") ? await readInFlight(parts, caller) : undefined;
  return {
    workspace: {
      workspaceId: await identity.ids.workspace(workspaceId),
      name: workspace?.name ?? "",
      slug: workspace?.slug ?? "",
    },
    ...(seesMoney && {
      wallet: {
        balance: toMoney(money.balance),
        held: toMoney(money.held),
        ...(wallet.unlimited && { unlimited: true as const }),
      },
    }),
    ...(seesMoney && isWhole && { spent: spentOf(money, isoNow(clock)) }),
    ...(budgets !== undefined && { budgets }),
    ...(inFlight !== undefined && { inFlight }),
    attention: [...(await attentionOf(parts, caller)), ...nearlySpent(budgets ?? [])],
  };
}

function spentOf(money: MoneyReads, now: string): NonNullable<Overview["spent"]> {
  const at = money.meteredAt(now);
  return {
    today: toMoney(money.spending("workspace", "DAY", at).spent),
    month: toMoney(money.spending("workspace", "MONTH", at).spent),
  };
}

async function readBudgets(
  { controls, identity }: OverviewParts,
  caller: WorkspaceCaller,
): Promise<NonNullable<Overview["budgets"]>> {
  const { items } = await controls.list(caller, "budget", { limit: MOST_BUDGETS });
  const workspaceId = await identity.ids.workspace(caller.workspaceId);
  return await Promise.all(
    items.map(async (budget) => toWorkspaceBudget({ ...budget, workspaceId }, await controls.readSpending(budget))),
  );
}

async function readInFlight(
  { store, identity }: OverviewParts,
  caller: WorkspaceCaller,
): Promise<NonNullable<Overview["inFlight"]>> {
  const open = ownOnly(caller, { statuses: openRunStatuses });
  const { items, next } = await store.listRuns(caller.workspaceId, open, { limit: COUNTED_RUNS });
  const shown = await Promise.all(items.slice(0, SHOWN_RUNS).map(async (run) => await identity.ids.ofRun(run)));
  return { count: items.length, ...(next !== undefined && { more: true as const }), runs: shown.map(toRunListItem) };
}

function nearlySpent(budgets: NonNullable<Overview["budgets"]>): Attention[] {
  return budgets.flatMap(({ budgetControlId, period, spentAmount, heldAmount, limitAmount, status }) => {
    if (status !== "ACTIVE" || (spentAmount + heldAmount) * 100 < limitAmount * NEARLY_SPENT) return [];
    return [
      {
        kind: "budgetNearlySpent",
        subject: budgetControlId,
        text: `The budget of the ${period.toLowerCase()} is nearly spent`,
        next: `mkt budgets get ${budgetControlId}`,
      },
    ];
  });
}
