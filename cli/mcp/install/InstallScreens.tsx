import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Installation, KnownClient } from "./installation.ts";
import { NextSteps } from "../../screen/NextSteps.tsx";
import type { ViewProps } from "../../screen/view.ts";

/** What `mkt mcp install` did. */
export function InstallationDone({ value }: ViewProps<Installation>): ReactElement {
  const { written, change, file, backup, next } = value;
  if (!written) return <Text>{change === "none" ? "Nothing to change." : "Nothing was written."}</Text>;
  return (
    <Box flexDirection="column">
      <Text>{`Written to ${file}.`}</Text>
      {backup !== undefined && <Text>{`The file as it was: ${backup}`}</Text>}
      <Text>{next}</Text>
    </Box>
  );
}

/** The clients that `mkt mcp install` knows. */
export function ClientList({ value }: ViewProps<{ items: readonly KnownClient[] }>): ReactElement {
  const first = value.items.find(({ state }) => state === "not installed");
  const widest = Math.max(...value.items.map(({ client }) => client.length));
  return (
    <Box flexDirection="column">
      {value.items.map(({ client, state, file }) => (
        <Text key={client} wrap="truncate-middle">{`${client.padEnd(widest)}  ${state.padEnd(13)}  ${file}`}</Text>
      ))}
      <NextSteps
        steps={
          first === undefined ? [] : [{ what: "See the change", command: `mkt mcp install ${first.client} --dry-run` }]
        }
      />
    </Box>
  );
}
