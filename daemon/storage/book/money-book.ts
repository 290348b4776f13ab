import { errorText } from "../../../shared/error-text.ts";
import { add, type MicroDollars, NO_MONEY } from "../../../shared/micro-dollars.ts";
import { assertBalanced, type Postings } from "../../ledger/postings.ts";
import type { Line } from "../../ledger/transaction.ts";
import { LineRefused } from "../storage-errors.ts";

/** The balances of the ledger: account → micro-dollars; absent is 0. */
export interface MoneyBook {
  readonly accounts: Map<string, MicroDollars>;
}

export function emptyMoneyBook(): MoneyBook {
  return { accounts: new Map() };
}

export function applyPostings(book: MoneyBook, postings: Postings): void {
  for (const [account, amount] of postings) book.accounts.set(account, add(readAccount(book, account), amount));
}

export function readAccount(book: MoneyBook, account: string): MicroDollars {
  return book.accounts.get(account) ?? NO_MONEY;
}

/**
 * Checks that a line creates and loses no money, and keeps each balance a safe integer. Source: docs/storage.md, "A
 * line".
 */
export function checkPostings(book: MoneyBook, line: Line): void {
  if (!("led" in line)) return;
  try {
    assertBalanced(line.led);
  } catch (error) {
    throw new LineRefused(`${line.t}: ${errorText(error)}`, { cause: error });
  }
  const after = new Map<string, number>();
  for (const [account, amount] of line.led) {
    const balance = (after.get(account) ?? readAccount(book, account)) + amount;
    if (!Number.isSafeInteger(balance)) throw new LineRefused(`${line.t}: ${account} would hold ${balance}`);
    after.set(account, balance);
  }
}
