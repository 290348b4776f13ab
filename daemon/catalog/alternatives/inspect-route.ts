import type { InspectedRoute } from "../../../shared/contract/route-members.ts";
import { toMoney } from "../../../shared/micro-dollars.ts";
import { representativeAmount, toRunPrice } from "../../billing/public-price.ts";
import type { Caller } from "../../http/callers/caller.ts";
import type { AlternativeMember, Alternatives, CatalogEntry } from "../entries/catalog-entry.ts";
import { viaOf } from "../entries/via.ts";
import { byRefusal, type KnownRefusals, type StandingParts, standingOf } from "./member-standing.ts";
import { orderMembers, type RankedMember, whyThere } from "./order-members.ts";

type ShownMember = InspectedRoute["members"][number];

/**
 * The members of a route as a caller would meet them now. Prices are those that are listed: which one is the cheapest for an
 * input is what a quote says.
 */
export async function inspectRoute(
  alternatives: Alternatives,
  parts: StandingParts & { readonly knownRefusals?: KnownRefusals | undefined },
  caller: Pick<Caller, "key" | "workspaceId">,
): Promise<InspectedRoute> {
  const { members, unusable, sort, maxPriceMicroDollars, allowFallbacks } = alternatives;
  const ready: (RankedMember & { readonly entry: CatalogEntry; readonly shown: Omit<ShownMember, "now" | "why"> })[] =
    [];
  const passedOver: ShownMember[] = unusable.map(({ provider, endpoint, reason }) => {
    return { provider, endpoint, now: "passedOver", why: reason };
  });
  for (const member of members) {
    const standing = standingOf(parts, caller, member);
    const shown = showMember(member, parts.catalog.find(member.provider, member.endpoint));
    if ("reason" in standing) passedOver.push({ ...shown, now: "passedOver", why: standing.reason });
    else ready.push({ ...rankOf(member, standing.entry, parts, caller), entry: standing.entry, shown });
  }
  const { usable, refused } = await byRefusal(parts.knownRefusals, ready, ({ entry }) => entry);
  for (const { member, reason } of refused) passedOver.push({ ...member.shown, now: "passedOver", why: reason });
  const ordered = orderMembers(usable, alternatives).map(({ shown, ...ranked }, index): ShownMember => {
    if (index === 0) return { ...shown, now: "first", why: whyThere(ranked, alternatives) };
    if (allowFallbacks) return { ...shown, now: "next", why: whyThere(ranked, alternatives) };
    return { ...shown, now: "passedOver", why: "the route allows no fallbacks" };
  });
  return {
    ...(sort !== undefined && { sort }),
    ...(maxPriceMicroDollars !== undefined && { maxPrice: toMoney(maxPriceMicroDollars) }),
    allowFallbacks,
    members: [...ordered, ...passedOver],
  };
}

function showMember({ provider, endpoint }: AlternativeMember, entry: CatalogEntry | undefined) {
  return {
    provider,
    endpoint,
    ...(entry !== undefined && { displayName: entry.displayName, price: toRunPrice(entry.price), ...viaOf(entry) }),
  };
}

function rankOf(
  { provider, endpoint }: AlternativeMember,
  entry: CatalogEntry,
  { figures }: StandingParts,
  { workspaceId = "" }: Pick<Caller, "workspaceId">,
): RankedMember {
  return {
    name: `${provider}${endpoint}`,
    price: Number(representativeAmount(entry.price)),
    latency: figures?.metrics(provider, endpoint, workspaceId)?.runTimeMs?.p50,
    success: figures?.successShare(provider, endpoint, workspaceId),
  };
}
