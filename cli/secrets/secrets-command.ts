import { confirm } from "../input/confirm.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { askUnseen } from "../input/ask.ts";
import { refusedInput, usageError } from "../core/cli-error.ts";
import { testSecretsCommand, verdictsCommand } from "./test-command.ts";
import { readAll } from "../input/read-input.ts";

export function secretsCommand(context: CliContext): Command {
  return new Command("secrets")
    .description("Secrets of providers: set, list, test, remove (operator)")
    .examples("mkt secrets")
    .addCommand(listSecretsCommand(context), { isDefault: true })
    .addCommand(setSecretCommand(context))
    .addCommand(testSecretsCommand(context))
    .addCommand(verdictsCommand(context))
    .addCommand(removeSecretCommand(context));
}

function listSecretsCommand(context: CliContext): Command {
  return new Command("list")
    .description("List what is stored, without the values (what `mkt secrets` alone does)")
    .examples("mkt secrets --fields name,overridden")
    .action(async () => {
      const client = await context.client();
      const secrets = await client.listSecrets();
      await context.output.list(secrets, secrets.items, async () => (await import("./SecretScreens.tsx")).SecretList);
    });
}

function setSecretCommand(context: CliContext): Command {
  return new Command("set")
    .description("Store a secret: the value is read from standard input, or typed without being shown")
    .argument("<name>", "the name; an environment variable of this name comes first")
    .examples("mkt secrets set ACME_API_KEY < key.txt")
    .action(async (name: string) => {
      const client = await context.client();
      const value = await readSecret(context, name);
      const secret = await client.putSecret({ params: { name }, body: { value } });
      await context.output.show(secret, async () => (await import("./SecretScreens.tsx")).SecretStored);
    });
}

function removeSecretCommand(context: CliContext): Command {
  return new Command("remove")
    .description("Remove a stored secret")
    .argument("<name>")
    .examples("mkt secrets remove ACME_API_KEY --yes")
    .action(async (name: string) => {
      context.suggest(404, "mkt secrets list");
      const client = await context.client();
      await confirm(context, `Remove ${name}? Providers that need it cannot be called from then on.`);
      await client.deleteSecret({ params: { name } });
      await context.output.done(`${name} is no longer stored.`);
    });
}

/**
 * A secret from standard input, never from the command line, which others can read: what is piped in, without the line break
 * at its end; at a terminal what is typed, which is not shown. Rejects with refused input when nothing came.
 */
async function readSecret(context: CliContext, name: string): Promise<string> {
  const { io } = context;
  const text = io.isTty.stdin ? await typed(context, name) : await readAll(io.stdin);
  const secret = text.replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw refusedInput(`The value of ${name} is read from standard input, which was empty.`, `mkt secrets set ${name}`);
}

async function typed({ io, flags }: CliContext, name: string): Promise<string> {
  if (!flags.input) throw usageError(`The value of ${name} must be piped in, because --no-input disables the prompt.`);
  return await askUnseen(io, `Value of ${name} (not shown): `);
}
