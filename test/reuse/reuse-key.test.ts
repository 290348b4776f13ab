import fc from "fast-check";
import { expect, test } from "vitest";
import { reuseKey } from "../../daemon/reuse/reuse-key.ts";
import { entryOf } from "../support/provider-entry.ts";

const manifest = (price: string) => `
mkt: 1
provider: acme
displayName: Acme
http: { baseUrl: "https://api.acme.example" }
endpoints:
  /find:
    request: { method: GET }
    reuse: { maxAgeSeconds: 60 }
    price: ${price}
  /other:
    request: { method: GET }
    reuse: { maxAgeSeconds: 60 }
    price: ${price}
`;
const entry = entryOf(manifest("{ type: PER_CALL, amount: 0.01 }"), "/find");
const dearer = entryOf(manifest("{ type: PER_CALL, amount: 0.02 }"), "/find");
const facts = { workspaceId: "w1" as never, entry, credential: "c", input: { queryParams: { q: 1 } } };

/** The same JSON with its members in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, shuffled(member)]),
  );
}

test("the order of members makes no difference, and every value does", () => {
  const anInput = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(anInput, anInput, (one, other) => {
      const keyOf = (body: unknown) => reuseKey({ ...facts, input: { body: body as Record<string, unknown> } });
      expect(keyOf(shuffled(one))).toBe(keyOf(one));
      const canonical = (value: unknown) => JSON.stringify(shuffled(shuffled(value)));
      if (JSON.stringify(one) === JSON.stringify(other)) expect(keyOf(other)).toBe(keyOf(one));
      else if (keyOf(one) === keyOf(other)) expect(sorted(canonical(other))).toBe(sorted(canonical(one)));
    }),
  );
});

/** The characters of a text, in order: two texts of the same JSON have the same ones. */
function sorted(text: string): string {
  return [...text].sort().join("");
}

test("a part of the input without a member is as one that is left out, but for the body", () => {
  const keyOf = (input: object) => reuseKey({ ...facts, input });

  expect(keyOf({ queryParams: {}, pathParams: {} })).toBe(keyOf({}));
  expect(keyOf({ body: {} })).not.toBe(keyOf({}));
});

test("numbers are alike however they are written", () => {
  const keyOf = (text: string) => reuseKey({ ...facts, input: { body: { n: JSON.parse(text) } } });

  expect(["10.0", "1e1", "10"].map(keyOf)).toEqual(Array.from({ length: 3 }, () => keyOf("10")));
  expect(keyOf("-0")).toBe(keyOf("0"));
  expect(keyOf('"10"')).not.toBe(keyOf("10"));
});

test.each([
  ["workspace", { workspaceId: "w2" as never }],
  ["credential", { credential: "d" }],
  ["endpoint", { entry: entryOf(manifest("{ type: PER_CALL, amount: 0.01 }"), "/other") }],
  ["price", { entry: { ...entry, price: dearer.price } }],
  ["price before the markup", { entry: { ...entry, priceWithoutMarkup: dearer.priceWithoutMarkup } }],
  ["version", { entry: { ...entry, provider: { ...entry.provider, manifestHash: "1".repeat(64) } } }],
  ["number of pages", { maxPages: 3 }],
  ["section of a value", { input: { pathParams: { q: 1 } } }],
])("another %s is another key", (_what, change) => {
  expect(reuseKey({ ...facts, ...change })).not.toBe(reuseKey(facts));
});
