/** The provider's word on how far a run is: a share of 1, a number of percent, or its own words. */
export function progressWords(progress: number | string | undefined): string | undefined {
  if (typeof progress !== "number") return progress;
  return `${Math.round(progress < 1 ? progress * 100 : progress)} %`;
}
