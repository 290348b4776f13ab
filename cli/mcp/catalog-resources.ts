import {
  ResourceNotFoundError,
  type Resource,
  type ResourceTemplateType,
  type TextResourceContents,
} from "@modelcontextprotocol/server";
import type { Client } from "../../shared/client/client.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import { allPages } from "../connection/all-pages.ts";
import { withoutHiddenText } from "../../shared/hidden-text.ts";

const json = { mimeType: "application/json" } as const;

/** Resources that can be read without knowing a name. */
export const catalogResources: readonly Resource[] = [
  {
    uri: "mkt://catalog/providers",
    name: "providers",
    title: "Providers",
    description: "Every provider of the catalog: slug, name, what it offers, number of endpoints.",
    ...json,
  },
  {
    uri: "mkt://catalog/categories",
    name: "categories",
    title: "Categories",
    description: "The tree of categories with the number of endpoints in each.",
    ...json,
  },
];

export const catalogTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: "mkt://catalog/providers/{provider}",
    name: "provider",
    title: "Endpoints of a provider",
    description: "The endpoints of one provider, each with its price.",
    ...json,
  },
  {
    uriTemplate: "mkt://endpoint/{provider}/{endpoint}",
    name: "endpoint",
    title: "Endpoint",
    description: "Everything about one endpoint: input schema, examples, price, health. The path's slashes may stay.",
    ...json,
  },
];

/** The catalog's resource at this address. Rejects for one that is not there. */
export async function readCatalogResource(client: Client, uri: string): Promise<TextResourceContents> {
  const value = await readValue(client, uri).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
  if (value !== undefined) return { uri, ...json, text: JSON.stringify(withoutHiddenText(value)) };
  throw new ResourceNotFoundError(uri, "There is no such resource; mkt://catalog/providers shows what there is");
}

async function readValue(client: Client, uri: string): Promise<unknown> {
  if (uri === "mkt://catalog/providers") {
    return listOf(await allPages((query) => client.listPublicProviders({ query })));
  }
  if (uri === "mkt://catalog/categories") return await client.listPublicCategories();
  const provider = /^mkt:\/\/catalog\/providers\/([^/]+)$/.exec(uri)?.[1];
  if (provider !== undefined) {
    const params = { provider: decode(provider) };
    return listOf(await allPages((query) => client.listPublicProviderEndpoints({ params, query })));
  }
  const endpoint = /^mkt:\/\/endpoint\/([^/]+)\/(.+)$/.exec(uri);
  if (endpoint?.[1] === undefined || endpoint[2] === undefined) return undefined;
  const path = decode(endpoint[2]).replace(/^\/*/, "/");
  return await client.inspectEndpoint({ body: { provider: decode(endpoint[1]), endpoint: path } });
}

/** A list that was cut says so. */
function listOf<Item>({ items, isWhole }: { items: Item[]; isWhole: boolean }): object {
  return isWhole ? { items } : { items, cut: `the first ${items.length}; discover finds the others` };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
