import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProviderAnswer, ProviderJob } from "../../daemon/providers/protocol/provider.ts";
import {
  accept,
  type CallFailure,
  IllegalRunEvent,
  isStoppable,
  replay,
  type RunEvent,
  transition,
} from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import { RunLine } from "../../daemon/ledger/lines/run-lines.ts";
import { isTerminal, type RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { Plain } from "../support/branded.ts";
import { makeRun } from "../support/make-run.ts";

const at = "2026-11-21T10:00:05.000Z";

function answer(members: Partial<ProviderAnswer> = {}): ProviderAnswer {
  return {
    kind: "answer",
    httpStatus: 200,
    success: true,
    output: { temperature: 21 },
    body: { temperature: 21 },
    measured: {},
    notes: [],
    attempts: [{ at, durationMs: 12, httpStatus: 200 }],
    ...members,
  };
}

const job: ProviderJob = { kind: "job", externalId: "j1", state: {}, pollAfterMs: 10, polls: 0, attempts: [] };
const asyncRun = (members: Partial<Plain<RunRecord>> = {}) => makeRun({ mode: "async", ...members });

describe("the life of a run", () => {
  test("counts at most its deadline as run time, whatever a restart added", () => {
    const price = { type: "METERED", amount: "0.06", per: { unit: "MINUTE", count: 1 } } as const;
    const metered = asyncRun({ price, priceWithoutMarkup: price, heldMicroDollars: 30_000, overrun: "caller" });

    const { run } = transition(metered, { type: "answered", at: "2026-11-21T12:00:00.000Z", answer: answer() });

    expect(run.billing?.reported).toBe(30_000);
  });

  test("charges at most what was held, also for a run of a version in which callers could bear more", () => {
    const price = { type: "PER_RESULT", amount: "0.01" } as const;
    const old = makeRun({ price, priceWithoutMarkup: price, overrun: "caller" });

    const { run } = transition(old, { type: "answered", at, answer: answer({ measured: { count: 7 } }) });

    expect(run).toMatchObject({ billing: { calculated: 70_000, reported: 10_000 }, overrunMicroDollars: 60_000 });
  });

  test("holds its maximum in the line that accepts it", () => {
    const { line, effect } = accept(makeRun());

    expect(line).toMatchObject({
      t: "run.accepted",
      led: [
        ["ws:w1:bal", -10_000],
        ["ws:w1:held", 10_000],
      ],
    });
    expect(effect).toBe("callProvider");
  });

  test("waits for a place when it is accepted as READY", () => {
    const ready = makeRun({ status: "READY" });

    expect(accept(ready).effect).toBe("waitForPlace");
    expect(transition(ready, { type: "go", at }).run).toMatchObject({ status: "RUNNING", startedAt: at });
  });

  test("is COMPLETED and charged when the provider answered 2xx", () => {
    const { run, line } = transition(makeRun(), { type: "answered", at, answer: answer() });

    expect(run).toMatchObject({
      status: "COMPLETED",
      output: { temperature: 21 },
      providerResponse: { httpStatus: 200 },
      billing: { calculated: 10_000, actual: 8_000, reported: 10_000 },
      completedAt: at,
    });
    expect(line).toMatchObject({ t: "run.done" });
  });

  test("is COMPLETED and not charged when the provider answered an error", () => {
    const refused = answer({
      httpStatus: 404,
      success: false,
      output: null,
      error: { status: 404, message: "no such city" },
    });

    const { run } = transition(makeRun(), { type: "answered", at, answer: refused });

    expect(run).toMatchObject({
      status: "COMPLETED",
      output: null,
      resultCount: null,
      providerResponse: { httpStatus: 404, error: { status: 404, message: "no such city" } },
      billing: { calculated: 10_000, reported: 0 },
    });
  });

  test("can be read back from its line, also when the answer lacks the part that was selected", () => {
    const { line } = transition(makeRun(), {
      type: "answered",
      at,
      answer: answer({ output: undefined, body: undefined }),
    });

    expect(RunLine.parse(JSON.parse(JSON.stringify(line)))).toEqual(line);
  });

  test("counts a measured zero as no results", () => {
    const { run } = transition(makeRun(), { type: "answered", at, answer: answer({ measured: { count: 0 } }) });

    expect(run.resultCount).toBeNull();
  });

  test("is FAILED and not charged when there was no answer", () => {
    const event = {
      type: "noAnswer",
      at,
      source: "network",
      message: "refused",
      maybeExecuted: false,
      attempts: [],
    } as const;

    const { run } = transition(makeRun(), event);

    expect(run).toMatchObject({ status: "FAILED", error: { source: "network" }, billing: { reported: 0 } });
    expect(run.providerMayHaveCharged).toBeUndefined();
  });

  test("is TIMED_OUT and not charged at its deadline", () => {
    const { run } = transition(makeRun(), { type: "deadline", at, maybeExecuted: true, attempts: [] });

    expect(run).toMatchObject({ status: "TIMED_OUT", billing: { reported: 0 }, providerMayHaveCharged: true });
  });

  test("keeps the job of an async provider, so that it survives a restart", () => {
    const { run, line, effect } = transition(asyncRun(), { type: "job", at, job });

    expect(line).toMatchObject({ t: "run.job", job: { externalId: "j1" } });
    expect(effect).toBe("pollProvider");
    expect(transition(run, { type: "restarted", at }).effect).toBe("pollProvider");
  });

  test("writes no line for a poll that brought nothing but progress", () => {
    const { run } = transition(asyncRun(), { type: "job", at, job });

    const polled = transition(run, { type: "job", at, job: { ...job, polls: 1, progress: 40 } });

    expect(polled.line).toBeUndefined();
    expect(polled.run.job?.progress).toBe(40);
  });

  test("is stopped at the provider, and ends STOPPED without a charge", () => {
    const working = transition(asyncRun(), { type: "job", at, job }).run;

    const stopping = transition(working, { type: "stopAsked", at });

    expect(stopping).toMatchObject({ effect: "stopAtProvider", run: { status: "STOPPING" } });
    expect(transition(stopping.run, { type: "stopped", at }).run).toMatchObject({
      status: "STOPPED",
      billing: { reported: 0 },
    });
  });

  test("may end COMPLETED though a stop was asked, when the provider was quicker", () => {
    const stopping = transition(asyncRun(), { type: "stopAsked", at }).run;

    expect(transition(stopping, { type: "answered", at, answer: answer() }).run.status).toBe("COMPLETED");
  });

  test("cannot be stopped when its endpoint is sync", () => {
    expect(() => transition(makeRun(), { type: "stopAsked", at })).toThrow(IllegalRunEvent);
    expect(isStoppable(makeRun())).toBe(false);
  });

  test.each([
    ["sync", makeRun()],
    ["async, without a job yet", asyncRun()],
    ["async, without a job yet and asked to stop", transition(asyncRun(), { type: "stopAsked", at }).run],
  ])("that is %s is not called twice after a restart when the call may have happened", (_title, open) => {
    const { run, effect } = transition(open, { type: "restarted", at });

    expect(effect).toBe("none");
    expect(run).toMatchObject({ status: "FAILED", providerMayHaveCharged: true, billing: { reported: 0 } });
  });

  test("is called again after a restart when its endpoint may be repeated", () => {
    expect(transition(makeRun({ repeatable: true }), { type: "restarted", at }).effect).toBe("callProvider");
  });
});

describe("a run whose work was cut short", () => {
  const failure: CallFailure = { source: "network", message: "reset", maybeExecuted: true, attempts: [] };
  const waiting = asyncRun({ status: "READY" });
  const working = transition(asyncRun(), { type: "job", at, job }).run;
  const stopping = transition(working, { type: "stopAsked", at }).run;
  const stoppedInLine = transition(waiting, { type: "stopAsked", at }).run;

  test.each<[string, RunRecord, Partial<Extract<RunEvent, { type: "cutShort" }>>, object]>([
    ["by its deadline is TIMED_OUT", makeRun(), { by: "deadline" }, { run: { status: "TIMED_OUT" }, effect: "none" }],
    [
      "by its deadline is TIMED_OUT, also while a stop was wished",
      stopping,
      { by: "deadline", doing: "pollProvider", stopWished: true },
      { run: { status: "TIMED_OUT" }, effect: "none" },
    ],
    [
      "by a shutdown in line is left as it is",
      waiting,
      { by: "shutdown", doing: "waitForPlace", failure },
      { run: waiting, effect: "none" },
    ],
    [
      "by a shutdown with a job is left as it is",
      stopping,
      { by: "shutdown", doing: "stopAtProvider", failure },
      { run: stopping, effect: "none" },
    ],
    [
      "by a shutdown during the call is FAILED and says so",
      makeRun(),
      { by: "shutdown", failure },
      { run: { status: "FAILED", error: { source: "mkt", message: "The daemon was stopped during the call" } } },
    ],
    [
      "by a shutdown in line is FAILED and says so, where it cannot be left",
      makeRun({ status: "READY" }),
      { by: "shutdown", doing: "waitForPlace", failure },
      { run: { status: "FAILED", error: { message: "The daemon was stopped before the call" } } },
    ],
    [
      "by a stop in line ends",
      stoppedInLine,
      { doing: "waitForPlace", stopWished: true, failure },
      { run: stoppedInLine, effect: "endStop" },
    ],
    [
      "by a stop in line ends, also in a shutdown",
      stoppedInLine,
      { by: "shutdown", doing: "waitForPlace", stopWished: true, failure },
      { run: stoppedInLine, effect: "endStop" },
    ],
    [
      "by a shutdown ends, where a stop in line was recorded meanwhile",
      stoppedInLine,
      { by: "shutdown", doing: "waitForPlace", stopWished: false, failure },
      { run: stoppedInLine, effect: "endStop" },
    ],
    [
      "by a stop while it was polled is stopped at the provider",
      stopping,
      { doing: "pollProvider", stopWished: true, failure },
      { run: stopping, effect: "stopAtProvider" },
    ],
    [
      "during the call is FAILED, though a stop was wished",
      makeRun({ mode: "async", status: "STOPPING" }),
      { stopWished: true, failure },
      { run: { status: "FAILED", error: { source: "network", message: "reset" } } },
    ],
    [
      "while its provider was asked to stop goes on",
      stopping,
      { doing: "stopAtProvider", failure },
      { run: stopping, effect: "pollProvider" },
    ],
    ["because it moved on meanwhile stays as it is", working, {}, { run: working, effect: "none" }],
  ])("%s", (_, run, event, expected) => {
    const full = { doing: "callProvider", by: "failure", stopWished: false, ...event } as const;

    expect(transition(run, { type: "cutShort", at, ...full })).toMatchObject(expected);
  });

  test("is not asked to stop again once its provider refused", () => {
    const { effect } = transition(stopping, { type: "stopRefused", at });

    expect(effect).toBe("pollProvider");
    expect(transition(stopping, { type: "job", at, job }).effect).toBe("stopAtProvider");
    expect(transition(stopping, { type: "job", at, job, refusedStop: true }).effect).toBe("pollProvider");
    expect(() => transition(working, { type: "stopRefused", at })).toThrow(IllegalRunEvent);
  });

  test("is asked at once after a restart, however long its delay was", () => {
    const slow = transition(asyncRun(), { type: "job", at, job: { ...job, pollAfterMs: 600_000 } }).run;

    expect(transition(slow, { type: "restarted", at }).run.job?.pollAfterMs).toBe(0);
  });
});

describe("any sequence of events", () => {
  const event: fc.Arbitrary<RunEvent> = fc.oneof(
    fc.constant<RunEvent>({ type: "go", at }),
    fc.nat(3).map<RunEvent>((polls) => ({ type: "job", at, job: { ...job, polls, state: { page: String(polls) } } })),
    fc.constant<RunEvent>({ type: "stopAsked", at }),
    fc
      .record({
        httpStatus: fc.constantFrom(200, 204, 301, 404, 500),
        count: fc.option(fc.double(), { nil: undefined }),
      })
      .map<RunEvent>(({ httpStatus, count }) => ({
        type: "answered",
        at,
        answer: answer({ httpStatus, success: httpStatus < 300, measured: count === undefined ? {} : { count } }),
      })),
    fc.boolean().map<RunEvent>((maybeExecuted) => ({
      type: "noAnswer",
      at,
      source: "network",
      message: "reset",
      maybeExecuted,
      attempts: [],
    })),
    fc.constant<RunEvent>({ type: "deadline", at, maybeExecuted: true, attempts: [] }),
    fc.constant<RunEvent>({ type: "stopped", at }),
    fc.constant<RunEvent>({ type: "restarted", at }),
    fc.constant<RunEvent>({ type: "stopRefused", at }),
    fc
      .record({
        doing: fc.constantFrom("waitForPlace", "callProvider", "pollProvider", "stopAtProvider", "endStop"),
        by: fc.constantFrom("deadline", "shutdown", "failure"),
        stopWished: fc.boolean(),
      })
      .map<RunEvent>((facts) => ({
        type: "cutShort",
        at,
        ...facts,
        failure: { source: "mkt", message: "", maybeExecuted: true, attempts: [] },
      })),
  );
  const birth = fc.record({
    mode: fc.constantFrom("sync" as const, "async" as const),
    status: fc.constantFrom("READY" as const, "RUNNING" as const),
    repeatable: fc.boolean(),
  });

  test("never charges more than was held, ends once, and gives back the whole hold", () => {
    fc.assert(
      fc.property(birth, fc.array(event, { maxLength: 12 }), (members, events) => {
        let run = makeRun(members);
        const accounts = new Map<string, number>();
        const post = (led: ReadonlyArray<readonly [string, number]>) => {
          expect(led.reduce((sum, [, amount]) => sum + amount, 0)).toBe(0);
          for (const [account, amount] of led) accounts.set(account, (accounts.get(account) ?? 0) + amount);
        };
        const born = accept(run).line;
        if (born.t === "run.accepted") post(born.led);
        let ends = 0;

        for (const next of events) {
          try {
            const step = transition(run, next);
            if (step.line !== undefined && step.line.t !== "run.accepted") {
              expect(replay(run, step.line)).toEqual(step.run);
              expect(RunLine.parse(JSON.parse(JSON.stringify(step.line)))).toEqual(step.line);
            }
            if (step.line?.t === "run.done") {
              ends += 1;
              post(step.line.led);
            }
            run = step.run;
          } catch (error) {
            expect(error).toBeInstanceOf(IllegalRunEvent);
          }
        }

        expect(ends).toBe(isTerminal(run) ? 1 : 0);
        expect(accounts.get("ws:w1:held")).toBe(isTerminal(run) ? 0 : 10_000);
        if (isTerminal(run)) expect(accounts.get("ws:w1:bal") ?? 0).toBeCloseTo(-(run.billing?.reported ?? 0), 9);
        expect(run.billing?.reported ?? 0).toBeLessThanOrEqual(10_000);
        expect(run.status === "COMPLETED" || (run.billing?.reported ?? 0) === 0).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

test("a run at a market is accepted in a line that a daemon which does not know markets refuses", () => {
  const market = { host: "team.example", markupPercent: 0, hops: ["m1"] };

  expect(accept(makeRun({ market }))).toMatchObject({ line: { t: "run.accepted", v: 3, rec: { market } } });
});

describe("a run that waits for approval", () => {
  const approval = {
    ruleId: "r1",
    aboveMicroDollars: 5_000,
    estimateMicroDollars: 10_000,
    inputDigest: "d1",
    expiresAt: "2026-11-22T10:00:00.000Z",
  };
  const waiting = (members: Partial<Plain<RunRecord>> = {}) => {
    const { startedAt: _startedAt, ...born } = makeRun();
    return {
      ...makeRun({ ...born, status: "READY", approval, ...members }),
      startedAt: undefined,
    } as never as RunRecord;
  };
  const decision = { kind: "approved", at, by: "API_KEY#boss", keyLabel: "boss" } as const;
  const approve: RunEvent = { type: "approved", at, decision, keys: ["k1"] };

  test("is accepted in a line that a daemon which does not know approvals refuses", () => {
    expect(accept(waiting())).toMatchObject({ line: { t: "run.accepted", v: 2 }, effect: "waitForApproval" });
    expect(accept(makeRun({ status: "READY" }))).toMatchObject({ line: { v: 1 }, effect: "waitForPlace" });
  });

  test("does not begin, get a job or an answer before the yes", () => {
    for (const event of [
      { type: "go", at },
      { type: "job", at, job },
      { type: "answered", at, answer: answer() },
    ] as const) {
      expect(() => transition(waiting(), event)).toThrow(IllegalRunEvent);
    }
    const { run, effect } = transition(waiting(), approve);
    expect(effect).toBe("waitForPlace");
    expect(transition(run, { type: "go", at }).run.status).toBe("RUNNING");
  });

  test("says in the line of the yes what was approved, for keys that are still valid", () => {
    const { line, guards } = transition(waiting(), approve);

    expect(line).toMatchObject({
      t: "run.approved",
      decision: { by: "API_KEY#boss" },
      of: { caller: "API_KEY#f00d", manifestHash: "hash", inputDigest: "d1", heldMicroDollars: 10_000 },
    });
    expect(guards).toEqual([{ kind: "keyActive", keyId: "k1" }]);
    expect(() => RunLine.parse(line)).not.toThrow();
  });

  test("is approved once, and not after its time", () => {
    const { run } = transition(waiting(), approve);

    expect(() => transition(run, approve)).toThrow(IllegalRunEvent);
    expect(() => transition(waiting(), { ...approve, at: approval.expiresAt } as RunEvent)).toThrow(IllegalRunEvent);
  });

  test.each<[how: string, event: RunEvent, reason: RegExp]>([
    [
      "denied",
      { type: "denied", at, decision: { ...decision, kind: "denied", reason: "no" }, keys: [] },
      /the key "boss" denied it: no/,
    ],
    ["too late", { type: "deadline", at, maybeExecuted: true, attempts: [] }, /nobody approved it in time/],
  ])("ends BLOCKED when it is %s, with its hold released and no bill", (_how, event, reason) => {
    const { run, line } = transition(waiting(), event);

    expect(run).toMatchObject({ status: "BLOCKED", reason: expect.stringMatching(reason) });
    expect(run.billing).toBeUndefined();
    expect(run.providerMayHaveCharged).toBeUndefined();
    expect(line).toMatchObject({
      t: "run.done",
      led: [
        ["ws:w1:bal", 10_000],
        ["ws:w1:held", -10_000],
      ],
    });
  });

  test("goes on waiting after a restart, and is left to the next start by a shutdown", () => {
    const cut = { type: "cutShort", at, doing: "waitForApproval", stopWished: false } as const;

    expect(transition(waiting(), { type: "restarted", at }).effect).toBe("waitForApproval");
    expect(transition(waiting(), { ...cut, by: "shutdown" })).toMatchObject({
      effect: "none",
      run: { status: "READY" },
    });
    const { run } = transition(waiting(), approve);
    expect(transition(run, { type: "restarted", at }).effect).toBe("waitForPlace");
    expect(transition(run, { ...cut, doing: "waitForPlace", by: "shutdown" }).run.status).toBe("READY");
    const late = "2026-11-23T10:00:00.000Z";
    expect(transition(waiting(), { type: "restarted", at: late }).run.status).toBe("BLOCKED");
  });

  test("can be stopped, also where its endpoint answers at once; not once it was approved", () => {
    expect(isStoppable(waiting())).toBe(true);
    const { run, effect } = transition(waiting(), { type: "stopAsked", at });
    expect([run.status, effect]).toEqual(["STOPPING", "endStop"]);
    expect(transition(run, { type: "stopped", at }).run.status).toBe("STOPPED");
    expect(isStoppable(transition(waiting(), approve).run)).toBe(false);
  });

  test("has its whole time from the yes on", async () => {
    const { leftOfDeadlineMs } = await import("../../daemon/runs/deadlines/run-deadline.ts");
    const late = "2026-11-22T09:59:59.000Z";
    const { run } = transition(waiting(), { ...approve, at: late, decision: { ...decision, at: late } } as RunEvent);

    expect(leftOfDeadlineMs(waiting(), Date.parse(late))).toBe(1_000);
    expect(leftOfDeadlineMs(run, Date.parse(late))).toBe(30_000);
    // A clock that was set back gives it no more than that.
    expect(leftOfDeadlineMs(run, Date.parse(at))).toBe(30_000);
  });
});
