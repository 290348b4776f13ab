import { HOUR_MS, MAX_LONG_DAYS } from "./run-windows.ts";

/**
 * How long completed runs took, in constant memory: quadruples of a span since the epoch, the runs that completed in it, the
 * sum of their times and the longest one, in milliseconds; each span once, the newest last.
 */
export type SpanTimes = Uint32Array;

/** Long enough that a week has no more points than a chart on a phone can show. */
export const SPAN_HOURS = 3;
export const SPANS = (MAX_LONG_DAYS * 24) / SPAN_HOURS;
const QUADRUPLE = 4;
const LARGEST = 0xffff_ffff;

export const NO_TIMES: SpanTimes = new Uint32Array();

/** The span that a time in milliseconds since the epoch is in. */
export function spanOf(at: number): number {
  return Math.floor(at / (SPAN_HOURS * HOUR_MS));
}

/** When a span begins, in milliseconds since the epoch. */
export function spanStart(span: number): number {
  return span * SPAN_HOURS * HOUR_MS;
}

export function withSpanTime(times: SpanTimes, at: number, runTimeMs: number): SpanTimes {
  const span = spanOf(at);
  const took = Math.min(LARGEST, Math.round(runTimeMs));
  const counted = countedInNewest(times, span, took);
  if (counted !== undefined) return counted;
  let [count, sum, longest] = [0, 0, 0];
  const others: number[] = [];
  for (const [known, ...rest] of spansOf(times)) {
    if (known === span) [count, sum, longest] = rest;
    else if (isKept(known, span)) others.push(known, ...rest);
  }
  // Half of both says the same average, and leaves room.
  while (sum + took > LARGEST) [count, sum] = [Math.floor(count / 2), Math.floor(sum / 2)];
  return Uint32Array.from([...others, span, count + 1, sum + took, Math.max(longest, took)]);
}

/** Nearly every run: its span is the newest, and has room. Undefined for the rest. */
function countedInNewest(times: SpanTimes, span: number, took: number): SpanTimes | undefined {
  const place = times.length - QUADRUPLE;
  const sum = (times[place + 2] ?? 0) + took;
  if (place < 0 || times[place] !== span || sum > LARGEST) return undefined;
  const counted = times.slice();
  counted[place + 1] = (counted[place + 1] ?? 0) + 1;
  counted[place + 2] = sum;
  counted[place + 3] = Math.max(counted[place + 3] ?? 0, took);
  return counted;
}

export function* spansOf(
  times: SpanTimes,
): Generator<readonly [span: number, count: number, sumMs: number, longestMs: number]> {
  for (let at = 0; at < times.length; at += QUADRUPLE) {
    yield [times[at] ?? 0, times[at + 1] ?? 0, times[at + 2] ?? 0, times[at + 3] ?? 0];
  }
}

/** Bounded on both sides, so that setting the clock back and forth does not make the list grow. */
function isKept(span: number, newest: number): boolean {
  return Math.abs(span - newest) <= SPANS;
}
