/** Codes of languages that people ask for texts in. */
const CODES =
  "ar bg bn ca cs da de el en es et fa fi fr ga he hi hr hu id is it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv sw th tr uk ur vi zh".split(
    " ",
  );

/** Collected with the first query that needs them. */
let byName: ReadonlyMap<string, string> | undefined;

/** ISO 639 codes of the languages that a text asks for an answer in: "articles in German", never "translate into German". */
export function spokenLanguagesIn(text: string): ReadonlySet<string> {
  if (/\btranslat/i.test(text)) return new Set();
  const names = [...text.matchAll(/\b(?:in|written in) (\p{Lu}\p{L}+)(?! \p{Lu})/gu)].map(([, name = ""]) => name);
  if (names.length === 0) return new Set();
  byName ??= collectNames();
  return new Set(names.flatMap((name) => byName?.get(name) ?? []));
}

function collectNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  return new Map(
    CODES.flatMap((code) => {
      const name = names.of(code);
      return name === undefined ? [] : [[name, code] as const];
    }),
  );
}
