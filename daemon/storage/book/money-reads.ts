import { balanceAccount, heldAccount } from "../../ledger/money/postings.ts";
import type { MoneyReads, Spender } from "../../ledger/transaction/money-reads.ts";
import { listApprovalRules } from "./approvals-book.ts";
import type { Book } from "./book.ts";
import { listControls } from "./controls-book.ts";
import { makersOf } from "./identity-book.ts";
import { readAccount } from "./money-book.ts";
import { listWebhooks } from "./webhooks-book.ts";
import { keySubject, readSpending, scheduleSubject, workspaceSubject } from "./spending-book.ts";

const NONE: readonly never[] = [];

/** The money of a spender as this book has it now. */
export function moneyReads(book: Book, { workspaceId, keyId, scheduleId }: Spender): MoneyReads {
  const key = keyId === undefined ? undefined : book.identity.keys.get(keyId);
  return {
    balance: readAccount(book.money, balanceAccount(workspaceId)),
    held: readAccount(book.money, heldAccount(workspaceId)),
    controls: book.controls.byWorkspace.size === 0 ? NONE : listControls(book.controls, workspaceId),
    webhooks: book.webhooks.byWorkspace.size === 0 ? NONE : listWebhooks(book.webhooks, workspaceId),
    approvalRules: listApprovalRules(book.approvals, workspaceId),
    key,
    limitedBy: key?.limitedBy?.flatMap((id) => book.identity.keys.get(id) ?? []) ?? NONE,
    makers: () => makersOf(book.identity, keyId),
    schedule: scheduleId === undefined ? undefined : book.schedules.byId.get(scheduleId)?.schedule,
    meteredAt: (at) => (at > book.spending.latestAt ? at : book.spending.latestAt),
    spending: (of, period, at) =>
      readSpending(
        book.spending,
        of === "workspace"
          ? workspaceSubject(workspaceId)
          : "keyId" in of
            ? keySubject(of.keyId)
            : scheduleSubject(of.scheduleId),
        period,
        at,
      ),
  };
}
