import { foldWord } from "../../../text/analyse-text.ts";
import places from "./places.json" with { type: "json" };

/** The most words in the name of a place. */
const LONGEST = 4;

/** Names that are ordinary words as well, or words of another trade: they count only with a capital. */
const ALSO_WORDS: ReadonlySet<string> = new Set(
  `bar bari bath cali chad china darwin essen fez goa georgia guinea holland ireland jersey jordan lille male mali
   male medina niger nice odense oman perth phoenix polish palma reading rio split togo tours turkey verona york victoria
   us america cuba peru iran iraq lima worcester trent hull derby kent norfolk richmond columbus charlotte regina nancy
   metz tours dijon brest toledo sion biel kos como boise oder ulm loire parma pisa murcia`.split(/\s+/),
);

/** Codes that are no country of their own. */
const OTHERS: ReadonlySet<string> = new Set(["EU", "EZ", "UN", "ZZ", "UK", "XA", "XB", "QO", "SU", "DD", "YU", "CS"]);

/** Parts of the world by what they are called, with the codes of their countries. */
const CONTINENTS: readonly (readonly [names: string, codes: string])[] = [
  [
    "europe,european",
    `AD AL AT BA BE BG BY CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS
     SE SI SK SM UA VA XK`,
  ],
  ["scandinavia,scandinavian", "DK NO SE"],
  ["north america,north american", "US CA MX"],
  ["south america,south american", "AR BO BR CL CO EC GY PE PY SR UY VE"],
  ["central america,central american", "BZ CR GT HN NI PA SV"],
  ["latin america,latin american", "AR BO BR CL CO CR CU DO EC GT HN MX NI PA PE PY SV UY VE"],
  [
    "africa,african",
    `AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RW
     SC SD SL SN SO SS ST SZ TD TG TN TZ UG ZA ZM ZW`,
  ],
  [
    "asia,asian",
    `AE AF AM AZ BD BH BN BT CN GE HK ID IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP OM PH PK PS QA SA
     SG SY TH TJ TL TM TR TW UZ VN YE`,
  ],
  ["middle east", "AE BH IL IQ IR JO KW LB OM PS QA SA SY TR YE"],
];

interface PlaceNames {
  /** ISO 3166 codes of countries by their folded English names, those of well-known cities and states, and adjectives. */
  readonly regions: ReadonlyMap<string, readonly string[]>;
  /** The longest name that begins with a word, in words: most words begin none. */
  readonly longest: ReadonlyMap<string, number>;
}

/** Collected with the first query: a start needs none of it. */
let knownNames: PlaceNames | undefined;

function placeNames(): PlaceNames {
  return (knownNames ??= collectNames());
}

/** The countries that a text names, or has a well-known place of. */
export function regionsIn(text: string): ReadonlySet<string> {
  const words = [...text.replaceAll(/[’']s\b/g, "").matchAll(/[\p{L}\p{M}'-]+/gu)].map(([word]) => word);
  const found = new Set<string>();
  if (/\bUS\b|\bU\.S\./.test(text)) found.add("US");
  for (let at = 0; at < words.length;) at += addLongest(found, words, at);
  return found;
}

/** Adds the regions of the longest name that begins here; returns how many words were read. */
function addLongest(found: Set<string>, words: readonly string[], at: number): number {
  const names = placeNames();
  const first = foldWord(words[at] ?? "");
  const longest = names.longest.get(first) ?? names.longest.get(withoutPlural(first)) ?? 0;
  for (let count = Math.min(longest, LONGEST, words.length - at); count > 0; count -= 1) {
    const written = words.slice(at, at + count);
    const name = written.map(foldWord).join(" ");
    const isCapital = written.every((word) => /^\p{Lu}/u.test(word));
    const regions = names.regions.get(name) ?? (isCapital ? names.regions.get(withoutPlural(name)) : undefined);
    if (regions === undefined || (!isCapital && ALSO_WORDS.has(name))) continue;
    for (const region of regions) found.add(region);
    return count;
  }
  return 1;
}

/** "Greeks", "Germans". */
function withoutPlural(name: string): string {
  return name.replace(/s$/, "");
}

function collectNames(): PlaceNames {
  const names = new Map<string, string[]>();
  const add = (name: string, region: string) => {
    const key = name
      .split(/[^\p{L}\p{M}'-]+/u)
      .map(foldWord)
      .join(" ");
    names.set(key, [...(names.get(key) ?? []), region]);
  };
  const countryNames = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  for (const code of everyCode()) {
    const name = countryNames.of(code);
    if (name !== undefined) add(name, code);
  }
  for (const [code, others] of Object.entries(places)) for (const name of others) add(name, code);
  for (const [words, codes] of CONTINENTS)
    for (const name of words.split(",")) for (const code of codes.split(/\s+/)) add(name, code);
  return { regions: names, longest: measureNames(names.keys()) };
}

function measureNames(names: Iterable<string>): ReadonlyMap<string, number> {
  const longest = new Map<string, number>();
  for (const name of names) {
    const words = name.split(" ");
    const [first = ""] = words;
    longest.set(first, Math.max(words.length, longest.get(first) ?? 0));
  }
  return longest;
}

function* everyCode(): Generator<string> {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const first of letters) {
    for (const second of letters) if (!OTHERS.has(first + second)) yield first + second;
  }
}
