import { shellLine } from "../../shared/words/shell-line.ts";

/**
 * The command as it was typed, with more flags, in place of those of the same name: in front of a `--`, behind which they would be words.
 */
export function againLine(
  argv: readonly string[],
  ...flags: readonly (readonly [name: string, value?: string])[]
): string {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const kept = flags.reduce((words, flag) => without(words, flag), argv.slice(0, end));
  return shellLine(
    "mkt",
    ...kept,
    ...flags.flatMap((flag) => flag.filter((word) => word !== undefined)),
    ...argv.slice(end),
  );
}

function without(words: readonly string[], [name, value]: readonly [name: string, value?: string]): string[] {
  return words.filter((word, at) => {
    const isItsValue = value !== undefined && words[at - 1] === name;
    return !isItsValue && word !== name && !word.startsWith(`${name}=`);
  });
}
