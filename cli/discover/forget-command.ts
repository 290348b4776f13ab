import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { CliError } from "../core/cli-error.ts";
import { exitCodes } from "../core/exit-codes.ts";

/** Words after it, or flags of a search, say that a search was meant: nothing is erased then. */
export function forgetCommand(context: CliContext): Command {
  return new Command("forget")
    .description("Erase what discovery learned from what you ran")
    .argument("[words...]", "none: a search that begins with this word is written in quotes")
    .examples("mkt discover forget")
    .action(async (words: string[], _flags: unknown, command: Command) => {
      if (words.length > 0 || hasSearchFlags(command)) {
        const search = ["forget", ...words].join(" ");
        throw new CliError(exitCodes.usage, "Nothing was erased: `mkt discover forget` takes nothing else.", {
          next: context.output.command("discover", words.length > 0 ? search : "forget about"),
        });
      }
      const client = await context.client();
      const forgotten = await client.forgetLearned();
      await context.output.show(forgotten, async () => (await import("./Forgotten.tsx")).Forgotten);
    });
}

function hasSearchFlags({ parent }: Command): boolean {
  return parent?.options.some((option) => parent.getOptionValueSource(option.attributeName()) === "cli") ?? false;
}
