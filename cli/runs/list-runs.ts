import type { CliContext } from "../command/context.ts";
import { listPages } from "../lists/list-pages.ts";
import type { PagingFlags } from "../flags/paging-flags.ts";
import { type RunFilterFlags, toRunFilters } from "./run-filter-flags.ts";

/** Prints the runs that the filters let through, newest first. */
export async function listRuns(
  context: CliContext,
  { limit, cursor, all, ...filters }: RunFilterFlags & PagingFlags,
): Promise<void> {
  const client = await context.client();
  const found = await listPages(
    context,
    { limit, cursor, all },
    (page) => client.listRuns({ query: { ...page, ...toRunFilters(filters) } }),
    async () => (await import("./RunList.tsx")).createRunList({ hasFilters: hasFilters(filters) }),
  );
  if (found === 0) await (await import("./explain-no-runs.ts")).explainNoRuns(context, client, filters);
}

function hasFilters(filters: RunFilterFlags): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
