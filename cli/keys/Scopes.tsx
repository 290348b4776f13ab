import { Box } from "ink";
import type { ReactElement } from "react";
import type { ScopeCatalog } from "../../shared/contract/scopes.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** What a key may be allowed. */
export function Scopes({ value }: ViewProps<ScopeCatalog>): ReactElement {
  const rows = value.resources.flatMap(({ key, actions }) =>
    actions.map((action) => ({ scope: `${key}:${action.key}`, description: action.description })),
  );
  return (
    <Box flexDirection="column">
      <Table
        rows={rows}
        columns={[
          { title: "scope", cell: ({ scope }) => scope },
          { title: "allows", cell: ({ description }) => description, shrinks: true },
        ]}
      />
      <NextSteps steps={[{ what: "Make a key", command: "mkt keys create --label ci --scope runs:create" }]} />
    </Box>
  );
}
