import type { Command as CommanderCommand, Help } from "commander";
import { Command } from "./command.ts";

/**
 * The help of a command, what is needed first coming first: how it is called, what it does, examples, commands in it, arguments
 * and options of its own. The options of every command stand in the help of `mkt` alone.
 */
export function formatHelp(command: CommanderCommand, helper: Help): string {
  const isRoot = command.parent === null;
  const width = helper.padWidth(command, helper);
  const sections = [
    [`Usage: ${helper.commandUsage(command)}`],
    [helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? 80)],
    examples(command),
    ...commandsByHeading(command, helper).map(([heading, commands]) => [
      heading,
      ...commands.map((one) =>
        helper.formatItem(helper.subcommandTerm(one), width, helper.subcommandDescription(one), helper),
      ),
    ]),
    titled(
      "Arguments:",
      helper
        .visibleArguments(command)
        .map((one) => helper.formatItem(helper.argumentTerm(one), width, helper.argumentDescription(one), helper)),
    ),
    titled(
      isRoot ? "Options of every command:" : "Options:",
      helper
        .visibleOptions(command)
        .map((one) => helper.formatItem(helper.optionTerm(one), width, helper.optionDescription(one), helper)),
    ),
    isRoot ? [] : ["Options of every command, such as --json, --fields, --jq and -o: mkt --help"],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** Its names alone: arguments and options stand in its own help. */
export function subcommandTerm(command: CommanderCommand): string {
  return [command.name(), ...command.aliases()].join(", ");
}

function examples(command: CommanderCommand): string[] {
  const lines = command instanceof Command ? command.exampleLines : [];
  return titled(
    lines.length === 1 ? "Example:" : "Examples:",
    lines.map((line) => `  ${line}`),
  );
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function commandsByHeading(command: CommanderCommand, helper: Help): [string, CommanderCommand[]][] {
  const groups = new Map<string, CommanderCommand[]>();
  for (const one of helper.visibleCommands(command).filter((visible) => visible.name() !== "help")) {
    const heading = one.helpGroup() || "Commands:";
    groups.set(heading, [...(groups.get(heading) ?? []), one]);
  }
  return [...groups];
}
