import type { Client } from "../../shared/client/client.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { CliContext } from "../command/context.ts";
import { ifItSays } from "./near-or-there.ts";
import { didYouMean } from "../core/near-misses.ts";

/** Names in a request that may not exist. */
export interface AskedNames {
  readonly category?: string | undefined;
  readonly providers: readonly string[];
}

/** The provider of a filter, where there is one. */
export function namedProvider({ provider }: { provider?: string | undefined }): Pick<AskedNames, "providers"> {
  return { providers: provider === undefined ? [] : [provider] };
}

/** A sentence for each name that the service does not have, with near misses; none where it does not say. */
export async function findUnknownNames(client: Client, { category, providers }: AskedNames): Promise<string[]> {
  const sentences = await Promise.all([
    category === undefined ? undefined : ifItSays(describeCategory(client, category)),
    ...providers.map((provider) => ifItSays(describeProvider(client, provider))),
  ]);
  return sentences.filter((sentence) => sentence !== undefined);
}

/** A note for each unknown name, when nothing was found: a filter may be mistyped. */
export async function noteUnknownNames(
  { output }: CliContext,
  client: Client,
  names: Partial<AskedNames>,
  found: number,
): Promise<void> {
  if (found > 0) return;
  for (const note of await findUnknownNames(client, { providers: [], ...names })) await output.note(note);
}

async function describeCategory(client: Client, category: string): Promise<string | undefined> {
  const { items } = await client.listPublicCategories();
  const ids = items.map(({ id }) => id);
  if (ids.includes(category)) return undefined;
  const filled = items.flatMap(({ id, endpointCount }) => (endpointCount > 0 ? [id] : []));
  return `No category is named "${category}".${didYouMean(category, filled) || " To see all: mkt categories"}`;
}

async function describeProvider(client: Client, provider: string): Promise<string | undefined> {
  try {
    await client.listPublicProviderEndpoints({ params: { provider }, query: { limit: 1 } });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) {
      return /did you mean/i.test(error.message) ? error.message : `${error.message}. To see all: mkt providers`;
    }
    throw error;
  }
}
