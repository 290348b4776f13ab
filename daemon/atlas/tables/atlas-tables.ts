import { AtlasError } from "../basics/atlas-error.ts";
import { displayNames, zonesOfCountry } from "./locales.ts";
import { indexNearMisses, type NearMisses } from "../basics/near-misses.ts";
import type { SlicedWork } from "../basics/slices.ts";

/**
 * Codes that CLDR names like countries but that ISO 3166-1 has not assigned to one: groupings (EU, EZ, UN, QO), parts of
 * countries (AC, CP, CQ, DG, EA, IC, TA), pseudo-locales (XA, XB) and "unknown" (ZZ). XK (Kosovo) is user-assigned and kept.
 */
const NOT_COUNTRIES = new Set(["AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"]);

/** Lists from ICU, read on first use and kept while atlas runs. */
export class AtlasTables {
  private codes: readonly string[] | undefined;
  private countryIndex: NearMisses | undefined;
  private languages: readonly string[] | undefined;
  private zoneNames: readonly string[] | undefined;
  private zoneIndex: NearMisses | undefined;
  private countriesByZone: ReadonlyMap<string, readonly string[]> | undefined;

  /** ISO 3166-1 alpha-2 codes, sorted. */
  countryCodes(): readonly string[] {
    this.codes ??= probeCountryCodes();
    return this.codes;
  }

  /** The code in upper case; 404 with near misses for an unknown country. */
  getCountryCode(given: string): string {
    const code = given.toUpperCase();
    if (this.countryCodes().includes(code)) return code;
    if (this.countryIndex === undefined) {
      const english = displayNames("en", "region");
      this.countryIndex = indexNearMisses(this.countryCodes().map((id) => ({ id, label: english.find(id) ?? id })));
    }
    const successor = this.successorOf(code);
    throw new AtlasError(
      404,
      `There is no country with the code "${given}" (ISO 3166-1, two letters).`,
      successor === undefined ? this.countryIndex.find(given) : [successor],
    );
  }

  /** CLDR's replacement for a withdrawn or wrong code: GB for UK, DE for DD. */
  private successorOf(code: string): string | undefined {
    const region = /^[A-Z]{2}$/.test(code) ? new Intl.Locale(`und-${code}`).region : undefined;
    return region !== undefined && this.countryCodes().includes(region) ? region : undefined;
  }

  /** Names of the time-zone database as this ICU lists them. */
  zones(): readonly string[] {
    this.zoneNames ??= Intl.supportedValuesOf("timeZone");
    return this.zoneNames;
  }

  /**
   * The zone's name in ICU's spelling; aliases such as UTC are accepted too. 404 with near misses for an unknown one.
   */
  getZone(given: string): string {
    // Node 22 accepts "+02:00" as a zone and Node 20 does not; atlas answers the same on all.
    if (/^[A-Za-z]/.test(given)) {
      try {
        return new Intl.DateTimeFormat("en-US", { timeZone: given }).resolvedOptions().timeZone;
      } catch {
        // Unknown to ICU: answered below.
      }
    }
    this.zoneIndex ??= indexNearMisses(this.zones().map((id) => ({ id, label: id.replaceAll(/[/_]/g, " ") })));
    throw new AtlasError(
      404,
      `There is no time zone "${given}" in the time-zone database. Names look like Europe/Lisbon.`,
      this.zoneIndex.find(given),
    );
  }

  /** Codes of the countries that use each zone; zones without a country, such as UTC, are left out. */
  *countriesByZoneWork(): SlicedWork<ReadonlyMap<string, readonly string[]>> {
    if (this.countriesByZone !== undefined) return this.countriesByZone;
    const byZone = new Map<string, string[]>();
    for (const code of this.countryCodes()) {
      yield 0;
      for (const name of zonesOfCountry(code)) byZone.set(name, [...(byZone.get(name) ?? []), code]);
    }
    this.countriesByZone = byZone;
    return byZone;
  }

  /** ISO 639 codes of the languages that ICU can name, two-letter codes first. */
  *languageCodesWork(): SlicedWork<readonly string[]> {
    if (this.languages !== undefined) return this.languages;
    const names = displayNames("en", "language");
    const codes: string[] = [];
    for (const code of codesOfTwoAndThreeLetters()) {
      if (code.endsWith("a")) yield 0;
      // iw is an alias of he, and therefore not canonical.
      if (names.find(code) !== undefined && Intl.getCanonicalLocales(code)[0] === code) codes.push(code);
    }
    this.languages = codes;
    return codes;
  }
}

/** ICU names languages but does not list them: every possible code is tried. */
function* codesOfTwoAndThreeLetters(): Generator<string> {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  yield* pairs;
  for (const pair of pairs) for (const third of letters) yield pair + third;
}

function probeCountryCodes(): string[] {
  const names = displayNames("en", "region");
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => names.find(code) !== undefined && !NOT_COUNTRIES.has(code))
    .filter((code) => new Intl.Locale(`und-${code}`).region === code); // withdrawn codes are aliases: DD becomes DE
}
