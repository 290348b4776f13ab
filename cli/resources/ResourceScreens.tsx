import { Box, Text } from "ink";
import type { ComponentType, ReactElement } from "react";
import type {
  Resource,
  ResourceEventPage,
  ResourcePage,
  ResourceReleaseAccepted,
} from "../../shared/contract/resources.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { priceWords } from "../../shared/words/price-words.ts";
import type { LiveDetail } from "./read-live.ts";
import { dayWords, timeWords, whenWords } from "../words/time-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { Facts } from "../screen/Facts.tsx";
import { HintList } from "../screen/HintList.tsx";
import { EmptyList } from "../screen/EmptyList.tsx";
import { NextSteps } from "../screen/NextSteps.tsx";
import { palette } from "../screen/palette.ts";
import { statusColor } from "../screen/status-color.ts";
import { Table } from "../screen/Table.tsx";
import type { ViewProps } from "../screen/view.ts";

/** A page of resources, newest first. */
export function createResourceList({
  hasFilters,
}: {
  readonly hasFilters: boolean;
}): ComponentType<ViewProps<ResourcePage>> {
  return function ResourceList({ value }) {
    const isFiltered = value.items.length === 0 && hasFilters;
    return isFiltered ? <Text>No resources pass these filters.</Text> : <ResourceTable value={value} />;
  };
}

function ResourceTable({ value }: Pick<ViewProps<ResourcePage>, "value">): ReactElement {
  const [newest] = value.items;
  if (newest === undefined) {
    return (
      <EmptyList says="No resources." next={{ what: "Make one to try it", command: "mkt run atlas/timers name=tea" }} />
    );
  }
  return (
    <Box flexDirection="column">
      <Table
        rows={value.items}
        columns={[
          { title: "resource", cell: (resource) => resource.resourceId },
          { title: "state", cell: ({ state }) => state, color: ({ state }) => statusColor(state) },
          {
            title: "what",
            cell: ({ provider, resourceSlug }) => `${provider} ${resourceSlug}`,
            shrinks: "names",
            drops: 3,
          },
          { title: "name", cell: ({ identifier }) => identifier, shrinks: "names" },
          {
            title: "rent",
            cell: (resource) => (resource.renewal === undefined ? "" : priceWords(resource.renewal.price, resource)),
            drops: 1,
          },
          {
            title: "paid until",
            cell: ({ renewal }) => (renewal === undefined ? "" : dayWords(renewal.currentPeriodEnd)),
            drops: 2,
          },
        ]}
      />
      <NextSteps
        steps={[{ what: "Look at one", command: shellLine("mkt", "resources", "get", newest.resourceId, "--live") }]}
      />
    </Box>
  );
}

/** One resource; `live` is what its provider told of it just now. */
export function ResourceDetail({ value }: ViewProps<Resource & { live?: LiveDetail[] }>): ReactElement {
  const color = statusColor(value.state);
  return (
    <Box flexDirection="column">
      <Text>
        <Text bold {...(color !== undefined && { color })}>
          {value.state}
        </Text>
        <Text>{`  ${value.displayName ?? value.resourceSlug} ${value.identifier}`}</Text>
      </Text>
      <Facts facts={resourceFacts(value)} />
      {(value.live ?? []).map((detail) => (
        <Box key={detail.kind} flexDirection="column" marginTop={1}>
          <Text bold>{`${detail.kind}, now`}</Text>
          {"error" in detail ? (
            <Text color={palette.bad}>{detail.error}</Text>
          ) : (
            <Facts facts={liveFacts(detail.data)} />
          )}
        </Box>
      ))}
      <HintList hints={value.hints} />
      <NextSteps
        steps={[
          { what: "What happened to it", command: shellLine("mkt", "resources", "events", value.resourceId) },
          ...(value.live === undefined && value.externalResources !== undefined
            ? [{ what: "As it is now", command: shellLine("mkt", "resources", "get", value.resourceId, "--live") }]
            : []),
        ]}
      />
    </Box>
  );
}

function resourceFacts(resource: Resource): [string, string | undefined][] {
  const { renewal } = resource;
  return [
    ["resource", resource.resourceId],
    ["provider", resource.providerName ?? resource.provider],
    ["type", resource.resourceType],
    ["external id", resource.externalId],
    ["rent", renewal && priceWords(renewal.price, resource)],
    ["paid until", told(renewal?.currentPeriodEnd)],
    ["renews", renewal?.cancelledAt === undefined ? told(renewal?.renewAttemptAt) : undefined],
    ["not renewed", renewal?.lastAttempt?.outcome === "FAILED" ? renewal.lastAttempt.reason : undefined],
    ["created", told(resource.createdAt)],
    ["released", told(resource.releasedAt)],
    ["reason", resource.releaseReason],
  ];
}

function told(instant: string | undefined): string | undefined {
  return instant && timeWords(instant);
}

function liveFacts(data: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(data).map(([name, fact]) => [name, typeof fact === "string" ? fact : JSON.stringify(fact)]);
}

/** What happened to a resource, oldest first. */
export function ResourceEvents({ value }: ViewProps<ResourceEventPage>): ReactElement {
  if (value.items.length === 0) return <Text>Nothing happened to it.</Text>;
  return (
    <Table
      rows={value.items}
      columns={[
        { title: "at", cell: (event) => whenWords(event.at) },
        { title: "what", cell: (event) => event.type },
        { title: "period", cell: (event) => (event.cycle === undefined ? "" : String(event.cycle)) },
        { title: "charged", cell: (event) => (event.amount === undefined ? "" : dollars(event.amount.value)) },
        { title: "why", cell: (event) => event.reason ?? "", shrinks: "prose" },
      ]}
    />
  );
}

export function ResourceReleasing({ value }: ViewProps<ResourceReleaseAccepted>): ReactElement {
  return (
    <Box flexDirection="column">
      <Text>{`${value.message}.`}</Text>
      <NextSteps
        steps={[{ what: "How it went", command: shellLine("mkt", "resources", "events", value.resourceId) }]}
      />
    </Box>
  );
}
