import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { findWorkspaceId } from "../connection/workspace-id.ts";

export function usersCommand(context: CliContext): Command {
  return new Command("users")
    .description("Users (operator)")
    .examples("mkt users add ada --workspace research")
    .addCommand(addUserCommand(context));
}

function addUserCommand(context: CliContext): Command {
  return new Command("add")
    .description("Add a user to the workspace of --workspace, or to your own")
    .argument("<name>")
    .option("--email <address>")
    .examples("mkt users add ada --workspace research")
    .action(async (username: string, flags: { email?: string }) => {
      const client = await context.client();
      const workspaceId = await findWorkspaceId(client);
      const user = await client.createAdminUser({ body: { username, workspaceId, ...flags } }, idempotent());
      await context.output.show(user, async () => (await import("./WorkspaceScreens.tsx")).UserAdded);
    });
}
