import { LANGUAGE_CODES, type QueryLanguage } from "./query-languages.ts";

/** What a country, a language or a currency is called. */
export interface KnownName {
  readonly name: string;
  readonly english: string;
}

/** Languages that people translate from and into; `Intl` has no list of them. */
const LANGUAGES = (
  "ar bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka ko la lt lv mk mn ms nb nl " +
  "pl pt ro ru sk sl sq sr sv sw ta th tr uk ur vi yi zh"
).split(" ");

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/**
 * Names that differ from the English ones, as Node itself knows them (Unicode CLDR). None with a Node that was built
 * without the names of this language.
 */
export function* namesOf(language: QueryLanguage): Generator<KnownName, void> {
  const regions = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  yield* namesOfType("region", regions, language);
  yield* namesOfType("language", LANGUAGES, language);
  yield* namesOfType("currency", Intl.supportedValuesOf("currency"), language);
}

/** One at a time: Node takes milliseconds for the names of a type. */
function* namesOfType(
  type: Intl.DisplayNamesType,
  codes: readonly string[],
  language: QueryLanguage,
): Generator<KnownName, void> {
  const names = new Intl.DisplayNames([LANGUAGE_CODES[language]], { type, fallback: "none" });
  const englishNames = new Intl.DisplayNames(["en"], { type, fallback: "none" });
  for (const code of codes) {
    const [name, english] = [names.of(code), englishNames.of(code)];
    // "Deutsche Mark (1948–1990)": nobody asks like this.
    const isPlain = name !== undefined && english !== undefined && !/[(\d]/u.test(name);
    if (isPlain && name.toLowerCase() !== english.toLowerCase()) yield { name, english };
  }
}
