import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { balanceAccount } from "../../daemon/ledger/money/postings.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { listActivities, type WalletActivity } from "../../daemon/wallet/wallet-activities.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { acceptedLine, adjustmentLine, doneLine, rentedBy, rentLine } from "../support/ledger-lines.ts";
import { makeRun } from "../support/make-run.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { openSuiteStore, suiteSamples } from "../support/suite-store.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";

const amount = fc.integer({ min: 1, max: 3_000_000 });
const step = fc.oneof(
  fc.record({ do: fc.constantFrom("credit" as const, "debit" as const), amount }),
  fc.record({ do: fc.constant("accept" as const), amount: fc.integer({ min: 0, max: 3_000_000 }) }),
  fc.record({ do: fc.constant("end" as const), amount: fc.integer({ min: 0, max: 4_000_000 }) }),
  fc.record({ do: fc.constant("rent" as const), amount }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Writes what the steps say, in the turn of two workspaces. */
async function write(store: Store, steps: readonly Step[], from = 0): Promise<void> {
  const open: RunRecord[] = [];
  for (const [index, now] of steps.entries()) {
    const number = String(from + index).padStart(22, "0");
    const workspaceId = index % 3 === 0 ? "w2" : "w1";
    if (now.do === "accept") {
      const run = makeRun({ runId: `01JD${number}`, workspaceId, heldMicroDollars: now.amount });
      open.push(run);
      await store.commit({ line: acceptedLine(run) });
    } else if (now.do === "end") {
      const run = open.shift();
      if (run !== undefined) await store.commit({ line: doneLine(run, { charged: now.amount }) });
    } else if (now.do === "rent") {
      const resource = rentedBy(makeRun({ workspaceId }), `01JR${number}`, now.amount);
      await store.commit({ line: rentLine(resource, "2026-11-22T10:00:00.000Z").line });
    } else {
      const kind = now.do === "credit" ? "credited" : "debited";
      await store.commit({ line: adjustmentLine(kind, workspaceId, now.amount, "because") });
    }
  }
}

/** All activities, read in pages of the size given. */
async function readAll(store: Store, workspaceId: string, limit: number): Promise<WalletActivity[]> {
  const all: WalletActivity[] = [];
  let after: string | undefined;
  do {
    const page = await listActivities(
      store,
      { workspaceId, actor: "API_KEY#1" },
      { limit, ...(after !== undefined && { after }) },
    );
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return all;
}

describe("the activities of a workspace", () => {
  test("sum to its balance, whatever happened", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const store = await openSuiteStore();
        await write(store, steps);

        for (const workspaceId of ["w1", "w2"]) {
          const activities = await readAll(store, workspaceId, 100);
          const [balance] = await store.readAccounts([balanceAccount(workspaceId)]);
          expect(activities.reduce((sum, one) => sum + one.amount, 0)).toBe(balance);
          expect(activities.some((one) => one.amount === 0)).toBe(false);
        }
      }),
      { numRuns: suiteSamples(60) },
    );
  });

  test("are the same in pages of every size, each with an id of its own that stays", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.integer({ min: 1, max: 5 }), async (steps, limit) => {
        const store = await openSuiteStore();
        await write(store, steps);
        const whole = await readAll(store, "w1", 100);

        const paged = await readAll(store, "w1", limit);

        expect(paged).toEqual(whole);
        expect(new Set(whole.map(({ activityId }) => activityId)).size).toBe(whole.length);
      }),
      { numRuns: suiteSamples(60) },
    );
  });

  test("go on where a page ended, whatever has been written since", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.array(step, { maxLength: 10 }),
        fc.integer({ min: 1, max: 6 }),
        async (before, since, limit) => {
          const store = await openSuiteStore();
          await write(store, before);
          const whole = await readAll(store, "w1", 100);
          const first = await listActivities(store, { workspaceId: "w1", actor: "API_KEY#1" }, { limit });
          await write(store, since, 1_000);

          const rest =
            first.next === undefined
              ? { items: [] }
              : await listActivities(
                  store,
                  { workspaceId: "w1", actor: "API_KEY#1" },
                  { limit: 100, after: first.next },
                );

          expect([...first.items, ...rest.items]).toEqual(whole);
        },
      ),
      { numRuns: suiteSamples(60) },
    );
  });
});

