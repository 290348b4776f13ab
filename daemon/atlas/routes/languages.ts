import { z } from "zod";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import { displayNames, getLocale, textDirection } from "../tables/locales.ts";
import { queryIntegerOr } from "./query-values.ts";
import type { SlicedWork } from "../basics/slices.ts";

interface Language {
  readonly code: string;
  readonly name: string;
  /** Its name in the language itself; null when ICU has no data for it. */
  readonly nativeName: string | null;
  readonly script: string | null;
  readonly direction: string | null;
}

/** Languages from CLDR, by their ISO 639 codes. */
export const languageRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "GET",
    path: "/languages",
    query: z.strictObject({
      locale: z.string().min(1).max(50).default("en"),
      search: z.string().min(1).max(100).optional(),
      limit: queryIntegerOr(50, 1, 1000),
    }),
    async answer({ query }, { slices, tables, closing }) {
      const locale = getLocale(query.locale);
      const codes = await slices.run(tables.languageCodesWork(), { signal: closing });
      const found = findLanguages(codes, locale, query.search);
      const languages = await slices.run(describeLanguages(found.slice(0, query.limit)), { signal: closing });
      return ok({ locale, total: found.length, languages });
    },
  }),
];

function findLanguages(codes: readonly string[], locale: string, search: string | undefined) {
  const names = displayNames(locale, "language");
  const english = displayNames("en", "language");
  const order = new Intl.Collator(locale);
  const wanted = search?.toLowerCase();
  return codes
    .map((code) => ({ code, englishName: english.find(code) ?? code }))
    .map(({ code, englishName }) => ({ code, englishName, name: names.find(code) ?? englishName }))
    .filter(
      ({ code, name, englishName }) =>
        wanted === undefined ||
        code === wanted ||
        name.toLowerCase().includes(wanted) ||
        englishName.toLowerCase().includes(wanted),
    )
    .sort((a, b) => order.compare(a.name, b.name));
}

function* describeLanguages(found: readonly { code: string; name: string }[]): SlicedWork<Language[]> {
  const languages: Language[] = [];
  for (const { code, name } of found) {
    yield 0;
    const known = Intl.DisplayNames.supportedLocalesOf(code).length > 0;
    languages.push({
      code,
      name,
      nativeName: known ? (displayNames(code, "language").find(code) ?? null) : null,
      script: new Intl.Locale(code).maximize().script ?? null,
      direction: textDirection(code) ?? null,
    });
  }
  return languages;
}
