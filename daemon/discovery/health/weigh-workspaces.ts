import type { WorkspaceEvidence } from "./endpoint-evidence.ts";
import { type EndpointStatus, hadGoodAnswer, statusOf, type StatusRules } from "./endpoint-status.ts";
import { createSums } from "./sum-evidence.ts";

const SEVERITY: Readonly<Record<EndpointStatus, number>> = {
  healthy: 0,
  stable: 1,
  unknown: 2,
  degraded: 3,
  outage: 4,
};

/**
 * How an endpoint does in the eyes of a workspace. No other workspace, however often and whatever it runs, can make it look
 * worse than the viewer's own runs do, or than those of all others together:
 *
 *   own      what the rules say of the viewer's own runs: bad news of one's own always counts, and whoever had a good
 *            answer within the fresh window goes by its own runs alone
 *   agreed   what they say of everybody's runs, and where that is bad, the mildest of what they say with one other
 *            workspace left out: bad news counts when it is there without any one of those who bring it
 *   status   the worse of the two
 *
 * Where one workspace has all the runs, that is the rules as they are written. docs/contract.md, "Health".
 */
export function statusInEyesOf(
  viewer: string | undefined,
  workspaces: readonly WorkspaceEvidence[],
  rules: StatusRules,
): EndpointStatus {
  const visible = workspaces.filter(({ workspaceId, isPrivate }) => !isPrivate || workspaceId === viewer);
  const sumOf = createSums(visible, rules);
  const ownRuns = sumOf((workspaceId) => workspaceId === viewer);
  const own = statusOf(ownRuns, rules);
  if (own === "outage" || hadGoodAnswer(ownRuns, rules)) return own;

  const ofAll = statusOf(
    sumOf(() => true),
    rules,
  );
  if (!isBad(ofAll)) return isBad(own) ? own : ofAll;
  const others = new Set(visible.map(({ workspaceId }) => workspaceId).filter((workspaceId) => workspaceId !== viewer));
  const withoutOne = [...others].map((left) =>
    statusOf(
      sumOf((workspaceId) => workspaceId !== left),
      rules,
    ),
  );
  const agreed = withoutOne.reduce(milder, ofAll);
  return isBad(own) ? worse(own, agreed) : agreed;
}

function isBad(status: EndpointStatus): boolean {
  return SEVERITY[status] >= SEVERITY.degraded;
}

function milder(a: EndpointStatus, b: EndpointStatus): EndpointStatus {
  return SEVERITY[a] <= SEVERITY[b] ? a : b;
}

function worse(a: EndpointStatus, b: EndpointStatus): EndpointStatus {
  return SEVERITY[a] >= SEVERITY[b] ? a : b;
}
