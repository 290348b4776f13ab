import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProviderAnswer, ProviderJob } from "../../../daemon/providers/protocol/provider.ts";
import {
  accept,
  IllegalRunEvent,
  replay,
  type RunEvent,
  transition,
} from "../../../daemon/runs/lifecycle/run-lifecycle.ts";
import { RunLine } from "../../../daemon/ledger/lines/run-lines.ts";
import { isTerminal, type RunRecord } from "../../../daemon/ledger/records/run-record.ts";
import type { CandidateRecord, RunRoute } from "../../../daemon/ledger/records/run-route.ts";
import { branded } from "../../support/branded.ts";
import { makeRun } from "../../support/make-run.ts";

const at = "2026-11-21T10:00:05.000Z";
const MAXIMA = { a: 10_000, b: 20_000, c: 5_000 };
const HELD = 20_000;

function candidate(provider: "b" | "c"): CandidateRecord {
  const price = { type: "PER_CALL", amount: String(MAXIMA[provider] / 1e6) } as const;
  return branded<CandidateRecord>({
    provider,
    providerName: provider,
    endpoint: "/it",
    manifestHash: `hash of ${provider}`,
    input: { queryParams: { from: provider } },
    price,
    priceWithoutMarkup: price,
    maximumMicroDollars: MAXIMA[provider],
    repeatable: false,
    output: { rows: "$.data" },
  });
}

function routed(members: Partial<RunRecord> = {}, route: Partial<RunRoute> = {}): RunRecord {
  const price = { type: "PER_CALL", amount: "0.01" } as const;
  return {
    ...branded<RunRecord>({
      ...makeRun({ provider: "a", endpoint: "/it", heldMicroDollars: HELD, price, priceWithoutMarkup: price }),
      route: {
        provider: "routes",
        endpoint: "/it",
        first: { provider: "a", endpoint: "/it", price },
        maximumMicroDollars: MAXIMA.a,
        next: [candidate("b"), candidate("c")],
        left: [],
        passedOver: [],
        ...route,
      },
    }),
    ...members,
  };
}

function answer(httpStatus: number, notExecuted = false): ProviderAnswer {
  const success = httpStatus < 300;
  const body = { data: [1] };
  return {
    kind: "answer",
    httpStatus,
    success,
    output: success ? body : null,
    body,
    measured: {},
    notes: [],
    attempts: [{ at, durationMs: 12, httpStatus }],
    ...(notExecuted && { notExecuted: true as const }),
  };
}

const noAnswer = (maybeExecuted: boolean): RunEvent => ({
  type: "noAnswer",
  at,
  source: "network",
  message: "reset",
  maybeExecuted,
  attempts: [],
});
const job: ProviderJob = { kind: "job", externalId: "j1", state: {}, pollAfterMs: 10, polls: 0, attempts: [] };

