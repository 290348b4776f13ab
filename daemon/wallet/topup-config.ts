import type { WalletTopupConfigResponse } from "../../shared/contract/wallet.ts";
import { MAX_ADJUSTMENT_DOLLARS } from "./wallet-service.ts";

/**
 * The operator of a self-hosted service adds credit with a command: there is no payment, so no fee and no auto top-up.
 */
export const topupConfig: WalletTopupConfigResponse = {
  minAmount: 0.000001,
  maxAmount: MAX_ADJUSTMENT_DOLLARS,
  currency: "USD",
  processingFee: {
    type: "PERCENTAGE",
    rate: 0,
    description: "No fee: the operator of this service credits the wallet with `mkt wallet credit`",
  },
  tiers: [],
  presets: [10, 25, 50, 100],
  defaultPreset: 10,
  autoReload: { enabled: false, topUpToAmount: 0, threshold: 0 },
};
