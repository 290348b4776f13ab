import type { Line } from "../../ledger/transaction.ts";

/** States of a resource in which it costs the caller less than before: whoever waits for them pays for nothing. */
const ENDING_STATES: ReadonlySet<string> = new Set(["EXPIRING", "RELEASED", "SUSPENDED", "PROVISION_FAILED"]);

/**
 * Whether a line may be refused while the disk is full. What may not: the way of an accepted run to its end, the end of a
 * resource, a key that must stop working. None of these builds on a line that may wait and is not durable yet.
 */
export function mayWait(line: Line): boolean {
  switch (line.t) {
    case "run.go":
    case "run.job":
    case "run.stop":
    case "key.revoked":
      return false;
    case "run.done":
      // The only line of a run that a control refused: nothing of it was promised to anybody.
      return line.rec.status === "BLOCKED";
    case "resource.changed":
      return !ENDING_STATES.has(line.resource.state);
    default:
      return true;
  }
}