describe("a run through a route", () => {
  test("turns to the next member where nothing can have been executed, and says which one was left", () => {
    const { run, line, effect } = transition(routed(), noAnswer(false));

    expect(effect).toBe("waitForPlace");
    expect(line).toMatchObject({
      t: "run.next",
      left: { provider: "a", endpoint: "/it", reason: "reset", durationMs: 5_000 },
    });
    expect(run).toMatchObject({
      status: "READY",
      provider: "b",
      manifestHash: "hash of b",
      input: { queryParams: { from: "b" } },
      heldMicroDollars: HELD,
      route: { provider: "routes", maximumMicroDollars: MAXIMA.b, next: [{ provider: "c" }] },
    });
    expect(run.startedAt).toBeUndefined();
  });

  describe("keeps what its caller gave", () => {
    const given = { queryParams: { q: "x" } };
    const withoutInput = ({ input: _input, ...rest }: CandidateRecord): CandidateRecord => rest;
    const toNext = (run: RunRecord) => {
      const left = transition(run, noAnswer(false)).run;
      return transition(left, { type: "go", at }).run;
    };

    test("where the members get the same: it is written once", () => {
      const next = [withoutInput(candidate("b")), candidate("c")];

      const atB = toNext(routed({ input: given }, { next }));
      const atC = toNext(atB);

      expect(atB.input).toEqual(given);
      expect(atB.route).not.toHaveProperty("input");
      expect(atC).toMatchObject({ input: { queryParams: { from: "c" } }, route: { input: given } });
    });

    test("where a later member gets it as it was given, and the first one another", () => {
      const next = [withoutInput(candidate("b"))];

      const atB = toNext(routed({ input: { queryParams: { from: "a" } } }, { input: given, next }));

      expect([atB.input, atB.route?.input ?? atB.input]).toEqual([given, given]);
    });

    test("as lines of earlier versions say it, with every input written out", () => {
      const next = [{ ...candidate("b"), input: given }, candidate("c")];
      const { line } = accept(routed({ input: given }, { input: given, next }));
      const read = RunLine.parse(JSON.parse(JSON.stringify(line))) as Extract<RunLine, { t: "run.accepted" }>;

      const atB = toNext(read.rec);
      const atC = toNext(atB);

      expect([atB.input, atB.route?.input ?? atB.input]).toEqual([given, given]);
      expect([atC.input, atC.route?.input]).toEqual([{ queryParams: { from: "c" } }, given]);
    });
  });

  test("raises the version of its line where only a later member is at a market", () => {
    const market = { host: "team.example", hops: ["me"] };

    const versions = [[candidate("b")], [candidate("b"), { ...candidate("c"), market }]].map(
      (next) => accept(routed({}, { next })).line.v,
    );

    expect(versions).toEqual([1, 3]);
  });

  test("leaves nothing of a market at the member behind it, and takes that of a member at one", () => {
    const [market, other] = [
      { host: "team.example", hops: ["me"] },
      { host: "other.example", hops: ["me"] },
    ];
    const next = [candidate("b"), { ...candidate("c"), market: other }];

    const atB = transition(routed({ market }, { next }), noAnswer(false)).run;
    const atC = transition(transition(atB, { type: "go", at }).run, noAnswer(false)).run;

    expect(atB).not.toHaveProperty("market");
    expect(atC.market).toEqual(other);
  });

  test("is charged the price of the member that answered, in the route's shape", () => {
    const turned = transition(transition(routed(), noAnswer(false)).run, { type: "go", at }).run;

    const { run, line } = transition(turned, { type: "answered", at, answer: answer(200) });

    expect(run).toMatchObject({ status: "COMPLETED", provider: "b", output: { rows: [1] }, route: { next: [] } });
    expect(run.billing?.reported).toBe(MAXIMA.b);
    expect(line).toMatchObject({
      led: [
        ["ws:w1:held", -HELD],
        ["service:charged", MAXIMA.b],
      ],
    });
  });

  test("is never charged more than the member that answered may cost, whatever the dearest one may", () => {
    const price = { type: "PER_RESULT", amount: "0.01" } as const;
    const many = { ...answer(200), measured: { count: 2 } };

    const { run } = transition(routed({ price, priceWithoutMarkup: price }), { type: "answered", at, answer: many });

    expect(run).toMatchObject({ billing: { calculated: 20_000, reported: MAXIMA.a }, overrunMicroDollars: 10_000 });
  });

  test("does not turn after a restart in the middle of a call, even where uncertain repeats are allowed", () => {
    const { run } = transition(routed({}, { allowsUncertain: true }), { type: "restarted", at });

    expect(run).toMatchObject({ status: "FAILED", provider: "a", providerMayHaveCharged: true });
  });

  test("does not turn once a restart left a doubt, however certain the repeat's failure is", () => {
    const doubtful = transition(routed({ repeatable: true }), { type: "restarted", at }).run;

    expect(transition(doubtful, noAnswer(false)).run).toMatchObject({
      status: "FAILED",
      provider: "a",
      providerMayHaveCharged: true,
    });
  });

  test("tells the doubt about a member that was left, although the next one answered", () => {
    const turned = transition(routed({}, { allowsUncertain: true }), noAnswer(true)).run;

    const { run } = transition(transition(turned, { type: "go", at }).run, {
      type: "answered",
      at,
      answer: answer(200),
    });

    expect(run).toMatchObject({ status: "COMPLETED", provider: "b", providerMayHaveCharged: true });
    expect(run.notes.join()).toContain("was left may have been executed");
  });

  test("waits for its member again when the daemon ended between two members", () => {
    const waiting = transition(routed({ mode: "async" }), noAnswer(false)).run;

    expect(transition(waiting, { type: "restarted", at })).toMatchObject({
      effect: "waitForPlace",
      run: { provider: "b" },
    });
  });
});

