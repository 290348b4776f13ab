import type { Command as CommanderCommand, Help, Option } from "commander";
import { Command } from "../command/command.ts";

/** The help of `mkt` has one line for each of these, and only the names of the others. */
const mainCommands = ["discover", "inspect", "run", "quote", "get-run", "runs"];

/**
 * The help of a command, for a screen of 24 lines: how it is called, what it does, examples, its subcommands, arguments
 * and options. What all commands share is on separate pages.
 */
export function formatHelp(command: CommanderCommand, helper: Help): string {
  const isRoot = command.parent === null;
  const sections = [
    [
      `Usage: ${helper.commandUsage(command)}`,
      helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? 80),
    ],
    examples(command),
    ...(isRoot ? overview(command, helper) : ownParts(command, helper)),
    isRoot
      ? pagesLine(command, helper)
      : ["Flags of every command, such as --json, --fields, --jq and -o: mkt help flags"],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function ownParts(command: CommanderCommand, helper: Help): string[][] {
  const width = helper.padWidth(command, helper);
  const options = helper.visibleOptions(command).filter(({ long }) => long !== "--help");
  return [
    ...commandsByHeading(command, helper).map(([heading, commands]) => [
      heading,
      ...formatItems(
        helper,
        commands.map((one) => [helper.subcommandTerm(one), helper.subcommandDescription(one)]),
        width,
      ),
    ]),
    titled(
      "Arguments:",
      // An argument without a description is already in the usage line.
      helper
        .visibleArguments(command)
        .filter((one) => helper.argumentDescription(one) !== "")
        .map((one) => helper.formatItem(helper.argumentTerm(one), width, helper.argumentDescription(one), helper)),
    ),
    titled(
      "Options:",
      formatItems(
        helper,
        options.map((one) => [helper.optionTerm(one), helper.optionDescription(one)]),
        width,
      ),
    ),
  ];
}

/** The commands that people begin with, then the names of the others by their headings. */
function overview(command: CommanderCommand, helper: Help): string[][] {
  const groups = commandsByHeading(command, helper);
  const main = groups.flatMap(([, commands]) => commands.filter((one) => mainCommands.includes(one.name())));
  const others = groups.map(([heading, commands]): [string, string] => [
    heading.replace(/:$/, ""),
    commands
      .map((one) => one.name())
      .filter((name) => !mainCommands.includes(name))
      .join(", "),
  ]);
  return [
    titled(
      "Commands:",
      formatItems(helper, [
        ...main.map((one): [string, string] => [one.name(), helper.subcommandDescription(one)]),
        ...others,
      ]),
    ),
  ];
}

function pagesLine(command: CommanderCommand, helper: Help): string[] {
  const pages = command instanceof Command ? command.topics.map(({ name }) => name) : [];
  return [helper.boxWrap(`More: mkt <command> --help; mkt help ${pages.join(", ")}`, helper.helpWidth ?? 80)];
}

/** Terms and their meanings, in two columns; the second is wrapped at the width of the screen. */
export function formatItems(
  helper: Help,
  items: readonly (readonly [term: string, about: string])[],
  width = Math.max(0, ...items.map(([term]) => term.length)),
): string[] {
  return items.map(([term, about]) => helper.formatItem(term, width, about, helper));
}

/** Only its names: arguments and options are in its own help. */
export function subcommandTerm(command: CommanderCommand): string {
  return [command.name(), ...command.aliases()].join(", ");
}

/** Its description, and its choices if the description does not name them. */
export function optionDescription(option: Option): string {
  const { description, argChoices = [], defaultValue, defaultValueDescription } = option;
  const untold = argChoices.filter((choice) => !description.includes(choice));
  const choices = untold.length === 0 ? "" : `: ${argChoices.join(", ")}`;
  const byItself = defaultValueDescription ?? (typeof defaultValue === "boolean" ? undefined : defaultValue);
  return `${description}${choices}${byItself === undefined ? "" : ` (default ${String(byItself)})`}`;
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

export function commandsByHeading(command: CommanderCommand, helper: Help): [string, CommanderCommand[]][] {
  const groups = new Map<string, CommanderCommand[]>();
  for (const one of helper.visibleCommands(command).filter((visible) => visible.name() !== "help")) {
    const heading = one.helpGroup() || "Commands:";
    groups.set(heading, [...(groups.get(heading) ?? []), one]);
  }
  return [...groups];
}
