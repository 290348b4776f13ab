import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type {
  AdminCatalog,
  CatalogGrant,
  CatalogGrantList,
  CatalogProviderStatus,
} from "../../shared/contract/admin.ts";
import type { ViewProps } from "../screen/view.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { Facts } from "../screen/Facts.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { palette } from "../screen/palette.ts";
import { Table } from "../screen/Table.tsx";
import { whenWords } from "../words/time-words.ts";

/** Most secrets of the starter catalog are for providers that nobody here needs. */
const SHOWN_SECRETS = 3;

/** What the daemon loaded, what each provider still lacks, and the files that it could not use. */
export function CatalogList({ value }: ViewProps<AdminCatalog>): ReactElement {
  const toGrant = value.providers.filter((provider) => provider.needsGrant);
  const missing = new Set(value.providers.flatMap((provider) => provider.missingSecrets.map(({ env }) => env)));
  return (
    <Box flexDirection="column">
      <Table
        rows={value.providers}
        columns={[
          { title: "provider", cell: (provider) => provider.provider },
          { title: "endpoints", cell: endpointWords },
          {
            title: "state",
            cell: stateWords,
            shrinks: true,
            color: (provider) => (provider.available ? palette.good : palette.notable),
          },
          { title: "from", cell: (provider) => provider.source ?? "by hand", drops: 1 },
          { title: "file", cell: (provider) => provider.file.replace(/^.*[/\\]/, ""), drops: 2 },
        ]}
      />
      {(value.notLoaded ?? []).map(({ provider, message }) => (
        <Text key={`${provider} not loaded`} color={palette.bad}>{`${provider}: ${message}`}</Text>
      ))}
      {value.errors.map((error) => (
        <Text key={`${error.file} ${error.path} ${error.rule}`} color={palette.bad}>
          {`${error.file}${error.line === undefined ? "" : `:${error.line}`} ${error.path}: ${error.message} (${error.rule})`}
        </Text>
      ))}
      <Text dimColor>{`Folders: ${value.folders.join(", ")}`}</Text>
      <NextSteps
        steps={[
          ...toGrant.map(({ provider }) => ({
            what: `Let ${provider} use what its file asks for`,
            command: shellLine("mkt", "catalog", "grant", provider),
          })),
          ...[...missing]
            .slice(0, SHOWN_SECRETS)
            .map((env) => ({ what: `Store ${env}`, command: shellLine("mkt", "secrets", "set", env) })),
          ...(missing.size > SHOWN_SECRETS
            ? [{ what: `${missing.size - SHOWN_SECRETS} more ask for a secret`, command: "mkt secrets set <name>" }]
            : []),
          { what: "Check a file", command: "mkt catalog check <file>" },
        ]}
      />
    </Box>
  );
}

/** Counts separately those that nobody has tried at the provider yet, and those whose price the owner set. */
function endpointWords({ endpoints, unverified = 0, pricedByOwner = 0 }: CatalogProviderStatus): string {
  const facts = [
    ...(unverified === 0 ? [] : [`${unverified} untried`]),
    ...(pricedByOwner === 0 ? [] : [`${pricedByOwner} priced by you`]),
  ];
  return facts.length === 0 ? String(endpoints) : `${endpoints} (${facts.join(", ")})`;
}

function seenWords({ secretVerdictAt }: CatalogProviderStatus): string {
  return secretVerdictAt === undefined ? "" : ` (${whenWords(secretVerdictAt)})`;
}

function stateWords(provider: CatalogProviderStatus): string {
  if (provider.needsGrant) return "needs a grant";
  const missing = provider.missingSecrets.map(({ env }) => env);
  if (missing.length > 0) return `set ${missing.join(", ")}`;
  if (!provider.available) return "not available";
  if (provider.account === "notConnected") return `needs a login: mkt connect ${provider.provider}`;
  if (provider.secretVerdict === "failing") return `its secret is refused${seenWords(provider)}`;
  const { problems = 0 } = provider;
  if (problems === 0 && provider.secretVerdict === "works") return `ready; its secret works${seenWords(provider)}`;
  return problems === 0 ? "ready" : `ready; ${problems} ${problems === 1 ? "problem" : "problems"} in its file`;
}

/** What a provider's file may use from now on. */
export function GrantDetail({ value }: ViewProps<CatalogGrant>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>{`${value.provider} may now use this, with this origin only:`}</Text>
      <Facts
        facts={[
          ["origin", value.origin],
          ["variables", value.variables.join(", ") || "none"],
          ["private hosts", value.privateHosts.join(", ") || "none"],
        ]}
      />
      <NextSteps
        steps={[
          { what: "See the catalog", command: "mkt catalog list" },
          { what: "Take it back", command: shellLine("mkt", "catalog", "revoke", value.provider) },
        ]}
      />
    </Box>
  );
}

/** What operators allowed providers' files to use. */
export function GrantList({ value }: ViewProps<CatalogGrantList>): ReactElement {
  return (
    <Box flexDirection="column">
      {value.items.length === 0 ? (
        <Text>Nothing was granted.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "provider", cell: ({ provider }) => provider },
            { title: "origin", cell: ({ origin }) => origin, shrinks: "names", drops: 1 },
            {
              title: "may use",
              cell: ({ variables, privateHosts }) => [...variables, ...privateHosts].join(", "),
              shrinks: "prose",
            },
            { title: "granted", cell: ({ grantedAt }) => whenWords(grantedAt), drops: 2 },
          ]}
        />
      )}
      <NextSteps steps={[{ what: "What needs one", command: "mkt catalog list" }]} />
    </Box>
  );
}
