import type { ReactElement } from "react";
import type { Hints } from "../../shared/contract/hints.ts";
import { hintSteps } from "./hint-steps.ts";
import { NextSteps } from "./NextSteps.tsx";
import { useTypingShell } from "./typing-shell.ts";

/** The hints of an answer, one line each. */
export function HintList({ hints }: { hints: Hints | undefined }): ReactElement | null {
  return <NextSteps steps={hintSteps(hints, useTypingShell())} />;
}
