import type { Hints } from "../../shared/contract/hints.ts";
import { renderShell } from "../../shared/hints/shell.ts";
import type { NextStep } from "./NextSteps.tsx";

/** A service's hints as commands for this shell. They are shown, never run. CLI rule 8. */
export function hintSteps(hints: Hints | undefined): NextStep[] {
  return Object.entries(hints ?? {}).flatMap(([what, hint]) => {
    const command = typeof hint === "string" ? hint : renderShell(hint);
    return command === undefined ? [] : [{ what, command }];
  });
}
