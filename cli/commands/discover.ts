import { Command, Option } from "commander";
import type { Money } from "../../shared/contract/common.ts";
import type { CliContext } from "../context.ts";
import { collect, parseAmount, parseCount, parseNumber } from "../option-values.ts";

interface DiscoverFlags {
  limit?: number;
  minScore?: number;
  category?: string;
  provider?: string[];
  tag?: string[];
  maxPrice?: Money;
  mode?: "sync" | "async";
  includeUnavailable?: true;
  explain?: true;
}

export function discoverCommand(context: CliContext): Command {
  return new Command("discover")
    .description("Find endpoints by what you need")
    .argument("<words...>", "what you look for, in plain words")
    .option("--limit <n>", "at most so many", parseCount)
    .option("--category <id>", "only in this category")
    .option("--provider <slug>", "only of this provider (repeatable)", collect)
    .option("--tag <tag>", "only with this tag (repeatable)", collect)
    .option("--max-price <dollars>", "only up to this price", parseAmount)
    .addOption(new Option("--mode <mode>", "only those that answer at once, or later").choices(["sync", "async"]))
    .option("--min-score <score>", "only matches of at least this score, 0 to 2", parseNumber)
    .option("--include-unavailable", "also endpoints that cannot be run now")
    .option("--explain", "say which words each was found by")
    .addHelpText(
      "after",
      "\nExamples:\n  mkt discover sunrise and sunset\n  mkt discover exchange rates --limit 3 --max-price 0.01 --json",
    )
    .action(async (words: string[], flags: DiscoverFlags) => {
      const client = await context.client({ autostart: true });
      const { tag, ...filters } = flags;
      const found = await client.discover({ body: { q: words.join(" "), ...filters, ...(tag && { tags: tag }) } });
      await context.output.list(
        found,
        found.results,
        async () => (await import("../views/EndpointList.tsx")).EndpointList,
      );
    });
}
