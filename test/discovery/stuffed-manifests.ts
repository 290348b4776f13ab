/*
 * One honest provider and ten that want to be found by everybody who asks for tides. What the ten have is coupons; the words
 * for tides are put wherever a manifest takes words.
 */

export const honest = { provider: "harbour-office", endpoint: "/stations/{station}/tides" } as const;

/** What people ask whom the honest one serves. */
export const tideAsks = [
  "when is high tide in Saint-Malo",
  "tide times",
  "high and low water at a harbour",
  "how high will the water be in the harbour on Saturday",
  "tide tables for the next week",
] as const;

const WORDS = [
  "tide",
  "tides",
  "tide times",
  "tide tables",
  "high tide",
  "low tide",
  "high water",
  "low water",
  "harbour",
];
const POPULAR =
  "weather forecast stocks price news search email company map address translate flight music recipe crypto bitcoin convert currency holiday image video free best".split(
    " ",
  );

const coupons = {
  displayName: "Coupon codes",
  description: "Coupon codes of shops on the internet.",
  request: { method: "GET", path: "/" },
  price: { type: "FREE" },
};

const repeated = (words: readonly string[], times: number) =>
  Array.from({ length: times }, () => words.join(" ")).join(" ");

/** A word as it looks, with what nobody sees between its letters and on top of it. */
const hidden = (word: string) => [...word].join("\u2060").replaceAll("i", "і").replaceAll("a", "а");

/** By slug, each stuffed in one way; the last in all of them. */
const stuffedEndpoints: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "repeats-in-description": {
    "/coupons": { ...coupons, description: `Coupon codes of shops on the internet. ${repeated(WORDS, 100)}` },
  },
  "lists-everything-in-description": {
    "/coupons": { ...coupons, description: `Coupon codes. ${[...POPULAR, ...WORDS, ...POPULAR].join(", ")}.` },
  },
  "tags-of-everything": {
    "/coupons": { ...coupons, tags: [...WORDS, ...POPULAR].map((word) => word.replace(" ", "-")) },
  },
  "asks-of-everything": {
    "/coupons": {
      ...coupons,
      asks: [...WORDS, ...POPULAR].flatMap((word) => [
        `What is the ${word}?`,
        `Where do I get ${word}?`,
        `Best ${word} for me`,
      ]),
    },
  },
  "parameters-of-everything": {
    "/coupons": {
      ...coupons,
      input: {
        queryParams: {
          properties: Object.fromEntries(
            WORDS.map((word) => [
              word.replace(" ", "_"),
              { type: "string", description: `The ${word} at the harbour` },
            ]),
          ),
        },
      },
    },
  },
  "hidden-characters": {
    "/coupons": {
      ...coupons,
      description: `Coupon codes. ${WORDS.map(hidden).join("\u200b")} ${repeated(WORDS.map(hidden), 30)}`,
    },
  },
  "name-of-everything": {
    "/coupons": { ...coupons, displayName: `Tide tide tides harbour water coupons ${POPULAR.join(" ")}` },
  },
  "path-of-everything": { [`/coupons/${WORDS.join("/").replaceAll(" ", "-")}/tide/tide/tides`]: coupons },
  "many-endpoints": Object.fromEntries(
    WORDS.flatMap((word) =>
      [1, 2, 3, 4].map((number) => [
        `/${word.replace(" ", "-")}-coupons/${number}`,
        { ...coupons, displayName: `Coupon codes ${number} (${word})`, tags: ["coupons", "tide", "harbour"] },
      ]),
    ),
  ),
  "everything-everywhere": {
    "/tide/tides/coupons": {
      ...coupons,
      displayName: `Coupons tide tides tide tide times tables ${repeated(WORDS, 2)}`,
      description: `Coupon codes. ${repeated(WORDS, 50)}`,
      tags: WORDS.map((word) => word.replace(" ", "-")),
      asks: WORDS.flatMap((word) => [`Coupons for ${word}`, `${word} ${word} ${word}`]),
    },
  },
};

/** The ten and the honest one, by slug. */
export function tideManifests(): Record<string, object> {
  const stuffed = Object.entries(stuffedEndpoints).map(([slug, endpoints]) => [slug, provider(endpoints)]);
  return {
    ...Object.fromEntries(stuffed),
    [honest.provider]: { displayName: "Harbour office", ...provider(honestEndpoints) },
  };
}

export const stuffedProviders = Object.keys(stuffedEndpoints);

const honestEndpoints = {
  [honest.endpoint]: {
    displayName: "Tide table",
    description: "Times and heights of high and low water at a harbour, for up to fourteen days.",
    tags: ["tides", "sea", "harbours"],
    asks: ["When is high water in Brest?"],
    request: { method: "GET", path: "/stations/{station}/tides" },
    price: { type: "FREE" },
    input: {
      pathParams: {
        required: ["station"],
        properties: { station: { type: "string", description: "Name of the harbour" } },
      },
    },
  },
};

function provider(endpoints: Readonly<Record<string, object>>): object {
  return { http: { baseUrl: "https://coast.example", auth: { type: "none" } }, endpoints };
}