describe("GET /v1/wallet/activities", () => {
  let upstream: FakeProvider;
  let daemon: TestDaemon;
  beforeEach(async () => {
    upstream = await startFakeProvider();
    daemon = await startTestDaemon({ manifests: { nimbus: weatherManifest(upstream.url) } });
  });
  afterEach(async () => {
    await daemon[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });
  const list = async (query = "") => await daemon.request("GET", `/v1/wallet/activities${query}`);
  const usd = (value: number) => ({ value, currency: "USD" });
  const adjust = async (what: "credits" | "debits", value: number, reason: string) =>
    await daemon.request("POST", `/v1/admin/workspaces/default/${what}`, { amount: usd(value), reason });
  const short = (items: { type: string; amount: { value: number } }[]) =>
    items.map((item) => [item.type, item.amount.value]);

  test("shows the hold of a run under way, then its end as release and charge, the newest first", async () => {
    scriptReport(upstream, { polls: 3, result: { items: [1, 2, 3] } });
    const { body: run } = await daemon.request("POST", "/v1/run", {
      provider: "nimbus",
      endpoint: "/report",
      input: { topic: "rain", limit: 5 },
    });
    await untilCalled(upstream, "GET /reports/*");
    const during = await list();
    await daemon.request("GET", `/v1/runs/${run.runId}?wait=20`);

    const after = await list();

    expect(short(during.body.items)).toEqual([
      ["RUN_HOLD", -0.015],
      ["TOPUP", 10],
    ]);
    expect(after.body.items).toEqual([
      {
        activityId: expect.any(String),
        type: "RUN_CHARGE",
        amount: usd(-0.011),
        runId: run.runId,
        createdAt: expect.any(String),
      },
      expect.objectContaining({ type: "RUN_RELEASE", amount: usd(0.015), runId: run.runId }),
      ...during.body.items,
    ]);
    expect(after.body).not.toHaveProperty("cursor");
  });

  test("shows credits and debits with their reason, and the starting credit", async () => {
    await adjust("credits", 2.5, "April");
    await adjust("debits", 1, "a mistake");

    const { body } = await list();

    expect(body.items).toMatchObject([
      { type: "ADJUSTMENT", amount: usd(-1), reason: "a mistake" },
      { type: "TOPUP", amount: usd(2.5), reason: "April" },
      { type: "TOPUP", amount: usd(10), reason: "Starting credit" },
    ]);
  });

  test("comes in pages that new movements do not shift", async () => {
    for (const reason of ["one", "two", "three"]) await adjust("credits", 1, reason);
    const first = await list("?limit=2");
    await adjust("credits", 1, "four");

    const second = await list(`?limit=2&cursor=${first.body.cursor}`);

    const reasons = [...first.body.items, ...second.body.items].map(({ reason }: { reason: string }) => reason);
    expect(reasons).toEqual(["three", "two", "one", "Starting credit"]);
    expect(second.body).not.toHaveProperty("cursor");
  });

  test("is of the caller's workspace alone", async () => {
    await daemon.request("POST", "/v1/admin/workspaces", { name: "Other", slug: "other" });
    const key = await daemon.request("POST", "/v1/admin/workspaces/other/api-keys", { label: "first" });

    const { body } = await askWith(daemon.url, key.body.key)("GET", "/v1/wallet/activities");

    expect(body).toEqual({ items: [] });
  });

  test.each(["cursor=abc", "limit=0", "limit=101"])("?%s is refused", async (query) => {
    expect((await list(`?${query}`)).status).toBe(400);
  });

  test("refuses the cursor of another list", async () => {
    upstream.on("GET /plain", { json: {} });
    for (let n = 0; n < 2; n += 1) await daemon.request("POST", "/v1/run", { provider: "nimbus", endpoint: "/plain" });
    const runs = await daemon.request("GET", "/v1/runs?limit=1");

    expect((await list(`?cursor=${runs.body.cursor}`)).status).toBe(400);
  });

  test("stands beside a top-up configuration without fees, tiers and automatic reloads", async () => {
    const { status, body } = await daemon.request("GET", "/v1/wallet/topup");

    expect(status).toBe(200);
    expect(body).toMatchObject({
      currency: "USD",
      processingFee: { type: "PERCENTAGE", rate: 0 },
      tiers: [],
      autoReload: { enabled: false },
    });
    expect(body.presets).toContain(body.defaultPreset);
    for (const preset of body.presets) expect((await adjust("credits", preset, "as configured")).status).toBe(201);
    expect((await adjust("credits", body.minAmount, "the least")).status).toBe(201);
    expect((await adjust("credits", body.maxAmount + 0.01, "too much")).status).toBe(400);
  });
});
