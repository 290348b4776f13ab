import { expect, test } from "vitest";
import type { KeyRecord } from "../../daemon/ledger/records/identity-records.ts";
import type { MoneyReads } from "../../daemon/ledger/transaction/money-reads.ts";
import { actingCaller } from "../../daemon/schedules/acting-caller.ts";
import { scheduleCreated, keyCreated } from "../storage/lines.ts";
import { branded, type Plain } from "../support/branded.ts";

const { definition: schedule } = scheduleCreated("s1");

async function callerOf(members: Partial<Plain<KeyRecord>>) {
  const key = branded<KeyRecord>({ ...keyCreated("k1").key, scopes: ["runs:create"], ...members });
  const store = { readMoney: async () => ({ key }) as unknown as MoneyReads };
  const state = { schedule, actsAs: { actor: "API_KEY#k1", keyId: "k1" } };
  return await actingCaller({ store, clock: { now: () => Date.parse("2026-11-21T10:00:00.000Z") } }, state);
}

test("a schedule acts as a key of its own workspace, or of an operator, that may make runs", async () => {
  const own = await callerOf({ workspaceId: schedule.workspaceId });
  const operators = await callerOf({ workspaceId: "elsewhere", operator: true });

  expect(own).toMatchObject({ caller: { workspaceId: schedule.workspaceId, key: { keyId: "k1" } } });
  expect(operators).toMatchObject({ caller: { workspaceId: schedule.workspaceId } });
});

test.each<[string, Partial<Plain<KeyRecord>>, string]>([
  ["of another workspace", { workspaceId: "elsewhere" }, "RIGHTS"],
  ["that may make no runs", { workspaceId: schedule.workspaceId, scopes: ["runs:read"] }, "RIGHTS"],
  ["that is revoked", { workspaceId: schedule.workspaceId, revokedAt: "2026-11-21T09:00:00.000Z" }, "KEY"],
])("a schedule whose key is one %s is paused", async (_, members, reason) => {
  expect(await callerOf(members)).toMatchObject({ pause: { reason } });
});
