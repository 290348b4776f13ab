import type { HealthSettings } from "../../../shared/contract/admin.ts";
import type { EndpointMetrics } from "../../../shared/contract/discovery.ts";
import type { Clock } from "../../base/clock.ts";
import { type EndpointEvidence, noEvidence, withoutForgotten, withRun } from "./endpoint-evidence.ts";
import { DEFAULT_HEALTH_SETTINGS } from "./health-settings.ts";
import { type HealthSpan, historyOf } from "./health-history.ts";
import { type FinishedRun, judgeRun } from "./judge-run.ts";
import { percentilesOf } from "./run-times.ts";
import { createSums } from "./sum-evidence.ts";
import { statusInEyesOf } from "./weigh-workspaces.ts";

/** How endpoints did recently. `viewer` is a workspace; absent: the operator's. */
export interface HealthSource {
  /** Never throws: for an endpoint that has no runs or does not exist the status is "unknown". */
  metrics(provider: string, endpoint: string, viewer?: string): EndpointMetrics;
}

export interface Health extends HealthSource {
  /**
   * The share of the runs of the long window that were no errors, 0 to 1; undefined when there was none. Other workspaces' runs
   * count, too, but for those that count only for their own.
   */
  successShare(provider: string, endpoint: string, viewer: string): number | undefined;
  /**
   * The last week of these endpoints of a provider together, from what is in memory. `everybody`: the runs of all workspaces, as
   * `viewer` sees them; otherwise its own alone.
   */
  history(provider: string, endpoints: readonly string[], whose: HistoryOf): HealthSpan[];
  /** Records a run that has ended. */
  observe(run: FinishedRun): void;
  /** The evidence of all endpoints, the most recently run last. Complete up to `revision`. */
  evidence(): ReadonlyMap<string, EndpointEvidence>;
  /** Restores what `evidence` returned, before the first run is observed. */
  restore(evidence: ReadonlyMap<string, EndpointEvidence>): void;
  /** Changes whenever the evidence changes. */
  revision(): number;
}

export interface HistoryOf {
  readonly viewer: string;
  readonly everybody: boolean;
}

export interface HealthParts {
  readonly clock: Clock;
  /** Read at every query, because the operator may change them. */
  readonly settings?: () => HealthSettings;
  /** The default deadline of an endpoint; undefined when it is not in the catalog. */
  readonly ownDeadlineMs?: (provider: string, endpoint: string) => number | undefined;
  /** The operator's own workspace; undefined while there is none. */
  readonly operatorWorkspace?: () => string | undefined;
}

/**
 * The total number of windows that are kept, each for one workspace at one endpoint, with at most 4 KB each. Beyond
 * that, the endpoints that were run longest ago are forgotten, including those that have left the catalog.
 */
const MAX_WINDOWS = 40_000;

/**
 * Computes health from the runs of this daemon, in constant memory for each endpoint that was run.
 * docs/contract.md, "Health".
 */
export function createHealth({
  clock,
  settings = () => DEFAULT_HEALTH_SETTINGS,
  ownDeadlineMs = () => undefined,
  operatorWorkspace = () => undefined,
}: HealthParts): Health {
  const byEndpoint = new Map<string, EndpointEvidence>();
  let windows = 0;
  let revision = 0;

  function keep(key: string, evidence: EndpointEvidence | undefined): void {
    windows -= byEndpoint.get(key)?.workspaces.length ?? 0;
    byEndpoint.delete(key);
    if (evidence === undefined) return;
    byEndpoint.set(key, evidence);
    windows += evidence.workspaces.length;
    for (const [oldest] of byEndpoint) {
      if (windows <= MAX_WINDOWS || oldest === key) break;
      keep(oldest, undefined);
    }
  }

  /** Keeps its position: the order is that of the runs. */
  function shrink(key: string, evidence: EndpointEvidence): void {
    windows += evidence.workspaces.length - (byEndpoint.get(key)?.workspaces.length ?? 0);
    byEndpoint.set(key, evidence);
  }

  const evidenceOf = (provider: string, endpoint: string) => byEndpoint.get(keyOf(provider, endpoint)) ?? noEvidence();

  return {
    observe(run) {
      // On a new data folder the workspace is created later than this; it exists before any run.
      operatorWorkspace();
      const judged = judgeRun(run, ownDeadlineMs(run.provider, run.endpoint), clock.now());
      if (judged === undefined) return;
      const key = keyOf(run.provider, run.endpoint);
      keep(key, withRun(byEndpoint.get(key) ?? noEvidence(), run.workspaceId, judged));
      revision += 1;
    },
    metrics(provider, endpoint, viewer = operatorWorkspace()) {
      const evidence = evidenceOf(provider, endpoint);
      if (evidence.workspaces.length === 0) return { status: "unknown" };
      const rules = { now: clock.now(), settings: settings() };
      const runTimeMs = percentilesOf(evidence.times, rules.now, rules.settings);
      return {
        status: statusInEyesOf(viewer, evidence.workspaces, rules),
        ...(runTimeMs !== undefined && { runTimeMs }),
      };
    },
    successShare(provider, endpoint, viewer) {
      const { workspaces } = evidenceOf(provider, endpoint);
      const visible = workspaces.filter(({ workspaceId, isPrivate }) => !isPrivate || workspaceId === viewer);
      const { runs, errors } = createSums(visible, { now: clock.now(), settings: settings() })(() => true);
      return runs === 0 ? undefined : (runs - errors) / runs;
    },
    history(provider, endpoints, { viewer, everybody }) {
      const evidence = endpoints.map((endpoint) => evidenceOf(provider, endpoint));
      return historyOf(evidence, clock.now(), { workspaceId: viewer, everybody });
    },
    evidence() {
      for (const [key, evidence] of byEndpoint) {
        const left = withoutForgotten(evidence, clock.now());
        if (left === undefined) keep(key, undefined);
        else shrink(key, left);
      }
      return byEndpoint;
    },
    restore(evidence) {
      for (const [key, known] of evidence) keep(key, known);
    },
    revision: () => revision,
  };
}

/** A path begins with a slash, which no provider's slug has. */
function keyOf(provider: string, endpoint: string): string {
  return `${provider}${endpoint}`;
}

/** Health as one workspace sees it now; each endpoint is looked up once. For a single discovery. */
export function healthSeenBy(source: HealthSource, viewer: string | undefined): Pick<HealthSource, "metrics"> {
  const known = new Map<string, EndpointMetrics>();
  return {
    metrics(provider, endpoint) {
      const key = `${provider}${endpoint}`;
      const metrics = known.get(key) ?? source.metrics(provider, endpoint, viewer);
      known.set(key, metrics);
      return metrics;
    },
  };
}
