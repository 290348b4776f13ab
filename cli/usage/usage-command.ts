import type { Client } from "../../shared/client/client.ts";
import type { UsageResponse } from "../../shared/contract/usage.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { parsePastTime, pastTimeHelp } from "../flags/time-flags.ts";
import { sanitizeValue } from "../terminal/sanitize.ts";

interface UsageFlags {
  by?: string;
  since?: string;
  until?: string;
}

export function usageCommand(context: CliContext): Command {
  return new Command("usage")
    .description("What your runs cost")
    .option("--by <group>", "provider (unless you say), endpoint, key, day (UTC) or tag:NAME")
    .option("--since <time>", `only what was created at or after, ${pastTimeHelp}`, parsePastTime)
    .option("--until <time>", "only what was created before, in the same words", parsePastTime)
    .examples("mkt usage", "mkt usage --by day --since 7d", "mkt usage --by tag:project --since 2026-01-01")
    .action(async (flags: UsageFlags) => {
      const client = await context.client();
      const { by = "provider" } = flags;
      const usage = await readUsage(client, by, flags);
      // A screen has room for both, where nobody asked for one. What does not come with the value is sanitized here.
      const byDay =
        context.output.drawsScreens && flags.by === undefined
          ? sanitizeValue(await readUsage(client, "day", flags))
          : undefined;
      await context.output.list(usage, usage.items, async () =>
        (await import("./Usage.tsx")).createUsage({ by, byDay }),
      );
      const isOfNoTag = by.startsWith("tag:") && usage.items.every(({ group }) => group === null);
      if (usage.items.length === 0 || isOfNoTag) {
        await (await import("../runs/explain-no-runs.ts")).explainNoUsage(context, client, { ...flags, by });
      }
    });
}

function readUsage(client: Client, groupBy: string, { since, until }: UsageFlags): Promise<UsageResponse> {
  return client.getUsage({
    query: {
      groupBy,
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    },
  });
}
