import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { reportQuote } from "./report-quote.ts";
import { readRunRequest, type RunRequestFlags, withRunRequest } from "./run-request.ts";

/** What `mkt run --dry-run` does, under a name of its own. */
export function quoteCommand(context: CliContext): Command {
  return withRunRequest(new Command("quote"))
    .description("Show what a run would cost, and what would refuse it")
    .examples(
      "mkt quote atlas/countries search=Portugal",
      "mkt quote atlas/sun latitude=38.7 longitude=-9.1 --jq .maximum.value",
    )
    .action((endpoint: string, words: string[], flags: RunRequestFlags) => quote(context, endpoint, words, flags));
}

/** Asks for the quote of a run and prints it. */
export async function quote(
  context: CliContext,
  endpoint: string,
  words: readonly string[],
  flags: RunRequestFlags,
): Promise<void> {
  const { client, request } = await readRunRequest(context, endpoint, words, flags);
  await reportQuote(context, await client.quoteRun({ body: request }));
}
