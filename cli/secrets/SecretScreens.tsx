import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { AdminSecret, AdminSecretList } from "../../shared/contract/admin.ts";
import type { SecretVerdictList } from "../../shared/contract/secret-verdicts.ts";
import { timeWords } from "../words/time-words.ts";
import type { ViewProps } from "../screen/view.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { Table } from "../screen/Table.tsx";

/** What is stored; never a value. */
export function SecretList({ value }: ViewProps<AdminSecretList>): ReactElement {
  return (
    <Box flexDirection="column">
      {value.items.length === 0 ? (
        <Text>No secrets are stored.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "name", cell: (secret) => secret.name },
            { title: "asked for by", cell: (secret) => providerWords(secret), shrinks: "prose", drops: 1 },
            { title: "in force", cell: (secret) => (secret.overridden ? "no: the environment overrides it" : "yes") },
          ]}
        />
      )}
      <NextSteps
        steps={[
          ...grantSteps(value.items),
          { what: "See what is missing", command: "mkt catalog list" },
          { what: "Store one", command: "mkt secrets set <name>" },
        ]}
      />
    </Box>
  );
}

export function SecretStored({ value }: ViewProps<AdminSecret>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>{`${value.name} is stored${value.overridden ? ", but the daemon's environment overrides it" : ""}.`}</Text>
      {value.notRedacted && (
        <Text>It is too short to be taken out of what providers answer: store one of at least 6 characters.</Text>
      )}
      <Text dimColor>{`Asked for by: ${providerWords(value)}`}</Text>
      <NextSteps
        steps={[
          ...grantSteps([value]),
          { what: "See what is missing", command: "mkt catalog list" },
          { what: "Take it back", command: shellLine("mkt", "secrets", "remove", value.name) },
        ]}
      />
    </Box>
  );
}

/** Whether secrets work, as far as is known. */
export function VerdictList({ value }: ViewProps<SecretVerdictList>): ReactElement {
  if (value.items.length === 0) return <Text>No secret that can be tested is set.</Text>;
  const failing = value.items.filter(({ verdict }) => verdict === "failing");
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "provider", cell: (one) => one.provider },
          { title: "secrets", cell: (one) => one.verdict },
          { title: "seen", cell: (one) => (one.at === undefined ? "" : timeWords(one.at)), drops: 1 },
          { title: "answered", cell: (one) => (one.httpStatus === undefined ? "" : String(one.httpStatus)), drops: 2 },
        ]}
      />
      <NextSteps steps={failing.length === 0 ? [] : [{ what: "Store another", command: "mkt secrets set <name>" }]} />
    </Box>
  );
}

function providerWords({ providers }: AdminSecret): string {
  return providers.map(({ provider }) => provider).join(", ") || "no loaded provider";
}

/** A provider's file reads a secret only with its grant. */
function grantSteps(secrets: readonly AdminSecret[]) {
  const waiting = secrets.flatMap(({ providers }) => providers.filter(({ needsGrant }) => needsGrant));
  return [...new Set(waiting.map(({ provider }) => provider))].map((provider) => ({
    what: `Let ${provider} use what its file asks for`,
    command: shellLine("mkt", "catalog", "grant", provider),
  }));
}
