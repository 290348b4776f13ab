import type { Command } from "commander";

/** One command as it is typed, with what it does. */
export interface CommandLine {
  /** `runs export [--format <format>]` without the program's name: words and arguments. */
  readonly usage: string;
  readonly description: string;
}

/** Every command of the tree that does something by itself, in the order of the tree. Pure. */
export function commandLines(program: Command): CommandLine[] {
  return program.commands.flatMap((command) => linesOf(command, []));
}

function linesOf(command: Command, path: readonly string[]): CommandLine[] {
  if (command.name() === "help") return [];
  const words = [...path, command.name()];
  const below = command.commands.flatMap((child) => linesOf(child, words));
  // One that has commands below it does something by itself where it takes options; else it is one of those, or its help.
  if (below.length > 0 && command.options.length === 0) return below;
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const needed = command.options
    .filter((option) => option.mandatory)
    .map((option) => option.flags.replace(/^-\w, /, ""));
  return [{ usage: [...words, ...names, ...needed].join(" "), description: command.description() }, ...below];
}
