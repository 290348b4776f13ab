import type { WorkspaceId } from "../base/ids.ts";
import type { Money } from "../../shared/contract/common.ts";
import { ApiError } from "../../shared/errors.ts";
import { add, formatDollars, type MicroDollars, NO_MONEY, subtract } from "../../shared/micro-dollars.ts";
import { balanceAccount, credit, debit, heldAccount } from "../ledger/money/postings.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { commitMade } from "../ledger/transaction/commit-made.ts";
import type { Reader } from "../http/callers/caller.ts";
import { type KeepAnswer, keepNothing } from "../idempotency/keep-answer.ts";
import { checkName } from "../identity/names.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import type { MoneyReads } from "../ledger/transaction/money-reads.ts";
import { readAmount } from "./read-amount.ts";
import { type ActivityPage, listActivities } from "./wallet-activities.ts";
import type { WalletLine } from "../ledger/lines/wallet-lines.ts";

export const MAX_ADJUSTMENT_DOLLARS = 1_000_000;
const MAX_REASON_CHARACTERS = 500;

export interface WalletBalance {
  /** Free to spend, without what is held. May be below 0. docs/contract.md, "Balance". */
  readonly balance: MicroDollars;
  /** Reserved for open runs. */
  readonly held: MicroDollars;
}

export interface Adjustment {
  readonly workspaceId: WorkspaceId;
  /** Above 0, at most a million dollars, at most 6 decimal places. */
  readonly amount: Money;
  readonly reason: string;
  /** The actor who does it. */
  readonly by: string;
}

interface Adjusted {
  readonly line: WalletLine;
  readonly after: WalletBalance;
}

export interface WalletService {
  /** True if the wallet never refuses a run; the ledger is still written. */
  readonly unlimited: boolean;
  getBalance(workspaceId: WorkspaceId): Promise<WalletBalance>;
  /** Every movement that the caller may see, newest first; `after` is the `next` of the page before. */
  listActivities(caller: Reader, page: { readonly limit: number; readonly after?: string }): Promise<ActivityPage>;
  /** Resolves when durable, with the balance right after it. Throws 400 for an invalid amount. */
  credit(adjustment: Adjustment, keep?: KeepAnswer<WalletBalance>): Promise<WalletBalance>;
  /** As `credit`; throws 402 if the balance does not cover it. */
  debit(adjustment: Adjustment, keep?: KeepAnswer<WalletBalance>): Promise<WalletBalance>;
}

export interface WalletServiceParts {
  readonly store: AccountStore & Committer;
  readonly clock: Clock;
  readonly unlimited: boolean;
}

export function createWalletService({ store, clock, unlimited }: WalletServiceParts): WalletService {
  const getBalance: WalletService["getBalance"] = async (workspaceId) => {
    const [balance = NO_MONEY, held = NO_MONEY] = await store.readAccounts([
      balanceAccount(workspaceId),
      heldAccount(workspaceId),
    ]);
    return { balance, held };
  };
  const factsOf = ({ workspaceId, amount, reason, by }: Adjustment) => ({
    v: 1 as const,
    at: isoNow(clock),
    ws: workspaceId,
    amount: readAdjustment(amount),
    reason: checkName("reason", reason, MAX_REASON_CHARACTERS),
    by,
  });

  /**
   * The returned balance is that of the moment when the line was accepted, whatever else moves money at the same time.
   */
  const commitAdjustment = async (workspaceId: WorkspaceId, make: (money: MoneyReads) => Adjusted) => {
    const { after } = await commitMade(store, { of: { workspaceId }, make });
    return after;
  };

  return {
    unlimited,
    getBalance,
    listActivities: async (caller, page) => await listActivities(store, caller, page),

    async credit(adjustment, keep = keepNothing) {
      const facts = factsOf(adjustment);
      return await commitAdjustment(facts.ws, ({ balance, held }) => {
        const after = { balance: add(balance, facts.amount), held };
        return { after, line: { t: "wallet.credited", ...facts, led: credit(facts.ws, facts.amount), ...keep(after) } };
      });
    },

    async debit(adjustment, keep = keepNothing) {
      const facts = factsOf(adjustment);
      return await commitAdjustment(facts.ws, ({ balance, held }) => {
        if (balance < facts.amount) throw notCovered(facts.amount, balance, held);
        const after = { balance: subtract(balance, facts.amount), held };
        return { after, line: { t: "wallet.debited", ...facts, led: debit(facts.ws, facts.amount), ...keep(after) } };
      });
    },
  };
}

function readAdjustment({ value }: Money): MicroDollars {
  const amount = readAmount("amount.value", value);
  if (amount <= 0 || value > MAX_ADJUSTMENT_DOLLARS) {
    throw new ApiError(
      "invalidInput",
      `amount.value: must be above 0 and at most ${MAX_ADJUSTMENT_DOLLARS} dollars (got ${value})`,
    );
  }
  return amount;
}

function notCovered(amount: MicroDollars, balance: MicroDollars, held: MicroDollars): ApiError {
  return new ApiError(
    "insufficientFunds",
    `The balance of ${formatDollars(balance)} does not cover ${formatDollars(amount)}; ${formatDollars(held)} is held for runs`,
    { errorCode: "WALLET_INSUFFICIENT_FUNDS" },
  );
}
