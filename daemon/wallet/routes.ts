import { operations } from "../../shared/contract/index.ts";
import type { WalletActivity as WireActivity, WalletTopupConfigResponse } from "../../shared/contract/wallet.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import type { Sealer } from "../http/cursors/sealer.ts";
import type { WalletActivity } from "./wallet-activities.ts";
import { MAX_ADJUSTMENT_DOLLARS, type WalletService } from "./wallet-service.ts";

const DEFAULT_PAGE = 20;
const DAMAGED =
  "The entry of this movement is damaged on the disk of the service; the balance has it. The operator's `mkt doctor` names the place";
const CURSOR = "wallet-activities";

/**
 * The operator of a self-hosted service adds credit with a command: there is no payment, so no fee and no auto top-up.
 */
const topupConfig: WalletTopupConfigResponse = {
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

export interface WalletRoutesParts {
  readonly wallet: WalletService;
  /** Ids of movements are places in the journal, whose numbers all workspaces share. */
  readonly sealer: Pick<Sealer, "seal">;
}

export function walletRoutes({ wallet, sealer }: WalletRoutesParts): Route[] {
  return [
    route(operations.getWalletBalance, async ({ caller }) => {
      const { balance, held } = await wallet.getBalance(caller.workspaceId);
      return reply(200, {
        balance: toMoney(balance),
        held: toMoney(held),
        ...(wallet.unlimited && { unlimited: true as const }),
      });
    }),
    route(operations.getTopupConfig, () => reply(200, topupConfig)),
    route(operations.listWalletActivities, async ({ caller, query: { limit = DEFAULT_PAGE, cursor } }) => {
      const after = cursor === undefined ? undefined : String(decodeCursor(CURSOR, cursor));
      const page = await wallet.listActivities(caller, { limit, ...(after !== undefined && { after }) });
      return reply(200, {
        items: page.items.map((activity) => toWire(activity, sealer)),
        ...(page.damaged.length > 0 && {
          damaged: page.damaged.map((id) => ({ activityId: sealer.seal(`activity ${id}`), message: DAMAGED })),
        }),
        ...(page.next !== undefined && { cursor: encodeCursor(CURSOR, page.next) }),
      });
    }),
  ];
}

function toWire({ activityId, amount, ...facts }: WalletActivity, { seal }: Pick<Sealer, "seal">): WireActivity {
  return { activityId: seal(`activity ${activityId}`), ...facts, amount: toMoney(amount) };
}
