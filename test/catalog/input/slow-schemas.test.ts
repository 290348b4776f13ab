import { describe, expect, test } from "vitest";
import type { InputTarget } from "../../../daemon/catalog/input/input-form.ts";
import { validateInput } from "../../../daemon/catalog/input/input-validation.ts";
import { catalogFolder, endpoint, manifest } from "../catalog-folder.ts";

/** Ten times what the slowest of these may take; without its bound each takes minutes. */
const HANG_MS = 20_000;

function bodyTarget(schema: Record<string, unknown>): InputTarget {
  return { request: { method: "POST" }, input: { body: { type: "object", ...schema } } };
}

function nested(levels: number): Record<string, unknown> {
  return Array.from({ length: levels }).reduce<Record<string, unknown>>((inner) => ({ a: inner, b: 1 }), { b: 1 });
}

async function problemsOf(body: Record<string, unknown>, schemas: Record<string, unknown> = {}): Promise<string[]> {
  using folder = catalogFolder();
  const input = { pathParams: { required: ["id"], properties: { id: { type: "string" } } }, body };
  folder.write("shop", manifest({ schemas, endpoints: { "/items/{id}": endpoint({ input }) } }));
  return (await folder.load()).problems().map(({ message }) => message);
}

const twice = (ref: string) => ({
  properties: { a: { anyOf: [{ $ref: ref }, { $ref: ref }] }, b: { type: "string" } },
});

describe("an input that would be checked for minutes is refused in time", () => {
  test.each([
    [
      "a definition that branches into itself",
      { properties: { n: { $ref: "#/$defs/n" } }, $defs: { n: twice("#/$defs/n") } },
    ],
    ["a property that branches into itself", { properties: { n: twice("#/properties/n") } }],
    ["a root that branches into itself", { properties: { n: { anyOf: [{ $ref: "#" }, twice("#")] }, a: twice("#") } }],
  ])(
    "%s",
    (_title, schema) => {
      expect(() => validateInput(bodyTarget(schema), { body: { n: nested(60) } })).toThrow(
        expect.objectContaining({
          kind: "invalidInput",
          message: expect.stringContaining("takes too long; nest it less"),
        }),
      );
    },
    HANG_MS,
  );

  test(
    "a long list that meets many branches",
    () => {
      const branches = Array.from({ length: 200 }, (_, n) => ({ properties: { k: { const: n } }, required: ["k"] }));
      const target = bodyTarget({ properties: { list: { items: { anyOf: branches } } } });
      const list = Array.from({ length: 100_000 }, () => ({ k: 199 }));

      expect(() => validateInput(target, { body: { list } })).toThrow("send fewer or shorter values");
    },
    HANG_MS,
  );

  test(
    "a list whose texts meet a long pattern",
    () => {
      const target = bodyTarget({ properties: { list: { items: { pattern: "[a-z]{1000}[0-9]" } } } });
      const list = Array.from({ length: 500 }, () => "a".repeat(1_900));

      expect(() => validateInput(target, { body: { list } })).toThrow("send fewer or shorter values");
    },
    HANG_MS,
  );

  test(
    "a text that is long for its pattern, with the length that may be sent",
    () => {
      const target = bodyTarget({ properties: { text: { pattern: "[a-z]{1000}[0-9]" } } });

      expect(() => validateInput(target, { body: { text: "a".repeat(200_000) } })).toThrow(
        /^body: a text of 200000 characters takes too long to compare with the pattern .*; send at most 1994 characters$/,
      );
    },
    HANG_MS,
  );

  test(
    "a list of addresses whose check takes long",
    () => {
      const target = bodyTarget({ properties: { list: { items: { format: "url" } } } });
      const list = Array.from({ length: 400 }, () => `http://${"a:".repeat(4_000)}`);

      expect(() => validateInput(target, { body: { list } })).toThrow("send fewer or shorter values");
    },
    HANG_MS,
  );

  test("a schema that leads back to itself without end", () => {
    const endless = { $ref: "#/$defs/s", $defs: { s: { anyOf: [{ $ref: "#/$defs/s" }, { $ref: "#/$defs/s" }] } } };

    expect(() => validateInput(bodyTarget(endless), { body: {} })).toThrow(
      expect.objectContaining({ kind: "invalidInput", message: expect.stringContaining("nest it less") }),
    );
  });
});

