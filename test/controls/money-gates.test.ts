import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { microDollars, negate } from "../../shared/micro-dollars.ts";
import type { BudgetRecord, ControlRecord } from "../../daemon/ledger/records/control-records.ts";
import { controlsOf } from "../../daemon/ledger/records/met-controls.ts";
import { PERIODS, windowEnd, windowStart } from "../../daemon/ledger/money/spend-windows.ts";
import { firstStep, MoneyRefused } from "../../daemon/runs/admission/money-gates.ts";
import { transition } from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import { isTerminal, type RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { Postings } from "../../daemon/ledger/money/postings.ts";
import { commitMade } from "../../daemon/ledger/transaction/commit-made.ts";
import { branded } from "../support/branded.ts";
import { makeAnswer } from "../support/make-answer.ts";
import { makeRun } from "../support/make-run.ts";
import { openSuiteStore, suiteSamples } from "../support/suite-store.ts";

const START = Date.parse("2026-01-30T22:00:00.000Z");
const iso = (ms: number) => new Date(ms).toISOString();

describe("windows", () => {
  const anyTime = fc.date({ min: new Date("1990-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });

  test("hold the moments from their beginning up to the next one's", () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERIODS), anyTime, (period, time) => {
        const at = time.toISOString();
        const start = windowStart(period, at);
        const end = windowEnd(period, start);
        expect(start <= at && at < end).toBe(true);
        expect(windowStart(period, start)).toBe(start);
        expect(windowStart(period, end)).toBe(end);
        expect(windowStart(period, iso(Date.parse(end) - 1))).toBe(start);
      }),
    );
  });
});

type Step =
  | { readonly do: "run"; readonly cost: number }
  | { readonly do: "end"; readonly which: number; readonly share: number }
  | { readonly do: "wait"; readonly minutes: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("run" as const), cost: fc.integer({ min: 0, max: 40 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      which: fc.nat(),
      share: fc.constantFrom(0, 0.3, 1),
    }),
  },
  // Backwards as well: a clock that is set back must open nothing anew.
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.constantFrom(-1_500, -61, -5, 5, 61, 1_500) }),
  },
);

const anyControl: fc.Arbitrary<ControlRecord> = fc
  .record({
    limitMicroDollars: fc.integer({ min: 0, max: 120 }),
    status: fc.constantFrom("ACTIVE", "ACTIVE", "PAUSED"),
    period: fc.constantFrom(...PERIODS),
    isCap: fc.boolean(),
    controlId: fc.uuid(),
  })
  .map(({ isCap, period, ...common }) => {
    const record = { ...common, workspaceId: "w1", createdAt: iso(START), updatedAt: iso(START) };
    return branded<ControlRecord>(isCap ? { kind: "runCap", ...record } : { kind: "budget", ...record, period });
  });

describe("whatever is run, and whatever the clock does", () => {
  test("no active budget and no cap is ever exceeded, and nobody is refused who fits", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyControl, { maxLength: 4 }),
        fc.integer({ min: 0, max: 300 }),
        fc.array(anyStep, { maxLength: 60 }),
        async (controls, credit, steps) => {
          const world = await openWorld(controls, credit);
          for (const step of steps) await world.take(step);
          await world.endAll();
        },
      ),
      { numRuns: suiteSamples(150) },
    );
  });
});

