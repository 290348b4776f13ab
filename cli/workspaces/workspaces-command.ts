import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { idempotent } from "../flags/idempotency-key.ts";

export function workspacesCommand(context: CliContext): Command {
  return new Command("workspaces")
    .description("Your workspaces; operators make new ones")
    .examples("mkt workspaces")
    .addCommand(listWorkspacesCommand(context), { isDefault: true })
    .addCommand(createWorkspaceCommand(context));
}

function listWorkspacesCommand(context: CliContext): Command {
  return new Command("list")
    .description("List the workspaces that you belong to (what `mkt workspaces` alone does)")
    .examples("mkt workspaces --fields workspaceId,slug")
    .option("--all", "all of the service (operator)")
    .action(async (flags: { all?: true }) => {
      const client = await context.client();
      if (flags.all) {
        const all = await client.listAdminWorkspaces();
        return await context.output.list(
          all,
          all.items,
          async () => (await import("./WorkspaceScreens.tsx")).AllWorkspaces,
        );
      }
      const answer = await client.listWorkspaces();
      await context.output.list(
        answer,
        answer.workspaces,
        async () => (await import("./WorkspaceScreens.tsx")).WorkspaceList,
      );
    });
}

function createWorkspaceCommand(context: CliContext): Command {
  return new Command("create")
    .description("Make a workspace (operator)")
    .argument("<name>")
    .option("--slug <slug>", "a short name for addresses and flags")
    .examples("mkt workspaces create Science --slug science")
    .action(async (name: string, flags: { slug?: string }) => {
      const client = await context.client();
      const workspace = await client.createAdminWorkspace({ body: { name, ...flags } }, idempotent());
      await context.output.show(workspace, async () => (await import("./WorkspaceScreens.tsx")).WorkspaceCreated);
    });
}
