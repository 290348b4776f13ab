import { describe, expect, test } from "vitest";
import { createHealth } from "../../../daemon/discovery/health/health.ts";
import type { FinishedRun } from "../../../daemon/discovery/health/judge-run.ts";
import { DEFAULT_HEALTH_SETTINGS } from "../../../daemon/discovery/health/health-settings.ts";
import type { HealthSettings } from "../../../shared/contract/admin.ts";

const NOW = Date.parse("2026-11-21T12:00:00.000Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Past {
  /** How long ago it ended. */
  readonly ago: number;
  readonly times?: number;
  readonly status?: FinishedRun["status"];
  readonly http?: number;
  readonly tookMs?: number;
  /** Whether the provider was called. */
  readonly started?: boolean;
  /** FAILED for a reason of ours, although the provider may have answered. */
  readonly lost?: boolean;
}

/** Observes the runs in the order given, each at its time, and reads the metrics at `NOW`. */
function metricsAfter(past: readonly Past[], settings: Partial<HealthSettings> = {}) {
  let now = NOW;
  const clock = { now: () => now };
  const health = createHealth({ clock, settings: () => ({ ...DEFAULT_HEALTH_SETTINGS, ...settings }) });
  for (const { ago, times = 1, status = "COMPLETED", http, tookMs = 1_000, started = true, lost } of past) {
    now = NOW - ago;
    for (let i = 0; i < times; i += 1) {
      health.observe({
        workspaceId: "w1",
        provider: "weather",
        endpoint: "/now",
        status,
        createdAt: new Date(now - tookMs).toISOString(),
        ...(started && { startedAt: new Date(now - tookMs).toISOString() }),
        completedAt: new Date(now).toISOString(),
        ...(status === "COMPLETED" && { providerResponse: { httpStatus: http ?? 200 } }),
        ...(lost === true && { error: { source: "mkt", message: "stopped" }, providerMayHaveCharged: true as const }),
      });
    }
  }
  now = NOW;
  return health.metrics("weather", "/now", "w1");
}

function failed(ago: number, times = 1): Past {
  return { ago, times, status: "FAILED" };
}

describe("the status of an endpoint", () => {
  test.each<[string, Past[], string]>([
    ["no run: unknown", [], "unknown"],
    ["three good runs within 15 minutes: healthy", [{ ago: MINUTE, times: 3 }], "healthy"],
    ["two good runs are too few for healthy: stable", [{ ago: MINUTE, times: 2 }], "stable"],
    ["good runs of yesterday: stable", [{ ago: DAY, times: 30 }], "stable"],
    ["good runs of 15 minutes ago are no longer fresh: stable", [{ ago: 15 * MINUTE, times: 5 }], "stable"],
    ["runs of eight days ago are forgotten: unknown", [{ ago: 8 * DAY, times: 30 }], "unknown"],
    ["runs of seven days less an hour ago still count: stable", [{ ago: 7 * DAY - HOUR, times: 5 }], "stable"],
    ["runs of seven days ago do not: unknown", [{ ago: 7 * DAY, times: 5 }], "unknown"],
    ["one failure hides nothing", [{ ago: 2 * MINUTE, times: 3 }, failed(MINUTE)], "stable"],
    [
      "one failure of an hour ago does not stand in the way of healthy",
      [failed(HOUR), { ago: MINUTE, times: 3 }],
      "healthy",
    ],
    [
      "an early error within the window is remembered after many good runs",
      [failed(14 * MINUTE), { ago: MINUTE, times: 15 }],
      "stable",
    ],
    ["four errors in a row are no outage", [failed(MINUTE, 4)], "degraded"],
    ["a single run that failed is not stable", [failed(DAY)], "degraded"],
    ["nineteen runs of which every one failed are not stable", [failed(DAY, 19)], "degraded"],
    ["as many errors as answers are stable", [{ ago: DAY, times: 3 }, failed(DAY, 3)], "stable"],
    ["one error more than answers is not", [{ ago: DAY, times: 3 }, failed(DAY, 4)], "degraded"],
    [
      "three fresh answers count more than a few errors of yesterday",
      [failed(DAY, 9), { ago: MINUTE, times: 3 }],
      "healthy",
    ],
    ["five errors in a row within 15 minutes: outage", [failed(MINUTE, 5)], "outage"],
    [
      "five errors in a row, the first of them longer ago: no outage",
      [failed(16 * MINUTE), failed(MINUTE, 4)],
      "degraded",
    ],
    ["a good run ends the outage", [failed(2 * MINUTE, 9), { ago: MINUTE }], "degraded"],
    ["an outage is over when nobody has run it for 15 minutes", [failed(20 * MINUTE, 9)], "degraded"],
    [
      "more than a tenth errors of twenty runs in a week: degraded",
      [{ ago: DAY, times: 17 }, failed(DAY, 3)],
      "degraded",
    ],
    ["exactly a tenth is not more than a tenth", [{ ago: DAY, times: 18 }, failed(DAY, 2)], "stable"],
    ["nineteen runs are too few for degraded", [{ ago: DAY, times: 10 }, failed(DAY, 9)], "stable"],
    ["degraded comes before healthy", [failed(DAY, 20), { ago: MINUTE, times: 10 }], "degraded"],
    ["outage comes before degraded", [failed(DAY, 20), failed(MINUTE, 5)], "outage"],
    ["errors of more than a week ago do not degrade", [failed(8 * DAY, 100), { ago: DAY, times: 20 }], "stable"],
    ["a run past its deadline is an error", [{ ago: MINUTE, times: 5, status: "TIMED_OUT" }], "outage"],
    ["the provider's 500 is an error", [{ ago: MINUTE, times: 5, http: 500 }], "outage"],
    ["the provider's 503 is an error", [{ ago: MINUTE, times: 5, http: 503 }], "outage"],
    ["the provider's 429 is an error", [{ ago: MINUTE, times: 5, http: 429 }], "outage"],
    ["the provider's 404 is an answer", [{ ago: MINUTE, times: 5, http: 404 }], "healthy"],
    ["the provider's 400 is an answer", [{ ago: MINUTE, times: 5, http: 400 }], "healthy"],
    ["runs that the caller stopped say nothing", [{ ago: MINUTE, times: 9, status: "STOPPED" }], "unknown"],
    [
      "a run that timed out in line, before the provider was called, says nothing",
      [{ ago: MINUTE, times: 9, status: "TIMED_OUT", started: false }],
      "unknown",
    ],
    [
      "a run whose answer this daemon lost, as it was stopped, says nothing",
      [{ ago: MINUTE, times: 9, status: "FAILED", lost: true }],
      "unknown",
    ],
    ["runs that were refused say nothing", [{ ago: MINUTE, times: 9, status: "BLOCKED" }], "unknown"],
  ])("%s", (_, past, status) => {
    expect(metricsAfter(past).status).toBe(status);
  });

  test("each endpoint has its own", () => {
    const health = createHealth({ clock: { now: () => NOW } });
    const at = new Date(NOW).toISOString();
    for (let i = 0; i < 5; i += 1) {
      health.observe({
        workspaceId: "w1",
        provider: "a",
        endpoint: "/x",
        status: "FAILED",
        createdAt: at,
        completedAt: at,
      });
    }

    expect(health.metrics("a", "/x", "w1").status).toBe("outage");
    expect(health.metrics("a", "/y", "w1").status).toBe("unknown");
    expect(health.metrics("b", "/x", "w1").status).toBe("unknown");
  });
});

