import type { SecretVerdict } from "../../shared/contract/secret-verdicts.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";

const view = async () => (await import("./SecretScreens.tsx")).VerdictList;

/** Calls providers with the free call of their files, and says which secrets they refuse. */
export function testSecretsCommand(context: CliContext): Command {
  return new Command("test")
    .description("Test secrets with a free call: of one provider, or of all that have one set")
    .examples("mkt secrets test")
    .argument("[provider]")
    .action(async (provider?: string) => {
      context.suggest(404, "mkt catalog list");
      const client = await context.client();
      const slugs = provider === undefined ? await testable(context) : [provider];
      const items: SecretVerdict[] = [];
      for (const slug of slugs) {
        try {
          items.push(await client.testSecrets({ params: { provider: slug } }));
        } catch (error) {
          if (provider !== undefined || !(error instanceof ServiceError)) throw error;
          await context.output.note(error.message);
        }
      }
      await context.output.list({ items }, items, view);
      if (items.some(({ verdict }) => verdict === "failing")) context.exitCode = exitCodes.notSetUp;
    });
}

/** What is known without calling anybody. */
export function verdictsCommand(context: CliContext): Command {
  return new Command("verdicts")
    .description("List whether secrets work, as far as runs and tests have shown")
    .examples("mkt secrets verdicts --json")
    .action(async () => {
      const client = await context.client();
      const verdicts = await client.listSecretVerdicts({});
      await context.output.list(verdicts, verdicts.items, view);
    });
}

async function testable(context: CliContext): Promise<string[]> {
  const client = await context.client();
  const { items } = await client.listSecretVerdicts({});
  return items.filter(({ canBeTested }) => canBeTested).map(({ provider }) => provider);
}
