import { grants } from "../../shared/contract/scope-grants.ts";
import type { Clock } from "../base/clock.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import { callerOfKey } from "../identity/caller-of-key.ts";
import { statusOf } from "../identity/key-status.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import type { SchedulePause, ScheduleState } from "../ledger/records/schedule-records.ts";

/** Why a schedule must not go on. */
export type PauseCause = Pick<SchedulePause, "reason" | "message">;

/**
 * The caller that a schedule's next run is made for: its key as it is now, with all its limits; or why there is none any more.
 * docs/schedules.md, "Whose runs they are".
 */
export async function actingCaller(
  { store, clock }: { readonly store: Pick<AccountStore, "readMoney">; readonly clock: Clock },
  { schedule, actsAs }: Pick<ScheduleState, "schedule" | "actsAs">,
): Promise<{ readonly caller: WorkspaceCaller } | { readonly pause: PauseCause }> {
  const { workspaceId, scheduleId } = schedule;
  const { key } = await store.readMoney({ workspaceId, keyId: actsAs.keyId });
  const again = `mkt schedules resume ${scheduleId}, with another key, makes it act as that one`;
  const status = key === undefined ? "gone" : statusOf(key, clock.now());
  if (key === undefined || status !== "ACTIVE") {
    const name = key === undefined ? "" : ` "${key.label}"`;
    return { pause: { reason: "KEY", message: `The key${name} that it acts as is ${status}; ${again}` } };
  }
  const mayAct = key.workspaceId === workspaceId || key.operator === true;
  if (!mayAct || !grants(key.scopes, "runs:create")) {
    return { pause: { reason: "RIGHTS", message: `The key "${key.label}" may make no runs here; ${again}` } };
  }
  return { caller: callerOfKey(key, { workspaceId }) };
}
