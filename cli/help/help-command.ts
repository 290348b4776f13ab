import type { Command as CommanderCommand } from "commander";
import { usageError } from "../core/cli-error.ts";
import type { CliContext } from "../command/context.ts";
import { Command } from "../command/command.ts";
import { didYouMean, findNearMisses } from "../core/near-misses.ts";

/** `mkt help`, `mkt help flags`, `mkt help runs list`: the help of a command, or a page that is about all of them. */
export function helpCommand({ output }: CliContext, program: Command): Command {
  return new Command("help")
    .description("Show the help of a command, or of: commands, flags, exit-codes, environment")
    .argument("[words...]", "a command, or one of these")
    .examples("mkt help flags", "mkt help runs list")
    .action(async (words: string[]) => {
      const topic = words.length === 1 ? program.topics.find(({ name }) => name === words[0]) : undefined;
      if (topic !== undefined) return output.text(`${topic.text(program, helperOf(program))}\n`);
      findCommand(program, words).outputHelp();
    });
}

/** With the width of the screen, which commander looks up only for a help that it writes itself. */
function helperOf(program: Command) {
  const helper = program.createHelp();
  helper.prepareContext({ error: false });
  return helper;
}

function findCommand(program: Command, words: readonly string[]): CommanderCommand {
  let command: CommanderCommand = program;
  for (const [index, word] of words.entries()) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next === undefined) throw unknownCommand(command, words.slice(0, index + 1), index === 0 ? program : undefined);
    command = next;
  }
  return command;
}

function unknownCommand(command: CommanderCommand, words: readonly string[], root: Command | undefined): Error {
  const word = words.at(-1) ?? "";
  const pages = root?.topics.map(({ name }) => name) ?? [];
  const names = [...command.commands.map((one) => one.name()), ...pages];
  const [nearest] = findNearMisses(word, names);
  const path = nearest === undefined ? words.slice(0, -1) : [...words.slice(0, -1), nearest];
  const next =
    nearest !== undefined && pages.includes(nearest) ? `mkt help ${nearest}` : ["mkt", ...path, "--help"].join(" ");
  return usageError(`unknown command '${words.join(" ")}'.${didYouMean(word, names)}`, next);
}
