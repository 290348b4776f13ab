/*
 * The time as far as it is believed, for what cannot be taken back. A clock may be set years ahead while the daemon runs or
 * while it does not, and the machine may really have been off for a year; nobody can tell the two apart. So:
 *
 *   the clock is, against what was last known and how long the process has run since      believed
 *   ahead by up to a day                                                                  at once
 *   ahead by more: a jump                                                                 once the daemon has run for a day
 *   behind                                                                                at once; jumps are taken back first
 *
 * Each jump waits for a day of its own. Only running time counts, over restarts, so that there is a day in which somebody
 * may see what the log says and set the clock right.
 */

const DAY_MS = 86_400_000;
/** Covers a clock that is wrong by a night or a time zone; retention is at least two days. */
const LARGEST_STEP_MS = DAY_MS;
/** Beyond this number the two oldest are merged; each waits for a day, so there are never many. */
const MAX_JUMPS = 32;

export interface Jump {
  /** How far the clock went ahead. */
  readonly ms: number;
  /** How long the daemon has run since. */
  readonly ranMs: number;
}

export interface BelievedTime {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Jumps of the clock beyond that, oldest first. */
  readonly jumps: readonly Jump[];
  /** Present when this look found a new jump. */
  readonly newJump?: Jump;
}

/** The believed time when the clock says `wallMs`, and the process has run for `ranMs` since `known` was valid. */
export function lookAtClock(known: BelievedTime, wallMs: number, ranMs: number): BelievedTime {
  const aged = known.jumps.map((jump) => ({ ...jump, ranMs: jump.ranMs + ranMs }));
  const ahead = wallMs - (known.atMs + ranMs + sum(aged));
  const newJump = ahead > LARGEST_STEP_MS ? { ms: ahead, ranMs: 0 } : undefined;
  const all = newJump === undefined ? takenBack(aged, -ahead) : [...aged, newJump];
  const jumps = merged(all.filter((jump) => jump.ranMs < DAY_MS));
  return { atMs: wallMs - sum(jumps), jumps, ...(newJump !== undefined && { newJump }) };
}

/** Removes newest jumps first: a wrong clock was set right. If the rest of one is small, it is no jump. */
function takenBack(jumps: readonly Jump[], backMs: number): readonly Jump[] {
  const last = jumps.at(-1);
  if (last === undefined || backMs <= 0) return jumps;
  const others = jumps.slice(0, -1);
  const left = last.ms - backMs;
  if (left > LARGEST_STEP_MS) return [...others, { ...last, ms: left }];
  return left > 0 ? others : takenBack(others, -left);
}

function merged(jumps: readonly Jump[]): readonly Jump[] {
  const [first, second, ...others] = jumps;
  if (first === undefined || second === undefined || jumps.length <= MAX_JUMPS) return jumps;
  return [{ ms: first.ms + second.ms, ranMs: Math.min(first.ranMs, second.ranMs) }, ...others];
}

function sum(jumps: readonly Jump[]): number {
  return jumps.reduce((total, { ms }) => total + ms, 0);
}
