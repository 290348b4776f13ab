import type { Argument, Command, Option } from "commander";
import { Command as ProgramCommand } from "../command/command.ts";

/** What completion has to know of a command; plain data, so that it can be kept in a file. */
export interface CommandNode {
  names: readonly string[];
  about: string;
  options: readonly OptionNode[];
  arguments: readonly ValueNode[];
  commands: readonly CommandNode[];
}

export interface OptionNode {
  /** Its long form first. */
  names: readonly string[];
  about: string;
  /** Absent for a switch. */
  value?: ValueNode;
}

export interface ValueNode {
  /** As the help names it: `file`, `runId`, … */
  name: string;
  choices?: readonly string[];
  isRepeated?: boolean;
}

/** The tree of a command line; commands and flags that the help hides are left out. */
export function buildCommandTree(command: Command): CommandNode {
  const help = command.createHelp();
  return {
    names: [command.name(), ...command.aliases()],
    about: firstSentence(command.description()),
    options: help.visibleOptions(command).map(toOption),
    arguments: command.registeredArguments.map(toArgument),
    commands: [
      ...help.visibleCommands(command).filter(isNoHelp).map(buildCommandTree),
      ...(command instanceof ProgramCommand && command.topics.length > 0 ? [helpNode(command)] : []),
    ],
  };
}

function isNoHelp(command: Command): boolean {
  return command.name() !== "help";
}

/** Everything that has help: the commands, and the pages about all of them. */
function helpNode(program: ProgramCommand): CommandNode {
  const commands = program.createHelp().visibleCommands(program).filter(isNoHelp);
  const choices = [...commands, ...program.topics].map((one) => (typeof one.name === "string" ? one.name : one.name()));
  return {
    names: ["help"],
    about: "Show the help of a command",
    options: [],
    arguments: [{ name: "command", choices }],
    commands: [],
  };
}

function toOption(option: Option): OptionNode {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  const name = /[<[]([^>\].]+)/.exec(option.flags)?.[1];
  return {
    names,
    about: firstSentence(option.description),
    ...(name !== undefined && { value: { name, ...(option.argChoices && { choices: option.argChoices }) } }),
  };
}

function toArgument(argument: Argument): ValueNode {
  return {
    name: argument.name(),
    ...(argument.argChoices && { choices: argument.argChoices }),
    ...(argument.variadic && { isRepeated: true }),
  };
}

// A completion menu is narrow.
function firstSentence(text: string): string {
  const [first = ""] = text.split(/[;:(]|\. /);
  return first.trim().slice(0, 70);
}
