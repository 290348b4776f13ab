import type { Command, CommanderError, Option } from "commander";
import { exitCodes } from "../core/exit-codes.ts";
import type { Failure } from "./failure.ts";
import { didYouMean, findNearMisses } from "../core/near-misses.ts";

/** How far a command line is understood. */
interface TypedCommand {
  readonly command: Command;
  /** Its words after `mkt`. */
  readonly path: readonly string[];
  /** A word in the place of a subcommand, when no subcommand has that name. */
  readonly unknown?: string;
}

/** A command line that cannot be understood, in words of what was typed; `next` is the help of the command meant. */
export function describeUsage(error: CommanderError, program: Command, argv: readonly string[]): Failure {
  const typed = findTypedCommand(program, argv);
  const failure = (message: string, next: string) => ({ exitCode: exitCodes.usage, code: 0, message, next });
  if (typed.unknown === undefined) {
    // Commander asks for help this way when a group is called without a command; the help is out already.
    const isGroup = error.code === "commander.help";
    const message = isGroup ? "A command is missing." : plainMessage(error) + inputWords(error, typed.command);
    return failure(message, helpOf(typed.path));
  }

  // Commander treats it as an argument of the group's default command, or names only its last word.
  const names = typed.command.commands.map((command) => command.name());
  const [nearest] = findNearMisses(typed.unknown, names);
  return failure(
    `unknown command '${[...typed.path, typed.unknown].join(" ")}'.${didYouMean(typed.unknown, names)}`,
    helpOf(nearest === undefined ? typed.path : [...typed.path, nearest]),
  );
}

/** In one line and in the words of the help: commander puts suggestions on a separate line. */
function plainMessage({ message }: CommanderError): string {
  const [, wrong, choices] = /argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(message) ?? [];
  const near = wrong !== undefined && choices !== undefined ? didYouMean(wrong, choices.split(", ")) : "";
  return `${plainWords(message)}${near}`;
}

function plainWords(message: string): string {
  return message
    .replace(/^error: /, "")
    .replace(/^command-argument value '(.*)' is invalid for argument '([^']+)'\. /s, "argument <$2> '$1' is invalid. ")
    .replace(/\n\((Did you mean .*\?)\)$/s, ". $1");
}

/** Other programs take everything as a flag: how an endpoint's input is written, where a flag is not known. */
function inputWords({ code, message }: CommanderError, command: Command): string {
  const [, name] = /'--([\w-]+)/.exec(message) ?? [];
  const takesInput = command.registeredArguments.some((argument) => argument.name() === "input");
  if (code !== "commander.unknownOption" || name === undefined || !takesInput) return "";
  return `${message.endsWith(")") ? "" : "."} Input of the endpoint is written without dashes: ${name}=<value>`;
}

/** The command that shows the help of what was typed, as far as it is known. */
export function helpFor(program: Command, argv: readonly string[]): string {
  return helpOf(findTypedCommand(program, argv).path);
}

function helpOf(path: readonly string[]): string {
  return ["mkt", ...path, "--help"].join(" ");
}

function findTypedCommand(program: Command, argv: readonly string[]): TypedCommand {
  let command = program;
  const path: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word.startsWith("-")) {
      const option = findOption(command, word);
      // After an unknown flag, a word may be its value.
      if (option === undefined) break;
      if (option.required && !word.includes("=")) index += 1;
      continue;
    }
    if (command.commands.length === 0) break;
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    // After it comes the command whose help is requested.
    if (next === undefined && word === "help") continue;
    // A command with words of its own beside those below it, such as discover.
    if (next === undefined && command.registeredArguments.length > 0) break;
    if (next === undefined) return { command, path, unknown: word };
    command = next;
    path.push(next.name());
  }
  return { command, path };
}

/** The flag as the command, those above it or its default command know it. */
function findOption(command: Command, word: string): Option | undefined {
  const [flag] = word.split("=", 1);
  const above: Command[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) above.push(one);
  return [...above, ...command.commands]
    .flatMap((one) => one.options)
    .find((option) => option.long === flag || option.short === flag);
}
