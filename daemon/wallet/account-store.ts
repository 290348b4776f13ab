/** Balances of the ledger, in micro-dollars; only what is durable. Accounts are named in `billing/postings.ts`. */
export interface AccountStore {
  /** 0 for an account that no line has touched. */
  readAccounts(accounts: readonly string[]): Promise<readonly number[]>;
}
