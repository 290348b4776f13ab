import { z } from "zod";
import { DateTime, NextCursor } from "./common.ts";
import { Hints } from "./hints.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Cursor, Limit100 } from "./query-values.ts";

export const WalletMonetaryAmount = z
  .object({ value: z.number(), currency: z.string() })
  .meta({ id: "WalletMonetaryAmount" });
export type WalletMonetaryAmount = z.infer<typeof WalletMonetaryAmount>;

export const TopupPointers = z
  .object({
    checkout: z.string().optional().meta({ description: "Origin-relative path of the checkout-session operation." }),
    dashboard: z.string().optional(),
    docs: z.string().optional(),
  })
  .meta({ id: "TopupPointers" });
export type TopupPointers = z.infer<typeof TopupPointers>;

/** Dollars; never cached. docs/contract.md, "Balance" and "Unlimited". */
export const WalletBalanceResponse = z
  .object({
    balance: WalletMonetaryAmount.meta({ description: "Spendable: live minus held; may be negative." }),
    held: WalletMonetaryAmount.meta({ description: "Reserved for runs in flight." }),
    topup: TopupPointers.optional(),
    hints: Hints.optional(),
    unlimited: z
      .literal(true)
      .optional()
      .meta({ description: "The wallet refuses no run; the ledger is written anyway." }),
  })
  .meta({ id: "WalletBalanceResponse" });
export type WalletBalanceResponse = z.infer<typeof WalletBalanceResponse>;

/** The fees and limits of topping up; dollars. docs/contract.md, "Credit". */
export const WalletTopupConfigResponse = z
  .object({
    minAmount: z.number(),
    maxAmount: z.number().optional(),
    currency: z.enum(["USD"]),
    processingFee: z.object({ type: z.enum(["PERCENTAGE"]), rate: z.number(), description: z.string() }),
    promotion: z.object({ key: z.string(), label: z.string() }).optional(),
    tiers: z
      .array(z.object({ minAmount: z.number(), rate: z.number() }))
      .meta({ description: "An amount rounds down to a tier." }),
    presets: z.array(z.number()),
    defaultPreset: z.number(),
    autoReload: z.object({ enabled: z.boolean(), topUpToAmount: z.number(), threshold: z.number() }),
  })
  .meta({ id: "WalletTopupConfigResponse" });
export type WalletTopupConfigResponse = z.infer<typeof WalletTopupConfigResponse>;

/** One movement of the ledger; the amounts of all of them sum to the balance. */
export const WalletActivity = z
  .object({
    activityId: z.string(),
    type: z.string().meta({
      "x-known-values": ["TOPUP", "ADJUSTMENT", "RUN_HOLD", "RUN_RELEASE", "RUN_CHARGE", "RESOURCE_CHARGE"],
    }),
    amount: WalletMonetaryAmount.meta({ description: "Positive: added to the balance; negative: taken from it." }),
    runId: z.string().optional(),
    resourceId: z.string().optional(),
    reason: z.string().optional().meta({ description: "What the operator gave as the reason." }),
    createdAt: DateTime,
  })
  .meta({ id: "WalletActivity" });
export type WalletActivity = z.infer<typeof WalletActivity>;

/** An entry that is damaged on the disk: its amount is no longer known, but is still part of the balance. */
export const DamagedActivity = z
  .object({ activityId: z.string(), message: z.string() })
  .meta({ id: "DamagedActivity" });
export type DamagedActivity = z.infer<typeof DamagedActivity>;

export const WalletActivityPage = z
  .object({
    items: z.array(WalletActivity),
    damaged: z
      .array(DamagedActivity)
      .optional()
      .meta({ description: "Entries among these of the workspace that are damaged and cannot be read. Absent: none." }),
    cursor: NextCursor,
  })
  .meta({ id: "WalletActivityPage" });
export type WalletActivityPage = z.infer<typeof WalletActivityPage>;

export const WalletUnavailableError = z
  .object({
    code: z.literal(503),
    message: z.string(),
    walletStatus: z
      .string()
      .nullable()
      .optional()
      .meta({ description: "For example PROVISIONING or FAILED; null when there is no wallet yet." }),
  })
  .meta({ id: "WalletUnavailableError" });
export type WalletUnavailableError = z.infer<typeof WalletUnavailableError>;

export const walletOperations = {
  getWalletBalance: defineOperation({
    ...operationPaths.getWalletBalance,
    tier: "core",
    tag: "Wallet",
    summary: "Balance of the workspace",
    auth: "workspace",
    scope: "wallet:read",
    responses: { 200: WalletBalanceResponse, 503: WalletUnavailableError },
  }),
  getTopupConfig: defineOperation({
    ...operationPaths.getTopupConfig,
    tier: "contract",
    tag: "Wallet",
    summary: "How the wallet is topped up",
    auth: "workspace",
    scope: "wallet:read",
    responses: { 200: WalletTopupConfigResponse, 503: WalletUnavailableError },
  }),
  listWalletActivities: defineOperation({
    ...operationPaths.listWalletActivities,
    tier: "extended",
    tag: "Wallet",
    summary: "Every movement of the wallet, newest first",
    auth: "workspace",
    scope: "wallet:read",
    query: z.object({ limit: Limit100.optional(), cursor: Cursor.optional() }),
    responses: { 200: WalletActivityPage },
    errors: [400],
  }),
};
