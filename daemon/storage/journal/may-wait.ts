import type { Line } from "../../ledger/transaction.ts";

/**
 * States of a resource in which it costs the caller less than before: a delayed line would make the caller pay for
 * nothing.
 */
const ENDING_STATES: ReadonlySet<string> = new Set(["EXPIRING", "RELEASED", "SUSPENDED", "PROVISION_FAILED"]);

/**
 * Whether a line may be refused while the disk is full. These may not: every step of an accepted run to its end, the
 * end of a resource, the revocation of a key. None of them depends on a line that may wait and is not durable yet.
 */
export function mayWait(line: Line): boolean {
  switch (line.t) {
    case "run.go":
    case "run.job":
    case "run.stop":
    case "key.revoked":
      return false;
    case "run.done":
      // The only line of a run that a control refused: nothing was promised to the caller yet.
      return line.rec.status === "BLOCKED";
    case "resource.changed":
      return !ENDING_STATES.has(line.resource.state);
    default:
      return true;
  }
}
