import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type {
  WorkspaceBudget,
  WorkspaceBudgetPage,
  WorkspaceBudgetRunPage,
  WorkspaceRunCap,
  WorkspaceRunCapPage,
  WorkspaceRunCapRunPage,
} from "../../shared/contract/controls.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { timeWords } from "../words/time-words.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { statusColor } from "../screen/status-color.ts";
import { type Column, Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** The budgets of a workspace, each with how full its window is. */
export function BudgetList({ value }: ViewProps<WorkspaceBudgetPage>): ReactElement {
  return (
    <ControlTable
      rows={value.items}
      empty="No budgets."
      columns={[
        { title: "budget", cell: (budget) => budget.budgetControlId },
        { title: "each", cell: (budget) => budget.period.toLowerCase() },
        { title: "limit", cell: (budget) => dollars(budget.limitAmount), right: true },
        { title: "spent", cell: spentWords, right: true },
        { title: "left", cell: (budget) => dollars(budget.availableAmount), right: true },
        { title: "status", cell: (budget) => budget.status, color: (budget) => statusColor(budget.status) },
      ]}
      make="mkt budgets create --period day --limit 5"
    />
  );
}

export function BudgetDetail({ value }: ViewProps<WorkspaceBudget>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{`${dollars(value.limitAmount)} each ${value.period.toLowerCase()}`}</Text>
      <Facts
        facts={[
          ["budget", value.budgetControlId],
          ["status", value.status],
          ["spent", spentWords(value)],
          ["held for runs", dollars(value.heldAmount)],
          ["left", dollars(value.availableAmount)],
          ["window since", value.windowStart && timeWords(value.windowStart)],
        ]}
      />
      <NextSteps
        steps={[{ what: "What it went to", command: shellLine("mkt", "budgets", "runs", value.budgetControlId) }]}
      />
    </Box>
  );
}

/** The run caps of a workspace. */
export function RunCapList({ value }: ViewProps<WorkspaceRunCapPage>): ReactElement {
  return (
    <ControlTable
      rows={value.items}
      empty="No run caps."
      columns={[
        { title: "run cap", cell: (runCap) => runCap.runCapControlId },
        { title: "limit", cell: (runCap) => dollars(runCap.limitAmount), right: true },
        { title: "status", cell: (runCap) => runCap.status, color: (runCap) => statusColor(runCap.status) },
      ]}
      make="mkt caps create --limit 0.5"
    />
  );
}

export function RunCapDetail({ value }: ViewProps<WorkspaceRunCap>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{`${dollars(value.limitAmount)} a run`}</Text>
      <Facts
        facts={[
          ["run cap", value.runCapControlId],
          ["status", value.status],
        ]}
      />
      <NextSteps steps={[{ what: "What it met", command: shellLine("mkt", "caps", "runs", value.runCapControlId) }]} />
    </Box>
  );
}

export function BudgetRuns({ value }: ViewProps<WorkspaceBudgetRunPage>): ReactElement {
  return (
    <ControlTable
      rows={value.items}
      empty="No runs in this window."
      columns={[
        { title: "run", cell: (run) => run.runId },
        { title: "status", cell: (run) => run.status, color: (run) => statusColor(run.status) },
        { title: "at most", cell: (run) => dollars(run.holdAmount), right: true },
        {
          title: "charged",
          cell: (run) => (run.settledAmount === null ? "" : dollars(run.settledAmount)),
          right: true,
        },
      ]}
    />
  );
}

export function RunCapRuns({ value }: ViewProps<WorkspaceRunCapRunPage>): ReactElement {
  return (
    <ControlTable
      rows={value.items}
      empty="No runs."
      columns={[
        { title: "run", cell: (run) => run.runId },
        { title: "status", cell: (run) => run.status, color: (run) => statusColor(run.status) },
        { title: "at most", cell: (run) => dollars(run.estimatedCost), right: true },
        { title: "limit then", cell: (run) => dollars(run.snapshot.limitAmount), right: true },
      ]}
    />
  );
}

function ControlTable<Row>({
  rows,
  columns,
  empty,
  make,
}: {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  empty: string;
  make?: string;
}): ReactElement {
  return (
    <Box flexDirection="column">
      {rows.length === 0 ? <Text>{empty}</Text> : <Table rows={rows} columns={columns} />}
      {make !== undefined && <NextSteps steps={[{ what: "Make one", command: make }]} />}
    </Box>
  );
}

/** With the alert mark that it has reached. */
function spentWords({ spentAmount, alert }: WorkspaceBudget): string {
  return alert === undefined ? dollars(spentAmount) : `${dollars(spentAmount)} (${alert} % reached)`;
}
