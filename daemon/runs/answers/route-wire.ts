import type { RouteOfRun } from "../../../shared/contract/route-members.ts";
import { toRunAtMarket } from "../market/market-wire.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";

type Routed = Pick<RunRecord, "route" | "provider" | "endpoint" | "createdAt" | "startedAt" | "completedAt" | "status">;

/** The route that was asked for, as lists show it. */
export function toRouteName({ route }: Pick<RunRecord, "route">): { readonly route?: RouteOfRun } {
  return route === undefined ? {} : { route: { provider: route.provider, endpoint: route.endpoint } };
}

/** The route with all members that the run turned to, and those that it passed over. */
export function toRouteOfRun(run: Routed): { readonly route?: RouteOfRun } {
  const { route } = run;
  if (route === undefined) return {};
  const left = route.left.map(({ source: _source, market, ...member }) => ({
    ...member,
    outcome: "left" as const,
    ...(market !== undefined && { market: toRunAtMarket(market) }),
  }));
  return {
    route: {
      provider: route.provider,
      endpoint: route.endpoint,
      attempts: [...left, ...lastAttempt(run)],
      ...(route.passedOver.length > 0 && { passedOver: route.passedOver.map((one) => ({ ...one })) }),
    },
  };
}

/** The member that the run is at; none while it waits for its slot there, and none for a run that was BLOCKED. */
function lastAttempt(run: Routed): NonNullable<RouteOfRun["attempts"]> {
  const { provider, endpoint, startedAt, completedAt, createdAt, route } = run;
  if (startedAt === undefined) return [];
  const at = route?.turnedAt ?? createdAt;
  const durationMs = isTerminal(run) && completedAt !== undefined ? Date.parse(completedAt) - Date.parse(at) : 0;
  return [{ provider, endpoint, at, durationMs: Math.max(0, durationMs), outcome: "tried" }];
}
