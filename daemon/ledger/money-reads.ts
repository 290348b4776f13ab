import type { MicroDollars } from "../../shared/micro-dollars.ts";
import type { ControlRecord } from "./control-records.ts";
import type { SpendPeriod } from "./spend-windows.ts";
import type { KeyRecord } from "./identity-records.ts";

/** Whose money it is, and which of its keys spends it. */
export interface Spender {
  readonly workspaceId: string;
  readonly keyId?: string | undefined;
}

/** What was spent and is held in one window; micro-dollars. A hold and its charge count in the window of the hold. */
export interface Spending {
  readonly windowStart: string;
  readonly spent: MicroDollars;
  readonly held: MicroDollars;
}

/** Everything that decides whether a spender may spend, at one moment. */
export interface MoneyReads {
  /** Micro-dollars free to spend; may be below 0. */
  readonly balance: MicroDollars;
  readonly held: MicroDollars;
  /** In the order of creation. */
  readonly controls: readonly ControlRecord[];
  /** Absent without a key. */
  readonly key: KeyRecord | undefined;
  /** The keys with a spend limit that the key comes from: what it spends counts for theirs too. */
  readonly limitedBy: readonly KeyRecord[];
  /**
   * The time that windows are told by: never before one that a run was metered at, so that a clock that is set back opens
   * no window anew.
   */
  meteredAt(at: string): string;
  /** Of the window that `at` (from `meteredAt`) lies in. */
  spending(of: "workspace" | Pick<KeyRecord, "keyId">, period: SpendPeriod, at: string): Spending;
}
