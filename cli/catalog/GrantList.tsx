import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { CatalogGrantList } from "../../shared/contract/admin.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { whenWords } from "../words/time-words.ts";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** What operators allowed providers' files to use. */
export function GrantList({ value }: ViewProps<CatalogGrantList>): ReactElement {
  return (
    <Box flexDirection="column">
      {value.items.length === 0 ? (
        <Text>Nothing was granted.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "provider", cell: ({ provider }) => provider },
            { title: "origin", cell: ({ origin }) => origin, shrinks: "names", drops: 1 },
            {
              title: "may use",
              cell: ({ variables, privateHosts }) => [...variables, ...privateHosts].join(", "),
              shrinks: "prose",
            },
            { title: "granted", cell: ({ grantedAt }) => whenWords(grantedAt), drops: 2 },
          ]}
        />
      )}
      <NextSteps steps={[{ what: "What needs one", command: "mkt catalog list" }]} />
    </Box>
  );
}