/** Runs on a store in memory beside a list of everything that happened, from which each answer is worked out anew. */
async function openWorld(controls: readonly ControlRecord[], credit: number) {
  const store = await openSuiteStore();
  const heading = { v: 1 as const, at: iso(START), ws: "w1", by: "test" };
  for (const control of controls) await store.commit({ line: { t: "control.created", ...heading, control } });
  if (credit > 0) {
    const amount = microDollars(credit);
    const led: Postings = [
      ["operator:funds", negate(amount)],
      ["ws:w1:bal", amount],
    ];
    await store.commit({ line: { t: "wallet.credited", ...heading, amount, reason: "test", led } });
  }
  const runs = new Map<string, RunRecord>();
  let nowMs = START;
  let made = 0;

  const costOf = (one: RunRecord) => (isTerminal(one) ? (one.billing?.reported ?? 0) : one.heldMicroDollars);
  const usedIn = ({ period }: BudgetRecord, at: string) =>
    [...runs.values()]
      .filter(({ meteredAt = "" }) => windowStart(period, meteredAt) === windowStart(period, at))
      .reduce((sum, one) => sum + costOf(one), 0);
  const balance = () => credit - [...runs.values()].reduce((sum, one) => sum + costOf(one), 0);
  const latest = () =>
    [...runs.values()].reduce((last, { meteredAt = "" }) => (meteredAt > last ? meteredAt : last), "");

  async function run(cost: number): Promise<void> {
    made += 1;
    const wanted = makeRun({ runId: `run-${made}`, heldMicroDollars: cost, createdAt: iso(nowMs) });
    const at = [iso(nowMs), latest()].sort().at(-1) ?? "";
    const leaves = (control: ControlRecord) =>
      control.kind === "runCap" ? control.limitMicroDollars : control.limitMicroDollars - usedIn(control, at);
    const active = controls.filter(({ status }) => status === "ACTIVE");
    const refusing = active.filter((control) => cost > leaves(control)).map(({ controlId }) => controlId);
    const isCovered = cost <= balance();

    const step = await commitMade(store, {
      of: { workspaceId: "w1" },
      make: (money) => firstStep(wanted, money, { unlimited: false, estimateMicroDollars: wanted.heldMicroDollars }),
    }).catch((error: unknown) => {
      if (error instanceof MoneyRefused) return error;
      throw error;
    });

    if (step instanceof MoneyRefused) {
      expect([step.refusal.kind, refusing, isCovered]).toEqual(["wallet", [], false]);
      return;
    }
    const blocking = controlsOf(step.run).filter(({ isBlocking }) => isBlocking);
    expect(blocking.map(({ controlId }) => controlId)).toEqual(refusing);
    expect(controlsOf(step.run).map(({ controlId }) => controlId)).toEqual(active.map((one) => one.controlId));
    expect(step.run.status === "BLOCKED").toBe(refusing.length > 0);
    if (step.run.status !== "BLOCKED") {
      expect(isCovered).toBe(true);
      runs.set(step.run.runId, step.run);
    }
  }

  async function end(open: RunRecord, share: number): Promise<void> {
    const at = iso(nowMs);
    const amount = (Math.floor(open.heldMicroDollars * share) / 1_000_000).toFixed(6);
    const step = transition(
      { ...open, price: { type: "PER_CALL", amount }, priceWithoutMarkup: { type: "PER_CALL", amount: "0" } },
      share === 0
        ? { type: "noAnswer", at, source: "test", message: "none", maybeExecuted: false, attempts: [] }
        : { type: "answered", at, answer: makeAnswer() },
    );
    if (step.line !== undefined) await store.commit({ line: step.line });
    runs.set(open.runId, step.run);
  }

  async function check(): Promise<void> {
    const [taken = 0, held = 0] = await store.readAccounts(["ws:w1:bal", "ws:w1:held"]);
    const open = [...runs.values()].filter((one) => !isTerminal(one));
    expect(taken).toBe(balance());
    expect(taken).toBeGreaterThanOrEqual(0);
    expect(held).toBe(open.reduce((sum, one) => sum + one.heldMicroDollars, 0));
    for (const { meteredAt = "" } of runs.values()) {
      for (const control of controls) {
        if (control.kind === "budget" && control.status === "ACTIVE") {
          expect(usedIn(control, meteredAt)).toBeLessThanOrEqual(control.limitMicroDollars);
        }
      }
    }
  }

  return {
    async take(step: Step): Promise<void> {
      const open = [...runs.values()].filter((one) => !isTerminal(one));
      const chosen = step.do === "end" ? open[step.which % Math.max(1, open.length)] : undefined;
      if (step.do === "run") await run(step.cost);
      else if (step.do === "wait") nowMs += step.minutes * 60_000;
      else if (chosen !== undefined) await end(chosen, step.share);
      await check();
    },
    async endAll(): Promise<void> {
      for (const one of runs.values()) if (!isTerminal(one)) await end(one, 1);
      await check();
      expect(await store.readAccounts(["ws:w1:held"])).toEqual([0]);
    },
  };
}