describe("the operator's settings", () => {
  test.each<[string, Partial<HealthSettings>, Past[], string]>([
    ["three errors are an outage", { outageRuns: 3 }, [failed(MINUTE, 3)], "outage"],
    ["twenty errors are", { outageRuns: 20 }, [failed(MINUTE, 19)], "degraded"],
    ["an hour is fresh", { freshMinutes: 60 }, [failed(50 * MINUTE, 5)], "outage"],
    ["a single good run is healthy", { healthyRuns: 1 }, [{ ago: MINUTE }], "healthy"],
    ["a day is long", { longDays: 1 }, [{ ago: 2 * DAY, times: 9 }], "unknown"],
    ["four runs are enough to be degraded", { degradedRuns: 4 }, [{ ago: DAY, times: 3 }, failed(DAY)], "degraded"],
    ["half of them have to fail", { degradedShare: 0.5 }, [{ ago: DAY, times: 10 }, failed(DAY, 10)], "stable"],
  ])("%s", (_, settings, past, status) => {
    expect(metricsAfter(past, settings).status).toBe(status);
  });

  test("one run is enough for run times", () => {
    expect(metricsAfter([{ ago: MINUTE, tookMs: 70 }], { timedRuns: 1 }).runTimeMs).toEqual({ p50: 70, p95: 70 });
  });
});

describe("a clock that is set back", () => {
  test("leaves no outage that lasts until the clock has caught up", () => {
    const past = [failed(-2 * DAY, 9)];

    expect(metricsAfter(past).status).toBe("unknown");
  });
});

describe("run times", () => {
  test("four completed runs are too few", () => {
    expect(metricsAfter([{ ago: MINUTE, times: 4 }])).toEqual({ status: "healthy" });
  });

  test("are end to end, by the nearest rank", () => {
    const past = Array.from({ length: 20 }, (_, i) => ({ ago: MINUTE, tookMs: (i + 1) * 100 }));

    expect(metricsAfter(past).runTimeMs).toEqual({ p50: 1_000, p95: 1_900 });
  });

  test("come from the last 15 minutes when enough runs completed in them", () => {
    const { runTimeMs } = metricsAfter([
      { ago: DAY, times: 50, tookMs: 9_000 },
      { ago: MINUTE, times: 5, tookMs: 200 },
    ]);

    expect(runTimeMs).toEqual({ p50: 200, p95: 200 });
  });

  test("come from the last seven days otherwise", () => {
    const { runTimeMs } = metricsAfter([
      { ago: DAY, times: 9, tookMs: 9_000 },
      { ago: MINUTE, times: 1, tookMs: 200 },
    ]);

    expect(runTimeMs).toEqual({ p50: 9_000, p95: 9_000 });
  });

  test("count completed runs alone, whatever the provider said", () => {
    const { status, runTimeMs } = metricsAfter([
      { ago: MINUTE, times: 5, tookMs: 300, http: 404 },
      { ago: MINUTE, times: 5, tookMs: 60_000, status: "TIMED_OUT" },
    ]);

    expect(status).toBe("outage");
    expect(runTimeMs).toEqual({ p50: 300, p95: 300 });
  });
});
