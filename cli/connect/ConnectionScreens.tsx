import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { Connection, ConnectionAttempt, ConnectionList } from "../../shared/contract/connections.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

export function ConnectionTable({ value }: ViewProps<ConnectionList>): ReactElement {
  const broken = value.items.filter(({ next }) => next !== undefined);
  return (
    <Box flexDirection="column">
      {value.items.length === 0 ? (
        <Text>No accounts are connected.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "provider", cell: ({ provider }) => provider },
            { title: "state", cell: (one) => stateWords(one) },
            { title: "connected", cell: ({ connectedAt }) => connectedAt, drops: 2 },
            { title: "by", cell: (one) => byWords(one), shrinks: "prose", drops: 1 },
          ]}
        />
      )}
      <NextSteps
        steps={[
          ...broken.map(({ provider, next = "" }) => ({ what: `Make ${provider} usable`, command: next })),
          { what: "Connect one", command: "mkt connect <provider>" },
        ]}
      />
    </Box>
  );
}

export function ConnectionDetail({ value }: ViewProps<Connection>): ReactElement {
  const { provider, state, why, next, scopes, missingScopes = [], renews, lastFailure } = value;
  return (
    <Box flexDirection="column">
      <Facts
        facts={[
          ["provider", provider],
          ["workspace", value.workspaceId],
          ["state", state],
          ["why", why],
          ["connected", value.connectedAt],
          ["by", byWords(value)],
          ["scopes", scopes.length === 0 ? "none were named" : scopes.join(" ")],
          ["not granted", missingScopes.length === 0 ? undefined : missingScopes.join(" ")],
          ["token until", value.accessTokenExpiresAt],
          ["renewed", renews ? "without a new login" : "by a new login only"],
          ["last failure", lastFailure === undefined ? undefined : `${lastFailure.at} ${lastFailure.message}`],
        ]}
      />
      <NextSteps
        steps={[
          ...(next === undefined ? [] : [{ what: "Make it usable", command: next }]),
          { what: "Remove it", command: shellLine("mkt", "connections", "remove", provider) },
        ]}
      />
    </Box>
  );
}

/** After a login. */
export function ConnectionMade({ value }: ViewProps<Connection>): ReactElement {
  const { provider, workspaceId, missingScopes = [], renews } = value;
  return (
    <Box flexDirection="column">
      <Text>{`${provider} is connected to the workspace ${workspaceId}, by ${byWords(value)}.`}</Text>
      {missingScopes.length > 0 && <Text>{`The provider did not grant: ${missingScopes.join(" ")}`}</Text>}
      {!renews && <Text>The provider gave nothing to renew it: connect again when it expires.</Text>}
      <NextSteps
        steps={[
          { what: "See what it has", command: shellLine("mkt", "endpoints", "--provider", provider) },
          { what: "Remove it", command: shellLine("mkt", "connections", "remove", provider) },
        ]}
      />
    </Box>
  );
}

/** A login that waits for a person. */
export function AttemptBegun({ value }: ViewProps<ConnectionAttempt>): ReactElement {
  const { provider, attemptId, needsCode } = value;
  const flag = needsCode ? ["--code", "<code>"] : ["--redirected-to", "<address>"];
  return (
    <Box flexDirection="column">
      <Facts
        facts={[
          ["provider", provider],
          ["workspace", value.workspaceId],
          ["log in at", value.address],
          ["redirect", value.redirectUri],
          ["until", value.expiresAt],
        ]}
      />
      <NextSteps
        steps={[
          { what: "Finish it", command: ["mkt", "connect", provider, "--attempt", attemptId, ...flag].join(" ") },
        ]}
      />
    </Box>
  );
}

/** A connection that works, and whose last renewal did not. */
function stateWords({ state, lastFailure }: Connection): string {
  return state === "connected" && lastFailure !== undefined ? "connected, last failed" : state;
}

function byWords({ connectedBy, keyLabel }: Connection): string {
  return keyLabel ?? connectedBy ?? "another key";
}
