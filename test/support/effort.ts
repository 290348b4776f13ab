/**
 * Whether the long form is requested: by the scripts of package.json that `.github/workflows/long.yml` runs. Without it each
 * trial is a short one.
 */
export const isLong = process.env["MKT_TEST_EFFORT"] === "long";

export function effort<T>(short: T, long: T): T {
  return isLong ? long : short;
}
