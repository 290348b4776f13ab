import type { WorkspaceId } from "../../base/ids.ts";
import type { MicroDollars } from "../../../shared/micro-dollars.ts";
import type { DamagedOnDisk } from "./damaged-on-disk.ts";
import type { Line } from "../transaction/transaction.ts";
import type { MoneyReads, Spender } from "../transaction/money-reads.ts";

/** A line that moved money of a workspace. `seq` is its number in the journal: the order of the movements. */
export interface Movement {
  readonly seq: number;
  readonly line: Line;
}

/** A line that moved money of a workspace but is damaged on the disk, so that the movement is unknown. */
export interface DamagedMovement {
  readonly seq: number;
  readonly damaged: DamagedOnDisk;
}

/** Balances of the ledger, in micro-dollars; only what is durable. Accounts are named in `postings.ts`. */
export interface AccountStore {
  /** 0 for an account that no line has touched. */
  readAccounts(accounts: readonly string[]): Promise<readonly MicroDollars[]>;
  readMoney(of: Spender): Promise<MoneyReads>;
  /**
   * Lines with postings to an account of the workspace, newest first. `before`: only lines with a lower number. `next`:
   * where the next page continues; absent on the last page. A damaged line is listed as such in its position.
   */
  listMovements(
    workspaceId: WorkspaceId,
    page: { readonly limit: number; readonly before?: number },
  ): Promise<{ readonly items: readonly (Movement | DamagedMovement)[]; readonly next?: number }>;
}
