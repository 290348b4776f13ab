/** The mean of what an array held each time that it was added. */
export interface RunningMean {
  add(values: Float32Array): void;
  /** All zeros before the first was added. */
  readonly mean: Float32Array;
}

/** Of arrays of one size. */
export function runningMean(size: number): RunningMean {
  const mean = new Float32Array(size);
  let count = 0;
  return {
    mean,
    add(values) {
      count += 1;
      for (let at = 0; at < size; at += 1) mean[at] = (mean[at] ?? 0) + ((values[at] ?? 0) - (mean[at] ?? 0)) / count;
    },
  };
}
