import { Box } from "ink";
import type { ReactElement } from "react";
import type { WalletTopupConfigResponse } from "../../shared/contract/wallet.ts";
import { dollars } from "../words/money-words.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import type { ViewProps } from "../screen/view.ts";

/** Between which amounts a wallet is topped up, and what that costs. */
export function Topup({ value }: ViewProps<WalletTopupConfigResponse>): ReactElement {
  const { minAmount, maxAmount, processingFee, presets, autoReload } = value;
  return (
    <Box flexDirection="column">
      <Facts
        facts={[
          ["at least", dollars(minAmount)],
          ["at most", maxAmount === undefined ? undefined : dollars(maxAmount)],
          ["fee", `${processingFee.rate} % (${processingFee.description})`],
          ["usual amounts", presets.map(dollars).join(", ")],
          ["by itself", autoReload.enabled ? `to ${dollars(autoReload.topUpToAmount)}` : "no"],
        ]}
      />
      <NextSteps steps={[{ what: "Credit it (operator)", command: "mkt wallet credit 10" }]} />
    </Box>
  );
}
