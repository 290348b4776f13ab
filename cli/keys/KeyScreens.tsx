import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { ApiKey, ApiKeyPage, CreateApiKeyResponse } from "../../shared/contract/api-keys.ts";
import type { ViewProps } from "../screen/view.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { dayWords, timeWords, whenWords } from "../words/time-words.ts";
import { statusColor } from "../screen/status-color.ts";
import { type Column, Table } from "../screen/Table.tsx";
import type { ScopeCatalog } from "../../shared/contract/scopes.ts";

/** The keys of a workspace. */
export function KeyList({ value }: ViewProps<ApiKeyPage>): ReactElement {
  return (
    <Box flexDirection="column">
      {value.items.length === 0 ? (
        <Text>No keys.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "label", cell: (key) => key.label },
            { title: "key", cell: (key) => `${key.keyPrefix}…`, drops: 3 },
            { title: "status", cell: (key) => key.status, color: (key) => statusColor(key.status) },
            {
              title: "role",
              cell: (key) =>
                key.session ? "console session" : key.operator ? "operator" : (key.role ?? key.scopes.join(" ")),
              shrinks: "prose",
            },
            { title: "within", cell: withinWords, shrinks: "prose", drops: 1 },
            ...(value.items.some(({ spending }) => spending !== undefined) ? spendingColumns : []),
            {
              title: "last used",
              cell: (key) => (key.lastUsedAt === undefined ? "never" : whenWords(key.lastUsedAt)),
              drops: 4,
            },
          ]}
        />
      )}
      <NextSteps steps={[{ what: "Make one", command: "mkt keys create --label <label>" }]} />
    </Box>
  );
}

/** A key just made: the only time that it is shown whole. */
export function KeyCreated({ value }: ViewProps<CreateApiKeyResponse>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{value.key}</Text>
      <Text>This key is not shown again: keep it now.</Text>
      <Facts facts={keyFacts(value)} />
      <NextSteps
        steps={[
          { what: "Use it, kept in a file or in MKT_API_KEY", command: "mkt whoami --key-file <file>" },
          { what: "Take it back", command: shellLine("mkt", "keys", "revoke", value.label) },
        ]}
      />
    </Box>
  );
}

/** A key as it can be read again. */
export function KeyDetail({ value }: ViewProps<ApiKey>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>{`${value.keyPrefix}…`}</Text>
      <Facts
        facts={[
          ...keyFacts(value),
          ["status", value.status],
          ["last used", value.lastUsedAt && timeWords(value.lastUsedAt)],
        ]}
      />
      <NextSteps steps={[{ what: "Take it back", command: shellLine("mkt", "keys", "revoke", value.label) }]} />
    </Box>
  );
}

export function KeyRevoked({ value }: ViewProps<ApiKey>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>{`Revoked the key "${value.label}" (${value.keyPrefix}…). It is refused from now on.`}</Text>
      <NextSteps steps={[{ what: "See the others", command: "mkt keys" }]} />
    </Box>
  );
}

/** Only where a key of the list has a limit. */
const spendingColumns: Column<ApiKey>[] = [
  { title: "spent", cell: ({ spending }) => (spending ? dollars(spending.spent.value) : "") },
  { title: "left", cell: ({ spending }) => (spending ? dollars(spending.left.value) : "") },
  { title: "resets", cell: ({ spending }) => (spending ? whenWords(spending.resetsAt) : ""), drops: 2 },
];

/** How much of a limit is used and left, and until when. */
export function spendingFacts(spending: ApiKey["spending"]): [string, string | undefined][] {
  if (spending === undefined) return [];
  const { spent, held, left, resetsAt } = spending;
  return [
    ["spent", dollars(spent.value)],
    ["held", held.value === 0 ? undefined : dollars(held.value)],
    ["left", dollars(left.value)],
    ["resets", timeWords(resetsAt)],
  ];
}

function limitWords({ providers = [], endpoints = [] }: ApiKey): string | undefined {
  return endpoints.length > 0 ? endpoints.join(", ") : providers.join(", ") || undefined;
}

export function spendLimitWords({ spendLimit }: Pick<ApiKey, "spendLimit">): string | undefined {
  return spendLimit && `${dollars(spendLimit.amount.value)} a ${spendLimit.period.toLowerCase()}`;
}

/** Its limits, in one line; empty without any. */
function withinWords(key: ApiKey): string {
  const until = key.expiresAt && `until ${dayWords(key.expiresAt)}`;
  return [limitWords(key), spendLimitWords(key), until].filter((words) => words !== undefined).join(", ");
}

function keyFacts(key: ApiKey): [string, string | undefined][] {
  return [
    ["label", key.label],
    ["role", key.role],
    ["may", key.scopes.join(" ")],
    ["runs only", limitWords(key)],
    ["spends at most", spendLimitWords(key)],
    ...spendingFacts(key.spending),
    ["operator", key.operator ? "yes" : undefined],
    ["expires", key.expiresAt && timeWords(key.expiresAt)],
  ];
}

/** What a key may be allowed. */
export function Scopes({ value }: ViewProps<ScopeCatalog>): ReactElement {
  const rows = value.resources.flatMap(({ key, actions }) =>
    actions.map((action) => ({ scope: `${key}:${action.key}`, description: action.description })),
  );
  return (
    <Box flexDirection="column">
      <Table
        rows={rows}
        columns={[
          { title: "scope", cell: ({ scope }) => scope },
          { title: "allows", cell: ({ description }) => description, shrinks: true },
        ]}
      />
      <NextSteps steps={[{ what: "Make a key", command: "mkt keys create --label ci --scope runs:create" }]} />
    </Box>
  );
}
