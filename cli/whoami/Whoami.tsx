import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { WhoamiResponse } from "../../shared/contract/identity.ts";
import { timeWords } from "../words/time-words.ts";
import type { ViewProps } from "../screen/view.ts";
import { Facts } from "../screen/Facts.tsx";
import { HintList } from "../screen/HintList.tsx";
import { spendingFacts, spendLimitWords } from "../keys/KeyScreens.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";

/** Who calls, and for whom. */
export function Whoami({ value }: ViewProps<WhoamiResponse>): ReactElement {
  const { user, workspace, credential } = value;
  return (
    <Box flexDirection="column">
      <Text bold>{user.username || user.userId}</Text>
      <Facts
        facts={[
          ["user", user.userId],
          ["email", user.email],
          ["workspace", workspace ? `${workspace.name || workspace.slug} (${workspace.workspaceId})` : "none"],
          ["credential", credential && (credential.kind === "api_key" ? "API key" : "session")],
          ["key", credential?.label],
          ["role", credential?.role],
          ["may", credential?.scopes.join(" ")],
          ["spends at most", credential && spendLimitWords(credential)],
          ...spendingFacts(credential?.spending),
          ["operator", credential?.operator ? "yes" : undefined],
          ["expires", credential?.expiresAt && timeWords(credential.expiresAt)],
        ]}
      />
      <HintList hints={value.hints} />
      <NextSteps steps={[{ what: "What there is to spend", command: "mkt wallet" }]} />
    </Box>
  );
}
