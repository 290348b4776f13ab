import { Async, type MarketEndpoint } from "../../manifest/manifest.ts";
import type { ResolvedHttp } from "./catalog-entry.ts";
import { openRunStatuses } from "../../../shared/run-status.ts";

/** For runs at a market that does not tell how long they may take. */
const UNKNOWN_RUN_MS = 900_000;
const LONGEST_MS = 86_400_000;
/** The market's end of a run has to arrive here before the run's own. */
const TRAVEL_MS = 5_000;

/**
 * The job protocol of an endpoint of a market, in the words of a provider's file: the deadline of a run is in it. The
 * calls themselves are made by `market-caller.ts`.
 */
export function marketJob({ deadlineMs }: Pick<MarketEndpoint, "deadlineMs">): Async {
  return Async.parse({
    start: { id: "$.runId" },
    poll: {
      method: "GET",
      path: "/v1/runs/${run.externalId}",
      everyMs: 250,
      factor: 1.5,
      maxEveryMs: 10_000,
      status: "$.status",
      states: { running: [...openRunStatuses], done: ["COMPLETED"], failed: ["FAILED"] },
    },
    stop: { method: "POST", path: "/v1/runs/${run.externalId}/stop" },
    runMs: Math.min(LONGEST_MS, deadlineMs === undefined ? UNKNOWN_RUN_MS : deadlineMs + TRAVEL_MS),
  });
}

/** A sync endpoint has the market's own time and that of the way there, unless its file says a time. */
export function withMarketTime<Settings extends Pick<ResolvedHttp, "timeoutMs">>(
  http: Settings,
  run: MarketEndpoint | undefined,
  givenMs: number | undefined,
): Settings {
  if (run?.mode !== "sync" || run.deadlineMs === undefined || givenMs !== undefined) return http;
  return { ...http, timeoutMs: Math.min(3_600_000, run.deadlineMs + TRAVEL_MS) };
}
