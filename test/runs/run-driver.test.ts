import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import { systemClock } from "../../daemon/base/clock.ts";
import {
  NoAnswerError,
  type Provider,
  type ProviderAnswer,
  type ProviderJob,
} from "../../daemon/providers/protocol/provider.ts";
import type { LiveRun } from "../../daemon/runs/work/live-run.ts";
import { createRunDriver, type RunDriver } from "../../daemon/runs/work/run-driver.ts";
import type { RunEffect } from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import { laneOf, type ProviderLane } from "../../daemon/runs/queue/provider-lane.ts";
import { createRunQueue, type RunQueue } from "../../daemon/runs/queue/run-queue.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { Transaction } from "../../daemon/ledger/transaction/transaction.ts";
import { gate } from "../support/gate.ts";
import { makeRun } from "../support/make-run.ts";
import { takenLine } from "../support/taken-line.ts";

const answer: ProviderAnswer = {
  kind: "answer",
  httpStatus: 200,
  success: true,
  output: { done: true },
  body: { done: true },
  measured: {},
  notes: [],
  attempts: [],
};
const job: ProviderJob = { kind: "job", externalId: "j1", state: {}, pollAfterMs: 5, polls: 0, attempts: [] };
const kept = { ...job, state: {}, attempts: [] };

interface Stage {
  readonly driver: RunDriver;
  drive(run: RunRecord, effect: RunEffect): LiveRun;
  resume(run: RunRecord): LiveRun;
  readonly queue: RunQueue;
  readonly lane: ProviderLane;
  /** Types of the lines that were made durable, in their order. */
  readonly lines: string[];
  readonly calls: { start: number; poll: number; stop: number };
}

/** A driver on a provider that does what the test says. */
const someone = { workspaceId: "someone", caller: "key" };

function stage(script: Partial<Provider>, { concurrency = 8 } = {}): Stage {
  const lines: string[] = [];
  const calls = { start: 0, poll: 0, stop: 0 };
  const queue = createRunQueue();
  const unexpected = () => Promise.reject(new Error("the test did not expect this call"));
  const provider: Provider = {
    start: (request, options) => ((calls.start += 1), (script.start ?? unexpected)(request, options)),
    poll: (request, known, options) => ((calls.poll += 1), (script.poll ?? unexpected)(request, known, options)),
    stop: (request, known, options) => ((calls.stop += 1), (script.stop ?? unexpected)(request, known, options)),
    close: async () => {},
  };
  const driver = createRunDriver({
    store: {
      commit: async (transaction: Transaction) => void lines.push(takenLine(transaction).t),
      findResource: async () => undefined,
      findHolder: async () => undefined,
    },
    provider,
    clock: systemClock,
    logger: pino({ level: "silent" }),
    queue,
    onEnded: () => {},
  });
  const entry = {
    provider: { provider: "weather" },
    http: { rateLimit: { requests: 1_000, perMs: 1, concurrency } },
  } as unknown as CatalogEntry;
  return {
    driver,
    drive: (run, effect) => driver.drive(run, effect, { entry, place: undefined }),
    resume: (run) => driver.resume(run, entry),
    queue,
    lane: laneOf("weather", entry),
    lines,
    calls,
  };
}

const born = (ageMs = 0) => new Date(Date.now() - ageMs).toISOString();
const asyncRun = (members: Partial<RunRecord> = {}) => makeRun({ mode: "async", createdAt: born(), ...members });
const syncRun = (members: Partial<RunRecord> = {}) => makeRun({ createdAt: born(), ...members });

async function untilAborted(signal: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  throw new NoAnswerError("cut off", { source: "network", maybeExecuted: true, attempts: [] });
}

describe("after a restart", () => {
  test("a job is asked at once, however long its delay", async () => {
    const { resume } = stage({ poll: async () => answer });

    const live = resume(asyncRun({ job: { ...kept, pollAfterMs: 600_000 } }));
    await live.ended;

    expect(live.current().status).toBe("COMPLETED");
  });

  test("a job that is past its deadline is not asked, and its provider is told to stop it", async () => {
    const { calls, resume } = stage({
      poll: async () => answer,
      stop: async () => ({ outcome: "stopped", attempts: [] }),
    });

    const live = resume(asyncRun({ createdAt: born(3_600_000), deadlineMs: 1_000, job: kept }));
    await live.ended;

    expect(live.current()).toMatchObject({ status: "TIMED_OUT", billing: { reported: 0 } });
    expect(calls).toEqual({ start: 0, poll: 0, stop: 1 });
  });

  test("a stop that was asked for in the line is a stop, however late it is", async () => {
    const { startedAt: _startedAt, ...waited } = asyncRun({ createdAt: born(3_600_000), status: "STOPPING" });
    const { calls, resume } = stage({});

    const live = resume(waited);
    await live.ended;

    expect(live.current().status).toBe("STOPPED");
    expect(calls).toEqual({ start: 0, poll: 0, stop: 0 });
  });

  test("a call that may be repeated is repeated within its deadline", async () => {
    const { calls, resume } = stage({
      start: async (_, { signal }) => {
        await setImmediate();
        signal.throwIfAborted();
        return answer;
      },
    });

    const live = resume(syncRun({ repeatable: true, createdAt: born(1_000) }));
    await live.ended;

    expect(live.current().status).toBe("COMPLETED");
    expect(live.current()).not.toHaveProperty("providerMayHaveCharged");
    expect(live.current().notes.join()).toContain("again after the restart");
    expect(calls.start).toBe(1);
  });

  test("a run at its provider keeps its place, and the next one waits", async () => {
    const { driver, queue, resume, lane } = stage(
      { poll: async (_, known) => ({ ...known, pollAfterMs: 5 }) },
      { concurrency: 1 },
    );
    const live = resume(asyncRun({ job: kept, deadlineMs: 60_000 }));

    expect(queue.tryEnter(lane, someone)).toBeUndefined();

    await driver.close({ graceMs: 0 });
    await live.ended;
    expect(queue.tryEnter(lane, someone)).toBeDefined();
  });
});

