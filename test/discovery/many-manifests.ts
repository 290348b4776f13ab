/** How much there is of what. */
export interface ManyManifestsOptions {
  readonly providers: number;
  readonly endpointsEach: number;
}

const BEGINNINGS = [
  "bal",
  "cor",
  "dun",
  "fel",
  "gar",
  "hom",
  "jun",
  "kel",
  "lom",
  "mar",
  "nor",
  "pil",
  "ros",
  "sul",
  "tam",
];
const MIDDLES = ["ba", "ci", "de", "fo", "gu", "ki", "la", "mo", "ne", "pu", "ra", "si", "to", "vu"];
const ENDS = ["der", "dle", "gan", "ket", "low", "mon", "nel", "per", "ric", "sen", "tor", "vin", "wick", "zard"];

/**
 * Manifests by slug, of words that no language has, a common one more often than a rare one as in any language: a catalog
 * of a size, none of which serves a question that anybody would ask. The same at every call.
 */
export function manyManifests({ providers, endpointsEach }: ManyManifestsOptions): Record<string, object> {
  const nextWord = wordsByFrequency();
  const words = (count: number) => Array.from({ length: count }, nextWord).join(" ");
  return Object.fromEntries(
    Array.from({ length: providers }, (_, place) => [
      `made-up-${place}`,
      {
        displayName: words(2),
        http: { baseUrl: "https://made-up.example", auth: { type: "none" } },
        price: { type: "FREE" },
        endpoints: Object.fromEntries(
          Array.from({ length: endpointsEach }, (__, number) => [
            `/${words(2).replaceAll(" ", "/")}/${number}`,
            {
              displayName: words(3),
              description: `${words(25)}.`,
              tags: words(3).split(" "),
              request: { method: "GET", path: "/" },
              input: { queryParams: { properties: { [nextWord()]: { type: "string", description: words(6) } } } },
            },
          ]),
        ),
      },
    ]),
  );
}

/** Draws from some three thousand words, the nth about as often as 1 / n of the first. */
function wordsByFrequency(): () => string {
  const vocabulary = MIDDLES.flatMap((middle) =>
    ENDS.flatMap((end) => BEGINNINGS.map((beginning) => beginning + middle + end)),
  );
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const rank = Math.floor(vocabulary.length ** (state / 2 ** 32));
    return vocabulary[rank - 1] ?? "";
  };
}
