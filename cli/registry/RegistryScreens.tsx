import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type {
  EndpointPage,
  ProviderPage,
  PublicCategoriesResponse,
  PublicCategoryNode,
} from "../../shared/contract/catalog.ts";
import type { ViewProps } from "../screen/view.ts";
import { priceWords } from "../../shared/words/price-words.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "../words/target.ts";
import { NextSteps } from "../screen/NextSteps.tsx";
import { Table } from "../screen/Table.tsx";

/** The category tree: each top with its leaves and providers below it. */
export function CategoryTree({ value }: ViewProps<PublicCategoriesResponse>): ReactElement {
  const byId = new Map(value.items.map((node) => [node.id, node]));
  const rows = value.items.flatMap((node) =>
    node.kind === "top"
      ? [{ node, depth: 0 }, ...node.children.flatMap((id) => childRow(byId.get(id)))]
      : node.parents.some((id) => byId.has(id))
        ? []
        : [{ node, depth: 0 }],
  );
  const example = rows.find(({ depth }) => depth > 0)?.node ?? value.items[0];
  return (
    <Box flexDirection="column">
      <Table
        rows={rows}
        columns={[
          { title: "category", cell: ({ node, depth }) => `${depth > 0 ? "· " : ""}${node.id}` },
          { title: "endpoints", cell: ({ node }) => String(node.endpointCount), right: true },
          { title: "name", cell: ({ node }) => node.displayName, shrinks: "names", drops: 1 },
          { title: "about", cell: ({ node }) => node.description ?? "", shrinks: "prose", drops: 2 },
        ]}
      />
      <Text dimColor>{`${value.totalEndpointCount} endpoints in all`}</Text>
      <NextSteps
        steps={
          example
            ? [{ what: "What is in one", command: shellLine("mkt", "endpoints", "--category", example.id) }]
            : [{ what: "What was loaded (operator)", command: "mkt catalog list" }]
        }
      />
    </Box>
  );
}

function childRow(node: PublicCategoryNode | undefined): { node: PublicCategoryNode; depth: number }[] {
  return node ? [{ node, depth: 1 }] : [];
}

export function ProviderList({ value }: ViewProps<ProviderPage>): ReactElement {
  const [first] = value.items;
  return (
    <Box flexDirection="column">
      {first === undefined ? (
        <Text>No providers.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "provider", cell: (provider) => provider.provider },
            { title: "endpoints", cell: (provider) => String(provider.endpointCount), right: true },
            { title: "name", cell: (provider) => provider.displayName, shrinks: "names", drops: 1 },
            {
              title: "about",
              cell: (provider) => provider.displayDescription ?? provider.url ?? "",
              shrinks: "prose",
              drops: 2,
            },
          ]}
        />
      )}
      <NextSteps
        steps={
          first
            ? [{ what: "What it offers", command: shellLine("mkt", "endpoints", "--provider", first.provider) }]
            : [{ what: "What was loaded (operator)", command: "mkt catalog list" }]
        }
      />
    </Box>
  );
}

/** Endpoint cards, in the order that the service gives. */
export function CardList({ value }: ViewProps<EndpointPage>): ReactElement {
  const [first] = value.items;
  return (
    <Box flexDirection="column">
      {first === undefined ? (
        <Text>No endpoints.</Text>
      ) : (
        <Table
          rows={value.items}
          columns={[
            { title: "endpoint", cell: (card) => targetWords(card) },
            { title: "price", cell: (card) => priceWords(card.price, card) },
            { title: "name", cell: (card) => card.displayName, shrinks: "prose", drops: 1 },
            { title: "about", cell: (card) => card.displayDescription, shrinks: "prose", drops: 2 },
          ]}
        />
      )}
      <NextSteps
        steps={
          first
            ? [{ what: "Look at one", command: shellLine("mkt", "inspect", targetWords(first)) }]
            : [{ what: "Browse the catalog", command: "mkt categories" }]
        }
      />
    </Box>
  );
}
