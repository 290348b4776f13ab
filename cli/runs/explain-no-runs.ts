import type { Client } from "../../shared/client/client.ts";
import type { RunListItem, RunPage } from "../../shared/contract/runs.ts";
import { type RunFilterFlags, toRunFilters } from "./run-filter-flags.ts";
import type { CliContext } from "../command/context.ts";
import { targetWords } from "../words/target.ts";
import { exactTime, timeWords } from "../words/time-words.ts";
import { findNearMisses } from "../core/near-misses.ts";
import { ifItSays, nearOrThere } from "../lists/near-or-there.ts";
import { namedProvider, noteUnknownNames } from "../lists/unknown-names.ts";

/** So many labels are tried at most. */
const MOST_TRIED = 3;

type FilterName = keyof RunFilterFlags;

/**
 * Says on stderr which of the filters let no run through, and what would: a filter may be mistyped. Asks the service once for
 * each filter, for runs that pass the others; nothing with `--quiet`, and nothing where no filter is set.
 */
export async function explainNoRuns(context: CliContext, client: Client, filters: RunFilterFlags): Promise<void> {
  const names = Object.keys(filters).filter((name) => filters[name as FilterName] !== undefined) as FilterName[];
  if (context.flags.quiet || names.length === 0) return;
  const noTime = emptyRange(filters);
  if (noTime !== undefined) return await context.output.note(noTime);
  const said = await Promise.all(names.map((name) => ifItSays(explainFilter(client, filters, name))));
  const sentences = said.filter((sentence) => sentence !== undefined);
  if (sentences.length > 0) {
    const among = names.length > 1 ? "Of what passes the other filters, no run" : "No run";
    for (const sentence of sentences) await context.output.note(`${among} ${sentence}`);
    return;
  }
  const anyRun = await ifItSays(client.listRuns({ query: { limit: 1 } }));
  if (anyRun !== undefined && anyRun.items.length > 0) {
    await context.output.note(
      `No run passes these filters. Without them there are some: ${context.output.command("runs")}`,
    );
  }
  await noteUnknownNames(context, client, namedProvider(filters), 0);
}

/** As `explainNoRuns`, for sums: by a tag that no run has all of them are in one. */
export async function explainNoUsage(
  context: CliContext,
  client: Client,
  { by, ...range }: { by: string; since?: string; until?: string },
): Promise<void> {
  const [, tag] = /^tag:(.+)$/s.exec(by) ?? [];
  const { items } = (tag !== undefined && (await ifItSays(newestRuns(client, range)))) || { items: [] };
  if (tag === undefined || items.length === 0) return await explainNoRuns(context, client, range);
  if (items.some((run) => Object.hasOwn(run.tags ?? {}, tag))) return;
  await context.output.note(`No run ${tagWords(tag, items)}`);
}

function newestRuns(client: Client, filters: RunFilterFlags): Promise<RunPage> {
  return client.listRuns({ query: { ...toRunFilters(filters), limit: 100 } });
}

/** Behind `No run`; undefined where no run passes the others either. */
async function explainFilter(client: Client, filters: RunFilterFlags, name: FilterName): Promise<string | undefined> {
  const value = filters[name] ?? "";
  const { items } = await newestRuns(client, { ...filters, [name]: undefined });
  const [newest] = items;
  if (newest === undefined) return undefined;
  switch (name) {
    case "provider":
      return `is of the provider "${value}".${nearOrThere(
        value,
        items.map(({ provider }) => provider),
      )}`;
    case "endpoint":
      return `is of the endpoint "${value}".${endpointWords(value, items)}`;
    case "status":
      return `is ${value.split(",").join(" or ")}.${nearOrThere(
        value,
        items.map(({ status }) => status),
      )}`;
    case "tag":
      return tagWords(value, items);
    case "keyLabel":
      return `is made with the key "${value}".${nearOrThere(value, await labelsThatFit(client, filters, value))}`;
    case "since":
      return `is as new as ${exactTime(value)}: the newest is of ${timeWords(newest.createdAt)}.`;
    case "until":
      return `is from before ${exactTime(value)}.`;
  }
}

/** As it is in a target, `atlas/sun`, the endpoint has its provider in front. */
function endpointWords(value: string, runs: readonly RunListItem[]): string {
  const target = runs.find((run) => targetWords(run) === value);
  if (target !== undefined) return ` Did you mean --provider ${target.provider} --endpoint ${target.endpoint}?`;
  const path = value.startsWith("/") ? value : `/${value}`;
  return nearOrThere(
    path,
    runs.map(({ endpoint }) => endpoint),
  );
}

function tagWords(value: string, runs: readonly RunListItem[]): string {
  const [name = "", wanted = ""] = splitOnce(value, ":");
  const tags = runs.flatMap((run) => Object.entries(run.tags ?? {}));
  const values = tags.filter(([tag]) => tag === name).map((tag) => tag.join("="));
  if (values.length > 0) return `has the tag ${name}=${wanted}.${nearOrThere(`${name}=${wanted}`, values)}`;
  return `has a tag named "${name}".${nearOrThere(
    name,
    tags.map(([tag]) => tag),
  )}`;
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** A run does not name its key; sums do, of all runs: what is near is tried. */
async function labelsThatFit(client: Client, filters: RunFilterFlags, value: string): Promise<string[]> {
  const { items } = await client.getUsage({ query: { groupBy: "key" } });
  const labels = items.flatMap(({ group }) => (group === null ? [] : [group]));
  const near = findNearMisses(value, labels);
  const fit = await Promise.all(
    (near.length > 0 ? near : labels.slice(0, MOST_TRIED)).map(async (keyLabel) => {
      const runs = await client.listRuns({ query: { ...toRunFilters({ ...filters, keyLabel }), limit: 1 } });
      return runs.items.length > 0 ? [keyLabel] : [];
    }),
  );
  return fit.flat();
}

/** Why nothing can be in a range of time, whatever there is; undefined where something can. Instants in UTC. */
function emptyRange(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  nowMs = Date.now(),
): string | undefined {
  const [from, to] = [since, until].map((instant) => (instant === undefined ? Number.NaN : Date.parse(instant)));
  if (since !== undefined && until !== undefined && Number(to) <= Number(from)) {
    return `--until is ${to === from ? "the same as" : "before"} --since: nothing is from ${exactTime(since)} to ${exactTime(until)}. Did you swap them?`;
  }
  if (since !== undefined && Number(from) > nowMs) {
    return `--since is in the future: ${exactTime(since)}. A duration such as 2h lies in the past.`;
  }
  return undefined;
}
