import { setTimeout as delay } from "node:timers/promises";
import { render } from "ink-testing-library";
import { describe, expect, test, vi } from "vitest";
import { ServiceError, UnreachableError } from "../../shared/client/service-error.ts";
import type { TopActions } from "../../cli/top/press-key.ts";
import { TopApp } from "../../cli/top/TopApp.tsx";
import type { TopSnapshot } from "../../cli/top/top-snapshot.ts";
import type { AnyRun } from "../../cli/run/run-outcome.ts";
import { startStage } from "./ten-screens.ts";
import { runMkt } from "../support/run-cli.ts";

const enter = "\r";
const escape = "\u001b";
const down = "\u001b[B";
const ctrlC = "\u0003";

const price = { type: "PER_CALL", amount: 0.001, currency: "USD" } as const;
const money = (value: number) => ({ value, currency: "USD" }) as const;

function aTopRun(members: Partial<TopSnapshot["inFlight"]["runs"][number]> = {}) {
  return {
    runId: "01GOING",
    caller: "API_KEY#1",
    provider: "atlas",
    endpoint: "/reports/almanac",
    status: "RUNNING",
    price,
    createdAt: "2026-03-01T12:00:00.000Z",
    startedAt: "2026-03-01T12:00:00.000Z",
    ...members,
  } as const;
}

const ended = [
  aTopRun({
    runId: "01DONE",
    endpoint: "/sun",
    status: "COMPLETED",
    completedAt: "2026-03-01T12:00:00.250Z",
    cost: money(0.001),
  }),
  aTopRun({
    runId: "01BAD",
    endpoint: "/status/{code}",
    status: "COMPLETED",
    completedAt: "2026-03-01T12:00:00.010Z",
    providerResponse: { httpStatus: 503, error: { status: 503, message: "out of order" } },
  }),
];

function aSnapshot(members: Partial<TopSnapshot> = {}): TopSnapshot {
  const runs = [aTopRun({ progress: 42, progressUnit: "percent" }), aTopRun({ runId: "01QUEUED", status: "READY" })];
  return {
    at: "2026-03-01T12:00:05.000Z",
    url: "http://127.0.0.1:8787",
    inFlight: { runs, queued: 1, running: 1, stopping: 0, isAll: true },
    ended,
    providers: [{ provider: "atlas", runs: 7, failed: 1, latenciesMs: [10, 20, 40, 80], health: "degraded" }],
    today: {
      runs: 7,
      failed: 0,
      reused: 0,
      saved: money(0),
      charged: money(0.5),
      cost: money(0.4),
      rent: money(0),
      overruns: 0,
      overrun: money(0),
    },
    budgets: [
      {
        budgetControlId: "b1",
        workspaceId: "w1",
        period: "DAY",
        limitAmount: 2,
        spentAmount: 0.5,
        heldAmount: 0.5,
        availableAmount: 1,
        currency: "USD",
        windowStart: "2026-03-01T00:00:00.000Z",
        status: "ACTIVE",
        createdAt: "2026-03-01T00:00:00.000Z",
        updatedAt: "2026-03-01T00:00:00.000Z",
      },
    ],
    wallet: { balance: money(9.5), held: money(0.5) },
    ...members,
  };
}

interface Stage {
  readonly read?: (signal: AbortSignal) => Promise<TopSnapshot>;
  readonly actions?: Partial<TopActions>;
}

/** The dashboard on a terminal of 100 columns; reads quickly, where a test gives it something to read. */
function openTop({ read, actions }: Stage = {}) {
  const known: TopActions = { open: async () => ended[0] as AnyRun, stop: async () => {}, ...actions };
  const source = { read: read ?? (() => new Promise<never>(() => {})), everyMs: 10, longestMs: 40, patienceMs: 200 };
  const app = render(<TopApp first={aSnapshot()} source={source} actions={known} />);
  const frame = () => app.lastFrame() ?? "";
  return {
    frame,
    async press(...keys: readonly string[]) {
      for (const key of keys) {
        app.stdin.write(key);
        await delay(20);
      }
    },
    until: async (text: string) => await expect.poll(frame).toContain(text),
    /** Waits until this run is the one with the mark. */
    untilChosen: async (runId: string) => await expect.poll(frame).toContain(`\n> ${runId}`),
    [Symbol.dispose]: () => app.unmount(),
  };
}

