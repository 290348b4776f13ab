import type { Help } from "commander";
import { daemonExitCodeMeanings, exitCodeMeanings } from "../core/exit-codes.ts";
import { commandsByHeading, formatItems } from "./format-help.ts";
import type { HelpTopic } from "../command/command.ts";

/** The pages that every help leads to; whoever mounts commands may add to them. */
export const topics: readonly HelpTopic[] = [
  {
    name: "commands",
    about: "all commands, with a description",
    text: (program, helper) =>
      commandsByHeading(program, helper)
        .map(([heading, commands]) =>
          [
            heading,
            ...formatItems(
              helper,
              commands.map((one) => [helper.subcommandTerm(one), helper.subcommandDescription(one)]),
            ),
          ].join("\n"),
        )
        .join("\n\n"),
  },
  {
    name: "flags",
    about: "the flags that all commands share",
    text: (program, helper) =>
      [
        "Flags of every command:",
        ...formatItems(
          helper,
          helper.visibleOptions(program).map((one) => [helper.optionTerm(one), helper.optionDescription(one)]),
        ),
      ].join("\n"),
  },
  {
    name: "exit-codes",
    about: "the exit codes of commands",
    text: (_program, helper) =>
      [
        "Exit codes:",
        ...codeLines(helper, exitCodeMeanings),
        "Further exit codes of the daemon:",
        ...inPairs(codeLines(helper, daemonExitCodeMeanings)),
      ].join("\n"),
  },
];

/** Two to a line while both are short, so that the page fits on a screen. */
function inPairs(lines: readonly string[]): string[] {
  const [first, second, ...others] = lines;
  if (first === undefined) return [];
  if (second === undefined) return [first];
  if (second.length > PAIR_WIDTH) return [first, second, ...inPairs(others)];
  return [`${first.padEnd(PAIR_WIDTH)}${second.trimStart()}`, ...inPairs(others)];
}

const PAIR_WIDTH = 30;

function codeLines(helper: Help, codes: readonly { code: number; meaning: string }[]): string[] {
  return formatItems(
    helper,
    codes.map(({ code, meaning }) => [String(code).padStart(3), meaning]),
  );
}
