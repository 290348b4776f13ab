import { usageError } from "../core/cli-error.ts";
import { busyNote } from "../command/busy-note.ts";
import type { CliContext } from "../command/context.ts";
import { READ_AGAIN_WITHIN_MS, retryWhenBusy } from "../connection/retry-when-busy.ts";
import type { DiscoverFilterFlags } from "./discover-filter-flags.ts";

/** What discovery finds, grouped by provider or category. The groups come all at once, without scores. */
export async function discoverGroups(
  context: CliContext,
  q: string,
  by: "provider" | "category",
  { limit, category, tag, explain, ...filters }: DiscoverFilterFlags,
): Promise<void> {
  if (limit !== undefined) throw usageError(`--limit cannot be combined with --by ${by}: all matches are listed.`);
  if (category !== undefined) throw usageError(`--category cannot be combined with --by ${by}.`);
  if (explain) throw usageError(`--explain cannot be combined with --by ${by}: it is for endpoints.`);
  const client = await context.client({ autostart: true });
  const body = { q, ...filters, ...(tag && { tags: tag }) };
  const busy = { withinMs: READ_AGAIN_WITHIN_MS, onBusy: busyNote(context) };
  if (by === "provider") {
    const found = await retryWhenBusy(async () => await client.discoverProviders({ body }), busy);
    await context.output.list(
      found,
      found.items,
      async () => (await import("../registry/RegistryScreens.tsx")).ProviderList,
    );
  } else {
    const found = await retryWhenBusy(async () => await client.discoverCategories({ body }), busy);
    await context.output.list(
      found,
      found.items,
      async () => (await import("../registry/RegistryScreens.tsx")).CategoryTree,
    );
  }
}
