import type { WorkspaceId } from "../base/ids.ts";
import type { MicroDollars } from "../../shared/micro-dollars.ts";
import type { ControlRecord } from "./control-records.ts";
import type { SpendPeriod } from "./spend-windows.ts";
import type { KeyRecord } from "./identity-records.ts";

/** Whose money it is, and which of its keys spends it. */
export interface Spender {
  readonly workspaceId: WorkspaceId;
  readonly keyId?: string | undefined;
}

/** Amounts spent and held in one window; micro-dollars. A charge counts in the window of its hold. */
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
  /** The key's ancestors with a spend limit; its spending counts against theirs too. */
  readonly limitedBy: readonly KeyRecord[];
  /**
   * The time that decides the window. It is never before the time of an already metered run, so that setting the clock
   * back does not reopen a window.
   */
  meteredAt(at: string): string;
  /** Of the window that `at` (from `meteredAt`) lies in. */
  spending(of: "workspace" | Pick<KeyRecord, "keyId">, period: SpendPeriod, at: string): Spending;
}
