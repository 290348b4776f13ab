import type { EndpointMetrics } from "../../shared/contract/discovery.ts";
import type { RunListItem } from "../../shared/contract/runs.ts";
import { isTerminal } from "../run/run-outcome.ts";
import { targetWords } from "../words/target.ts";
import { wentWrong } from "./went-wrong.ts";
import type { ProviderTrend } from "./top-snapshot.ts";

type Health = EndpointMetrics["status"];

const worstFirst: readonly Health[] = ["outage", "degraded", "stable", "healthy", "unknown"];

/** What runs, newest first, say of their providers; `health` is that of endpoints as `provider/path`. The most run first. */
export function providerTrends(runs: readonly RunListItem[], health: ReadonlyMap<string, Health>): ProviderTrend[] {
  const ended = runs.filter(isTerminal);
  const slugs = [...new Set(ended.map(({ provider }) => provider))];
  return slugs
    .map((provider) =>
      trendOf(
        provider,
        ended.filter((run) => run.provider === provider),
        health,
      ),
    )
    .sort((a, b) => b.runs - a.runs);
}

function trendOf(provider: string, runs: readonly RunListItem[], known: ReadonlyMap<string, Health>): ProviderTrend {
  const told = new Set(runs.map((run) => known.get(targetWords(run))));
  const health = worstFirst.find((status) => told.has(status));
  return {
    provider,
    runs: runs.length,
    failed: runs.filter(wentWrong).length,
    latenciesMs: runs
      .filter((run) => run.status === "COMPLETED" && !wentWrong(run))
      .toReversed()
      .flatMap(latencyMs),
    ...(health !== undefined && { health }),
  };
}

function latencyMs({ createdAt, startedAt = createdAt, completedAt }: RunListItem): number[] {
  const ms = completedAt === undefined ? Number.NaN : Date.parse(completedAt) - Date.parse(startedAt);
  return Number.isFinite(ms) && ms >= 0 ? [ms] : [];
}
