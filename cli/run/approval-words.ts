import type { Output } from "../output/output.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { timeWords } from "../words/time-words.ts";
import type { AnyRun } from "./run-outcome.ts";

/** That a run waits for a person, why, until when, and what somebody else has to type. */
export function approvalWords({ runId, approval }: AnyRun, output: Pick<Output, "command">): string {
  if (approval === undefined) return "";
  const { maximum, above, expiresAt } = approval;
  return (
    `Run ${runId} waits for approval, since it may cost ${dollars(maximum.value)} and runs above ${dollars(above.value)} need a ` +
    `person's yes. Somebody with another key types, until ${timeWords(expiresAt)}: ${output.command("approvals", "approve", runId)}. ` +
    `To take it back: ${output.command("stop", runId)}`
  );
}
