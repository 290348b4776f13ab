import { OFF_TOPIC_PROBES } from "../../../daemon/discovery/ranking/confidence/off-topic-probes.ts";
import type { CollectedEndpoint } from "../collections.ts";
import type { Random } from "../train/random.ts";
import type { SourcePair } from "../train/read-sources.ts";
import { readSayings } from "./sayings.ts";

/** What is said in one sort of text, and whether it is a request for data. All of a group weighs `weight`, however long it is. */
export interface ExampleGroup {
  readonly name: string;
  readonly isRequest: boolean;
  readonly weight: number;
  readonly texts: readonly string[];
}

/** Neither the one nor the other, or not reliably: they are left out. */
const UNCLEAR =
  /^(?:general (?:quirky|joke)|iot |audio |play |music (?:likeness|settings)|fun fact|tell joke|what can i ask you|change |reset settings|whisper mode|sync device|user name|flip coin|roll dice)/;
const SMALL_TALK = /small talk$|^general |^(?:yes|no|maybe|cancel|repeat) \. meta$/;

/** Short and spoken, as people ask; the others are written to fit a tool. */
const SPOKEN: ReadonlySet<string> = new Set(["clinc150", "hwu64"]);

const MOST_OF_A_SOURCE = 3_000;
const KEYWORD_QUERIES = 6_000;

/** Requests from the public pairs and as keywords, names of endpoints; sayings from the small talk among the pairs and our own. */
export function requestExamples(
  { pairs, endpoints }: { readonly pairs: readonly SourcePair[]; readonly endpoints: readonly CollectedEndpoint[] },
  random: Random,
): ExampleGroup[] {
  const bySource = new Map<string, string[]>();
  for (const { q, tool, source } of pairs) {
    if (UNCLEAR.test(tool)) continue;
    const group = SMALL_TALK.test(tool) ? `${source}, small talk` : source;
    bySource.set(group, [...(bySource.get(group) ?? []), q]);
  }
  const fromPairs = [...bySource].map(([name, texts]): ExampleGroup => {
    const isRequest = !name.endsWith("small talk");
    return {
      name,
      isRequest,
      weight: isRequest ? (SPOKEN.has(name) ? 3 : 1) : 2,
      texts: sample(texts, MOST_OF_A_SOURCE, random),
    };
  });
  const own = readSayings("words", () => random.next()).map(({ kind, sayings }): ExampleGroup => ({
    name: kind,
    isRequest: false,
    weight: 1,
    texts: sayings,
  }));
  return [
    ...fromPairs,
    { name: "keywords", isRequest: true, weight: 5, texts: keywordQueries(endpoints, random) },
    { name: "probes", isRequest: false, weight: 1, texts: OFF_TOPIC_PROBES },
    ...own,
  ];
}

/** One to four words out of names and descriptions. */
function keywordQueries(endpoints: readonly CollectedEndpoint[], random: Random): string[] {
  return sample(endpoints, KEYWORD_QUERIES, random).flatMap(({ displayName, tags }) => {
    const words = `${displayName} ${random.next() < 0.3 ? tags.join(" ") : ""}`
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .match(/\p{L}+/gu);
    if (words === null) return [];
    const from = random.below(words.length);
    return [words.slice(from, from + 1 + random.below(4)).join(" ")];
  });
}

function sample<Item>(items: readonly Item[], count: number, random: Random): Item[] {
  const mixed = [...items];
  for (let place = mixed.length - 1; place > 0; place -= 1) {
    const other = random.below(place + 1);
    const [a, b] = [mixed[place], mixed[other]];
    if (a !== undefined && b !== undefined) [mixed[place], mixed[other]] = [b, a];
  }
  return mixed.slice(0, count);
}
