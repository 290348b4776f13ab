import { describe, expect, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { credit } from "../../daemon/ledger/money/postings.ts";
import { provisioned, releaseFailed, renewalFailed } from "../../daemon/resources/resource-lifecycle.ts";
import type { ResourcePlan } from "../../daemon/ledger/records/resource-plan.ts";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import { accept, type RunStep, transition } from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { takeEvent } from "../../daemon/runs/lifecycle/take-event.ts";
import type { Store } from "../../daemon/storage/store.ts";
import type { Plain } from "../support/branded.ts";
import { makeAnswer } from "../support/make-answer.ts";
import { makeRun } from "../support/make-run.ts";
import { openSuiteStore } from "../support/suite-store.ts";

const at = "2026-11-21T10:00:05.000Z";
const period = { unit: "MONTH", count: 1 } as const;
const provisions: NonNullable<ResourcePlan["provisions"]> = {
  resourceId: "01R",
  resource: "phone-number",
  resourceType: "phone_number",
  displayName: "Phone number",
  rent: { amountMicroDollars: microDollars(2_000_000), costMicroDollars: microDollars(1_500_000), period },
};
const thing = { externalId: "pn-1", identifier: "+351", data: {} };
const buying = (members: Partial<Plain<RunRecord>> = {}) =>
  makeRun({ heldMicroDollars: 2_010_000, resourcePlan: { provisions }, ...members });

describe("a run that was to make a resource", () => {
  test.each([
    ["is lost in a crash during its call", { type: "restarted", at } as const, {}],
    ["runs into its deadline", { type: "deadline", at, maybeExecuted: true, attempts: [] } as const, {}],
    ["is stopped at the provider", { type: "stopped", at } as const, { mode: "async" as const }],
  ])("that %s says that the provider may have made it, and charges nothing", (_title, event, members) => {
    const { run, line } = transition(buying(members), event);

    expect(run.notes).toEqual([expect.stringContaining("may have made a resource (Phone number)")]);
    expect(run.billing?.reported).toBe(0);
    expect(line).not.toHaveProperty("res");
  });

  test("that never reached the provider says nothing of the kind", () => {
    const refused = {
      type: "noAnswer",
      at,
      source: "network",
      message: "refused",
      maybeExecuted: false,
      attempts: [],
    } as const;

    expect(transition(buying(), refused).run.notes).toEqual([]);
    expect(
      transition(buying({ mode: "async", status: "READY" }), {
        type: "deadline",
        at,
        maybeExecuted: true,
        attempts: [],
      }).run.notes,
    ).toEqual([]);
  });

  test("has the run, the resource and the money in one line", () => {
    const { line } = transition(buying(), { type: "answered", at, answer: makeAnswer({ provisioned: thing }) });

    expect(line).toMatchObject({
      t: "run.done",
      rec: { billing: { calculated: 2_010_000, actual: 1_508_000, reported: 2_010_000 } },
      res: [{ resourceId: "01R", state: "ACTIVE", externalId: "pn-1", renewal: { cycle: 1, startedAt: at } }],
      led: [
        ["ws:w1:held", -2_010_000],
        ["service:charged", 2_010_000],
      ],
    });
  });

  test("charges its rent though its own price is by the period", () => {
    const price = { type: "BY_PERIOD", amount: "2", period } as const;
    const priced = buying({ price, priceWithoutMarkup: price, heldMicroDollars: 2_000_000 });

    const { run } = transition(priced, { type: "answered", at, answer: makeAnswer({ provisioned: thing }) });

    expect(run.billing).toEqual({ calculated: 2_000_000, actual: 1_500_000, reported: 2_000_000 });
    expect(run.notes).toEqual([]);
  });
});

describe("a run that ends a resource whose record changes at that moment", () => {
  test("ends it as it is then, so that no change is undone", async () => {
    const store = await openSuiteStore();
    const resource = await storedResource(store);
    const run = makeRun({ workspaceId: "w1", resourcePlan: { releases: [resource.resourceId] } });
    await store.commit({
      line: {
        t: "wallet.credited",
        v: 1,
        at,
        ws: "w1",
        amount: microDollars(50_000),
        reason: "r",
        by: "b",
        led: credit("w1", microDollars(50_000)),
      },
    });
    await store.commit({ line: accept(run).line });
    let tries = 0;
    const commit = async ({ run: after, line, guards = [] }: RunStep) => {
      tries += 1;
      if (tries === 1) await change(store, resource, releaseFailed(resource, at, "in between"));
      if (line !== undefined) await store.commit({ line, guards });
      return after;
    };

    const step = await takeEvent(store, run, { type: "answered", at, answer: makeAnswer() }, commit);

    expect(tries).toBe(2);
    expect(step.run.resources).toMatchObject([{ action: "RELEASED", resourceId: "01R" }]);
    expect((await store.findResource("w1", "01R"))?.events.map(({ type }) => type)).toEqual([
      "PROVISIONED",
      "RELEASE_FAILED",
      "RELEASED",
    ]);
    await store.close();
  });
});

async function storedResource(store: Store): Promise<ResourceRecord> {
  const run = { runId: "01N", workspaceId: "w1", caller: "c", owner: "o", provider: "p", providerName: "P" };
  const born = provisioned(provisions, thing, run, at);
  await store.commit({ line: { t: "resource.changed", v: 1, at, ws: "w1", resource: born, led: [] } });
  return born;
}

async function change(store: Store, before: ResourceRecord, after: ResourceRecord): Promise<void> {
  const { resourceId, revision } = before;
  await store.commit({
    line: { t: "resource.changed", v: 1, at, ws: "w1", resource: after, led: [] },
    guards: [{ kind: "resourceRevision", resourceId, revision }],
  });
}

test("a resource whose rent is not there at the very end of its period is suspended, and its grace begins", () => {
  const born = provisioned(provisions, thing, buying({ providerName: "Phonedesk" }), at);
  const end = born.renewal?.currentPeriodEnd ?? "";
  const before = new Date(Date.parse(end) - 1).toISOString();
  const unpaid = { reason: "no money", unpaid: true };

  expect(renewalFailed(born, before, unpaid)).toMatchObject({ state: "ACTIVE" });
  expect(renewalFailed(born, before, unpaid).renewal).not.toHaveProperty("unpaidSince");
  expect(renewalFailed(born, end, unpaid)).toMatchObject({ state: "SUSPENDED", renewal: { unpaidSince: end } });
});
