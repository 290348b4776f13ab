import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { balanceAccount, credit, SERVICE_CHARGED } from "../../daemon/ledger/money/postings.ts";
import type { CatalogResource } from "../../daemon/catalog/entries/catalog-entry.ts";
import { StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import { NoAnswerError, type ResourceKeeper } from "../../daemon/providers/protocol/provider.ts";
import { createRenewals, type Renewals } from "../../daemon/resources/renewals.ts";
import { periodBoundary } from "../../daemon/resources/rent-periods.ts";
import { provisioned } from "../../daemon/resources/resource-lifecycle.ts";
import type { Period } from "../../shared/contract/common.ts";
import type { Store } from "../../daemon/storage/store.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { openSuiteStore, suiteSamples } from "../support/suite-store.ts";

/*
 * Rents against a pure rule: whatever happens - clocks that step, providers that fail, wallets that run dry, daemons that
 * die at a commit, two keepers at once - no period is charged twice, the balance never goes below zero, and every micro-
 * dollar that left the balance was charged for a period.
 */
const RENT = 10_000;
const WORKSPACE = "01W";
const START = "2026-01-31T12:00:00.000Z";

const periods = fc.constantFrom(
  { unit: "MONTH", count: 1 } as const,
  { unit: "DAY", count: 1 } as const,
  { unit: "MINUTE", count: 5 } as const,
);

type Step =
  | { do: "move"; ms: number }
  | { do: "tick"; keepers: number; dies: boolean }
  | { do: "answer"; how: "there" | "failing" | "silent" | "gone" }
  | { do: "credit"; amount: number };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant("move" as const), ms: fc.integer({ min: -3, max: 12 }) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("tick" as const),
        keepers: fc.integer({ min: 1, max: 3 }),
        dies: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("answer" as const),
        how: fc.constantFrom("there" as const, "there" as const, "failing" as const, "silent" as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("credit" as const), amount: fc.integer({ min: 1, max: 3 * RENT }) }),
    },
  ) as fc.Arbitrary<Step>,
  { maxLength: 40 },
);

/** A store whose next commit may be the last thing that this process hears of: taken, and never acknowledged. */
function mortal(store: Store): { store: Store; lines: Line[]; dieAtNext: (dies: boolean) => void } {
  const lines: Line[] = [];
  let dying = false;
  return {
    lines,
    dieAtNext: (dies) => void (dying = dies),
    store: {
      ...store,
      async commit(transaction) {
        let taken: Line | undefined = "line" in transaction ? transaction.line : undefined;
        await store.commit(
          "line" in transaction
            ? transaction
            : { ...transaction, write: (money) => (taken = transaction.write(money)) },
        );
        if (taken !== undefined) lines.push(taken);
        if (!dying) return;
        dying = false;
        throw new StorageFailed("the process died before it heard of it");
      },
    },
  };
}

async function play(period: Period, script: readonly Step[]) {
  const inner = await openSuiteStore();
  const { store, lines, dieAtNext } = mortal(inner);
  let nowMs = Date.parse(START);
  let how: "there" | "failing" | "silent" | "gone" = "there";
  const provider: ResourceKeeper = {
    async verify() {
      if (how === "silent") throw new NoAnswerError("reset", { source: "network", maybeExecuted: true, attempts: [] });
      const httpStatus = how === "there" ? 200 : how === "gone" ? 404 : 500;
      return { httpStatus, success: how === "there", gone: how === "gone", data: {} };
    },
    giveBack: async () => ({ ok: true, httpStatus: 204 }),
  };
  const keeper = (): Renewals =>
    createRenewals({
      store,
      provider,
      catalog: { findResource: () => ({}) as CatalogResource },
      clock: { now: () => nowMs },
      unlimited: false,
      logger: pino({ level: "silent" }),
    });
  const give = async (micros: number) => {
    const amount = microDollars(micros);
    await store.commit({
      line: {
        t: "wallet.credited",
        v: 1,
        at: START,
        ws: WORKSPACE,
        amount,
        reason: "test",
        by: "test",
        led: credit(WORKSPACE, amount),
      },
    });
  };
  await give(3 * RENT);
  const plan = {
    resourceId: "01R",
    resource: "thing",
    resourceType: "machine" as const,
    displayName: "Thing",
    rent: { amountMicroDollars: microDollars(RENT), costMicroDollars: microDollars(RENT), period },
  };
  const run = { runId: "01N", workspaceId: WORKSPACE, caller: "c", owner: "o", provider: "p", providerName: "P" };
  const born = provisioned(plan, { externalId: "x", identifier: "x", data: {} }, run, START);
  await store.commit({ line: { t: "resource.changed", v: 1, at: START, ws: WORKSPACE, resource: born, led: [] } });

  const unitMs = (Date.parse(periodBoundary(START, period, 1)) - Date.parse(START)) / 4;
  for (const step of script) {
    if (step.do === "move") nowMs += step.ms * unitMs;
    if (step.do === "answer") how = step.how;
    if (step.do === "credit") await give(step.amount);
    if (step.do === "tick") {
      dieAtNext(step.dies);
      // Each of them is a daemon that was just started: nothing is remembered but what the store has.
      const keepers = Array.from({ length: step.keepers }, keeper);
      await Promise.all(keepers.map((one) => one.tick()));
      await Promise.all(keepers.map((one) => one.close()));
      dieAtNext(false);
    }
  }
  const [balance = 0, charged = 0] = await store.readAccounts([balanceAccount(WORKSPACE), SERVICE_CHARGED]);
  const resource = await store.findResource(WORKSPACE, "01R");
  await inner.close();
  return { lines, balance, charged, resource };
}

describe("rents, whatever happens", () => {
  test("charge no period twice, take nothing that is not there, and lose no money", async () => {
    await fc.assert(
      fc.asyncProperty(periods, steps, async (period, script) => {
        const { lines, balance, charged, resource } = await play(period, script);

        const paid = lines.filter((line) => line.t === "resource.changed" && line.led.length > 0);
        const cycles = paid.map((line) => (line.t === "resource.changed" ? line.resource.renewal?.cycle : undefined));
        const given = lines.reduce((sum, line) => sum + (line.t === "wallet.credited" ? line.amount : 0), 0);

        expect(new Set(cycles).size).toBe(cycles.length);
        expect(charged).toBe(paid.length * RENT);
        expect(balance).toBe(given - charged);
        expect(balance).toBeGreaterThanOrEqual(0);
        expect(resource?.events.filter(({ type }) => type === "RENEWED").length).toBe(paid.length);
        for (const line of lines) {
          if ("led" in line) expect(line.led.reduce((sum, [, amount]) => sum + amount, 0)).toBe(0);
        }
      }),
      { numRuns: suiteSamples(60) },
    );
  });
});
