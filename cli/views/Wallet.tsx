import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { WalletAdjustment } from "../../shared/contract/admin.ts";
import type { WalletBalanceResponse } from "../../shared/contract/wallet.ts";
import { dollars } from "../money-words.ts";
import type { ViewProps } from "./view.ts";
import { Facts } from "./Facts.tsx";
import { HintList } from "./HintList.tsx";
import { NextSteps } from "./NextSteps.tsx";

/** What a workspace can spend. */
export function WalletBalance({ value }: ViewProps<WalletBalanceResponse>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{value.unlimited ? "unlimited" : dollars(value.balance.value)}</Text>
      <Facts facts={[["held for runs", dollars(value.held.value)]]} />
      <HintList hints={value.hints} />
      <NextSteps
        steps={[
          { what: "Credit it (operator)", command: "mkt wallet credit 10" },
          { what: "What it went to", command: "mkt runs" },
        ]}
      />
    </Box>
  );
}

/** A wallet after a credit or a debit. */
export function WalletAdjusted({ value }: ViewProps<WalletAdjustment>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>{`The wallet of ${value.workspaceId} now has ${dollars(value.balance.value)}.`}</Text>
      <Facts facts={[["held for runs", dollars(value.held.value)]]} />
      <NextSteps steps={[{ what: "Look again", command: "mkt wallet" }]} />
    </Box>
  );
}
