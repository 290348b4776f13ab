import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { balanceAccount } from "../../daemon/ledger/money/postings.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { eachStore } from "../storage/each-store.ts";
import { resourceReleased } from "../storage/lines.ts";
import { openSuiteStore } from "../support/suite-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { createUsageService, type UsageGrouping } from "../../daemon/usage/usage-service.ts";
import type { Plain } from "../support/branded.ts";
import { acceptedLine, doneLine, rentedBy, rentLine } from "../support/ledger-lines.ts";
import { makeRun } from "../support/make-run.ts";

const groupings: UsageGrouping[] = ["provider", "endpoint", "key", "day", { tag: "team" }];
const micros = ({ value }: { value: number }) => BigInt(Math.round(value * 1e6));

const someRun = fc.record({
  provider: fc.constantFrom("nimbus", "tidewise"),
  endpoint: fc.constantFrom("/now", "/plain"),
  keyLabel: fc.constantFrom("owner", "batch"),
  team: fc.constantFrom("red", "blue", "", undefined),
  day: fc.integer({ min: 1, max: 4 }),
  held: fc.integer({ min: 0, max: 5_000_000_000 }),
  charged: fc.integer({ min: 0, max: 5_000_000_000 }),
  cost: fc.integer({ min: 0, max: 5_000_000_000 }),
  overrun: fc.constantFrom(0, 0, 1, 999_999_999),
  status: fc.constantFrom("COMPLETED", "FAILED", "TIMED_OUT", "STOPPED", undefined),
});
type SomeRun = typeof someRun extends fc.Arbitrary<infer Run> ? Run : never;

async function record(store: Store, facts: SomeRun, number: number): Promise<void> {
  const run = makeRun({
    runId: `01JD${String(number).padStart(22, "0")}`,
    provider: facts.provider,
    endpoint: facts.endpoint,
    keyLabel: facts.keyLabel,
    createdAt: `2026-11-0${facts.day}T12:00:00.000Z`,
    heldMicroDollars: facts.held,
    ...(facts.team !== undefined && { tags: { team: facts.team } }),
  });
  await store.commit({ line: acceptedLine(run) });
  if (facts.status === undefined) return;
  const { status, charged, cost, overrun } = facts;
  const members: Partial<Plain<RunRecord>> = overrun > 0 ? { status, overrunMicroDollars: overrun } : { status };
  await store.commit({ line: doneLine(run, { charged, cost, ...members }) });
}

const reader = { workspaceId: "w1", actor: "API_KEY#1" };

