import { durationText } from "../words/durations.ts";

/** How long a run took from its beginning to its end; undefined while it goes on. */
export function tookText(run: { readonly createdAt: string; readonly completedAt?: string | undefined }) {
  if (run.completedAt === undefined) return undefined;
  return durationText(Math.max(0, Date.parse(run.completedAt) - Date.parse(run.createdAt)));
}
