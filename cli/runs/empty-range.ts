import { exactTime } from "../words/time-words.ts";

/** Why nothing can be in a range of time, whatever there is; undefined where something can. Instants in UTC. */
export function emptyRange(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  nowMs = Date.now(),
): string | undefined {
  const [from, to] = [since, until].map((instant) => (instant === undefined ? Number.NaN : Date.parse(instant)));
  if (since !== undefined && until !== undefined && Number(to) <= Number(from)) {
    return `--until is ${to === from ? "the same as" : "before"} --since: nothing is from ${exactTime(since)} to ${exactTime(until)}. Did you mean to exchange them?`;
  }
  if (since !== undefined && Number(from) > nowMs) {
    return `--since is in the future: ${exactTime(since)}. A span such as 2h is one that has gone by.`;
  }
  return undefined;
}
