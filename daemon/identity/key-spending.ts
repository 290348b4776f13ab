import { atLeastZero, type MicroDollars } from "../../shared/micro-dollars.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { windowEnd } from "../ledger/money/spend-windows.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import { leftOfKeyLimits } from "./left-of-key-limits.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";

/** What a key has used of its limit in the window of now. */
export interface KeySpending {
  readonly spent: MicroDollars;
  readonly held: MicroDollars;
  /** The remainder of its limit and those of the keys that it was made by; never below 0. */
  readonly left: MicroDollars;
  /** ISO 8601. */
  readonly resetsAt: string;
}

/** Undefined for a key without a spend limit. */
export async function readKeySpending(
  { store, clock }: { readonly store: Pick<AccountStore, "readMoney">; readonly clock: Clock },
  { workspaceId, keyId, spendLimit }: Pick<KeyRecord, "workspaceId" | "keyId" | "spendLimit">,
): Promise<KeySpending | undefined> {
  if (spendLimit === undefined) return undefined;
  const money = await store.readMoney({ workspaceId, keyId });
  const at = money.meteredAt(isoNow(clock));
  const { spent, held, windowStart } = money.spending({ keyId }, spendLimit.period, at);
  const left = leftOfKeyLimits(money, { keyId, spendLimit }, at) ?? spendLimit.microDollars;
  return { spent, held, left: atLeastZero(left), resetsAt: windowEnd(spendLimit.period, windowStart) };
}
