import type { Hints, HintTarget } from "../../shared/contract/hints.ts";
import { commentOf } from "../../shared/hints/hint-step.ts";
import { renderShell } from "../../shared/hints/shell.ts";
import { hasComments, type Shell } from "../../shared/hints/shell-words.ts";
import type { NextStep } from "./NextSteps.tsx";

/** A wording that the person has to write: "<kind of data>". */
const TO_BE_WRITTEN = /^<(.+)>$/;

/** A service's hints as commands for the shell in use. They are shown, never run. docs/command-line.md, "Next steps". */
export function hintSteps(hints: Hints | undefined, shell: Shell): NextStep[] {
  return Object.entries(hints ?? {}).flatMap(([what, hint]) => {
    if (typeof hint === "string") return [{ what, command: hint }];
    const wordings = (hint.also ?? []).flatMap((text) => TO_BE_WRITTEN.exec(text)?.[1] ?? []);
    // As a command it would be refused: nobody but the person knows these words.
    if (wordings.length > 0) return [{ what, command: `add --also for each of: ${wordings.join(", ")}` }];
    const command = renderShell(hint, { shell });
    return command === undefined ? [] : [{ what: whatWords(what, hint, shell), command }];
  });
}

/** A comment that the shell would take for words of the command stands before it. */
function whatWords(what: string, target: HintTarget, shell: Shell): string {
  const comment = hasComments(shell) ? undefined : commentOf(target);
  return comment === undefined ? what : `${what} (${comment})`;
}
