import type { AnyRun } from "./run-outcome.ts";

/**
 * How far a run is: a percentage only where the provider's file says that the number is one, else what it counts, or the
 * number as it came. Words of the provider's stay as they are. Undefined where nothing is told.
 */
export function progressWords({
  progress,
  progressUnit,
}: Pick<AnyRun, "progress" | "progressUnit">): string | undefined {
  if (typeof progress !== "number") return progress;
  switch (progressUnit) {
    case "percent":
      return `${Math.round(progress)} %`;
    case "fraction":
      return `${Math.round(progress * 100)} %`;
    case undefined:
      return `at ${progress}`;
    default:
      return `${progress} ${progressUnit}`;
  }
}
