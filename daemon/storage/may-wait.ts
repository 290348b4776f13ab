import { endedAtOnce } from "../ledger/records/run-record.ts";
import type { Line } from "../ledger/transaction/transaction.ts";

/**
 * States of a resource in which it costs the caller less than before: a delayed line would make the caller pay for
 * nothing.
 */
const ENDING_STATES: ReadonlySet<string> = new Set(["EXPIRING", "RELEASED", "SUSPENDED", "PROVISION_FAILED"]);

/**
 * Whether a line may be refused while the disk is full. These may not: every step of an accepted run to its end, the
 * end of a resource, the revocation of a key, the pause or end of a schedule, what became of a delivery. None of them depends on a line that may wait and is not durable yet.
 */
export function mayWait(line: Line): boolean {
  switch (line.t) {
    case "run.go":
    case "run.job":
    case "run.next":
    case "run.stop":
    case "key.revoked":
    case "webhook.deleted":
    case "webhook.tried":
    case "webhook.keyExpired":
    case "schedule.paused":
    case "schedule.deleted":
      return false;
    case "run.done":
      // The only line of its run: nothing was promised to the caller yet.
      return endedAtOnce(line.rec);
    case "resource.changed":
      return !ENDING_STATES.has(line.resource.state);
    default:
      return true;
  }
}
