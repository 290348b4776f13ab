import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { ProfileFacts } from "./profile-facts.ts";
import { localProfile } from "../connection/profile.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** The deployments by name, the one in use marked. */
export function ProfileList({ value }: ViewProps<{ items: readonly ProfileFacts[] }>): ReactElement {
  const keyless = value.items.filter(({ name, hasKey }) => !hasKey && name !== localProfile);
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "profile", cell: ({ name, inUse }) => (inUse ? `${name} (in use)` : name) },
          { title: "address", cell: ({ apiUrl }) => apiUrl ?? "does not run" },
          { title: "key", cell: ({ hasKey }) => (hasKey ? "stored" : "none") },
          { title: "workspace", cell: ({ workspace }) => workspace ?? "", drops: 1 },
        ]}
      />
      <NextSteps
        steps={[
          ...keyless.map(({ name }) => ({ what: `Give ${name} a key`, command: shellLine("mkt", "login", name) })),
          { what: "Log in to another", command: "mkt login <name> --api-url <url>" },
        ]}
      />
    </Box>
  );
}

/** One deployment. */
export function ProfileDetail({ value }: ViewProps<ProfileFacts>): ReactElement {
  const { name, apiUrl, hasKey, workspace, inUse } = value;
  const giveKey = { what: "Give it a key", command: shellLine("mkt", "login", name) };
  const next = inUse
    ? { what: "Who you are there", command: "mkt whoami" }
    : { what: "Use it", command: shellLine("mkt", "profile", "use", name) };
  return (
    <Box flexDirection="column">
      <Text bold>{name}</Text>
      <Facts
        facts={[
          ["address", apiUrl ?? "does not run"],
          ["key", hasKey ? "stored" : "none"],
          ["workspace", workspace ?? undefined],
          ["in use", inUse ? "yes" : "no"],
        ]}
      />
      <NextSteps steps={[...(hasKey || name === localProfile ? [] : [giveKey]), next]} />
    </Box>
  );
}
