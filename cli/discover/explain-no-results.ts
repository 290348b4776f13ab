import type { Client } from "../../shared/client/client.ts";
import type { DiscoverResult } from "../../shared/contract/discovery.ts";
import type { DiscoverFilterFlags } from "./discover-filter-flags.ts";
import { askInWordings } from "./ask-in-wordings.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { ifItSays, nearOrThere } from "../lists/near-or-there.ts";

/** The most that the service gives at once. */
const MOST_RESULTS = 50;

/**
 * For a discovery that found nothing: a sentence for each filter without which something would match, with the values
 * that would. Repeats the query without each filter.
 */
export async function explainNoResults(client: Client, q: string, flags: DiscoverFilterFlags): Promise<string[]> {
  const { tag, maxPrice, mode } = flags;
  const said = await Promise.all([
    tag && explain(client, q, { ...flags, tag: undefined }, (results) => tagWords(tag, results)),
    mode && explain(client, q, { ...flags, mode: undefined }, () => modeWords[mode]),
    maxPrice &&
      explain(client, q, { ...flags, maxPrice: undefined }, () => `costs at most ${dollars(maxPrice.value)}.`),
  ]);
  return said.flatMap((sentence) => (sentence === undefined ? [] : [`Nothing that fits ${sentence}`]));
}

const modeWords = {
  sync: "answers at once. Some answer later: --mode async.",
  async: "answers later. Some answer at once: --mode sync.",
};

async function explain(
  client: Client,
  q: string,
  { tag, ...others }: { [Name in keyof DiscoverFilterFlags]?: DiscoverFilterFlags[Name] | undefined },
  words: (results: readonly DiscoverResult[]) => string,
): Promise<string | undefined> {
  const body = { q, ...others, ...(tag && { tags: tag }), limit: MOST_RESULTS };
  const found = await ifItSays(askInWordings(client, body).then((answer) => answer.found));
  return found === undefined || found.results.length === 0 ? undefined : words(found.results);
}

function tagWords(wanted: readonly string[], results: readonly DiscoverResult[]): string {
  const there = results.flatMap(({ tags }) => tags);
  const known = new Set(there.map((tag) => tag.toLowerCase()));
  const missing = wanted.filter((tag) => !known.has(tag.toLowerCase()));
  if (missing.length === 0) return `has all of the tags ${wanted.join(", ")}.`;
  return `has the tag ${missing.map((tag) => `"${tag}".${nearOrThere(tag, there)}`).join(" Nor the tag ")}`;
}
