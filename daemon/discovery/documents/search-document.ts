import { isRecord } from "../../../shared/is-record.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";

/** The searched fields of an endpoint, each a text. */
export const searchFields = [
  "name",
  "asks",
  "path",
  "tags",
  "categories",
  "description",
  "provider",
  "parameters",
] as const;
export type SearchField = (typeof searchFields)[number];
export type SearchDocument = Readonly<Record<SearchField, string>>;

/** An endpoint as the index sees it: its author's words, its path and its parameters, but not how it is called. */
export function toSearchDocument(entry: CatalogEntry): SearchDocument {
  const { pathParams, queryParams, body } = entry.input;
  return {
    name: entry.displayName,
    asks: entry.asks.join("\n"),
    path: entry.path.replaceAll(/\{[^}]*\}/g, " "),
    tags: entry.tags.join("\n"),
    categories: entry.categories.join("\n"),
    description: entry.description,
    provider: `${entry.provider.displayName}\n${entry.provider.provider}`,
    parameters: [pathParams, queryParams, body].map(parametersOf).join("\n"),
  };
}

/** Names and descriptions of the top-level properties of a schema. */
function parametersOf(schema: Readonly<Record<string, unknown>> | undefined): string {
  const properties = schema?.["properties"];
  if (!isRecord(properties)) return "";
  return Object.entries(properties)
    .map(([name, property]) => {
      const description = isRecord(property) ? property["description"] : undefined;
      return typeof description === "string" ? `${name}\n${description}` : name;
    })
    .join("\n");
}
