/** Milliseconds of a clock that never jumps. `performance` would make Node load what it measures itself with. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
