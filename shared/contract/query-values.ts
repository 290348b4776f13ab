import { z } from "zod";
import { atMost } from "./at-most.ts";

/*
 * Query values are text on the wire and typed values in the code. Each function here returns a schema that reads the
 * text, accepts the typed value too, and appears in the OpenAPI document in its wire format (`x-wire` replaces the
 * emitted schema, see `shared/openapi.ts`).
 */

function readNumber(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

function readFlag(value: unknown): unknown {
  return value === "true" ? true : value === "false" ? false : value;
}

function readList(value: unknown): unknown {
  return typeof value === "string" ? value.split(",") : value;
}

/** A number in the query, checked by the given schema. */
export function queryNumber<Schema extends z.ZodType<number, number>>(schema: Schema): z.ZodType<number, number> {
  return z.preprocess(readNumber, schema) as unknown as z.ZodType<number, number>;
}

/** `true` or `false` in the query. */
export function queryFlag(): z.ZodType<boolean, boolean> {
  const schema = z.preprocess(readFlag, z.boolean({ error: "must be true or false" }));
  return schema.meta({ "x-wire": { type: "string", enum: ["true", "false"] } }) as unknown as z.ZodType<
    boolean,
    boolean
  >;
}

/** Comma-separated values of a closed set, at least one. */
export function queryList<const Value extends string>(values: readonly Value[]): z.ZodType<Value[], readonly Value[]> {
  const schema = z.preprocess(readList, atMost(100, z.array(z.enum(values)).min(1)));
  const one = `(${values.join("|")})`;
  return schema.meta({
    "x-wire": { type: "string", pattern: `^${one}(,${one})*$` },
  }) as unknown as z.ZodType<Value[], readonly Value[]>;
}

/** Page size where the contract has a maximum of 100. */
export const Limit100 = queryNumber(z.int().gt(0).max(100)).meta({
  description: "Page size; the server may return fewer items.",
});

/** Page size without a published maximum: larger values are clamped, not refused. docs/contract.md, "Page size". */
export const Limit = queryNumber(z.int().gt(0)).meta({ description: "Page size; clamped by the server." });

export const Cursor = z.string().meta({ description: "Value from the previous page." });
