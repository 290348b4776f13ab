import { operations } from "../../shared/contract/index.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import { reply, type Route, route } from "../http/route.ts";
import type { WalletService } from "./wallet-service.ts";

export function walletRoutes({ wallet }: { wallet: WalletService }): Route[] {
  return [
    route(operations.getWalletBalance, async ({ caller }) => {
      const { balance, held } = await wallet.getBalance(caller.workspaceId);
      return reply(200, {
        balance: toMoney(balance),
        held: toMoney(held),
        ...(wallet.unlimited && { unlimited: true as const }),
      });
    }),
  ];
}
