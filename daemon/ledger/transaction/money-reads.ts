import type { WorkspaceId } from "../../base/ids.ts";
import type { MicroDollars } from "../../../shared/micro-dollars.ts";
import type { ApprovalRuleRecord } from "../records/approval-records.ts";
import type { ControlRecord } from "../records/control-records.ts";
import type { SpendPeriod } from "../money/spend-windows.ts";
import type { KeyRecord } from "../records/identity-records.ts";
import type { WebhookRecord } from "../records/webhook-records.ts";
import type { ScheduleRecord } from "../records/schedule-records.ts";

/** Whose money it is, and which of its keys spends it. */
export interface Spender {
  readonly workspaceId: WorkspaceId;
  readonly keyId?: string | undefined;
  /** The schedule that it is spent for. */
  readonly scheduleId?: string | undefined;
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
  /** The webhooks of the workspace, in the order of creation. */
  readonly webhooks: readonly WebhookRecord[];
  /** In the order of creation. */
  readonly approvalRules: readonly ApprovalRuleRecord[];
  /** Absent without a key. */
  readonly key: KeyRecord | undefined;
  /** The key's ancestors with a spend limit; its spending counts against theirs too. */
  readonly limitedBy: readonly KeyRecord[];
  /** Actors of the keys and the user that made the key, directly or through others, nearest first. */
  makers(): readonly string[];
  /** The schedule that spends; absent for other spenders, and when it was deleted. */
  readonly schedule?: ScheduleRecord | undefined;
  /**
   * The time that decides the window. It is never before the time of an already metered run, so that setting the clock
   * back does not reopen a window.
   */
  meteredAt(at: string): string;
  /** Of the window that `at` (from `meteredAt`) lies in. */
  spending(
    of: "workspace" | Pick<KeyRecord, "keyId"> | Pick<ScheduleRecord, "scheduleId">,
    period: SpendPeriod,
    at: string,
  ): Spending;
}
