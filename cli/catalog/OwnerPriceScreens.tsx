import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { OwnerPrice, OwnerPriceList as OwnerPrices } from "../../shared/contract/admin.ts";
import { priceWords } from "../../shared/words/price-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { palette } from "../screen/palette.ts";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** The prices that the owner set, and which of them have no effect. */
export function OwnerPriceList({ value }: ViewProps<OwnerPrices>): ReactElement {
  const [first] = value.items;
  return (
    <Box flexDirection="column">
      {first === undefined ? (
        <Text>You have set no prices: those of the provider files hold.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "endpoint", cell: nameWords },
            { title: "price", cell: (item) => priceWords(item.price, item) },
            {
              title: "in force",
              cell: ({ problem }) => (problem === undefined ? "yes" : `no: ${problem}`),
              color: ({ problem }) => (problem === undefined ? palette.good : palette.bad),
              shrinks: true,
            },
          ]}
        />
      )}
      <NextSteps
        steps={[
          ...(first === undefined
            ? []
            : [{ what: "Take one back", command: shellLine("mkt", "catalog", "price", nameWords(first), "--remove") }]),
          { what: "Set one", command: "mkt catalog price <provider>/<endpoint> <dollars>" },
        ]}
      />
    </Box>
  );
}

export function OwnerPriceSet({ value }: ViewProps<OwnerPrice>): ReactElement {
  const name = nameWords(value);
  const what = value.endpoint === undefined ? `All endpoints of ${name} without their own price here` : name;
  return (
    <Box flexDirection="column">
      <Text>{`${what} costs ${priceWords(value.price, value)} from now on. Runs in progress end with the price they started with.`}</Text>
      <NextSteps
        steps={[
          { what: "See all prices that you set", command: "mkt catalog prices" },
          { what: "Take it back", command: shellLine("mkt", "catalog", "price", name, "--remove") },
        ]}
      />
    </Box>
  );
}

function nameWords({ provider, endpoint = "" }: OwnerPrice): string {
  return `${provider}${endpoint}`;
}
