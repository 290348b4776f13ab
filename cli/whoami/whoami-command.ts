import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";

export function whoamiCommand(context: CliContext): Command {
  return new Command("whoami")
    .description("Show who you are to the service, and the source of the address and key")
    .examples("mkt whoami", "mkt whoami --jq .workspace.slug")
    .action(async () => {
      const client = await context.client();
      const caller = await client.whoami();
      await context.output.show(caller, async () => (await import("./Whoami.tsx")).Whoami);
      const { profile, baseUrl, key, workspace } = await context.settings();
      if (context.flags.json) return;
      if (profile.from !== "default") await context.output.note(`Profile ${profile.name}, from ${profile.from}.`);
      if (baseUrl) await context.output.note(`Address ${baseUrl.value}, from ${baseUrl.from}.`);
      if (key) await context.output.note(`The key came from ${key.from}.`);
      if (workspace) await context.output.note(`Workspace ${workspace.value}, from ${workspace.from}.`);
    });
}
