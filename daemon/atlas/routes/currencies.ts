import { z } from "zod";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import { displayNames, getLocale } from "../tables/locales.ts";
import { queryIntegerOr } from "./query-values.ts";
import type { SlicedWork } from "../basics/slices.ts";

/** Currencies from CLDR, by their ISO 4217 codes, including those no longer in use. */
export const currencyRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "GET",
    path: "/currencies",
    query: z.strictObject({
      locale: z.string().min(1).max(50).default("en"),
      search: z.string().min(1).max(100).optional(),
      limit: queryIntegerOr(50, 1, 500),
    }),
    async answer({ query }, { slices, closing }) {
      const locale = getLocale(query.locale);
      const codes = findCurrencies(locale, query.search);
      const currencies = await slices.run(describeCurrencies(codes.slice(0, query.limit), locale), { signal: closing });
      return ok({ locale, total: codes.length, currencies });
    },
  }),
];

function findCurrencies(locale: string, search: string | undefined): string[] {
  const names = displayNames(locale, "currency");
  const english = displayNames("en", "currency");
  const wanted = search?.toLowerCase();
  return Intl.supportedValuesOf("currency").filter((code) => {
    if (wanted === undefined || code.toLowerCase() === wanted) return true;
    return [names.find(code), english.find(code)].some((name) => name?.toLowerCase().includes(wanted) === true);
  });
}

function* describeCurrencies(codes: readonly string[], locale: string): SlicedWork<object[]> {
  const names = displayNames(locale, "currency");
  const currencies: object[] = [];
  for (const code of codes) {
    yield 0;
    const format = new Intl.NumberFormat(locale, {
      style: "currency",
      currency: code,
      currencyDisplay: "narrowSymbol",
    });
    currencies.push({
      code,
      name: names.find(code) ?? null,
      symbol: format.formatToParts(1).find((part) => part.type === "currency")?.value ?? null,
      decimals: format.resolvedOptions().maximumFractionDigits ?? null,
      example: format.format(1234.5),
    });
  }
  return currencies;
}