describe("the dashboard", () => {
  test("shows runs in flight, queue, spend against budgets, health, latency and errors", () => {
    using top = openTop();

    expect(top.frame()).toMatchInlineSnapshot(`
      "mkt top  http://127.0.0.1:8787  12:00:05 UTC
      1 running, 1 queued · today: 7 runs, $0.5 · wallet: $9.5, $0.5 held

        run       status        endpoint                 time    cost  progress
      > 01GOING   RUNNING       atlas/reports/almanac   5.0 s          42 %
        01QUEUED  READY         atlas/reports/almanac   5.0 s
        01DONE    COMPLETED     atlas/sun              250 ms  $0.001
        01BAD     ANSWERED 503  atlas/status/{code}     10 ms

      budget  used  spent  held  limit
      day     50 %   $0.5  $0.5     $2  ████████████░░░░░░░░░░░░

      provider  health    runs  errors  latency
      atlas     degraded     7       1    20 ms  ▂▃▅█

      error at  endpoint             what
      12:00:00  atlas/status/{code}  answered 503: out of order





      q: leave · s: stop · enter: open · arrows or j/k: choose"
    `);
  });

  test("keys choose a run: arrows, and j and k, also when they are held down", async () => {
    using top = openTop();
    await top.untilChosen("01GOING");

    await top.press(down);
    await top.untilChosen("01QUEUED");
    await top.press("jj");
    await top.untilChosen("01BAD");
    await top.press("j", "k");
    await top.untilChosen("01DONE");
  });

  test("the chosen run stays chosen when others come before it", async () => {
    const newer = aTopRun({ runId: "01NEWER" });
    const inFlight = { ...aSnapshot().inFlight, runs: [newer, ...aSnapshot().inFlight.runs] };
    using top = openTop({ read: async () => aSnapshot({ inFlight }) });

    await top.until("01NEWER");

    await top.untilChosen("01GOING");
  });

  test("s asks before it stops a run, and y does it", async () => {
    const stop = vi.fn(async () => {});
    using top = openTop({ actions: { stop } });

    await top.press("s");
    await top.until("Stop atlas/reports/almanac, run 01GOING? y/n");
    expect(stop).not.toHaveBeenCalled();
    await top.press("y");

    await top.until("Run 01GOING is being stopped.");
    expect(stop).toHaveBeenCalledWith("01GOING");
  });

  test.each(["n", "x", escape])("any other answer than y stops nothing: %j", async (answer) => {
    const stop = vi.fn(async () => {});
    using top = openTop({ actions: { stop } });

    await top.press("s", answer);

    await expect.poll(top.frame).not.toContain("y/n");
    expect(stop).not.toHaveBeenCalled();
  });

  test("a run that has ended is not asked about", async () => {
    using top = openTop();

    await top.press("jj", "s");

    await top.until("This run has ended: it is COMPLETED.");
  });

  test("says why a run could not be stopped", async () => {
    const stop = async () => Promise.reject(new Error("It has just ended."));
    using top = openTop({ actions: { stop } });

    await top.press("s", "y");

    await top.until("It has just ended.");
  });

  test("enter opens a run, and esc goes back", async () => {
    using top = openTop({
      actions: { open: async (runId) => ({ ...(ended[0] as AnyRun), runId, output: { sunrise: "06:12" } }) },
    });

    await top.press(enter);
    await top.until('"sunrise": "06:12"');
    expect(top.frame()).toContain("01GOING");
    await top.press(escape);

    await top.until("q: leave · s: stop");
  });

  test("says that the service is away and when it asks again, and goes on when it is back", async () => {
    let asked = 0;
    const read = async () => {
      asked += 1;
      if (asked <= 3) throw new UnreachableError("http://127.0.0.1:8787/v1/runs", new Error("refused"));
      return aSnapshot({ today: { ...aSnapshot().today, runs: 8 } });
    };
    using top = openTop({ read });

    await top.until("Not up to date, next try in 40 ms");
    await top.until("today: 8 runs");

    expect(top.frame()).not.toContain("Not up to date");
  });

  test("says so too when no answer comes at all", async () => {
    const read = async (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    using top = openTop({ read });

    await top.until("Not up to date, next try in 20 ms: no answer within 200 ms");
  });

  test("pauses grow while the service is away, and no further than to the longest", async () => {
    const pauses = new Set<string>();
    using top = openTop({
      read: async () => Promise.reject(new ServiceError("busy", { status: 503, headers: {}, body: {} })),
    });

    await vi.waitFor(() => {
      pauses.add(/next try in (\d+) ms/.exec(top.frame())?.[1] ?? "");
      expect(pauses).toContain("40");
    }, 15_000);

    expect([...pauses].filter((pause) => Number(pause) > 40)).toEqual([]);
  });

  test.each([
    ["q", "q"],
    ["Ctrl-C", ctrlC],
  ])("%s leaves", async (_name, key) => {
    const read = vi.fn(async () => aSnapshot());
    using top = openTop({ read });

    await top.press(key);

    // One that had not left would read ten times in the meantime.
    await vi.waitFor(async () => {
      const readings = read.mock.calls.length;
      await delay(100);
      expect(read.mock.calls.length).toBe(readings);
    }, 10_000);
  });
});

describe("mkt top where nothing can be redrawn", () => {
  test("prints one snapshot as JSON", async () => {
    await using stage = await startStage();

    const { exitCode, stdout } = await runMkt(["top", "--json"], {
      env: { MKT_API_URL: stage.url, MKT_API_KEY: stage.key },
    });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      url: stage.url,
      inFlight: { runs: [], queued: 0, running: 0, isAll: true },
      ended: [{ endpoint: "/status/{code}" }, { endpoint: "/time/transitions" }],
      providers: [{ provider: "atlas", runs: 2, failed: 1 }],
      budgets: [{ period: "DAY", limitAmount: 0.5 }],
    });
  });

  test("says what is wrong like any other command when no service answers", async () => {
    const { exitCode, stderr } = await runMkt(["top"], {
      env: { MKT_API_URL: "http://127.0.0.1:9", MKT_API_KEY: "mkt_x" },
    });

    expect(exitCode).toBe(9);
    expect(stderr).toContain("next:");
  });
});
