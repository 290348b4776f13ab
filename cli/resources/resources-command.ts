import type { ResourceState } from "../../shared/contract/resources.ts";
import type { ResourceType } from "../../shared/contract/resource-type.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { listPages } from "../lists/list-pages.ts";
import { toUpper } from "../flags/option-values.ts";
import { type PagingFlags, withPaging } from "../flags/paging-flags.ts";
import { readLive } from "./read-live.ts";
import { releaseCommand } from "./release-command.ts";

export function resourcesCommand(context: CliContext): Command {
  return new Command("resources")
    .description("Resources that your runs created: list, get, events, release")
    .examples("mkt resources")
    .addCommand(listResourcesCommand(context), { isDefault: true })
    .addCommand(getResourceCommand(context))
    .addCommand(resourceEventsCommand(context))
    .addCommand(releaseCommand(context));
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
    .option("--state <state>", "only in this state, such as ACTIVE", toUpper)
    .examples("mkt resources --state ACTIVE --json")
    .action(async ({ provider, type, state, ...paging }: ListFlags) => {
      const client = await context.client();
      const filters = {
        ...(provider !== undefined && { provider }),
        // Which types and states there are is for the service to say.
        ...(type !== undefined && { resourceType: type as ResourceType }),
        ...(state !== undefined && { state: state as ResourceState }),
      };
      const found = await listPages(
        context,
        paging,
        (page) => client.listResources({ query: { ...page, ...filters } }),
        async () =>
          (await import("./ResourceScreens.tsx")).createResourceList({ hasFilters: Object.keys(filters).length > 0 }),
      );
      if (found > 0) return;
      await (await import("./explain-no-resources.ts")).explainNoResources(context, client, filters);
    });
}

function getResourceCommand(context: CliContext): Command {
  return new Command("get")
    .description("Show a resource; with --live, its current state at the provider")
    .argument("<resourceId>")
    .option("--live", "ask the provider too")
    .examples("mkt resources get 01JV8Z… --live")
    .action(async (resourceId: string, flags: { live?: true }) => {
      context.suggest(404, "mkt resources");
      const client = await context.client();
      const resource = await client.getResource({ params: { resourceId } });
      const shown = flags.live ? { ...resource, live: await readLive(client, resource) } : resource;
      await context.output.show(shown, async () => (await import("./ResourceScreens.tsx")).ResourceDetail);
    });
}

function resourceEventsCommand(context: CliContext): Command {
  return withPaging(new Command("events"))
    .description("What happened to a resource, oldest first")
    .argument("<resourceId>")
    .examples("mkt resources events 01JV8Z…")
    .action(async (resourceId: string, paging: PagingFlags) => {
      context.suggest(404, "mkt resources");
      const client = await context.client();
      await listPages(
        context,
        paging,
        (query) => client.listResourceEvents({ params: { resourceId }, query }),
        async () => (await import("./ResourceScreens.tsx")).ResourceEvents,
      );
    });
}
