import { z } from "zod";
import { DiscoverResponse, type DiscoverResult } from "../../../shared/contract/discovery.ts";
import { textOfLength } from "../../../shared/contract/common.ts";
import { askInWordings, QUERY_ALONE_WORDS } from "../../discover/ask-in-wordings.ts";
import { fittingResults, nearestWords } from "../../discover/fitting-results.ts";
import { nothingWords } from "../../discover/nothing-words.ts";
import { priceWords } from "../../../shared/words/price-words.ts";
import { targetWords } from "../../words/target.ts";
import {
  betterHidden,
  mendingSteps,
  reasonWords,
  unavailableWords,
  worthNaming,
} from "../../words/unavailable-words.ts";
import { queryInput } from "../tool-input.ts";
import { defineTool, readsOnly } from "../tool.ts";

const input = z.object({
  query: queryInput,
  also: z
    .array(textOfLength(1, 300))
    .max(8)
    .optional()
    .describe(
      "Always give 3 to 6: the same need in other words, in English too. The kind of data (exchange rate), the kind of the " +
        "thing named (Jolteon: Pokémon), what you have in hand (a city name, coordinates), in words that APIs use.",
    ),
  limit: z.int().min(1).max(50).default(5).describe("How many at most."),
  category: z.string().min(1).optional().describe("Id of a category: only what is in it."),
  minScore: z.number().min(0).max(2).optional().describe("0: also what only comes nearest."),
  provider: z.array(z.string().min(1)).min(1).optional().describe("Only these providers, by slug."),
  maxPrice: z
    .number()
    .min(0)
    .optional()
    .describe("Dollars: only what is listed at this or less; nothing that its provider bills without a price here."),
  mode: z
    .enum(["sync", "async"])
    .optional()
    .describe("Only what answers at once, or only what goes on in the background."),
  includeUnavailable: z
    .boolean()
    .optional()
    .describe("Also what cannot be run now: in outage, or without the key that its provider wants."),
});

export const discoverTool = defineTool({
  name: "discover",
  title: "Find data endpoints",
  description:
    "Find endpoints by what data they give, described in plain words, and in other words in also. Best match first, each " +
    "with price and health and how surely it fits: strong, possible or weak. Free. Next: inspect the one that fits.",
  annotations: readsOnly,
  input,
  output: DiscoverResponse,
  async call({ query, maxPrice, ...filters }, { connect, signal }) {
    const body = {
      q: query,
      ...dropUndefined(filters),
      ...(maxPrice !== undefined && { maxPrice: { value: maxPrice, currency: "USD" as const } }),
    };
    const { found, isQueryAlone } = await askInWordings(await connect(), body, { signal });
    const asked = {
      hasFilters: Object.keys(body).some((name) => !NO_FILTERS.includes(name)),
      hasFloor: filters.minScore !== undefined,
    };
    return { lines: [...(isQueryAlone ? [QUERY_ALONE_WORDS] : []), ...foundLines(found, asked)], value: found };
  },
});

/** Members of a body that leave no match out, besides its weak ones. */
const NO_FILTERS = ["q", "also", "limit", "includeUnavailable", "minScore"];

function foundLines(
  found: DiscoverResponse,
  asked: { readonly hasFilters: boolean; readonly hasFloor: boolean },
): string[] {
  const { fitting, nearest } = fittingResults(found.results, asked);
  const best = fitting[0] ?? nearest[0];
  const hidden = betterHidden(found);
  const told = best === undefined ? worthNaming(found) : { ...found, unavailable: hidden };
  const unavailable = hidden === undefined ? [] : [`${unavailableWords(told)}.`];
  const mending = hidden === undefined ? [] : mendingSteps(hidden);
  return [
    ...(best === undefined ? [nothingWords(told, asked)] : []),
    ...fitting.flatMap(resultLines),
    ...(nearest.length > 0 ? [nearestWords({ fitting })] : []),
    ...nearest.flatMap((result, at) => resultLines(result, fitting.length + at)),
    ...unavailable,
    ...mending.map(({ what, command }) => `${what}, by a person at a terminal: ${command}`),
    ...Object.entries(found.hints ?? {}).map(([what, step]) => `${what}: ${String(step)}`),
    best === undefined
      ? "Next: discover with other words, or read the resource mkt://catalog/categories."
      : `Next: inspect ${JSON.stringify({ provider: best.provider, endpoint: best.endpoint })}`,
  ];
}

function resultLines(result: DiscoverResult, at: number): string[] {
  return [`${at + 1}. ${headWords(result)}`, `   ${result.description}`];
}

function headWords(result: DiscoverResult): string {
  const { metrics, unavailable, confidence } = result;
  const time = metrics?.runTimeMs?.p50;
  return [
    targetWords(result),
    priceWords(result.price, result),
    ...(metrics === undefined || metrics.status === "unknown" ? [] : [metrics.status]),
    ...(confidence === undefined ? [] : [`${confidence} match`]),
    ...(time === undefined ? [] : [`~${(time / 1000).toFixed(1)} s`]),
    ...(unavailable === undefined ? [] : [`cannot be run now: ${reasonWords(unavailable)}`]),
  ].join(" · ");
}

function dropUndefined<Value extends object>(value: Value): { [K in keyof Value]: Exclude<Value[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof Value]: Exclude<Value[K], undefined>;
  };
}
