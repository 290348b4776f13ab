import { InvalidArgumentError } from "commander";
import { keepUnwritten } from "../command/keep-unwritten.ts";
import type { ApiKeyStatus, CreateApiKeyRequest } from "../../shared/contract/api-keys.ts";
import type { SpendLimit } from "../../shared/contract/key-limits.ts";
import type { KeyRole } from "../../shared/contract/roles.ts";
import type { Scope } from "../../shared/contract/scopes.ts";
import { usageError } from "../core/cli-error.ts";
import { confirm } from "../input/confirm.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { idempotent } from "../flags/idempotency-key.ts";
import { futureTimeHelp, parseFutureTime } from "../flags/time-flags.ts";
import { listPages } from "../lists/list-pages.ts";
import { collect, toUpper } from "../flags/option-values.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { parseSpendLimit } from "../flags/spend-limit.ts";
import { findWorkspaceId } from "../connection/workspace-id.ts";

export function keysCommand(context: CliContext): Command {
  return new Command("keys")
    .description("API keys: list, create, rename, revoke")
    .examples("mkt keys", "mkt keys create --label ci")
    .addCommand(listKeysCommand(context), { isDefault: true })
    .addCommand(getKeyCommand(context))
    .addCommand(createKeyCommand(context))
    .addCommand(renameKeyCommand(context))
    .addCommand(revokeKeyCommand(context))
    .addCommand(listScopesCommand(context));
}

function listKeysCommand(context: CliContext): Command {
  return withPaging(new Command("list"))
    .description("List keys (what `mkt keys` alone does)")
    .examples("mkt keys --status ACTIVE,EXPIRED,REVOKED")
    .option("--status <list>", "only with these statuses, such as REVOKED", toUpper)
    .action(async (flags: PagingFlags & { status?: string }) => {
      const client = await context.client();
      const { status, ...paging } = flags;
      const filter = status === undefined ? {} : { status: status.split(",") as ApiKeyStatus[] };
      await listPages(
        context,
        paging,
        (page) => client.listApiKeys({ query: { ...page, ...filter } }),
        async () => (await import("./KeyScreens.tsx")).KeyList,
      );
    });
}

interface CreateKeyFlags {
  label: string;
  role?: KeyRole;
  scope?: string[];
  provider?: string[];
  endpoint?: string[];
  spendLimit?: SpendLimit;
  expires?: string;
  operator?: true;
}

function createKeyCommand(context: CliContext): Command {
  return new Command("create")
    .description("Create a key and print it once; operators can use --workspace")
    .requiredOption("--label <label>", "a name for it")
    .option("--role <role>", "member (default), manager or owner", parseRole)
    .option("--scope <scope>", "only this, such as runs:create (repeatable)", collect)
    .option("--provider <provider>", "may run this provider only (repeatable)", collect)
    .option("--endpoint <endpoint>", "may run this endpoint only, such as atlas/sun (repeatable)", collect)
    .option("--spend-limit <amount>", "spending limit per period, such as 5/day", parseSpendLimit)
    .option("--expires <when>", `expires at this time, ${futureTimeHelp}`, parseFutureTime)
    .option("--operator", "give it the operator grant (with --workspace)")
    .examples(
      "mkt keys create --label ci --jq .key -o ci.key",
      "mkt keys create --label lead --role manager --spend-limit 50/month",
      "mkt keys create --label night --scope runs:create --spend-limit 5/day --expires 30d",
      "mkt keys create --label first --role owner --workspace research",
    )
    .action(async (flags: CreateKeyFlags) => {
      const { operator } = flags;
      context.suggest(409, "mkt keys");
      const client = await context.client();
      const body = keyRequest(flags);
      const { workspace } = await context.settings();
      if (operator && workspace === undefined) throw usageError("--operator needs --workspace <id>.", "mkt workspaces");
      const key = operator
        ? await client.createAdminApiKey(
            { params: { workspaceId: await findWorkspaceId(client) }, body: { ...body, operator } },
            idempotent(),
          )
        : await client.createApiKey({ body }, idempotent());
      const keeping = {
        name: "key",
        text: `${JSON.stringify(key, null, 2)}\n`,
        next: context.output.command("keys", "revoke", flags.label),
      };
      await keepUnwritten(context, keeping, () =>
        context.output.show(key, async () => (await import("./KeyScreens.tsx")).KeyCreated, {
          data: key,
          isSecret: true,
        }),
      );
    });
}

const roles: readonly KeyRole[] = ["member", "manager", "owner"];

function parseRole(value: string): KeyRole {
  const role = roles.find((known) => known === value.toLowerCase());
  if (role === undefined) throw new InvalidArgumentError(`It must be one of ${roles.join(", ")}.`);
  return role;
}

/** `member` by default: somebody who is given a key should make runs, not raise budgets. */
function roleOf({ role, scope, operator }: CreateKeyFlags): KeyRole | undefined {
  return role ?? (scope === undefined && !operator ? "member" : undefined);
}

function keyRequest(flags: CreateKeyFlags): CreateApiKeyRequest {
  const { label, scope, provider, endpoint, spendLimit, expires } = flags;
  const role = roleOf(flags);
  return {
    label,
    ...(role && { role }),
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
    .description("Revoke a key immediately and permanently")
    .argument("<label>")
    .examples("mkt keys revoke ci --yes")
    .action(async (label: string) => {
      context.suggest(404, "mkt keys");
      const client = await context.client();
      await confirm(context, `Revoke the key "${label}"? Requests with it will be refused.`);
      const key = await client.revokeApiKey({ params: { label } });
      await context.output.show(key, async () => (await import("./KeyScreens.tsx")).KeyRevoked);
    });
}

function getKeyCommand(context: CliContext): Command {
  return new Command("get")
    .description("Show a key and its limits, without its secret")
    .argument("<label>")
    .examples("mkt keys get ci")
    .action(async (label: string) => {
      context.suggest(404, "mkt keys");
      const client = await context.client();
      await context.output.show(await client.getApiKey({ params: { label } }), keyView);
    });
}

function renameKeyCommand(context: CliContext): Command {
  return new Command("rename")
    .description("Change the label of a key; it keeps working")
    .argument("<label>")
    .argument("<newLabel>")
    .examples("mkt keys rename ci build")
    .action(async (label: string, newLabel: string) => {
      context.suggest(404, "mkt keys");
      const client = await context.client();
      const key = await client.updateApiKey({ params: { label }, body: { label: newLabel } });
      await context.output.show(key, keyView);
    });
}

const keyView = async () => (await import("./KeyScreens.tsx")).KeyDetail;

function listScopesCommand(context: CliContext): Command {
  return new Command("scopes")
    .description("List what a key may be allowed")
    .examples("mkt keys scopes")
    .action(async () => {
      const client = await context.client();
      const scopes = await client.listScopes();
      await context.output.list(scopes, scopes.resources, async () => (await import("./KeyScreens.tsx")).Scopes);
    });
}
