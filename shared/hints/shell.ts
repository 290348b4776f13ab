import type { HintTarget } from "../contract/hints.ts";
import { readHintStep, withComment, type HintStep } from "./hint-step.ts";
import { hasComments, quoteWord, type Shell } from "./shell-words.ts";

/**
 * A next step as the `mkt` command that does it, quoted for the user's shell, with a comment after `#` if the shell has
 * comments. Undefined when the target lacks what its kind needs. docs/command-line.md, "Next steps".
 */
export function renderShell(target: HintTarget, { shell = "posix" }: { shell?: Shell } = {}): string | undefined {
  const step = readHintStep(target);
  if (step === undefined) return undefined;
  const command = commandOf(step, shell);
  return hasComments(shell) ? withComment(command, target) : command;
}

function commandOf(step: HintStep, shell: Shell): string {
  switch (step.kind) {
    case "command":
      return step.command;
    case "discover":
      return `${mkt("discover", step.query, shell)}${discoverFlags(step, shell)}`;
    case "inspect":
    case "run":
      return mkt(step.kind, `${step.provider}${step.endpoint}`, shell);
    case "getRun":
      return mkt("get-run", step.runId, shell);
    case "stop":
      return mkt("stop", step.runId, shell);
    case "releaseResource":
      return mkt("resources release", step.resourceId, shell);
  }
}

/** After a query that begins with a hyphen, and so stands behind `--`, a flag would be a word of the query. */
function discoverFlags({ query, also, category }: HintStep & { kind: "discover" }, shell: Shell): string {
  if (query.startsWith("-")) return "";
  return [
    ...also.map((words) => ` --also ${quoteWord(words, shell)}`),
    ...(category === undefined ? [] : [` --category ${quoteWord(category, shell)} --min-score 0`]),
  ].join("");
}

function mkt(command: string, argument: string, shell: Shell): string {
  const separator = argument.startsWith("-") ? "-- " : "";
  return `mkt ${command} ${separator}${quoteWord(argument, shell)}`;
}
