import { z } from "zod";
import { ApprovalLine } from "../lines/approval-lines.ts";
import type { Guard } from "./commit-errors.ts";
import { ConsoleLine } from "../lines/console-lines.ts";
import { ControlLine } from "../lines/control-lines.ts";
import { IdentityLine } from "../lines/identity-lines.ts";
import { ResourceLine } from "../lines/resource-lines.ts";
import { RunLine } from "../lines/run-lines.ts";
import { ScheduleLine } from "../lines/schedule-lines.ts";
import type { MoneyReads, Spender } from "./money-reads.ts";
import { WalletLine } from "../lines/wallet-lines.ts";
import { WebhookLine } from "../lines/webhook-lines.ts";

/** Everything that may be written: one line is one transaction, state and money together (docs/storage.md, P2). */
export const Line = z.discriminatedUnion("t", [
  RunLine,
  IdentityLine,
  WalletLine,
  ControlLine,
  ResourceLine,
  WebhookLine,
  ApprovalLine,
  ScheduleLine,
  ConsoleLine,
]);
export type Line = z.infer<typeof Line>;

/** A line, and the conditions under which it may be accepted. */
export interface PlainTransaction {
  readonly line: Line;
  readonly guards?: readonly Guard[];
}

/**
 * A line that is computed from the money at the moment of its acceptance, with all lines accepted before it: check and
 * hold are one step (docs/storage.md, "Commit"). `write` is pure and synchronous. If it throws, the transaction is
 * refused and `commit` rejects with that error. Guards are checked first.
 */
export interface MoneyTransaction {
  readonly of: Spender;
  readonly write: (money: MoneyReads) => Line;
  readonly guards?: readonly Guard[];
}

export type Transaction = PlainTransaction | MoneyTransaction;

export interface Committer {
  /**
   * Resolves when the line is durable. A crash never loses an acknowledged line, but may lose one that was not
   * acknowledged. Rejects with `GuardFailed` (nothing was written), `DiskFull` if the disk is full and the line can
   * wait (nothing was written), or `StorageFailed` if the disk failed, which is final.
   */
  commit(transaction: Transaction): Promise<void>;
}
