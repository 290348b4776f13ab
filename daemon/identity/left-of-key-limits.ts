import { type MicroDollars, smaller, subtract } from "../../shared/micro-dollars.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";
import type { MoneyReads } from "../ledger/transaction/money-reads.ts";

/**
 * What the narrowest of the limits leaves that hold for a key, its own and those of the keys that it comes from, in the
 * windows that `at` (from `meteredAt`) lies in; below 0 where more was spent. Undefined without any limit.
 */
export function leftOfKeyLimits(
  money: MoneyReads,
  key: Pick<KeyRecord, "keyId" | "spendLimit"> | undefined,
  at: string,
): MicroDollars | undefined {
  const keys = key === undefined ? [] : [key, ...money.limitedBy];
  const left = keys.flatMap(({ keyId, spendLimit }) => {
    if (spendLimit === undefined) return [];
    const { spent, held } = money.spending({ keyId }, spendLimit.period, at);
    return [subtract(spendLimit.microDollars, spent, held)];
  });
  return left.length === 0 ? undefined : left.reduce(smaller);
}
