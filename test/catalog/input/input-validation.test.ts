import { describe, expect, test } from "vitest";
import { checkInput, validateInput } from "../../../daemon/catalog/input/input-validation.ts";
import type { InputTarget } from "../../../daemon/catalog/input/input-form.ts";
import { catalogFolder } from "../catalog-folder.ts";

function bodyTarget(schema: Record<string, unknown>): InputTarget {
  return {
    request: { method: "POST" },
    input: { body: { type: "object", additionalProperties: false, ...schema } },
  };
}

async function forecast(): Promise<InputTarget> {
  using folder = catalogFolder({ examples: true });
  return (await folder.load()).get("skywatch", "/forecast/{city}");
}

test("defaults are filled in, and what was given is not changed", async () => {
  const given = { pathParams: { city: "Lisbon" } };

  const input = validateInput(await forecast(), given);

  expect(input).toEqual({ pathParams: { city: "Lisbon" }, queryParams: { days: 3, units: "metric" } });
  expect(given).toEqual({ pathParams: { city: "Lisbon" } });
});

test("a value over its maximum names field, rule and value", async () => {
  const target = await forecast();

  const refused = () => validateInput(target, { pathParams: { city: "Lisbon" }, queryParams: { days: 99 } });

  expect(refused).toThrow("queryParams.days must be at most 16 (got 99)");
});

test("everything that is wrong is told at once", async () => {
  const result = checkInput(await forecast(), { queryParams: { days: 2.5, units: "kelvin", unit: "metric" } });

  expect("problems" in result ? result.problems.map(({ message }) => message) : []).toEqual([
    "pathParams.city is required",
    'queryParams.unit is not a parameter of this endpoint; did you mean "units"?',
    "queryParams.days must be a whole number (got 2.5)",
    'queryParams.units must be one of "metric", "imperial" (got "kelvin")',
  ]);
});

describe("a refusal names field, rule and value", () => {
  test.each([
    [{ a: { type: "string" } }, { a: 1 }, "body.a must be a text (got 1)"],
    [{ a: { type: ["string", "null"] } }, { a: 1 }, "body.a must be a text or null (got 1)"],
    [{ a: { minLength: 2 } }, { a: "x" }, 'body.a must have at least 2 characters (got "x")'],
    [{ a: { pattern: "^[A-Z]{2}$" } }, { a: "pt" }, 'body.a must match the pattern ^[A-Z]{2}$ (got "pt")'],
    [{ a: { format: "date" } }, { a: "soon" }, 'body.a must be a valid date (got "soon")'],
    [{ a: { const: 1 } }, { a: 2 }, "body.a must be 1 (got 2)"],
    [{ a: { items: { minimum: 1 } } }, { a: [1, 0] }, "body.a.1 must be at least 1 (got 0)"],
    [{ a: { maxItems: 1 } }, { a: [1, 2] }, "body.a must have at most 1 items (got a list of 2)"],
    [{ a: { multipleOf: 5 } }, { a: 7 }, "body.a must be a multiple of 5 (got 7)"],
    [{ a: { required: ["b"] } }, { a: {} }, "body.a.b is required"],
    [
      { a: { anyOf: [{ type: "string" }, { type: "integer" }] } },
      { a: true },
      "body.a must be a text (got true); body.a must be a whole number (got true)",
    ],
    [{}, { z: 1 }, "body.z is not a parameter of this endpoint"],
  ])("%j", (properties, body, message) => {
    expect(() => validateInput(bodyTarget({ properties }), { body })).toThrow(message);
  });

  test("a place that the endpoint does not have", () => {
    expect(() => validateInput(bodyTarget({}), { queryParams: { a: 1 } })).toThrow(
      "queryParams.a is not a parameter of this endpoint: it takes no queryParams",
    );
  });
});

test("what a shared schema declares is known, and nothing else is", () => {
  const schema = {
    additionalProperties: undefined,
    unevaluatedProperties: false,
    $ref: "#/$defs/Place",
    $defs: { Place: { properties: { lat: { type: "number" } } } },
  };
  const { additionalProperties: _, ...body } = { type: "object", ...schema };
  const target: InputTarget = { request: { method: "POST" }, input: { body } };

  expect(validateInput(target, { body: { lat: 1 } })).toEqual({ body: { lat: 1 } });
  expect(() => validateInput(target, { body: { lon: 1 } })).toThrow("body.lon is not a parameter");
});

test("each pattern of a schema is its own", () => {
  const target = bodyTarget({ properties: { a: { pattern: "^a$" }, b: { pattern: "^b$" } } });

  expect(validateInput(target, { body: { a: "a", b: "b" } })).toEqual({ body: { a: "a", b: "b" } });
  expect(() => validateInput(target, { body: { a: "a", b: "a" } })).toThrow("body.b must match the pattern ^b$");
});

test("a pattern that backtracks elsewhere ends in time (docs/security.md, T12)", () => {
  const target = bodyTarget({ properties: { a: { pattern: "^(a+)+$" } } });

  expect(() => validateInput(target, { body: { a: `${"a".repeat(20_000)}!` } })).toThrow("must match the pattern");
});

test("formats whose checks grow quadratically end in time", () => {
  const target = bodyTarget({ properties: { a: { format: "email" } } });

  expect(() => validateInput(target, { body: { a: `x@${"a-".repeat(400_000)}` } })).toThrow("must be a valid email");
});

test("a long list of wrong items is refused with its first mistake", () => {
  const target = bodyTarget({ properties: { a: { items: { type: "string" } } } });

  expect(() => validateInput(target, { body: { a: Array.from({ length: 100_000 }, () => 1) } })).toThrow(
    /^body\.a\.0 must be a text \(got 1\)$/,
  );
});

test("a branch that is only tried fills in no defaults, not even behind a reference", () => {
  const target = bodyTarget({
    properties: {
      messages: { type: "array", items: { anyOf: [{ $ref: "#/$defs/Told" }, { $ref: "#/$defs/Asked" }] } },
    },
    $defs: {
      Parts: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/Parts" } }] },
      Told: {
        type: "object",
        properties: {
          role: { const: "assistant" },
          parts: { $ref: "#/$defs/Parts" },
          final: { type: "boolean", default: false },
        },
        additionalProperties: false,
      },
      Asked: {
        type: "object",
        properties: { role: { const: "user" }, parts: { $ref: "#/$defs/Parts" } },
        additionalProperties: false,
      },
    },
  });
  const given = { body: { messages: [{ role: "user", parts: "Who?" }] } };

  expect(validateInput(target, given)).toEqual(given);
});
