/** The long form of the suite is asked for: `npm run test:faults`. Without it each trial is a short one. */
export const isLong = process.env["MKT_FAULTS"] === "long";

export function effort<T>(short: T, long: T): T {
  return isLong ? long : short;
}
