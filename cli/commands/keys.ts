import { Command } from "commander";
import type { ApiKeyStatus, CreateApiKeyRequest, SpendLimit } from "../../shared/contract/api-keys.ts";
import type { Scope } from "../../shared/contract/scopes.ts";
import { usageError } from "../cli-error.ts";
import { confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { idempotent } from "../idempotency-key.ts";
import { parseExpiry, parseSpendLimit } from "../key-limits.ts";
import { collect } from "../option-values.ts";
import { type PagingFlags, withPaging } from "../paging-flags.ts";
import { findWorkspaceId } from "../workspace-id.ts";

export function keysCommand(context: CliContext): Command {
  return new Command("keys")
    .description("API keys: list, create, revoke")
    .addCommand(listKeysCommand(context), { isDefault: true })
    .addCommand(createKeyCommand(context))
    .addCommand(revokeKeyCommand(context));
}

function listKeysCommand(context: CliContext): Command {
  return withPaging(new Command("list"))
    .description("List keys (what `mkt keys` alone does)")
    .option("--status <list>", "only with these statuses, such as REVOKED")
    .action(async (flags: PagingFlags & { status?: string }) => {
      const client = await context.client();
      const { status, ...paging } = flags;
      const page = await client.listApiKeys({
        query: { ...paging, ...(status !== undefined && { status: status.split(",") as ApiKeyStatus[] }) },
      });
      await context.output.list(page, page.items, async () => (await import("../views/Keys.tsx")).KeyList);
      await context.noteNextPage(page.cursor);
    });
}

interface CreateKeyFlags {
  label: string;
  scope?: string[];
  provider?: string[];
  endpoint?: string[];
  spendLimit?: SpendLimit;
  expires?: string;
  operator?: true;
}

function createKeyCommand(context: CliContext): Command {
  return new Command("create")
    .description("Make a key and print it, once; operators make one for --workspace")
    .requiredOption("--label <label>", "a name for it")
    .option("--scope <scope>", "what it may do, such as runs:create (repeatable)", collect)
    .option("--provider <provider>", "may run this provider only (repeatable)", collect)
    .option("--endpoint <endpoint>", "may run this endpoint only, such as atlas/sun (repeatable)", collect)
    .option("--spend-limit <amount>", "may spend so much in each window, such as 5/day", parseSpendLimit)
    .option("--expires <when>", "refused from then on: a time such as 2027-01-01T00:00:00Z, or 30d", parseExpiry)
    .option("--operator", "hand on the operator grant (with --workspace)")
    .addHelpText("after", "\nExample:\n  mkt keys create --label ci --scope runs:create --json | jq -r .key")
    .action(async (flags: CreateKeyFlags) => {
      const { operator } = flags;
      context.suggest(409, "mkt keys");
      const client = await context.client();
      const body = keyRequest(flags);
      const { workspace, key: own } = await context.settings();
      if (operator && workspace === undefined)
        throw usageError("--operator goes with --workspace <id>.", "mkt workspaces");
      const key =
        // An access token's user chooses a workspace of their own with it; an operator names any.
        workspace === undefined || isAccessToken(own?.value ?? "")
          ? await client.createApiKey({ body }, idempotent())
          : await client.createAdminApiKey(
              {
                params: { workspaceId: await findWorkspaceId(context, client) },
                body: { ...body, ...(operator && { operator }) },
              },
              idempotent(),
            );
      await context.output.show(key, async () => (await import("../views/Keys.tsx")).KeyCreated, {
        data: key,
        isSecret: true,
      });
    });
}

/** By its form: three parts, as a JWT has. */
function isAccessToken(credential: string): boolean {
  return credential.split(".").length === 3;
}

function keyRequest({ label, scope, provider, endpoint, spendLimit, expires }: CreateKeyFlags): CreateApiKeyRequest {
  return {
    label,
    // The service judges scopes and times; the types only say what it takes today.
    ...(scope && { scopes: scope as Scope[] }),
    ...(provider && { providers: provider }),
    ...(endpoint && { endpoints: endpoint }),
    ...(spendLimit && { spendLimit }),
    ...(expires !== undefined && { expiresAt: expires }),
  };
}

function revokeKeyCommand(context: CliContext): Command {
  return new Command("revoke")
    .description("Revoke a key, at once and for good")
    .argument("<label>")
    .addHelpText("after", "\nExample:\n  mkt keys revoke ci --yes")
    .action(async (label: string) => {
      context.suggest(404, "mkt keys");
      const client = await context.client();
      await confirm(context, `Revoke the key "${label}"? Whatever uses it is refused from then on.`);
      const key = await client.revokeApiKey({ params: { label } });
      await context.output.show(key, async () => (await import("../views/Keys.tsx")).KeyRevoked);
    });
}
