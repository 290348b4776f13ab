import { z } from "zod";
import { atlasRoute, ok, type AtlasRoute } from "./atlas-route.ts";
import {
  calendarsOfCountry,
  displayNames,
  getLocale,
  hourCyclesOfCountry,
  textDirection,
  weekOfCountry,
  zonesOfCountry,
} from "../tables/locales.ts";
import { queryIntegerOr } from "./query-values.ts";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const REGIONAL_INDICATOR_A = 0x1f1e6;

const locale = z.string().min(1).max(50).default("en");

/** Countries from CLDR: names in any language, flags, time zones, week and clock conventions. */
export const countryRoutes: readonly AtlasRoute[] = [
  atlasRoute({
    method: "GET",
    path: "/countries",
    query: z.strictObject({
      locale,
      search: z.string().min(1).max(100).optional(),
      limit: queryIntegerOr(50, 1, 300),
    }),
    answer({ query }, { tables }) {
      const language = getLocale(query.locale);
      const countries = listCountries(tables.countryCodes(), language, query.search);
      return ok({ locale: language, total: countries.length, countries: countries.slice(0, query.limit) });
    },
  }),
  atlasRoute({
    method: "GET",
    path: "/country/{code}",
    params: z.strictObject({ code: z.string().min(1).max(100) }),
    query: z.strictObject({ locale }),
    answer({ params, query }, { tables }) {
      const language = getLocale(query.locale);
      return ok(describeCountry(tables.getCountryCode(params.code), language));
    },
  }),
];

function listCountries(codes: readonly string[], language: string, search: string | undefined) {
  const names = displayNames(language, "region");
  const english = displayNames("en", "region");
  const order = new Intl.Collator(language);
  const wanted = search?.toLowerCase();
  return codes
    .map((code) => ({ code, name: names.find(code) ?? english.find(code) ?? code, flag: flagOf(code) }))
    .filter(
      ({ code, name }) =>
        wanted === undefined ||
        code.toLowerCase() === wanted ||
        name.toLowerCase().includes(wanted) ||
        (english.find(code) ?? "").toLowerCase().includes(wanted),
    )
    .sort((a, b) => order.compare(a.name, b.name));
}

function describeCountry(code: string, language: string) {
  const likely = new Intl.Locale(`und-${code}`).maximize();
  const native = displayNames(likely.toString(), "region").find(code);
  const week = weekOfCountry(code);
  return {
    code,
    name: displayNames(language, "region").find(code) ?? code,
    nativeName: native ?? null,
    flag: flagOf(code),
    likelyLanguage: {
      tag: likely.toString(),
      name: displayNames(language, "language").find(likely.language) ?? likely.language,
      direction: textDirection(likely.toString()) ?? null,
    },
    timeZones: zonesOfCountry(code),
    firstDayOfWeek: week === undefined ? null : (WEEKDAYS[week.firstDay - 1] ?? null),
    weekend: (week?.weekend ?? []).map((day) => WEEKDAYS[day - 1]),
    hourCycles: hourCyclesOfCountry(code),
    calendars: calendarsOfCountry(code),
    cldrVersion: process.versions["cldr"] ?? null,
  };
}

/** The flag as a pair of Unicode regional indicators. */
function flagOf(code: string): string {
  return String.fromCodePoint(...[...code].map((letter) => REGIONAL_INDICATOR_A + letter.charCodeAt(0) - 65));
}
