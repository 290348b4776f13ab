import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { WalletAdjustment } from "../../shared/contract/admin.ts";
import type {
  WalletActivity,
  WalletActivityPage,
  WalletBalanceResponse,
  WalletTopupConfigResponse,
} from "../../shared/contract/wallet.ts";
import { dollars } from "../../shared/words/money-words.ts";
import type { ViewProps } from "../screen/view.ts";
import { Facts } from "../screen/Facts.tsx";
import { HintList } from "../screen/HintList.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { whenWords } from "../words/time-words.ts";
import { Table } from "../screen/Table.tsx";

/** What a workspace can spend. */
export function WalletBalance({ value }: ViewProps<WalletBalanceResponse>): ReactElement {
  return (
    <Box flexDirection="column">
      <Facts
        facts={[
          ["balance", value.unlimited ? "unlimited" : dollars(value.balance.value)],
          ["held for runs", dollars(value.held.value)],
        ]}
      />
      <HintList hints={value.hints} />
      <NextSteps
        steps={[
          { what: "Credit it (operator)", command: "mkt wallet credit 10" },
          { what: "What moved", command: "mkt wallet activities" },
          { what: "What it went to", command: "mkt usage" },
        ]}
      />
    </Box>
  );
}

/** Movements of a wallet, newest first. */
export function WalletActivities({ value }: ViewProps<WalletActivityPage>): ReactElement {
  return (
    <Box flexDirection="column">
      {value.items.length === 0 ? (
        <Text>Nothing has moved.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "when", cell: ({ createdAt }) => whenWords(createdAt), drops: 1 },
            { title: "what", cell: ({ type }) => type },
            { title: "amount", cell: ({ amount }) => signedDollars(amount.value), right: true },
            { title: "for", cell: whatFor, shrinks: "names" },
          ]}
        />
      )}
      <NextSteps steps={[{ what: "What is left", command: "mkt wallet" }]} />
    </Box>
  );
}

function signedDollars(value: number): string {
  return value > 0 ? `+${dollars(value)}` : dollars(value);
}

function whatFor({ reason, resourceId, runId }: WalletActivity): string {
  return reason ?? resourceId ?? runId ?? "";
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
