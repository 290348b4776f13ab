import { z } from "zod";
import type { Guard } from "./commit-errors.ts";
import { IdentityLine } from "./identity/identity-lines.ts";
import { RunLine } from "./runs/run-lines.ts";
import { WalletLine } from "./wallet/wallet-lines.ts";

/** Everything that may be written: one line is one transaction, state and money together (storage design, P2). */
export const Line = z.discriminatedUnion("t", [RunLine, IdentityLine, WalletLine]);
export type Line = z.infer<typeof Line>;

export interface Transaction {
  readonly line: Line;
  readonly guards?: readonly Guard[];
}

export interface Committer {
  /**
   * Resolves when the line is durable; what was not acknowledged may be lost in a crash, what was is not.
   * Throws `GuardFailed` synchronously-in-effect (nothing was taken), `StorageFailed` when the disk failed: final.
   */
  commit(transaction: Transaction): Promise<void>;
}
