import { Command } from "commander";
import type { CliContext } from "../context.ts";
import { usageError } from "../cli-error.ts";
import { parseTarget } from "../target.ts";

export function inspectCommand(context: CliContext): Command {
  return new Command("inspect")
    .description("Show everything about one endpoint: price, input, a line that runs it")
    .argument("<endpoint...>", "<provider>/<endpoint>, or <provider> <endpoint>")
    .addHelpText("after", "\nExamples:\n  mkt inspect atlas/countries\n  mkt inspect atlas countries --json")
    .action(async (words: string[]) => {
      const { target, rest } = parseTarget(words);
      if (rest.length > 0) throw usageError(`One endpoint at a time: "${rest.join(" ")}" is too much.`);
      context.suggest(404, "mkt endpoints");
      const client = await context.client({ autostart: true });
      const endpoint = await client.inspectEndpoint({ body: target });
      await context.output.show(endpoint, async () => (await import("../views/EndpointDetail.tsx")).EndpointDetail);
    });
}
