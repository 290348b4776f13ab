import { z } from "zod";
import { WalletBalanceResponse } from "../../../shared/contract/wallet.ts";
import { dollars } from "../../../shared/words/money-words.ts";
import { defineTool, readsOnly } from "../tool.ts";

export const balanceTool = defineTool({
  name: "balance",
  title: "Balance of the wallet",
  description: "What the workspace has left to spend, and what is held for open runs. Free.",
  annotations: readsOnly,
  input: z.object({}),
  output: WalletBalanceResponse,
  async call(_, { connect, signal }) {
    const wallet = await (await connect()).getWalletBalance({}, { signal });
    const limit = wallet.unlimited === true ? " The wallet refuses no run." : "";
    const line = `Left to spend: ${dollars(wallet.balance.value)}. Held for open runs: ${dollars(wallet.held.value)}.${limit}`;
    return { lines: [line], value: wallet };
  },
});
