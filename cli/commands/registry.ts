import { Command } from "commander";
import type { CliContext } from "../context.ts";
import { type PagingFlags, withPaging } from "../paging-flags.ts";

/** The commands that browse what is on offer; no key is needed for them. */

export function categoriesCommand(context: CliContext): Command {
  return new Command("categories")
    .description("Browse the categories")
    .argument("[words...]", "only where these words match")
    .option("--category <id>", "only this one and what is below it")
    .addHelpText("after", "\nExample:\n  mkt categories weather")
    .action(async (words: string[], flags: { category?: string }) => {
      const client = await context.client();
      const answer = await client.listPublicCategories({ query: { ...keywords(words), ...flags } });
      await context.output.list(answer, answer.items, async () => (await import("../views/Registry.tsx")).CategoryTree);
    });
}

export function providersCommand(context: CliContext): Command {
  return withPaging(new Command("providers"))
    .description("Browse the providers")
    .argument("[words...]", "only where these words match")
    .addHelpText("after", "\nExample:\n  mkt providers --limit 20")
    .action(async (words: string[], flags: PagingFlags) => {
      const client = await context.client();
      const page = await client.listPublicProviders({ query: { ...keywords(words), ...flags } });
      await context.output.list(page, page.items, async () => (await import("../views/Registry.tsx")).ProviderList);
      await context.noteNextPage(page.cursor);
    });
}

export function endpointsCommand(context: CliContext): Command {
  return withPaging(new Command("endpoints"))
    .description("Browse the endpoints")
    .argument("[words...]", "only where these words match")
    .option("--provider <slug>", "only of this provider")
    .option("--category <id>", "only in this category")
    .addHelpText("after", "\nExample:\n  mkt endpoints --provider atlas")
    .action(async (words: string[], flags: PagingFlags & { provider?: string; category?: string }) => {
      const client = await context.client();
      const page = await client.listPublicEndpoints({ query: { ...keywords(words), ...flags } });
      await context.output.list(page, page.items, async () => (await import("../views/Registry.tsx")).CardList);
      await context.noteNextPage(page.cursor);
    });
}

function keywords(words: readonly string[]): { q?: string } {
  return words.length === 0 ? {} : { q: words.join(" ") };
}
