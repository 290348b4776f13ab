import fc from "fast-check";

/** What no schema of ours means, but what somebody may send. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, [], {}, "", -0, -1, 0.1 + 0.2, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 1e308, 5e-324),
  fc.constantFrom<unknown>(
    "1",
    "NaN",
    "null",
    "[object Object]",
    "../../etc/passwd",
    "${secret.key}",
    "{{7*7}}",
    "%00",
  ),
  fc.constantFrom<unknown>(
    "\u0000",
    "\ud800",
    "\udfff\ud800",
    "\u202e\u200b\u{e0041}",
    "\r\nX-Injected: 1",
    "\u001b]52;c;x\u0007",
  ),
  fc.constantFrom<unknown>(["__proto__"], [[[[[]]]]], ownMember("__proto__", { admin: true }), {
    constructor: { prototype: { x: 1 } },
  }),
  fc
    .constantFrom("ü", "𝒳", "́", "x")
    .chain((letter) => fc.integer({ min: 1, max: 5_000 }).map((count) => letter.repeat(count))),
  fc.integer({ min: 1, max: 80 }).map(nested),
  fc.integer({ min: 1, max: 1_500 }).map(manyMembers),
  fc.jsonValue(),
);

export const hostileTexts: fc.Arbitrary<string> = hostileValues.map((value) =>
  typeof value === "string" ? value : JSON.stringify(value),
);

type Change = (value: unknown) => unknown;

/** A value that is allowed, with one or two places changed for the worse. */
export function nearlyValid(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(valid, fc.array(fc.tuple(fc.nat(), changes), { minLength: 1, maxLength: 2 }))
    .map(([value, spoilings]) => spoilings.reduce((spoilt, [place, change]) => changeAt(spoilt, place, change), value));
}

const changes: fc.Arbitrary<Change | "drop"> = fc.oneof(
  fc.constant<"drop">("drop"),
  hostileValues.map(
    (hostile): Change =>
      () =>
        hostile,
  ),
  hostileValues.map(
    (hostile): Change =>
      (value) =>
        isObject(value) ? { ...value, ...ownMember("sloppy", hostile) } : [value],
  ),
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "", "$ref", "a.b", "\u0000").map(
    (name): Change =>
      (value) =>
        isObject(value) ? { ...value, ...ownMember(name, { x: 1 }) } : { value },
  ),
  fc.constantFrom<Change>(
    (value) => (typeof value === "number" ? String(value) : JSON.stringify(value)),
    (value) => (typeof value === "number" ? value * 1e15 : [value, value]),
    (value) => (typeof value === "number" ? -value : value),
    (value) => (typeof value === "string" ? `${value}\u0000` : value),
    (value) => (typeof value === "string" ? value.toUpperCase() : value),
    (value) => (typeof value === "string" ? ` ${value} ` : value),
  ),
);

/** Bodies that are no JSON of ours at all, as texts. */
export function brokenBodies(valid: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      "",
      " ",
      "null",
      "[]",
      '"text"',
      "7",
      "{",
      "}",
      "{}}",
      "{'a':1}",
      "a=b&c=d",
      "\u0000",
      "\ufeff{}",
      "nul",
    ),
    fc.constantFrom(5_000, 200_000).map((depth) => `{"input":{"body":{"x":${"[".repeat(depth)}${"]".repeat(depth)}}}}`),
    fc.constant(`{"provider":"stall","endpoint":"/now","input":{"city":1e400}}`),
    fc.constant(`{"provider":"stall","provider":"bazaar","endpoint":"/now"}`),
    fc.constant(`{"provider":"stall","endpoint":"/now","input":{"city":"${"x".repeat(1_100_000)}"}}`),
    fc.tuple(valid, fc.double({ min: 0, max: 1, noNaN: true })).map(([value, share]) => {
      const text = JSON.stringify(value) ?? "";
      return text.slice(0, Math.floor(text.length * share));
    }),
  );
}

/** `{...}` in source text would set the prototype instead of making a member. */
function ownMember(name: string, value: unknown): object {
  return Object.fromEntries([[name, value]]);
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function manyMembers(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value with its `place`-th part changed, counted from the outside and round again. */
function changeAt(value: unknown, place: number, change: Change | "drop"): unknown {
  const places = placesIn(value);
  const path = places[place % places.length] ?? [];
  return changed(value, path, change);
}

function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    path,
    ...Object.entries(value)
      .slice(0, 20)
      .flatMap(([name, member]) => placesIn(member, [...path, name])),
  ];
}

function changed(value: unknown, [name, ...rest]: readonly string[], change: Change | "drop"): unknown {
  if (name === undefined) return change === "drop" ? undefined : change(value);
  const members = Object.entries(value as object).flatMap(([key, member]): [string, unknown][] => {
    if (key !== name) return [[key, member]];
    if (rest.length === 0 && change === "drop") return [];
    return [[key, changed(member, rest, change)]];
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}
