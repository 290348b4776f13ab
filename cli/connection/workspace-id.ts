import type { Client } from "../../shared/client/client.ts";
import { CliError } from "../cli-error.ts";
import type { CliContext } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { didYouMean } from "../help/near-misses.ts";

/**
 * The workspace that an operator's command is for: the one of `--workspace` or `MKT_WORKSPACE`, by id, slug or name,
 * else the caller's own. Rejects with not found, naming what is near.
 */
export async function findWorkspaceId(context: CliContext, client: Client): Promise<string> {
  const { workspace: named } = await context.settings();
  if (named === undefined) {
    const { workspace } = await client.whoami();
    if (workspace) return workspace.workspaceId;
    throw new CliError(exitCodes.usage, "Your key belongs to no workspace: name one with --workspace.", {
      next: "mkt workspaces",
    });
  }
  const { items } = await client.listAdminWorkspaces();
  const found =
    items.find(({ workspaceId }) => workspaceId === named.value) ??
    items.find(({ slug }) => slug === named.value) ??
    items.find(({ name }) => name === named.value);
  if (found) return found.workspaceId;
  const near = didYouMean(
    named.value,
    items.map(({ slug, workspaceId }) => slug || workspaceId),
  );
  throw new CliError(exitCodes.notFound, `There is no workspace "${named.value}" (from ${named.from}).${near}`, {
    next: "mkt workspaces",
  });
}
