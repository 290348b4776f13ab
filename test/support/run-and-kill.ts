import { setTimeout as pause } from "node:timers/promises";
import { type MktOutcome, type SpawnOptions, startMkt } from "./spawn-mkt.ts";

/** From a place on; about what the program takes to start. */
const MOST_PAUSE_MS = 250;
/** Of so many kills one comes as the program starts, wherever that gets to. */
const AT_START_ONE_IN = 4;

export interface PlacesOfKills {
  /** How often the provider was called so far. */
  readonly calls: () => number;
  /** A kill comes after fewer calls than these. */
  readonly mostCalls: number;
}

/**
 * Runs `mkt` and kills it (`kill -9`) at a random place; undefined when it did, else how the program ended before. The
 * place is a number of further calls and a moment after them, or a moment of its start: on a busy machine it gets as far.
 */
export async function runAndKill(
  words: readonly string[],
  options: SpawnOptions,
  { calls, mostCalls }: PlacesOfKills,
): Promise<MktOutcome | undefined> {
  const from = calls() + Math.floor(Math.random() * mostCalls);
  const { exited, kill } = startMkt(words, options);
  const state = { hasEnded: false };
  const ended = exited.finally(() => (state.hasEnded = true));
  const reachPlace = async () => {
    if (Math.random() * AT_START_ONE_IN >= 1) {
      while (!state.hasEnded && calls() <= from) await pause(5);
    }
    await pause(Math.random() * MOST_PAUSE_MS);
  };
  const outcome = await Promise.race([ended, reachPlace()]);
  if (outcome !== undefined) return outcome;
  const { signal, ...others } = await kill();
  // It may have ended while the kill was on its way.
  return signal === "SIGKILL" ? undefined : { signal, ...others };
}
