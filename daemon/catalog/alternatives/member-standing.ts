import type { EndpointMetrics } from "../../../shared/contract/discovery.ts";
import { type Caller, mayRunEndpoint } from "../../http/callers/caller.ts";
import type { AlternativeMember, CatalogEntry, CatalogProvider } from "../entries/catalog-entry.ts";

/** What the daemon measures of endpoints, as one workspace sees it. */
export interface MemberFigures {
  metrics(provider: string, endpoint: string, viewer: string): EndpointMetrics | undefined;
  /** The share of runs that were no errors, 0 to 1; undefined when there was none. */
  successShare(provider: string, endpoint: string, viewer: string): number | undefined;
}

/** What is known of the operator's secrets. */
export interface KnownRefusals {
  /** The provider refuses the present ones, whatever is asked for. */
  areRefused(provider: CatalogProvider): Promise<boolean>;
}

export interface StandingParts {
  readonly catalog: {
    find(provider: string, path: string): CatalogEntry | undefined;
    availability(
      provider: string,
      path?: string,
    ): { readonly available: true } | { readonly available: false; readonly message: string };
  };
  readonly figures?: MemberFigures | undefined;
}

/** Whether a member of a route may be tried for a caller now: its endpoint, or why not. */
export type MemberStanding =
  | { readonly entry: CatalogEntry }
  | { readonly reason: string; readonly cause: "key" | "outage" | "other" };

/** The reasons that need no input. Whoever may not run a member is told that before anything else of it. */
export function standingOf(
  { catalog, figures }: StandingParts,
  caller: Pick<Caller, "key" | "workspaceId">,
  { provider, endpoint }: Pick<AlternativeMember, "provider" | "endpoint">,
): MemberStanding {
  if (!mayRunEndpoint(caller, provider, endpoint)) {
    return { cause: "key", reason: `the key "${caller.key?.label ?? ""}" may not run it` };
  }
  const entry = catalog.find(provider, endpoint);
  if (entry === undefined) return { cause: "other", reason: "it is not in the catalog" };
  const availability = catalog.availability(provider, endpoint);
  if (!availability.available) return { cause: "other", reason: availability.message };
  const metrics = figures?.metrics(provider, endpoint, caller.workspaceId ?? "");
  if (metrics?.status === "outage") return { cause: "outage", reason: "it is in outage: its last runs failed" };
  return { entry };
}

/** Members that may be tried, and those that others are tried in place of. */
export interface ByRefusal<Member> {
  readonly usable: readonly Member[];
  readonly refused: readonly { readonly member: Member; readonly reason: string }[];
}

/**
 * Tells apart the members whose provider refuses the operator's secret. Where there are no others, they are tried all the
 * same: that is the answer then, and shows when a secret works again.
 */
export async function byRefusal<Member>(
  refusals: KnownRefusals | undefined,
  members: readonly Member[],
  entryOf: (member: Member) => CatalogEntry,
): Promise<ByRefusal<Member>> {
  const usable: Member[] = [];
  const refused: { member: Member; reason: string }[] = [];
  for (const member of members) {
    const { provider } = entryOf(member);
    if ((await refusals?.areRefused(provider)) !== true) usable.push(member);
    else
      refused.push({
        member,
        reason: `${provider.provider} refuses its secret (mkt secrets test ${provider.provider})`,
      });
  }
  return usable.length === 0 ? { usable: members, refused: [] } : { usable, refused };
}
