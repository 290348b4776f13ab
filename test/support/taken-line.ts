import type { Line, Transaction } from "../../daemon/ledger/transaction/transaction.ts";
import { NO_MONEY } from "../../shared/micro-dollars.ts";

/** The line of a transaction, with no money in the wallet. */
export function takenLine(transaction: Transaction): Line {
  if ("line" in transaction) return transaction.line;
  return transaction.write({
    balance: NO_MONEY,
    held: NO_MONEY,
    controls: [],
    webhooks: [],
    key: undefined,
    limitedBy: [],
    approvalRules: [],
    makers: () => [],
    meteredAt: (at) => at,
    spending: () => ({ windowStart: "", spent: NO_MONEY, held: NO_MONEY }),
  });
}