describe("usage", () => {
  test.each(eachStore)("sums exactly, however it is grouped, and the groups are the whole ($name)", async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.array(someRun, { maxLength: 25 }), async (runs) => {
        await using opened = await kind.open();
        const { store } = opened;
        for (const [number, facts] of runs.entries()) await record(store, facts, number);
        const ended = runs.filter(({ status }) => status !== undefined);
        const sum = (of: (facts: SomeRun) => number) => ended.reduce((all, facts) => all + BigInt(of(facts)), 0n);

        for (const groupBy of groupings) {
          const { items, total } = await createUsageService(store).sum(reader, groupBy, {});

          expect(total.runs).toBe(runs.length);
          expect(total.failed).toBe(ended.filter(({ status }) => status === "FAILED" || status === "TIMED_OUT").length);
          expect(micros(total.charged)).toBe(sum(({ charged }) => charged));
          expect(micros(total.cost)).toBe(sum(({ cost }) => cost));
          expect(micros(total.overrun)).toBe(sum(({ overrun }) => overrun));
          expect(items.reduce((all, { charged }) => all + micros(charged), 0n)).toBe(micros(total.charged));
          expect(items.reduce((all, one) => all + one.runs, 0)).toBe(total.runs);
          expect(new Set(items.map(({ group }) => group)).size).toBe(items.length);
        }
      }),
      { numRuns: kind.samples(40) },
    );
  });

  test("counts rent where the run that made the resource counts, on the day that it was paid", async () => {
    const store = await openSuiteStore();
    const run = makeRun({ tags: { team: "red" }, keyLabel: "batch", createdAt: "2026-11-01T12:00:00.000Z" });
    const resource = rentedBy(run, "01JR0000000000000000000000", 2_000_000);
    await store.commit({ line: acceptedLine(run) });
    await store.commit({ line: doneLine(run, { charged: 2_010_000 }, [resource]) });
    const { line } = rentLine(resource, "2026-11-02T11:00:00.000Z");
    await store.commit({ line });

    const usage = createUsageService(store);
    const by = async (groupBy: UsageGrouping, range = {}) =>
      (await usage.sum(reader, groupBy, range)).items.map(({ group, runs, charged, rent }) => [
        group,
        runs,
        charged.value,
        rent.value,
      ]);

    expect(await by("provider")).toEqual([["weather", 1, 4.01, 2]]);
    expect(await by("endpoint")).toEqual([["weather/now", 1, 4.01, 2]]);
    expect(await by("key")).toEqual([["batch", 1, 4.01, 2]]);
    expect(await by({ tag: "team" })).toEqual([["red", 1, 4.01, 2]]);
    expect(await by("day")).toEqual([
      ["2026-11-01", 1, 2.01, 0],
      ["2026-11-02", 0, 2, 2],
    ]);
    expect(await by("day", { since: "2026-11-02T00:00:00.000Z" })).toEqual([["2026-11-02", 0, 2, 2]]);
    expect(await by("day", { until: "2026-11-02T11:00:00.000Z" })).toEqual([["2026-11-01", 1, 2.01, 0]]);
  });

  test("counts the rent of a resource that has ended, when it was paid", async () => {
    const store = await openSuiteStore();
    const run = makeRun({ createdAt: "2026-11-01T10:00:00.000Z" });
    const first = rentedBy(run, "01JR0000000000000000000000", 2_000_000);
    const second = rentLine(first, "2026-11-02T11:00:00.000Z");
    const third = rentLine(second.after, "2026-11-03T11:00:00.000Z");
    const end = resourceReleased({ ...third.after, updatedAt: "2026-11-03T12:00:00.000Z" });
    const lines = [acceptedLine(run), doneLine(run, {}, [first]), second.line, third.line, end];
    for (const line of lines) await store.commit({ line });

    const usage = createUsageService(store);
    const rentOf = async (range: { since?: string; until?: string }) =>
      (await usage.sum(reader, "provider", range)).total.rent.value;

    expect(await store.listLiveResources()).toEqual([]);
    expect(await rentOf({})).toBe(4);
    expect(await rentOf({ since: "2026-11-03T00:00:00.000Z" })).toBe(2);
    expect(await rentOf({ until: "2026-11-03T00:00:00.000Z" })).toBe(2);
    expect(await rentOf({ since: "2026-11-04T00:00:00.000Z" })).toBe(0);
  });

  test("counts all rent of a resource that has forgotten when it was paid", async () => {
    const store = await openSuiteStore();
    const run = makeRun({ createdAt: "2026-01-01T00:00:00.000Z" });
    let resource = rentedBy(run, "01JR0000000000000000000000", 1_000_000);
    await store.commit({ line: acceptedLine(run) });
    await store.commit({ line: doneLine(run, { charged: 1_000_000 }, [resource]) });
    for (let day = 2; day <= 250; day += 1) {
      const { after, line } = rentLine(resource, new Date(Date.UTC(2026, 0, day)).toISOString());
      await store.commit({ line });
      resource = after;
    }

    const usage = createUsageService(store);
    const { total } = await usage.sum(reader, "provider", {});
    const lately = await usage.sum(reader, "day", { since: "2026-09-01T00:00:00.000Z" });

    expect(resource.events.length).toBeLessThan(200);
    expect(total).toMatchObject({ charged: { value: 250 }, rent: { value: 249 } });
    expect(lately.total.rent.value).toBe(7);
    expect(await store.readAccounts([balanceAccount("w1")])).toEqual([-250_000_000]);
  });
});
