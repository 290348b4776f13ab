import { z } from "zod";
import { DiscoverResponse, type DiscoverResult } from "../../../shared/contract/discovery.ts";
import { nothingWords } from "../../discover/nothing-words.ts";
import { priceWords } from "../../words/price-words.ts";
import { targetWords } from "../../words/target.ts";
import { hidesSome, mendingSteps, reasonWords, unavailableWords } from "../../words/unavailable-words.ts";
import { queryInput } from "../tool-input.ts";
import { defineTool, readsOnly } from "../tool.ts";

const input = z.object({
  query: queryInput,
  limit: z.int().min(1).max(50).default(5).describe("How many at most."),
  category: z.string().min(1).optional().describe("Id of a category: only what is in it."),
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
    "Find endpoints by what data they give, described in plain words. Best match first, each with price and health. " +
    "Free. Next: inspect the one that fits.",
  annotations: readsOnly,
  input,
  output: DiscoverResponse,
  async call({ query, maxPrice, ...filters }, { connect, signal }) {
    const body = {
      q: query,
      ...dropUndefined(filters),
      ...(maxPrice !== undefined && { maxPrice: { value: maxPrice, currency: "USD" as const } }),
    };
    const found = await (await connect()).discover({ body }, { signal });
    const hasFilters = Object.keys(body).some((name) => !["q", "limit", "includeUnavailable"].includes(name));
    return { lines: foundLines(found, hasFilters), value: found };
  },
});

function foundLines(found: DiscoverResponse, hasFilters: boolean): string[] {
  const [best] = found.results;
  const lines = found.results.flatMap((result, at) => [`${at + 1}. ${headWords(result)}`, `   ${result.description}`]);
  const unavailable = found.unavailable === undefined || !hidesSome(found) ? [] : [`${unavailableWords(found)}.`];
  const mending = found.unavailable === undefined ? [] : mendingSteps(found.unavailable);
  return [
    ...(best === undefined ? [nothingWords(found, { hasFilters })] : lines),
    ...unavailable,
    ...mending.map(({ what, command }) => `${what}, by a person at a terminal: ${command}`),
    best === undefined
      ? "Next: discover with other words, or read the resource mkt://catalog/categories."
      : `Next: inspect ${JSON.stringify({ provider: best.provider, endpoint: best.endpoint })}`,
  ];
}

function headWords(result: DiscoverResult): string {
  const { metrics, unavailable } = result;
  const time = metrics?.runTimeMs?.p50;
  return [
    targetWords(result),
    priceWords(result.price, result),
    ...(metrics === undefined || metrics.status === "unknown" ? [] : [metrics.status]),
    ...(time === undefined ? [] : [`~${(time / 1000).toFixed(1)} s`]),
    ...(unavailable === undefined ? [] : [`cannot be run now: ${reasonWords(unavailable)}`]),
  ].join(" · ");
}

function dropUndefined<Value extends object>(value: Value): { [K in keyof Value]: Exclude<Value[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof Value]: Exclude<Value[K], undefined>;
  };
}
