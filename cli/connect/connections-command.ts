import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { confirm } from "../input/confirm.ts";

export function connectionsCommand(context: CliContext): Command {
  return new Command("connections")
    .description("Accounts that the workspace has connected at providers: list, show, remove")
    .examples("mkt connections")
    .addCommand(listConnectionsCommand(context), { isDefault: true })
    .addCommand(showConnectionCommand(context))
    .addCommand(removeConnectionCommand(context));
}

function listConnectionsCommand(context: CliContext): Command {
  return new Command("list")
    .description("List the connected accounts (what `mkt connections` alone does)")
    .examples("mkt connections --fields provider,state")
    .action(async () => {
      const client = await context.client();
      const found = await client.listConnections();
      await context.output.list(
        found,
        found.items,
        async () => (await import("./ConnectionScreens.tsx")).ConnectionTable,
      );
    });
}

function showConnectionCommand(context: CliContext): Command {
  return new Command("show")
    .description("Show a connected account: who connected it, what it may do, whether it works")
    .argument("<provider>")
    .examples("mkt connections show acme")
    .action(async (provider: string) => {
      context.suggest(404, "mkt connections");
      const client = await context.client();
      const connection = await client.getConnection({ params: { provider } });
      await context.output.show(connection, async () => (await import("./ConnectionScreens.tsx")).ConnectionDetail);
    });
}

function removeConnectionCommand(context: CliContext): Command {
  return new Command("remove")
    .description("Revoke a connected account at its provider, where that is offered, and forget it")
    .argument("<provider>")
    .examples("mkt connections remove acme --yes")
    .action(async (provider: string) => {
      context.suggest(404, "mkt connections");
      const client = await context.client();
      await confirm(context, `Remove the connection to ${provider}? Runs of the workspace cannot use it from then on.`);
      const { revoked, why } = await client.deleteConnection({ params: { provider } });
      const atProvider = revoked
        ? "The provider has revoked it."
        : `The provider did not revoke it: ${why ?? "unknown"}.`;
      await context.output.done(`The connection to ${provider} is forgotten. ${atProvider}`);
    });
}
