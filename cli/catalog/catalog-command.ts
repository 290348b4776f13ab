import type { Client } from "../../shared/client/client.ts";
import type { CatalogProviderStatus } from "../../shared/contract/admin.ts";
import { CliError } from "../core/cli-error.ts";
import { confirm } from "../input/confirm.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { didYouMean } from "../core/near-misses.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { listPricesCommand, priceCommand } from "./price-commands.ts";

/** What a running daemon says about its catalog. Commands on files alone (`catalog check`) are mounted beside these. */
export function catalogCommand(context: CliContext): Command {
  return new Command("catalog")
    .description("Provider files: import, check, test, grant, and see what is loaded and missing (operator)")
    .examples("mkt catalog list")
    .addCommand(listCatalogCommand(context))
    .addCommand(priceCommand(context))
    .addCommand(listPricesCommand(context))
    .addCommand(grantCommand(context))
    .addCommand(revokeGrantCommand(context))
    .addCommand(listGrantsCommand(context));
}

function listCatalogCommand(context: CliContext): Command {
  return new Command("list")
    .summary("List providers with what they are missing")
    .description("List providers with what they are missing, and files that could not be used")
    .examples("mkt catalog list", "mkt catalog list --fields provider,missingSecrets.env")
    .action(async () => {
      const client = await context.client();
      const catalog = await client.getAdminCatalog();
      await context.output.list(
        catalog,
        catalog.providers,
        async () => (await import("./CatalogScreens.tsx")).CatalogList,
      );
      if (context.flags.json || context.output.drawsScreens) return;
      for (const { provider, message } of catalog.notLoaded ?? []) await context.output.note(`${provider}: ${message}`);
      for (const error of catalog.errors) {
        const line = error.line === undefined ? "" : `:${error.line}`;
        await context.output.note(`${error.file}${line} ${error.path}: ${error.message} (${error.rule})`);
      }
    });
}

function grantCommand(context: CliContext): Command {
  return new Command("grant")
    .summary("Let a provider's file use what it asks for")
    .description("Let the files of providers use the variables and private hosts that they ask for")
    .argument("<providers...>")
    .examples("mkt catalog grant skywatch --yes", "mkt catalog grant team-acme team-skywatch --yes")
    .action(async (providers: readonly string[]) => {
      const client = await context.client();
      // All are looked up before anything is granted: a slip in one name grants nothing.
      const wishes: string[] = [];
      for (const provider of providers) {
        const { grant } = await findProvider(client, provider);
        const uses = [...grant.variables, ...grant.privateHosts].join(", ") || "nothing beyond its origin";
        wishes.push(`${provider} at ${grant.origin} asks for: ${uses}.`);
      }
      const [only, ...others] = wishes;
      const question = others.length === 0 ? `${only} Grant it?` : `${wishes.join("\n")}\nGrant all of this?`;
      await confirm(context, question, { needsYes: true });
      for (const provider of providers) {
        const granted = await client.createGrant({ body: { provider } });
        await context.output.show(granted, async () => (await import("./CatalogScreens.tsx")).GrantDetail);
      }
    });
}

function revokeGrantCommand(context: CliContext): Command {
  return new Command("revoke")
    .description("Take a grant back")
    .examples("mkt catalog revoke skywatch")
    .argument("<provider>")
    .action(async (provider: string) => {
      context.suggest(404, "mkt catalog list");
      const client = await context.client();
      await client.deleteGrant({ params: { provider } });
      await context.output.note(`${provider} may no longer use what was granted to it.`);
    });
}

function listGrantsCommand(context: CliContext): Command {
  return new Command("grants")
    .description("List what was granted")
    .examples("mkt catalog grants")
    .action(async () => {
      const client = await context.client();
      const grants = await client.listGrants();
      await context.output.list(grants, grants.items, async () => (await import("./CatalogScreens.tsx")).GrantList);
    });
}

async function findProvider(client: Client, provider: string): Promise<CatalogProviderStatus> {
  const { providers, notLoaded = [] } = await client.getAdminCatalog();
  const broken = notLoaded.find((candidate) => candidate.provider === provider);
  if (broken !== undefined) {
    const next = shellLine("mkt", "catalog", "check", broken.file);
    throw new CliError(exitCodes.badProviderFile, `Provider "${provider}" is ${broken.message}`, { next });
  }
  const found = providers.find((candidate) => candidate.provider === provider);
  if (found) return found;
  const near = didYouMean(
    provider,
    providers.map((candidate) => candidate.provider),
  );
  throw new CliError(exitCodes.notFound, `No provider "${provider}" is loaded.${near}`, { next: "mkt catalog list" });
}
