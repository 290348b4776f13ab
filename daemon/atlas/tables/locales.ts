import { AtlasError } from "../basics/atlas-error.ts";

/** `Intl.Locale` has these as getters up to Node 22 and as methods later; both are supported. */
interface LocaleInformation {
  readonly timeZones?: string[];
  getTimeZones?(): string[] | undefined;
  readonly calendars?: string[];
  getCalendars?(): string[];
  readonly hourCycles?: string[];
  getHourCycles?(): string[];
  readonly weekInfo?: WeekInformation;
  getWeekInfo?(): WeekInformation;
  readonly textInfo?: { direction: string };
  getTextInfo?(): { direction: string };
}

/** Days count from 1, Monday, to 7, Sunday. */
export interface WeekInformation {
  readonly firstDay: number;
  readonly weekend: number[];
}

const information = (tag: string): LocaleInformation => new Intl.Locale(tag) as unknown as LocaleInformation;

/** The time zones that CLDR lists for a country (ISO 3166-1 alpha-2); empty when it lists none. */
export function zonesOfCountry(code: string): string[] {
  const locale = information(`und-${code}`);
  return [...(locale.getTimeZones?.() ?? locale.timeZones ?? [])];
}

export function calendarsOfCountry(code: string): string[] {
  const locale = information(`und-${code}`);
  return [...(locale.getCalendars?.() ?? locale.calendars ?? [])];
}

export function hourCyclesOfCountry(code: string): string[] {
  const locale = information(`und-${code}`);
  return [...(locale.getHourCycles?.() ?? locale.hourCycles ?? [])];
}

export function weekOfCountry(code: string): WeekInformation | undefined {
  const locale = information(`und-${code}`);
  return locale.getWeekInfo?.() ?? locale.weekInfo;
}

/** "ltr" or "rtl", the direction of the language's usual script. */
export function textDirection(tag: string): string | undefined {
  const locale = information(tag);
  return (locale.getTextInfo?.() ?? locale.textInfo)?.direction;
}

/** The canonical form of a BCP 47 tag that ICU has data for; 422 for an invalid tag, 404 for an unknown language. */
export function getLocale(tag: string): string {
  let canonical: string | undefined;
  try {
    canonical = Intl.getCanonicalLocales(tag)[0];
  } catch {
    canonical = undefined;
  }
  if (canonical === undefined) {
    throw new AtlasError(422, `locale: "${tag}" is not a language tag. Send one like en, pt-BR or zh-Hant.`);
  }
  if (Intl.DisplayNames.supportedLocalesOf(canonical).length === 0) {
    throw new AtlasError(404, `There are no names in the language "${tag}". Send another locale, for example en.`);
  }
  return canonical;
}

/** Names of one kind in one language; `find` returns undefined for codes without a name in ICU. */
export function displayNames(locale: string, type: "region" | "language" | "script" | "currency" | "calendar") {
  const names = new Intl.DisplayNames(locale, { type: type as Intl.DisplayNamesType, fallback: "none" });
  return { find: (code: string): string | undefined => names.of(code) };
}
