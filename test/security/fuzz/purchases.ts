import fc from "fast-check";
import { idOf } from "./known-ids.ts";

/** The market's two providers: at the first nobody meddles, at the second the operator's requests do. */
export const STALL = "stall";
export const BAZAAR = "bazaar";

const words = fc.constantFrom(
  "Lisbon",
  "Zürich",
  "東京",
  "weather",
  "phone number",
  "tides at Rotterdam",
  "a",
  "e\u0301",
);
const someText = fc.oneof(words, fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }));
const number = fc.nat(50).map((nth) => idOf("externalId", nth));

/** Endpoints of the market with an input that they take. */
export const purchases: fc.Arbitrary<{ readonly endpoint: string; readonly input: object }> = fc.oneof(
  { weight: 8, arbitrary: someText.map((city) => ({ endpoint: "/now", input: { city } })) },
  { weight: 1, arbitrary: someText.map((city) => ({ endpoint: "now", input: { queryParams: { city } } })) },
  {
    weight: 6,
    arbitrary: fc.record({
      endpoint: fc.constant("/search"),
      input: fc.record({ q: someText, limit: fc.integer({ min: 1, max: 20 }) }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      endpoint: fc.constant("/report"),
      input: fc.record({ topic: someText, limit: fc.integer({ min: 1, max: 20 }) }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ endpoint: "/numbers/buy", input: { body: { country: "PT" } } }) },
  { weight: 1, arbitrary: number.map((from) => ({ endpoint: "/messages/send", input: { from } })) },
  { weight: 1, arbitrary: number.map((from) => ({ endpoint: "/numbers/drop", input: { number: from } })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("rotterdam", "a/b", "..%2f", "x y", "é")
      .map((harbour) => ({ endpoint: "/harbours/{harbour}", input: { pathParams: { harbour } } })),
  },
);

/** Bodies of runs that are taken and, as a rule, paid. */
export const runBodies: fc.Arbitrary<object> = fc
  .tuple(
    purchases,
    fc.record(
      {
        tags: fc.dictionary(fc.constantFrom("team", "job"), fc.string({ maxLength: 10 }), { maxKeys: 2 }),
        maxCost: fc.integer({ min: 1, max: 30 }).map((cents) => ({ value: cents, currency: "USD" })),
        deadlineMs: fc.constant(1_000),
        wait: fc.constantFrom(0, 0.1, 0.3),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([purchase, more]) => ({ provider: STALL, ...purchase, ...more }));
