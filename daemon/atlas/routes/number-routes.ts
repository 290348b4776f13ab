import { z } from "zod";
import { AtlasError } from "../basics/atlas-error.ts";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import { getLocale } from "../tables/locales.ts";
import { queryIntegerOr, queryNumber } from "./query-values.ts";

/** Numbers formatted for a language. */
export const numberRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "GET",
    path: "/numbers/format",
    query: z.strictObject({
      value: queryNumber(-1e15, 1e15),
      locale: z.string().min(1).max(50).default("en"),
      style: z.enum(["decimal", "percent", "currency", "unit", "compact"]).default("decimal"),
      currency: z.string().max(10).optional(),
      unit: z.string().max(60).optional(),
      maximumDecimals: queryIntegerOr(3, 0, 15).optional(),
    }),
    answer({ query }) {
      const locale = getLocale(query.locale);
      const format = numberFormat(locale, query);
      return ok({
        locale,
        value: query.value,
        text: format.format(query.value),
        pluralCategory: new Intl.PluralRules(locale).select(query.value),
        ordinalCategory: new Intl.PluralRules(locale, { type: "ordinal" }).select(query.value),
      });
    },
  }),
];

interface NumberStyle {
  readonly style: "decimal" | "percent" | "currency" | "unit" | "compact";
  readonly currency?: string | undefined;
  readonly unit?: string | undefined;
  readonly maximumDecimals?: number | undefined;
}

function numberFormat(locale: string, { style, currency, unit, maximumDecimals }: NumberStyle): Intl.NumberFormat {
  const decimals = maximumDecimals === undefined ? {} : { maximumFractionDigits: maximumDecimals };
  if (style === "compact") return new Intl.NumberFormat(locale, { notation: "compact", ...decimals });
  if (style === "currency") {
    if (currency === undefined || !Intl.supportedValuesOf("currency").includes(currency.toUpperCase())) {
      throw new AtlasError(422, "currency: send a code of ISO 4217, for example EUR, with style currency.");
    }
    // A currency has a minimum number of decimals; a request for fewer must lower both limits.
    const least = maximumDecimals === undefined ? {} : { minimumFractionDigits: 0 };
    return new Intl.NumberFormat(locale, { style, currency, ...least, ...decimals });
  }
  if (style === "unit") {
    const units = Intl.supportedValuesOf("unit");
    const parts = unit?.split("-per-") ?? [];
    if (unit === undefined || parts.length > 2 || !parts.every((part) => units.includes(part))) {
      const known = units.join(", ");
      throw new AtlasError(422, `unit: send one, or two with -per- between them, with style unit: ${known}.`);
    }
    return new Intl.NumberFormat(locale, { style, unit, ...decimals });
  }
  return new Intl.NumberFormat(locale, { style, ...decimals });
}