describe("any sequence of events of a run through a route", () => {
  const event: fc.Arbitrary<RunEvent> = fc.oneof(
    fc.constant<RunEvent>({ type: "go", at }),
    fc.constant<RunEvent>({ type: "job", at, job }),
    fc.constant<RunEvent>({ type: "stopAsked", at }),
    fc
      .record({ status: fc.constantFrom(200, 404, 401, 429, 500, 503), notExecuted: fc.boolean() })
      .map<RunEvent>(({ status, notExecuted }) => {
        return { type: "answered", at, answer: answer(status, notExecuted && status >= 429) };
      }),
    fc.boolean().map(noAnswer),
    fc.constant<RunEvent>({ type: "deadline", at, maybeExecuted: true, attempts: [] }),
    fc.constant<RunEvent>({ type: "restarted", at }),
    fc
      .record({ by: fc.constantFrom("deadline", "shutdown", "failure"), maybeExecuted: fc.boolean() })
      .map<RunEvent>(({ by, maybeExecuted }) => ({
        type: "cutShort",
        at,
        doing: "callProvider",
        by,
        stopWished: false,
        failure: { source: "network", message: "", maybeExecuted, attempts: [] },
      })),
  );
  const birth = fc.record({
    mode: fc.constantFrom("sync" as const, "async" as const),
    repeatable: fc.boolean(),
    allowed: fc.boolean(),
  });

  test("calls no second member where the first may have been executed, charges once, and gives back the hold", () => {
    fc.assert(
      fc.property(birth, fc.array(event, { maxLength: 14 }), ({ allowed, ...members }, events) => {
        let run = routed(members, allowed ? { allowsUncertain: true } : {});
        const accounts = new Map<string, number>();
        const post = (led: ReadonlyArray<readonly [string, number]>) => {
          for (const [account, amount] of led) accounts.set(account, (accounts.get(account) ?? 0) + amount);
        };
        const born = accept(run).line;
        if (born.t === "run.accepted") post(born.led);
        let ends = 0;
        const mayHaveRun = new Set<string>();

        for (const next of events) {
          const before = run;
          try {
            const step = transition(run, next);
            if (before.status === "RUNNING" && leavesDoubtAt(next)) mayHaveRun.add(before.provider);
            if (step.line !== undefined && step.line.t !== "run.accepted") {
              expect(replay(run, step.line)).toEqual(step.run);
              expect(RunLine.parse(JSON.parse(JSON.stringify(step.line)))).toEqual(step.line);
            }
            if (step.line?.t === "run.done") {
              ends += 1;
              post(step.line.led);
            }
            run = step.run;
            const isElsewhere = [...mayHaveRun].some((provider) => provider !== run.provider);
            if (!allowed) expect(isElsewhere, "a call elsewhere after one that may have been executed").toBe(false);
            if (next.type === "restarted") expect(run.provider).toBe(before.provider);
            if (before.job !== undefined) expect(run.provider).toBe(before.provider);
          } catch (error) {
            if (!(error instanceof IllegalRunEvent)) throw error;
          }
        }

        expect(ends).toBe(isTerminal(run) ? 1 : 0);
        expect(accounts.get("ws:w1:held") ?? 0).toBe(isTerminal(run) ? 0 : HELD);
        const charged = run.billing?.reported ?? 0;
        expect(charged).toBeLessThanOrEqual(MAXIMA[run.provider as keyof typeof MAXIMA]);
        expect(accounts.get("service:charged") ?? 0).toBe(charged);
      }),
      { numRuns: 1_000 },
    );
  });

  function leavesDoubtAt(next: RunEvent): boolean {
    if (next.type === "noAnswer") return next.maybeExecuted;
    if (next.type === "answered") return next.answer.notExecuted !== true;
    if (next.type === "cutShort") return next.failure?.maybeExecuted === true;
    return next.type === "restarted" || next.type === "deadline";
  }
});
