import { Option } from "commander";
import type { DiscoverResponse } from "../../shared/contract/discovery.ts";
import { againLine } from "../output/again-line.ts";
import { busyNote } from "../command/busy-note.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { askInWordings, QUERY_ALONE_WORDS } from "./ask-in-wordings.ts";
import { fittingResults } from "./fitting-results.ts";
import { nothingWords } from "./nothing-words.ts";
import { collect, parseCount, parsePriceCeiling, parseScore } from "../flags/option-values.ts";
import { serviceWords } from "./service-words.ts";
import { hiddenWords, hidesSome, unavailableWords, worthNaming } from "../words/unavailable-words.ts";
import { type AskedNames, findUnknownNames } from "../lists/unknown-names.ts";
import type { Asking } from "./EndpointList.tsx";
import type { DiscoverFilterFlags } from "./discover-filter-flags.ts";
import { forgetCommand } from "./forget-command.ts";
import { usageError } from "../core/cli-error.ts";
import { READ_AGAIN_WITHIN_MS, retryWhenBusy } from "../connection/retry-when-busy.ts";

/** The service's default, for what is printed. */
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 50;

interface DiscoverFlags extends DiscoverFilterFlags {
  by: "endpoint" | "provider" | "category";
}

export function discoverCommand(context: CliContext): Command {
  return new Command("discover")
    .description("Find endpoints by what you need")
    .argument("<words...>")
    .option("--also <words>", "the same need in other words, asked together (repeatable, up to 8)", collect)
    .option("--limit <n>", `maximum number of results (default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT})`, parseCount)
    .option("--category <id>", "only in this category and those below it")
    .option("--provider <slug>", "only of this provider (repeatable)", collect)
    .option("--tag <tag>", "only with this tag (repeatable: with all of them)", collect)
    .option("--max-price <dollars>", "up to this price, 0: free; none that its provider bills", parsePriceCeiling)
    .addOption(
      new Option("--mode <mode>", "only those that answer at once (sync) or later (async)").choices(["sync", "async"]),
    )
    .option("--min-score <score>", "only matches of at least this score, 0 to 2", parseScore)
    .option("--include-unavailable", "also those that cannot be run now, at the end")
    .addOption(
      new Option("--by <what>", "list endpoint, provider or category")
        .choices(["endpoint", "provider", "category"])
        .default("endpoint", "endpoint"),
    )
    .option("--explain", "explain why each was found, and the effect of its health")
    .examples(
      "mkt discover sunrise and sunset",
      'mkt discover is the sun up in Porto --also "sunrise and sunset times" --also "daylight by coordinates"',
      "mkt discover exchange rates --limit 3 --max-price 0.01 --json",
      "mkt discover search the web --include-unavailable --explain",
      "mkt discover time zones --by provider",
    )
    .addCommand(forgetCommand(context))
    .action(async (words: string[], { by, ...flags }: DiscoverFlags) => {
      const query = words.join(" ");
      await (by === "endpoint" ? discoverEndpoints(context, query, flags) : discoverGroups(context, query, by, flags));
    });
}

async function discoverEndpoints(context: CliContext, q: string, flags: DiscoverFilterFlags): Promise<void> {
  const { output } = context;
  const client = await context.client({ autostart: true });
  const { tag, ...filters } = flags;
  const body = { q, ...filters, ...(tag && { tags: tag }) };
  const { found, isQueryAlone } = await askInWordings(client, body, { onBusy: busyNote(context) });
  if (isQueryAlone) await output.note(QUERY_ALONE_WORDS);
  const unknownNames = await findUnknownNames(client, namesToCheck(found, flags));
  const asking = askingOf(context, found, flags, unknownNames.length > 0);
  await output.list(found, found.results, async () => (await import("./EndpointList.tsx")).createEndpointList(asking));
  await noteFindings(context, found, asking);
  for (const note of unknownNames) await output.note(note);
  if (found.results.length > 0 || !hasFilters(flags) || context.flags.quiet) return;
  const { explainNoResults } = await import("./explain-no-results.ts");
  for (const note of await explainNoResults(client, q, flags)) await output.note(note);
}

/** What discovery finds, grouped by provider or category. The groups come all at once, without scores. */
async function discoverGroups(
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

function askingOf(
  { argv }: CliContext,
  found: DiscoverResponse,
  flags: DiscoverFilterFlags,
  hasUnknownFilters: boolean,
): Asking {
  const seeMore = flagsToSeeMore(found, flags);
  return {
    withUnavailable: againLine(argv, ...seeMore),
    flagsForUnavailable: seeMore.flat().join(" "),
    hasFloor: flags.minScore !== undefined,
    hasFilters: hasFilters(flags),
    hasUnknownFilters,
    explains: flags.explain === true,
    again: (name, value) => againLine(argv, [name, value]),
  };
}

/** What a screen shows about the whole answer, and lines of results do not. */
async function noteFindings(
  { flags: { json }, output }: CliContext,
  found: DiscoverResponse,
  asking: Asking,
): Promise<void> {
  const { services = [] } = found;
  if (json === true || output.drawsScreens) return;
  for (const service of services) await output.note(serviceWords(service));
  const nothingFits = fittingResults(found.results, asking).fitting.length === 0;
  const told = nothingFits && !asking.explains ? worthNaming(found) : found;
  if (nothingFits) await output.note(nothingWords(told, { ...asking, nearest: found.results.length }));
  const hidden = nothingFits || asking.explains ? sentenceOfHidden(told) : hiddenWords(found);
  if (hidden !== undefined) await output.note(`${hidden}. To see: ${asking.withUnavailable}`);
}

function sentenceOfHidden(found: DiscoverResponse): string | undefined {
  return hidesSome(found) ? unavailableWords(found) : undefined;
}

/**
 * What cannot be run comes last, so nobody would see it after a full page. If some of it is better, a minimum score
 * above the best match that can be run leaves only those.
 */
function flagsToSeeMore(
  { results, unavailable }: DiscoverResponse,
  { limit = DEFAULT_LIMIT, includeUnavailable }: DiscoverFilterFlags,
): (readonly [name: string, value?: string])[] {
  const unhidden = includeUnavailable === true ? [] : [["--include-unavailable"] as const];
  const best = results.find((result) => result.unavailable === undefined)?.score;
  const better = unavailable?.better ?? 0;
  if (results.length < limit) return unhidden;
  if (best === undefined || better === 0) return [...unhidden, ["--limit", String(MAX_LIMIT)]];
  return [...unhidden, ["--min-score", justAbove(best)]];
}

/** The next score as `--min-score` takes it. */
function justAbove(score: number): string {
  return String(Math.min(2, (Math.floor(score * 1000) + 1) / 1000));
}

function hasFilters({ category, provider, tag, maxPrice, mode }: DiscoverFilterFlags): boolean {
  return [category, provider, tag, maxPrice, mode].some((filter) => filter !== undefined);
}

/** Filters without results may be mistyped. */
function namesToCheck({ results }: DiscoverResponse, { category, provider = [] }: DiscoverFilterFlags): AskedNames {
  return {
    category: results.length === 0 ? category : undefined,
    providers: provider.filter((slug) => results.every((result) => result.provider !== slug)),
  };
}
