import { Command } from "commander";
import type { ResourceState } from "../../shared/contract/resources.ts";
import type { ResourceType } from "../../shared/contract/runs.ts";
import { confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { type PagingFlags, withPaging } from "../paging-flags.ts";
import { readLive } from "../read-live.ts";
import { shellLine } from "../shell-line.ts";

export function resourcesCommand(context: CliContext): Command {
  return new Command("resources")
    .description("What your runs made and you rent: list, get, events, release")
    .addCommand(listResourcesCommand(context), { isDefault: true })
    .addCommand(getResourceCommand(context))
    .addCommand(resourceEventsCommand(context))
    .addCommand(releaseResourceCommand(context));
}

interface ListFlags extends PagingFlags {
  provider?: string;
  type?: string;
  state?: string;
}

function listResourcesCommand(context: CliContext): Command {
  return withPaging(new Command("list"))
    .description("List resources, newest first (what `mkt resources` alone does)")
    .option("--provider <slug>", "only of this provider")
    .option("--type <type>", "only of this type, such as phone_number (with --provider)")
    .option("--state <state>", "only in this state, such as ACTIVE")
    .addHelpText("after", "\nExample:\n  mkt resources --state ACTIVE --json")
    .action(async ({ type, state, ...filters }: ListFlags) => {
      const client = await context.client();
      const page = await client.listResources({
        query: {
          ...filters,
          // Which types and states there are is for the service to say.
          ...(type !== undefined && { resourceType: type as ResourceType }),
          ...(state !== undefined && { state: state as ResourceState }),
        },
      });
      await context.output.list(page, page.items, async () => (await import("../views/Resources.tsx")).ResourceList);
      await context.noteNextPage(page.cursor);
    });
}

function getResourceCommand(context: CliContext): Command {
  return new Command("get")
    .description("Show a resource, with --live as its provider has it now")
    .argument("<resourceId>")
    .option("--live", "ask the provider too")
    .addHelpText("after", `\nExample:\n  ${shellLine("mkt", "resources", "get")} 01JV8Z… --live`)
    .action(async (resourceId: string, flags: { live?: true }) => {
      context.suggest(404, "mkt resources");
      const client = await context.client();
      const resource = await client.getResource({ params: { resourceId } });
      const shown = flags.live ? { ...resource, live: await readLive(client, resource) } : resource;
      await context.output.show(shown, async () => (await import("../views/Resources.tsx")).ResourceDetail);
    });
}

function resourceEventsCommand(context: CliContext): Command {
  return withPaging(new Command("events"))
    .description("What happened to a resource, oldest first")
    .argument("<resourceId>")
    .addHelpText("after", "\nExample:\n  mkt resources events 01JV8Z…")
    .action(async (resourceId: string, query: PagingFlags) => {
      context.suggest(404, "mkt resources");
      const client = await context.client();
      const page = await client.listResourceEvents({ params: { resourceId }, query });
      await context.output.list(page, page.items, async () => (await import("../views/Resources.tsx")).ResourceEvents);
      await context.noteNextPage(page.cursor);
    });
}

function releaseResourceCommand(context: CliContext): Command {
  return new Command("release")
    .description("Give a resource back; what is paid for stays usable until then")
    .argument("<resourceId>")
    .addHelpText("after", "\nExample:\n  mkt resources release 01JV8Z… --yes")
    .action(async (resourceId: string) => {
      context.suggest(404, "mkt resources");
      context.suggest(409, shellLine("mkt", "resources", "get", resourceId));
      const client = await context.client();
      await confirm(context, `Release the resource ${resourceId}? It is given back to its provider for good.`);
      const accepted = await client.releaseResource({ params: { resourceId } });
      await context.output.show(accepted, async () => (await import("../views/Resources.tsx")).ResourceReleasing);
    });
}
