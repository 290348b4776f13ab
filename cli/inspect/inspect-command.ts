import type { InspectResponse } from "../../shared/contract/inspect.ts";
import { usageError } from "../core/cli-error.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { ownCommand } from "../output/own-command.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { parseTarget } from "../words/target.ts";

export function inspectCommand(context: CliContext): Command {
  return new Command("inspect")
    .summary("Show everything about one endpoint: price, input, example")
    .description("Show everything about one endpoint: price, input, and a command that runs it")
    .argument("<endpoint...>", "<provider>/<endpoint>, or <provider> <endpoint>")
    .examples(
      "mkt inspect atlas/countries",
      "mkt inspect atlas countries --json",
      "mkt inspect atlas/countries --jq .input.queryParams.properties",
    )
    .action(async (words: string[]) => {
      const { target, rest } = parseTarget(words);
      if (rest.length > 0) throw usageError(`Name one endpoint at a time, without "${rest.join(" ")}".`);
      context.suggest(404, shellLine("mkt", "endpoints", "--provider", target.provider));
      const client = await context.client({ autostart: true });
      const endpoint = await client.inspectEndpoint({ body: target });
      await context.output.show(endpoint, async () => (await import("./EndpointDetail.tsx")).EndpointDetail);
      await noteRunLine(context, endpoint);
    });
}

/** A screen ends with it, and an answer has only what it is made of. */
async function noteRunLine({ flags, output }: CliContext, endpoint: InspectResponse): Promise<void> {
  const { json, fields, jq } = flags;
  if (output.drawsScreens || json || fields !== undefined || jq !== undefined) return;
  const { runLine } = await import("./run-line.ts");
  await output.note(`Run it: ${ownCommand(runLine(endpoint), flags)}`);
}
