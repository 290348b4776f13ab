import { formatInstant, formatOffset, type ZoneOffsets } from "./zone-offset.ts";

const PROBE_MS = 4 * 86_400_000;
const PROBES_PER_STEP = 250;

/** A moment at which a zone's clocks change. Offsets are seconds east of UTC. */
export interface ZoneTransition {
  readonly atMs: number;
  readonly offsetBeforeSeconds: number;
  readonly offsetAfterSeconds: number;
}

/**
 * Every change of offset from `fromMs` to `toMs`, to the second, oldest first.
 *
 * ICU tells an offset at an instant but has no list of changes, so the span is probed every four days and each change
 * halved down to its second: one that is taken back within four days is not seen (the tables have none since 1900
 * that we know of). Yields after every few hundred probes, with the percentage done.
 */
export function* findTransitions(
  offsets: ZoneOffsets,
  fromMs: number,
  toMs: number,
): Generator<number, ZoneTransition[], void> {
  const transitions: ZoneTransition[] = [];
  let lowMs = fromMs;
  let low = offsets.offsetSeconds(lowMs);
  for (let probe = 1; lowMs < toMs; probe += 1) {
    const highMs = Math.min(lowMs + PROBE_MS, toMs);
    const high = offsets.offsetSeconds(highMs);
    if (high !== low) {
      transitions.push({
        atMs: halve(offsets, lowMs, highMs, low),
        offsetBeforeSeconds: low,
        offsetAfterSeconds: high,
      });
    }
    lowMs = highMs;
    low = high;
    if (probe % PROBES_PER_STEP === 0) yield (100 * (lowMs - fromMs)) / (toMs - fromMs);
  }
  return transitions;
}

/** The first second, after `lowMs` and up to `highMs`, with an offset other than `offsetSeconds`. */
function halve(offsets: ZoneOffsets, lowMs: number, highMs: number, offsetSeconds: number): number {
  let low = Math.floor(lowMs / 1000);
  let high = Math.ceil(highMs / 1000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsets.offsetSeconds(middle * 1000) === offsetSeconds) low = middle;
    else high = middle;
  }
  return high * 1000;
}

/** A transition as callers see it. */
export function describeTransition(transition: ZoneTransition) {
  const { atMs, offsetBeforeSeconds, offsetAfterSeconds } = transition;
  return {
    at: formatInstant(atMs),
    offsetBefore: formatOffset(offsetBeforeSeconds),
    offsetAfter: formatOffset(offsetAfterSeconds),
    clocksGo: offsetAfterSeconds > offsetBeforeSeconds ? "forward" : "back",
    byMinutes: Math.abs(offsetAfterSeconds - offsetBeforeSeconds) / 60,
  };
}
