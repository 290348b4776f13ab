import type { Committer, Line, MoneyTransaction } from "./transaction.ts";
import type { MoneyReads } from "./money-reads.ts";

/** A `MoneyTransaction` that returns its line together with other results. */
export interface MakingTransaction<Made extends { readonly line: Line }> extends Omit<MoneyTransaction, "write"> {
  /** As `MoneyTransaction.write`. */
  readonly make: (money: MoneyReads) => Made;
}

/** Commits the line that `make` computes from the money, and returns the result of `make`. Rejects as `commit` does. */
export async function commitMade<Made extends { readonly line: Line }>(
  store: Committer,
  { make, ...transaction }: MakingTransaction<Made>,
): Promise<Made> {
  let made: Made | undefined;
  const write = (money: MoneyReads) => {
    made = make(money);
    return made.line;
  };
  await store.commit({ ...transaction, write });
  if (made === undefined) throw new Error("the store took a line without asking what to write");
  return made;
}
