import { errorText } from "../../../shared/error-text.ts";
import { add, type MicroDollars, NO_MONEY } from "../../../shared/micro-dollars.ts";
import { assertBalanced, type Postings } from "../../ledger/money/postings.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
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
  for (const [index, [account, amount]] of line.led.entries()) {
    let balance: number = readAccount(book, account);
    // A line has three postings or so: looking at those before costs less than to keep them by account.
    for (let before = 0; before < index; before += 1) {
      const posting = line.led[before];
      if (posting?.[0] === account) balance += posting[1];
    }
    balance += amount;
    if (!Number.isSafeInteger(balance)) throw new LineRefused(`${line.t}: ${account} would hold ${balance}`);
  }
}
