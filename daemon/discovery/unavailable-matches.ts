import type { UnavailableMatches } from "../../shared/contract/discovery.ts";
import type { Found, UnavailableMatch } from "./found.ts";
import { wordOf } from "./ranking/confidence/confidence-of.ts";

/** The number of providers that are named; the counts include all. */
const MAX_PROVIDERS = 10;

/**
 * The report of the matches that cannot be run now, best first; undefined when there are none. Only callers with a
 * credential see the names of secrets.
 */
export function toUnavailableMatches(
  { matches, unavailable }: Pick<Found, "matches" | "unavailable">,
  { namesSecrets }: { readonly namesSecrets: boolean },
): UnavailableMatches | undefined {
  if (unavailable.length === 0) return undefined;
  const best = matches.find((match) => match.unavailability === undefined)?.score ?? 0;
  return {
    count: unavailable.length,
    better: betterThan(best, unavailable),
    providers: groupByProvider(unavailable)
      .slice(0, MAX_PROVIDERS)
      .map((group) => toProvider(group, best, namesSecrets)),
  };
}

/** At least one match, best first, all of one provider and unavailable for one reason. */
type Group = readonly [UnavailableMatch, ...UnavailableMatch[]];

function groupByProvider(unavailable: readonly UnavailableMatch[]): Group[] {
  const groups = new Map<string, Group>();
  for (const match of unavailable) {
    const key = `${match.entry.provider.provider} ${match.unavailability.reason}`;
    const group = groups.get(key);
    groups.set(key, group === undefined ? [match] : [...group, match]);
  }
  return [...groups.values()];
}

function toProvider(group: Group, best: number, namesSecrets: boolean): UnavailableMatches["providers"][number] {
  const [{ entry, unavailability }] = group;
  return {
    provider: entry.provider.provider,
    endpoint: entry.path,
    count: group.length,
    better: betterThan(best, group),
    ...toWireReason(unavailability, namesSecrets),
  };
}

/** A weak match is not worth a key, even where nothing else was found. */
function betterThan(best: number, matches: readonly UnavailableMatch[]): number {
  return matches.filter((match) => match.score > best && wordOf(match) !== "weak").length;
}

/** One reason in the form of the response. */
export function toWireReason({ reason, missing }: UnavailableMatch["unavailability"], namesSecrets: boolean) {
  return { reason, ...(namesSecrets && missing.length > 0 && { missing: [...missing] }) };
}
