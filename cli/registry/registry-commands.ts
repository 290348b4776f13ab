import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { listPages } from "../lists/list-pages.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { namedProvider, noteUnknownNames } from "../lists/unknown-names.ts";

/** The commands that browse what is on offer; no key is needed for them. */

export function categoriesCommand(context: CliContext): Command {
  return new Command("categories")
    .description("Browse the categories")
    .argument("[words...]", "only where these words match")
    .option("--category <id>", "only this one and what is below it")
    .examples("mkt categories", "mkt categories weather")
    .action(async (words: string[], flags: { category?: string }) => {
      const client = await context.client();
      const answer = await client.listPublicCategories({ query: { ...keywords(words), ...flags } });
      await context.output.list(answer, answer.items, async () => (await import("./RegistryScreens.tsx")).CategoryTree);
      await noteUnknownNames(context, client, flags, answer.items.length);
    });
}

export function providersCommand(context: CliContext): Command {
  return withPaging(new Command("providers"))
    .description("Browse the providers")
    .argument("[words...]", "only where these words match")
    .examples("mkt providers --limit 20", "mkt providers --all --jsonl")
    .action(async (words: string[], paging: PagingFlags) => {
      const client = await context.client();
      await listPages(
        context,
        paging,
        (page) => client.listPublicProviders({ query: { ...keywords(words), ...page } }),
        async () => (await import("./RegistryScreens.tsx")).ProviderList,
      );
    });
}

interface EndpointsFlags extends PagingFlags {
  provider?: string;
  category?: string;
}

export function endpointsCommand(context: CliContext): Command {
  return withPaging(new Command("endpoints"))
    .description("Browse the endpoints")
    .argument("[words...]", "only where these words match")
    .option("--provider <slug>", "only of this provider")
    .option("--category <id>", "only in this category")
    .examples("mkt endpoints --provider atlas", "mkt endpoints sun --fields provider,endpoint,price")
    .action(async (words: string[], { limit, cursor, all, ...filters }: EndpointsFlags) => {
      const client = await context.client();
      const found = await listPages(
        context,
        { limit, cursor, all },
        (page) => client.listPublicEndpoints({ query: { ...keywords(words), ...filters, ...page } }),
        async () => (await import("./RegistryScreens.tsx")).CardList,
      );
      await noteUnknownNames(context, client, { ...namedProvider(filters), category: filters.category }, found);
    });
}

function keywords(words: readonly string[]): { q?: string } {
  return words.length === 0 ? {} : { q: words.join(" ") };
}
