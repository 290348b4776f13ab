import type { DiscoverResponse, UnavailableMatches, UnavailableReason } from "../../shared/contract/discovery.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "./target.ts";

/** So many are named in a sentence, and so many get a command. */
const NAMED = 3;

const PHRASES: Readonly<Record<UnavailableReason, { readonly one: string; readonly several: string }>> = {
  missingSecret: { one: "needs a key", several: "need a key" },
  needsGrant: { one: "needs the operator's grant", several: "need the operator's grant" },
  notConnected: { one: "needs a login", several: "need a login" },
  notSupported: { one: "is not supported by this version", several: "are not supported by this version" },
  changed: {
    one: "has changed at its server since it was imported",
    several: "have changed at their server since they were imported",
  },
  outage: { one: "is in outage", several: "are in outage" },
};

/** What cannot be run, in one sentence: `3 matches cannot be run now, 2 of them better: a/x and b/y need a key`. */
export function unavailableWords({ results, unavailable }: Findings): string {
  if (unavailable === undefined) return "";
  const named = unavailable.providers.slice(0, NAMED);
  const others = unavailable.providers.length - named.length;
  const reasons = [...new Set(named.map(({ reason }) => reason))].map((reason) => {
    const targets = named.filter((provider) => provider.reason === reason).map((provider) => targetWords(provider));
    return `${listWords(targets)} ${targets.length === 1 ? PHRASES[reason].one : PHRASES[reason].several}`;
  });
  const rest = others === 0 ? "" : `; and more of ${others} other ${others === 1 ? "provider" : "providers"}`;
  return `${countWords(unavailable, results.length > 0)}: ${reasons.join("; ")}${rest}`;
}

/** `3 better matches cannot be run now`: undefined where nothing better is hidden. */
export function hiddenWords(found: Findings): string | undefined {
  const better = found.unavailable?.better ?? 0;
  if (better === 0 || !hidesSome(found)) return undefined;
  return `${better} better ${better === 1 ? "match" : "matches"} cannot be run now`;
}

/**
 * What is hidden and worth naming to a caller who wants data and not a catalog: what fits better than everything that can
 * be run. Undefined when there is none. If the service does not say which providers have it, all are named.
 */
export function betterHidden(found: Findings): UnavailableMatches | undefined {
  const { unavailable } = found;
  if (unavailable === undefined || unavailable.better === 0 || !hidesSome(found)) return undefined;
  const providers = unavailable.providers.filter(({ better = 1 }) => better > 0);
  return { count: unavailable.better, better: unavailable.better, providers };
}

/** An answer in which nothing fits, with only that of the hidden which does. Its weak results are not compared with. */
export function worthNaming({ unavailable, ...found }: DiscoverResponse): DiscoverResponse {
  const hidden = betterHidden({ ...found, unavailable });
  return { ...found, results: [], ...(hidden !== undefined && { unavailable: hidden }) };
}

/** Whether some that cannot be run are not among the results. */
export function hidesSome({ results, unavailable }: Findings): boolean {
  return (unavailable?.count ?? 0) > results.filter((result) => result.unavailable !== undefined).length;
}

type Findings = Pick<DiscoverResponse, "results" | "unavailable">;

/** Where nothing can be run there is nothing to be better than. */
function countWords({ count, better }: UnavailableMatches, hasResults: boolean): string {
  if (count === 1) return `1 ${better === 1 && hasResults ? "better match" : "match"} cannot be run now`;
  const all = `${count} matches cannot be run now`;
  if (better === 0 || !hasResults) return all;
  return `${all}, ${better === count ? "all" : better} of them better`;
}

/** The commands that mend it, for who may. */
export function mendingSteps({ providers }: UnavailableMatches): { what: string; command: string }[] {
  return providers.slice(0, NAMED).flatMap(({ provider, reason, missing = [] }) => {
    if (reason === "needsGrant") {
      return [
        {
          what: `Grant ${provider} what it asks for (operator)`,
          command: shellLine("mkt", "catalog", "grant", provider),
        },
      ];
    }
    if (reason === "notConnected") {
      return [{ what: `Connect an account at ${provider}`, command: shellLine("mkt", "connect", provider) }];
    }
    if (reason === "changed") {
      return [
        {
          what: `Look at what changed in ${provider}, and accept it (operator)`,
          command: shellLine("mkt", "catalog", "drift", provider, "--accept"),
        },
      ];
    }
    return missing.map((name) => ({
      what: `Set the key of ${provider} (operator)`,
      command: shellLine("mkt", "secrets", "set", name),
    }));
  });
}

/** Why one result cannot be run now. */
export function reasonWords({
  reason,
  missing = [],
}: {
  readonly reason: UnavailableReason;
  readonly missing?: readonly string[] | undefined;
}): string {
  return missing.length === 0 ? PHRASES[reason].one : `${PHRASES[reason].one} (${missing.join(", ")})`;
}

function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
