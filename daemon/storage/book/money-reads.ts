import { balanceAccount, heldAccount } from "../../ledger/postings.ts";
import type { MoneyReads, Spender } from "../../ledger/money-reads.ts";
import type { Book } from "./book.ts";
import { listControls } from "./controls-book.ts";
import { readAccount } from "./money-book.ts";
import { keySubject, readSpending, workspaceSubject } from "./spending-book.ts";

/** The money of a spender as this book has it now. */
export function moneyReads(book: Book, { workspaceId, keyId }: Spender): MoneyReads {
  const key = keyId === undefined ? undefined : book.identity.keys.get(keyId);
  return {
    balance: readAccount(book.money, balanceAccount(workspaceId)),
    held: readAccount(book.money, heldAccount(workspaceId)),
    controls: listControls(book.controls, workspaceId),
    key,
    limitedBy: (key?.limitedBy ?? []).flatMap((id) => book.identity.keys.get(id) ?? []),
    meteredAt: (at) => (at > book.spending.latestAt ? at : book.spending.latestAt),
    spending: (of, period, at) =>
      readSpending(
        book.spending,
        of === "workspace" ? workspaceSubject(workspaceId) : keySubject(of.keyId),
        period,
        at,
      ),
  };
}
