import { commitMade } from "../ledger/transaction/commit-made.ts";
import type { Guard } from "../ledger/transaction/commit-errors.ts";
import { recordEvents } from "../ledger/transaction/record-events.ts";
import type { SchedulePause, ScheduleRecord } from "../ledger/records/schedule-records.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";

/**
 * Pauses an active schedule, and tells the webhooks of its workspace, in one line. Rejects as `commit` does, with `GuardFailed` for
 * one that is paused or deleted.
 */
export async function pauseSchedule(
  store: Committer,
  { scheduleId, workspaceId, name, provider, endpoint }: ScheduleRecord,
  {
    pause,
    by,
    guards = [],
  }: { readonly pause: SchedulePause; readonly by?: string; readonly guards?: readonly Guard[] },
): Promise<void> {
  const { at, reason, message } = pause;
  const data = { scheduleId, ...(name !== undefined && { name }), provider, endpoint, reason, message };
  await commitMade(store, {
    of: { workspaceId },
    guards: [{ kind: "schedule", scheduleId, is: "active" }, ...guards],
    make: (money) => ({
      line: {
        t: "schedule.paused" as const,
        v: 1 as const,
        at,
        ws: workspaceId,
        schedule: scheduleId,
        pause,
        ...(by !== undefined && { by }),
        ...recordEvents(money, [{ type: "schedule.paused", key: JSON.stringify([scheduleId, at]), data }]),
      },
    }),
  });
}
