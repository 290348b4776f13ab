import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Home } from "./home.ts";
import { statusWords } from "../words/run-status-words.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { targetWords } from "../words/target.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { palette } from "../screen/palette.ts";
import { whenWords } from "../words/time-words.ts";
import { runStatusColor } from "../screen/status-color.ts";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** Where you stand: service, profile, who you are, what there is to spend, the last runs, what to try. */
export function HomeScreen({ value }: ViewProps<Home>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold>mkt</Text>
        {` ${value.version}, a self-hosted data marketplace`}
      </Text>
      <Facts
        facts={[
          ["service", serviceWords(value)],
          ["profile", value.profile],
          ["you", value.caller?.user.username ?? value.caller?.user.userId],
          ["workspace", value.caller?.workspace?.slug],
          ["balance", balanceWords(value)],
        ]}
      />
      {value.problem && value.address && <Text color={palette.bad}>{value.problem.message}</Text>}
      {value.runs.length > 0 && (
        <Box marginTop={1}>
          <Table
            rows={value.runs}
            columns={[
              { title: "last runs", cell: (run) => targetWords(run), shrinks: "names" },
              { title: "status", cell: statusWords, color: runStatusColor },
              { title: "charged", cell: ({ cost }) => (cost ? dollars(cost.value) : ""), right: true },
              { title: "created", cell: ({ createdAt }) => whenWords(createdAt), drops: 1 },
            ]}
          />
        </Box>
      )}
      <NextSteps steps={value.next} />
    </Box>
  );
}

function serviceWords({ address, service, dataDir }: Home): string {
  if (address === null) return `no daemon is running for ${dataDir}`;
  const state = service === null ? "does not answer" : `mkt ${service.version}, ${service.status}`;
  return `${address.url} (from ${address.from}): ${state}`;
}

function balanceWords({ wallet }: Home): string | undefined {
  if (wallet === null) return undefined;
  const held = wallet.held.value > 0 ? `, ${dollars(wallet.held.value)} held` : "";
  return `${wallet.unlimited ? "unlimited" : dollars(wallet.balance.value)}${held}`;
}