describe("what is large but honest is checked", () => {
  test("a tree of a thousand comments", () => {
    const comment = { properties: { text: { type: "string" }, replies: { items: { $ref: "#/$defs/comment" } } } };
    const target = bodyTarget({ properties: { top: { $ref: "#/$defs/comment" } }, $defs: { comment } });
    const leaf = { text: "x", replies: [] };
    const replies = Array.from({ length: 10 }, () => ({ text: "x", replies: Array.from({ length: 100 }, () => leaf) }));

    const input = validateInput(target, { body: { top: { text: "x", replies } } });

    expect(input.body).toEqual({ top: { text: "x", replies } });
  });

  test("a hundred thousand numbers", () => {
    const target = bodyTarget({ properties: { list: { items: { type: "number", minimum: 0 } } } });
    const list = Array.from({ length: 100_000 }, (_, n) => n);

    expect(validateInput(target, { body: { list } }).body).toEqual({ list });
  });

  test("one input after another: each has the whole time", () => {
    const target = bodyTarget({ properties: { list: { items: { type: "number" } } } });
    const list = Array.from({ length: 100_000 }, () => 1);

    expect(() => {
      for (let round = 0; round < 60; round += 1) validateInput(target, { body: { list } });
    }).not.toThrow();
  });
});

describe("a schema that would make checking slow takes its endpoint down, and says how to mend it", () => {
  const values = (length: number) => Array.from({ length }, (_, n) => n);
  const list = (items: object, maxItems: number) => ({ properties: { a: { items, maxItems, uniqueItems: true } } });

  test.each([
    [
      "21 patternProperties",
      { patternProperties: Object.fromEntries(values(21).map((n) => [`^a${n}`, {}])) },
      /at most 20/,
    ],
    ["1,001 values in enum", { properties: { a: { enum: values(1_001) } } }, /at most 1000 values .* pattern/],
    ["101 unique objects", list({ type: "object" }, 101), /maxItems of at most 100/],
    ["101 unique values of any kind", list({}, 101), /maxItems of at most 100/],
    ["1,001 unique texts", list({ type: "string" }, 1_001), /maxItems of at most 100, or of 1000/],
    [
      "a pattern of 1,001 characters",
      { properties: { a: { pattern: "a".repeat(1_001) } } },
      /more than 1000 characters/,
    ],
    ["a pattern that repeats too much", { properties: { a: { pattern: "[a-z]{1000}".repeat(11) } } }, /repeat less/],
    ["a reference to itself alone", { properties: { a: { $ref: "#/properties/a" } } }, /never end; put a property/],
    ["a hidden schema", { "x-n": { type: "string" }, properties: { a: { $ref: "#/x-n" } } }, /#\/x-n is not a schema/],
  ])("%s", async (_title, body, message) => {
    expect(await problemsOf(body)).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
  });

  test("shared schemas that refer to each other for the same value", async () => {
    const schemas = {
      s: { anyOf: [{ $ref: "#/schemas/t" }, { type: "string" }] },
      t: { not: { $ref: "#/schemas/s" } },
    };

    const problems = await problemsOf({ properties: { a: { $ref: "#/schemas/s" } } }, schemas);

    expect(problems).toEqual([expect.stringMatching(/^#\/schemas\/[st] refers to itself for the same value/)]);
  });

  test.each([
    ["20 patternProperties", { patternProperties: Object.fromEntries(values(20).map((n) => [`^a${n}`, {}])) }],
    ["1,000 values in enum", { properties: { a: { enum: values(1_000) } } }],
    ["100 unique objects", list({ type: "object" }, 100)],
    ["1,000 unique texts or nothing", list({ type: ["string", "null"] }, 1_000)],
    ["recursion through a property", { properties: { a: { $ref: "#" } } }],
  ])("%s may be", async (_title, body) => {
    expect(await problemsOf(body)).toEqual([]);
  });
});

test("words of older dialects have no effect, so that no schema hides behind them", () => {
  const target = bodyTarget({ dependencies: { a: { $ref: "#" }, b: ["c"] }, $recursiveRef: "#" });

  expect(validateInput(target, { body: { a: 1, b: 1 } })).toEqual({ body: { a: 1, b: 1 } });
});

test("a secret that is too long for its pattern is not used", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest({ secrets: { key: { env: "SHOP_KEY", pattern: "^[a-z]{1000}" } } }));

  const catalog = await folder.load({ trusted: true, environment: { SHOP_KEY: "a".repeat(10_000) } });

  expect(catalog.availability("shop")).toMatchObject({ available: false, missing: ["SHOP_KEY"] });
});
