import type { WorkspaceId } from "../../base/ids.ts";
import { GuardFailed } from "./commit-errors.ts";
import { commitMade } from "./commit-made.ts";
import { type NewEvent, recordEvents } from "./record-events.ts";
import type { Committer } from "./transaction.ts";

export interface ConditionChange {
  readonly workspaceId: WorkspaceId;
  /** Names what lasts, as in `endpoint.outage acme/search`. */
  readonly condition: string;
  /** Whether it holds from now on. */
  readonly holds: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** Told when it begins; with `holds: false`, when it ends; absent: nothing is. */
  readonly event?: NewEvent;
}

/** No webhook wants to be told that something has begun. */
class NobodyTakesIt extends Error {
  override readonly name = "NobodyTakesIt";
}

/**
 * Tells of something that has no line of its own, once for each time that it begins or ends, also over restarts. Returns false
 * when that was known, or when nobody takes the event of a beginning; then nothing was written. Rejects as `commit` does.
 */
export async function recordCondition(
  store: Committer,
  { workspaceId, condition, holds, at, event }: ConditionChange,
): Promise<boolean> {
  try {
    await commitMade(store, {
      of: { workspaceId },
      guards: [{ kind: "condition", workspaceId, condition, holds: !holds }],
      make(money) {
        const told = event === undefined ? {} : recordEvents(money, [event]);
        if (holds && told.events === undefined) throw new NobodyTakesIt("no webhook takes it");
        return {
          line: { t: "webhook.condition" as const, v: 1 as const, at, ws: workspaceId, condition, holds, ...told },
        };
      },
    });
    return true;
  } catch (error) {
    if (error instanceof NobodyTakesIt) return false;
    if (error instanceof GuardFailed && error.guard.kind === "condition") return false;
    throw error;
  }
}