describe("the end of a run", () => {
  test("comes at the deadline even when the endpoint has left the catalog meanwhile", async () => {
    const { driver } = stage({});

    const run = asyncRun({ deadlineMs: 20, job: { ...kept, pollAfterMs: 5_000 } });
    const live = driver.drive(run, "pollProvider", { entry: undefined, place: undefined });
    await live.ended;

    expect(live.current()).toMatchObject({ status: "TIMED_OUT", billing: { reported: 0 } });
  });

  test("at the deadline keeps the attempts that were made", async () => {
    const attempts = [{ at: born(), durationMs: 3, error: "cut off" }];
    const { drive } = stage({
      start: async (_, { signal }) =>
        await untilAborted(signal).catch(() => {
          throw new NoAnswerError("cut off", { source: "network", maybeExecuted: true, attempts });
        }),
    });

    const live = drive(syncRun({ deadlineMs: 20 }), "callProvider");
    await live.ended;

    expect(live.current()).toMatchObject({ status: "TIMED_OUT", attempts, providerMayHaveCharged: true });
  });

  test("is told to a job that is past its deadline", async () => {
    const { calls, drive } = stage({
      poll: async (_, known) => ({ ...known, pollAfterMs: 5 }),
      stop: async () => ({ outcome: "stopped", attempts: [] }),
    });

    const live = drive(asyncRun({ deadlineMs: 30, job: kept }), "pollProvider");
    await live.ended;

    expect(live.current().status).toBe("TIMED_OUT");
    await expect.poll(() => calls.stop).toBe(1);
  });
});

describe("a stop", () => {
  test("that the provider refuses is asked once, and the run ends as the provider ends it", async () => {
    const { calls, drive } = stage({
      poll: async (_, known) => (known.polls < 4 ? { ...known, polls: known.polls + 1 } : answer),
      stop: async () => ({ outcome: "refused", httpStatus: 403, attempts: [] }),
    });
    const live = drive(asyncRun({ job: kept }), "pollProvider");

    await live.askStop();
    await live.ended;

    expect(live.current().status).toBe("COMPLETED");
    expect(calls.stop).toBe(1);
  });

  test("of a run that waits for a place ends it without a call", async () => {
    const { queue, calls, lines, drive, lane } = stage({}, { concurrency: 1 });
    queue.tryEnter(lane, someone);
    const live = drive(asyncRun({ status: "READY" }), "waitForPlace");

    await live.askStop();
    await live.ended;

    expect(live.current().status).toBe("STOPPED");
    expect(calls).toEqual({ start: 0, poll: 0, stop: 0 });
    expect(lines).toEqual(["run.stop", "run.done"]);
  });

  test("during the start call waits for the job and stops that", async () => {
    const started = gate<ProviderJob>();
    const { calls, drive } = stage({
      start: async () => await started.opened,
      stop: async () => ({ outcome: "stopped", attempts: [] }),
    });
    const live = drive(asyncRun(), "callProvider");

    await live.askStop();
    started.open(job);
    await live.ended;

    expect(live.current().status).toBe("STOPPED");
    expect(calls).toEqual({ start: 1, poll: 0, stop: 1 });
  });
});

describe("a shutdown", () => {
  test("leaves a job to the next start, also one that begins while it waits", async () => {
    const started = gate<ProviderJob>();
    const { driver, lines, drive } = stage({ start: async () => await started.opened });
    const live = drive(asyncRun(), "callProvider");

    const closed = driver.close({ graceMs: 20_000 });
    started.open(job);
    await closed;
    await live.ended;

    expect(live.current().status).toBe("RUNNING");
    expect(lines).toEqual(["run.job"]);
  });

  test("records a call that does not end", async () => {
    const { driver, drive } = stage({ start: async (_, { signal }) => await untilAborted(signal) });
    const live = drive(syncRun(), "callProvider");

    await driver.close({ graceMs: 10 });

    expect(live.current()).toMatchObject({ status: "FAILED", providerMayHaveCharged: true });
  });
});
