import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/server";
import type { Client } from "../../shared/client/client.ts";
import { allPages } from "../connection/all-pages.ts";

/** The protocol allows no more. */
const mostValues = 100;

/** Names that begin as the caller has typed: providers, and endpoints of the provider that is already chosen. */
export async function completeArgument(
  client: Client,
  { ref, argument, context }: CompleteRequest["params"],
): Promise<CompleteResult["completion"]> {
  if (ref.type !== "ref/resource") return { values: [] };
  const names = await namesFor(client, argument.name, context?.arguments?.["provider"]);
  const fitting = names.filter((name) => name.startsWith(argument.value));
  return { values: fitting.slice(0, mostValues), total: fitting.length, hasMore: fitting.length > mostValues };
}

async function namesFor(client: Client, argument: string, provider: string | undefined): Promise<string[]> {
  if (argument === "provider") {
    const { items } = await allPages((query) => client.listPublicProviders({ query }));
    return items.map((entry) => entry.provider);
  }
  if (argument !== "endpoint" || provider === undefined) return [];
  const params = { provider };
  const { items } = await allPages((query) => client.listPublicProviderEndpoints({ params, query }));
  return items.map(({ endpoint }) => endpoint.slice(1));
}
