/**
 * Whether the long form is requested: `npm run test:faults` or `npm run test:long`. Without it each trial is a short
 * one.
 */
export const isLong = process.env["MKT_TEST_EFFORT"] === "long";

export function effort<T>(short: T, long: T): T {
  return isLong ? long : short;
}
