import type { Money } from "../../shared/contract/common.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { listPages } from "../lists/list-pages.ts";
import { parseAmount } from "../flags/option-values.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { findWorkspaceId } from "../connection/workspace-id.ts";

export function walletCommand(context: CliContext): Command {
  return new Command("wallet")
    .description("The balance and its history; operators credit and debit it")
    .examples("mkt wallet", "mkt wallet credit 10")
    .addCommand(showWalletCommand(context), { isDefault: true })
    .addCommand(activitiesCommand(context))
    .addCommand(topupCommand(context))
    .addCommand(adjustCommand(context, "credit"))
    .addCommand(adjustCommand(context, "debit"));
}

function showWalletCommand(context: CliContext): Command {
  return new Command("show")
    .description("Show the balance (what `mkt wallet` alone does)")
    .examples("mkt wallet", "mkt wallet --jq .balance.value")
    .action(async () => {
      const client = await context.client();
      const balance = await client.getWalletBalance();
      await context.output.show(balance, async () => (await import("./WalletScreens.tsx")).WalletBalance);
    });
}

function activitiesCommand(context: CliContext): Command {
  return withPaging(new Command("activities"))
    .description("List all activities of the wallet, newest first: credits, holds and payments")
    .examples("mkt wallet activities --limit 20", "mkt wallet activities --all --jsonl")
    .action(async (paging: PagingFlags) => {
      const client = await context.client();
      await listPages(
        context,
        paging,
        (query) => client.listWalletActivities({ query }),
        async () => (await import("./WalletScreens.tsx")).WalletActivities,
      );
    });
}

function topupCommand(context: CliContext): Command {
  return new Command("topup")
    .description("Show how to top up the wallet: amounts and fees")
    .examples("mkt wallet topup")
    .action(async () => {
      const client = await context.client();
      const config = await client.getTopupConfig();
      await context.output.show(config, async () => (await import("./WalletScreens.tsx")).Topup);
    });
}

const adjustments = {
  credit: { operation: "creditWallet", description: "Add money to a wallet (operator)" },
  debit: { operation: "debitWallet", description: "Take money out of a wallet (operator)" },
} as const;

function adjustCommand(context: CliContext, name: keyof typeof adjustments): Command {
  const { operation, description } = adjustments[name];
  return new Command(name)
    .description(`${description}: the wallet of --workspace, or your own`)
    .argument("<dollars>", "such as 10 or 0.5", parseAmount)
    .option("--reason <text>", "kept in the ledger", `mkt wallet ${name}`)
    .examples(`mkt wallet ${name} 5 --reason April`)
    .action(async (amount: Money, flags: { reason: string }) => {
      const client = await context.client();
      const workspaceId = await findWorkspaceId(client);
      const body = { amount, reason: flags.reason };
      const wallet = await client[operation]({ params: { workspaceId }, body }, idempotent());
      await context.output.show(wallet, async () => (await import("./WalletScreens.tsx")).WalletAdjusted);
    });
}
