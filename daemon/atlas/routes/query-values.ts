import { z } from "zod";

// A query string contains only text; these functions read numbers, booleans and repeated names from it.

const asNumber = (value: unknown): unknown =>
  typeof value === "string" && value.trim() !== "" ? Number(value) : value;

const asList = (value: unknown): unknown => (typeof value === "string" ? value.split(",") : value);

/** A number within the limits, in a query string or a path. */
export function queryNumber(minimum: number, maximum: number) {
  return z.preprocess(asNumber, z.number().min(minimum).max(maximum));
}

/** A whole number within the limits, in a query string or a path. */
export function queryInteger(minimum: number, maximum: number) {
  return z.preprocess(asNumber, z.int().min(minimum).max(maximum));
}

/** An integer; `fallback` when the caller leaves it out. */
export function queryIntegerOr(fallback: number, minimum: number, maximum: number) {
  return z.preprocess((value) => asNumber(value ?? fallback), z.int().min(minimum).max(maximum));
}

/** A list of texts: the parameter repeated, or once with commas. */
export function queryList(maximumItems: number) {
  return z.preprocess(asList, z.array(z.string().min(1)).min(1).max(maximumItems));
}

/** Degrees north of the equator. */
export const latitude = z.preprocess(asNumber, z.number().min(-90).max(90));

/** Degrees east of Greenwich. */
export const longitude = z.preprocess(asNumber, z.number().min(-180).max(180));

/** A day of the proleptic Gregorian calendar that exists, YYYY-MM-DD. */
export const isoDate = z.iso.date();
