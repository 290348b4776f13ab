export interface Random {
  /** From 0 up to 1, without it. */
  next(): number;
  /** A whole number from 0 up to the limit, without it. */
  below(limit: number): number;
  /** From the normal distribution of mean 0 and deviation 1. */
  normal(): number;
}

/** The same numbers for the same seed: a training can be repeated. Mulberry32 of T. Ettinger; normal by Box and Muller. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
