import { useState } from "preact/hooks";
import type { ControlPeriod, WorkspaceBudget } from "../../shared/contract/controls.ts";
import { Empty } from "../parts/Empty.tsx";
import { Choice } from "../parts/Field.tsx";
import { Meter } from "../parts/Meter.tsx";
import { Money } from "../parts/Money.tsx";
import { PagedTable } from "../parts/PagedTable.tsx";
import { Status } from "../parts/Status.tsx";
import type { Column } from "../parts/Table.tsx";
import { say } from "../page/toasts.ts";
import { api } from "../service/api.ts";
import { may } from "../service/rights.ts";
import { useLoaded, useReloadOn } from "../service/use-loaded.ts";
import { moneyText, toMicros } from "../words/amounts.ts";
import { limitActions } from "./limit-actions.tsx";
import type { ListProps } from "./list-props.ts";
import { LimitForm } from "./LimitForm.tsx";
import { eachPeriod } from "./periods.ts";

/** What the workspace may spend in each hour, day, week or month. */
export function Budgets({ cursor }: ListProps) {
  const budgets = useLoaded(`${cursor}`, async (client, signal) =>
    client.listBudgets({ query: { limit: 50, cursor } }, { signal }),
  );
  useReloadOn(["control", "wallet", "reset"], budgets.reload);
  const [period, setPeriod] = useState<ControlPeriod>("MONTH");
  return (
    <>
      {may("createBudget") && (
        <LimitForm
          label="Limit"
          submit="Make a budget"
          further={period}
          onSubmit={async (limitAmount, headers) => {
            await api().createBudget({ body: { period, limitAmount } }, { headers });
            say("The budget is made.");
            budgets.reload();
          }}
        >
          <Choice label="In each" value={period} options={eachPeriod} onChoose={setPeriod} />
        </LimitForm>
      )}
      <PagedTable
        of={budgets}
        caption="Budgets, newest first"
        columns={columns(budgets.reload)}
        keyOf={({ budgetControlId }) => budgetControlId}
        at={["controls", "budgets"]}
        cursor={cursor}
        empty={
          <Empty
            title="There is no budget: runs spend what the wallet has."
            command="mkt budgets create --period month --limit 50"
            right="createBudget"
          >
            <p>Make one above, or type:</p>
          </Empty>
        }
      />
    </>
  );
}

function Spent({ limitAmount, spentAmount, heldAmount }: WorkspaceBudget) {
  return (
    <span class="two-lines">
      <Money micros={toMicros(spentAmount)} />
      <small>
        <Meter label="Budget used" share={(spentAmount + heldAmount) / limitAmount} />
      </small>
    </span>
  );
}

function columns(reload: () => void): readonly Column<WorkspaceBudget>[] {
  return [
    { name: "Each", cell: ({ period }) => eachPeriod.find(([id]) => id === period)?.[1] ?? period },
    { name: "Status", cell: ({ status }) => <Status status={status} /> },
    { name: "Limit", align: "end", cell: (budget) => <Money micros={toMicros(budget.limitAmount)} /> },
    { name: "Spent", align: "end", cell: Spent },
    { name: "Held", align: "end", from: "wide", cell: (budget) => <Money micros={toMicros(budget.heldAmount)} /> },
    {
      name: "Left",
      align: "end",
      from: "medium",
      cell: (budget) => <Money micros={toMicros(budget.availableAmount)} />,
    },
    limitActions({
      label: "Limit",
      nameOf: (budget: WorkspaceBudget) =>
        `the budget of ${moneyText(toMicros(budget.limitAmount))} in each ${budget.period.toLowerCase()}`,
      rights: { update: "updateBudget", delete: "deleteBudget" },
      async update({ budgetControlId }, body) {
        await api().updateBudget({ params: { budgetControlId }, body });
        reload();
      },
      async remove({ budgetControlId }) {
        await api().deleteBudget({ params: { budgetControlId } });
        reload();
      },
    }),
  ];
}
