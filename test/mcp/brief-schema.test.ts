import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { briefSchema } from "../../cli/mcp/brief-schema.ts";

const whole = {
  type: "object" as const,
  $defs: {
    Row: {
      type: "object",
      properties: {
        id: { type: "string", description: "An id." },
        price: { $ref: "#/$defs/Price" },
        note: { type: "string" },
      },
      required: ["id", "price"],
    },
    Price: { type: "object", properties: { value: { type: "number" } }, required: ["value"] },
  },
  properties: {
    rows: { type: "array", items: { $ref: "#/$defs/Row" } },
    kind: { enum: ["a", "b"], type: "string" },
    either: { anyOf: [{ type: "string" }, { type: "null" }] },
    cost: { $ref: "#/$defs/Price" },
    rare: { type: "string" },
  },
  required: ["rows", "kind", "either"],
};

describe("a schema in short", () => {
  test("names what is always there, in lists too, and what is asked for", () => {
    expect(briefSchema(whole, ["cost"])).toEqual({
      type: "object",
      properties: {
        rows: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string" }, price: { type: "object" } },
            required: ["id", "price"],
          },
        },
        kind: { type: "string", enum: ["a", "b"] },
        either: {},
        cost: {},
      },
      required: ["rows", "kind", "either"],
    });
  });

  test("allows what the whole one allows", () => {
    const value = { rows: [{ id: "1", price: { value: 2 }, more: 1 }], kind: "a", either: null, cost: { value: 1 } };
    const ajv = new Ajv2020();

    expect(ajv.validate(whole, value)).toBe(true);
    expect(ajv.validate(briefSchema(whole, ["cost"]), value)).toBe(true);
  });
});
