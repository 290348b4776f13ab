import type { Client } from "../../shared/client/client.ts";
import { CliError } from "../core/cli-error.ts";
import { exitCodes } from "../core/exit-codes.ts";

/** The workspace of an operator's command: the named one, which the service looks up, else the caller's own. */
export async function findWorkspaceId(client: Client): Promise<string> {
  const { workspace } = await client.whoami();
  if (workspace) return workspace.workspaceId;
  throw new CliError(exitCodes.usage, "Your key belongs to no workspace: name one with --workspace.", {
    next: "mkt workspaces",
  });
}
