import { describe, expect, test } from "vitest";
import { createHealth, type FinishedRun } from "../../daemon/discovery/health.ts";

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
}

/** Observes the runs in the order given, each at its time, and reads the metrics at `NOW`. */
function metricsAfter(past: readonly Past[]) {
  let now = NOW;
  const health = createHealth({ clock: { now: () => now } });
  for (const { ago, times = 1, status = "COMPLETED", http, tookMs = 1_000 } of past) {
    now = NOW - ago;
    for (let i = 0; i < times; i += 1) {
      health.observe({
        provider: "weather",
        endpoint: "/now",
        status,
        createdAt: new Date(now - tookMs).toISOString(),
        completedAt: new Date(now).toISOString(),
        ...(status === "COMPLETED" && { providerResponse: { httpStatus: http ?? 200 } }),
      });
    }
  }
  now = NOW;
  return health.metrics("weather", "/now");
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
    ["four errors in a row are no outage", [failed(MINUTE, 4)], "stable"],
    ["five errors in a row within 15 minutes: outage", [failed(MINUTE, 5)], "outage"],
    [
      "five errors in a row, the first of them longer ago: no outage",
      [failed(16 * MINUTE), failed(MINUTE, 4)],
      "stable",
    ],
    ["a good run ends the outage", [failed(2 * MINUTE, 9), { ago: MINUTE }], "stable"],
    ["an outage is over when nobody has run it for 15 minutes", [failed(20 * MINUTE, 9)], "stable"],
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
    ["runs that were refused say nothing", [{ ago: MINUTE, times: 9, status: "BLOCKED" }], "unknown"],
  ])("%s", (_, past, status) => {
    expect(metricsAfter(past).status).toBe(status);
  });

  test("each endpoint has its own", () => {
    const health = createHealth({ clock: { now: () => NOW } });
    const at = new Date(NOW).toISOString();
    for (let i = 0; i < 5; i += 1) {
      health.observe({ provider: "a", endpoint: "/x", status: "FAILED", createdAt: at, completedAt: at });
    }

    expect(health.metrics("a", "/x").status).toBe("outage");
    expect(health.metrics("a", "/y").status).toBe("unknown");
    expect(health.metrics("b", "/x").status).toBe("unknown");
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
