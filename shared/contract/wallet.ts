import { z } from "zod";
import { Hints } from "./hints.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";

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

/** Dollars; never cached. Contract semantics, 6 and 17. */
export const WalletBalanceResponse = z
  .object({
    balance: WalletMonetaryAmount.meta({ description: "Spendable: live minus held; may be negative." }),
    held: WalletMonetaryAmount.meta({ description: "Reserved for runs in flight." }),
    topup: TopupPointers.optional(),
    hints: Hints.optional(),
    unlimited: z
      .literal(true)
      .optional()
      .meta({ description: "The wallet refuses no run; the ledger is written all the same." }),
  })
  .meta({ id: "WalletBalanceResponse" });
export type WalletBalanceResponse = z.infer<typeof WalletBalanceResponse>;

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
};
