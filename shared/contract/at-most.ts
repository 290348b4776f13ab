import { z } from "zod";

/**
 * The schema, for no more than `max` items or members: more are refused before any of them is looked at. Of itself zod tries
 * every one and writes down what is wrong with it; a list of 150,000 wrong words takes it a second. The document stays as the
 * schema says.
 */
export function atMost<Schema extends z.ZodType>(max: number, schema: Schema): Schema {
  const counted = z.preprocess((input, { issues }) => {
    const origin = Array.isArray(input) ? "array" : "object";
    if (countOf(input) > max) issues.push({ code: "too_big", origin, maximum: max, inclusive: true, input });
    return input;
  }, schema);
  return counted as unknown as Schema;
}

function countOf(input: unknown): number {
  return typeof input === "object" && input !== null ? Object.keys(input).length : 0;
}
