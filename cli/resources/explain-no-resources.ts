import type { Client } from "../../shared/client/client.ts";
import type { Resource } from "../../shared/contract/resources.ts";
import type { CliContext } from "../command/context.ts";
import { ifItSays, nearOrThere } from "../lists/near-or-there.ts";
import { namedProvider, noteUnknownNames } from "../lists/unknown-names.ts";

type Filters = Omit<NonNullable<Parameters<Client["listResources"]>[0]>["query"] & object, "limit" | "cursor">;

/** Says on stderr which of the filters let no resource through, and what would. Asks once for each; nothing with `--quiet`. */
export async function explainNoResources(context: CliContext, client: Client, filters: Filters): Promise<void> {
  const { provider, resourceType, state } = filters;
  if (context.flags.quiet) return;
  const there = async (others: Filters, member: (resource: Resource) => string) => {
    const { items } = await client.listResources({ query: { ...others, limit: 100 } });
    return items.map(member);
  };
  // A type goes with its provider alone.
  const said = await Promise.all([
    state &&
      whatIsThere(
        `is ${state}`,
        state,
        there({ ...filters, state: undefined }, (one) => one.state),
      ),
    resourceType &&
      whatIsThere(
        `is of the type ${resourceType}`,
        resourceType,
        there({ ...filters, resourceType: undefined }, (one) => one.resourceType),
      ),
    provider &&
      whatIsThere(
        `is of the provider "${provider}"`,
        provider,
        there({ ...filters, provider: undefined, resourceType: undefined }, (one) => one.provider),
      ),
  ]);
  const sentences = said.filter((sentence) => sentence !== undefined);
  const isOne = [provider, resourceType, state].filter((filter) => filter !== undefined).length === 1;
  for (const sentence of sentences) {
    await context.output.note(`${isOne ? "No resource" : "Of what passes the other filters, no resource"} ${sentence}`);
  }
  if (sentences.length === 0) await noteUnknownNames(context, client, namedProvider(filters), 0);
}

async function whatIsThere(nothing: string, wanted: string, reading: Promise<string[]>): Promise<string | undefined> {
  const there = nearOrThere(wanted, (await ifItSays(reading)) ?? []);
  return there === "" ? undefined : `${nothing}.${there}`;
}
