import type { HintTarget } from "../contract/hints.ts";
import { readHintStep, withComment, type HintStep } from "./hint-step.ts";
import { quoteWord } from "./shell-words.ts";

/** A next step in the syntax of the reference client's command line. docs/contract.md, "Who gets hints". */
export function renderMonid(target: HintTarget): string | undefined {
  const step = readHintStep(target);
  return step && withComment(commandOf(step), target);
}

function commandOf(step: HintStep): string {
  switch (step.kind) {
    case "command":
      return step.command;
    case "discover":
      return `monid discover -q ${quoteText(step.query)}`;
    case "inspect":
    case "run":
      return `monid ${step.kind} -p ${quoteWord(step.provider)} -e ${quoteWord(step.endpoint)}`;
    case "getRun":
      return `monid runs get -r ${quoteWord(step.runId)}`;
    case "stop":
      return `monid runs stop -r ${quoteWord(step.runId)}`;
    case "releaseResource":
      return `monid resources release -r ${quoteWord(step.resourceId)}`;
  }
}

/** That client's examples use double quotes; text with special characters of a shell gets single ones. */
function quoteText(text: string): string {
  return /["$`\\!]/.test(text) ? quoteWord(text) : `"${text}"`;
}
