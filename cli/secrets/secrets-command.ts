import { confirm } from "../input/confirm.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { readSecret } from "./read-secret.ts";

export function secretsCommand(context: CliContext): Command {
  return new Command("secrets")
    .description("Secrets that providers' files ask for: set, list, remove (operator)")
    .examples("mkt secrets")
    .addCommand(listSecretsCommand(context), { isDefault: true })
    .addCommand(setSecretCommand(context))
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
    .description("Store a secret: the value is read from standard input, or typed unseen")
    .argument("<name>", "the environment variable that it stands for")
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
