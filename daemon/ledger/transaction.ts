import { z } from "zod";
import type { Guard } from "./commit-errors.ts";
import { ControlLine } from "./control-lines.ts";
import { IdentityLine } from "./identity-lines.ts";
import { ResourceLine } from "./resource-lines.ts";
import { RunLine } from "./run-lines.ts";
import type { MoneyReads, Spender } from "./money-reads.ts";
import { WalletLine } from "./wallet-lines.ts";

/** Everything that may be written: one line is one transaction, state and money together (docs/storage.md, P2). */
export const Line = z.discriminatedUnion("t", [RunLine, IdentityLine, WalletLine, ControlLine, ResourceLine]);
export type Line = z.infer<typeof Line>;

/** A line, and the conditions under which it may be taken. */
export interface PlainTransaction {
  readonly line: Line;
  readonly guards?: readonly Guard[];
}

/**
 * A line that follows from the money at the very moment it is taken, with everything taken before it counted in: check
 * and hold are one step (docs/storage.md, "Commit"). `write` is pure and waits for nothing; what it throws refuses the
 * transaction, and `commit` rejects with it. Guards are asked first.
 */
export interface MoneyTransaction {
  readonly of: Spender;
  readonly write: (money: MoneyReads) => Line;
  readonly guards?: readonly Guard[];
}

export type Transaction = PlainTransaction | MoneyTransaction;

export interface Committer {
  /**
   * Resolves when the line is durable; what was not acknowledged may be lost in a crash, what was is not.
   * Throws `GuardFailed` synchronously-in-effect (nothing was taken), `DiskFull` when the disk is full and the line can
   * wait (nothing was taken), `StorageFailed` when the disk failed: final.
   */
  commit(transaction: Transaction): Promise<void>;
}
