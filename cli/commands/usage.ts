import { Command } from "commander";
import type { CliContext } from "../context.ts";
import { toInstant } from "../run-filter-flags.ts";

interface UsageFlags {
  by: string;
  since?: string;
  until?: string;
}

export function usageCommand(context: CliContext): Command {
  return new Command("usage")
    .description("What your runs came to")
    .option("--by <group>", "provider, endpoint, key, day (UTC) or tag:NAME", "provider")
    .option("--since <time>", "only what was created at or after")
    .option("--until <time>", "only what was created before")
    .addHelpText("after", "\nExample:\n  mkt usage --by tag:project --since 2026-01-01")
    .action(async ({ by, since, until }: UsageFlags) => {
      const client = await context.client();
      const usage = await client.getUsage({
        query: {
          groupBy: by,
          ...(since !== undefined && { since: toInstant(since) }),
          ...(until !== undefined && { until: toInstant(until) }),
        },
      });
      await context.output.list(usage, usage.items, async () => (await import("../views/Usage.tsx")).Usage);
    });
}
