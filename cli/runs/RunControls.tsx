import { Box } from "ink";
import type { ReactElement } from "react";
import type { ControlRun, ControlRunPage } from "../../shared/contract/controls.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { EmptyList } from "../screen/EmptyList.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { statusColor } from "../screen/status-color.ts";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** The controls that a run met. */
export function RunControls({ value }: ViewProps<ControlRunPage>): ReactElement {
  if (value.items.length === 0) {
    return (
      <EmptyList says="No control had a say in this run." next={{ what: "See the budgets", command: "mkt budgets" }} />
    );
  }
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "control", cell: ({ controlId }) => controlId ?? "" },
          { title: "kind", cell: kindWords },
          { title: "status", cell: ({ status }) => status ?? "", color: ({ status }) => statusColor(status ?? "") },
        ]}
      />
      <NextSteps
        steps={value.items.slice(0, 1).map((control) => ({
          what: "Look at one",
          command: shellLine("mkt", isBudget(control) ? "budgets" : "caps", "get", control.controlId ?? ""),
        }))}
      />
    </Box>
  );
}

function kindWords(control: ControlRun): string {
  return isBudget(control) ? "budget" : "run cap";
}

function isBudget({ controlType }: ControlRun): boolean {
  return controlType === "WORKSPACE_BUDGET";
}
