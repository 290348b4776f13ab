import { z } from "zod";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import { getLocale } from "../tables/locales.ts";
import type { SlicedWork } from "../basics/slices.ts";

const MAX_TEXT_CHARACTERS = 10_000;

const locale = z.string().min(1).max(50).default("en");

/**
 * Text segmented and sorted by the rules of a language. Characters are counted as Unicode code points, as JSON Schema
 * does.
 */
export const textRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "POST",
    path: "/text/segments",
    body: z.strictObject({
      text: z.string().refine((text) => [...text].length <= MAX_TEXT_CHARACTERS, {
        message: `must be at most ${MAX_TEXT_CHARACTERS} characters`,
      }),
      locale,
      granularity: z.enum(["word", "sentence", "grapheme"]).default("word"),
    }),
    async answer({ body }, { slices, closing }) {
      const language = getLocale(body.locale);
      const segments = await slices.run(cut(body.text, language, body.granularity), { signal: closing });
      return ok({
        locale: language,
        granularity: body.granularity,
        characters: [...body.text].length,
        count: segments.length,
        segments,
      });
    },
  }),
  atlasRoute({
    method: "POST",
    path: "/text/sort",
    body: z.strictObject({
      items: z.array(z.string().max(500)).min(1).max(1000),
      locale,
      numeric: z.boolean().default(false),
      caseFirst: z.enum(["upper", "lower", "false"]).default("false"),
    }),
    answer({ body }) {
      const language = getLocale(body.locale);
      const order = new Intl.Collator(language, { numeric: body.numeric, caseFirst: body.caseFirst });
      return ok({ locale: language, items: [...body.items].sort((a, b) => order.compare(a, b)) });
    },
  }),
];

/** Words without the spaces and punctuation between them; sentences and graphemes unchanged. */
function* cut(text: string, language: string, granularity: "word" | "sentence" | "grapheme"): SlicedWork<string[]> {
  const segments: string[] = [];
  for (const part of new Intl.Segmenter(language, { granularity }).segment(text)) {
    yield 0;
    if (granularity !== "word" || part.isWordLike === true) segments.push(part.segment);
  }
  return segments;
}
