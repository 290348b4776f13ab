import { describe, expect, test } from "vitest";
import { type MicroDollars, microDollars } from "../../shared/micro-dollars.ts";
import { branded, type Plain } from "../support/branded.ts";
import { balanceAccount, heldAccount, OPERATOR_FUNDS } from "../../daemon/ledger/money/postings.ts";
import type { ControlRecord } from "../../daemon/ledger/records/control-records.ts";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { ResourceFilter } from "../../daemon/ledger/stores/resource-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { GuardFailed, StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { makeRun } from "../support/make-run.ts";
import {
  AT,
  keyCreated,
  keyRevoked,
  makeResource,
  ownerCreated,
  resourceChanged,
  resourceReleased,
  runAccepted,
  runDone,
  runMoved,
  scheduleCreated,
  schedulePaused,
  scheduleSkipped,
  webhookCreated,
  workspaceCreated,
} from "./lines.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
}

/** What every store promises; each back end runs all of it. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    describeReaders(open);
    describeGuards(open);
    describeRuns(open);
    describeHistory(open);
    describeIdentity(open);
    describeSmallState(open);
  });
}

/** All pages of a list. */
async function idsIn(store: Store, filter: ResourceFilter, workspaceId = "w1"): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await store.listResources(workspaceId, filter, { limit: 7, after });
    ids.push(...page.items.map(({ resourceId }) => resourceId));
    after = page.next;
  } while (after !== undefined);
  return ids;
}

async function commitAll(store: Store, ...lines: Line[]): Promise<void> {
  for (const line of lines) await store.commit({ line });
}

function describeReaders(open: () => Promise<StoreUnderTest>): void {
  test("a reader sees a line when it is durable, not before", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated(1_000_000));

    const committing = store.commit({ line: runAccepted("r1") });
    // Both before the line can be durable: what a reader waits for may take as long as a commit.
    const [early, [earlyHeld]] = await Promise.all([
      store.findRun("w1", "r1"),
      store.readAccounts([heldAccount("w1")]),
    ]);
    await committing;
    const late = await store.findRun("w1", "r1");

    expect(early).toBeUndefined();
    expect(earlyHeld).toBe(0);
    expect(late).toEqual(makeRun({ runId: "r1" }));
  });

  test("balances follow the postings, and an account that nobody touched is 0", async () => {
    await using opened = await open();
    const { store } = opened;

    await commitAll(store, ownerCreated(1_000_000), runAccepted("r1"), runAccepted("r2"), runDone("r1"));
    const balances = await store.readAccounts([balanceAccount("w1"), heldAccount("w1"), OPERATOR_FUNDS, "nobody"]);

    expect(balances).toEqual([980_000, 10_000, -1_000_000, 0]);
  });

  test("nothing can be committed after close", async () => {
    await using opened = await open();
    const { store } = opened;

    await store.close();
    const committing = store.commit({ line: ownerCreated() });

    await expect(committing).rejects.toBeInstanceOf(StorageFailed);
  });

  test("close waits for what was taken", async () => {
    await using opened = await open();
    const { store } = opened;

    const committing = store.commit({ line: ownerCreated() });
    await store.close();
    await committing;
    const user = await store.findUser("u1");

    expect(user?.username).toBe("ada");
  });
}

function describeGuards(open: () => Promise<StoreUnderTest>): void {
  test("of 50 runs at once, a balance for 10 takes exactly 10", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated(100_000));

    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        store.commit({
          of: { workspaceId: "w1" },
          write({ balance }) {
            if (balance < 10_000) throw new Error("the balance does not cover it");
            return runAccepted(`r${index}`);
          },
        }),
      ),
    );

    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    expect(refusals).toEqual(Array.from({ length: 40 }, () => "Error: the balance does not cover it"));
    expect(await store.readAccounts([balanceAccount("w1"), heldAccount("w1")])).toEqual([0, 100_000]);
    expect(await store.listOpenRuns()).toHaveLength(10);
  });

  test("two keys of one label at once: one is made", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated());
    const labelFree = { kind: "labelFree", workspaceId: "w1", label: "ci" } as const;

    const outcomes = await Promise.allSettled(
      ["k2", "k3"].map((keyId) => store.commit({ line: keyCreated(keyId, { label: "ci" }), guards: [labelFree] })),
    );

    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected"]);
  });

  test("the label of a revoked key is free again, also in another workspace all the time", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated(), workspaceCreated("w2"), keyCreated("k2", { label: "ci" }));
    const labelFree = { kind: "labelFree", workspaceId: "w1", label: "ci" } as const;

    const elsewhere = store.commit({
      line: keyCreated("k4", { label: "ci", workspaceId: "w2" }),
      guards: [{ ...labelFree, workspaceId: "w2" }],
    });
    const revoking = store.commit({ line: keyRevoked("k2") });
    const again = store.commit({ line: keyCreated("k3", { label: "ci" }), guards: [labelFree] });

    await expect(Promise.all([elsewhere, revoking, again])).resolves.toHaveLength(3);
  });

  test("a slug is taken once", async () => {
    await using opened = await open();
    const { store } = opened;
    const guards = [{ kind: "slugFree", slug: "home" }] as const;
    await commitAll(store, ownerCreated());

    const committing = store.commit({ line: workspaceCreated("w2", "home"), guards });

    await expect(committing).rejects.toMatchObject({ name: "GuardFailed", guard: guards[0] });
    expect(await store.findWorkspace("w2")).toBeUndefined();
  });

  test("a revocation under way counts: the key is not active", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated(), keyCreated("k2"));

    const revoking = store.commit({ line: keyRevoked("k2") });
    const renaming = store.commit({
      line: { t: "key.renamed", v: 1, at: AT, keyId: "k2", label: "new" },
      guards: [{ kind: "keyActive", keyId: "k2" }],
    });

    await expect(renaming).rejects.toBeInstanceOf(GuardFailed);
    await revoking;
  });

  test("there is one owner, however many are made at once", async () => {
    await using opened = await open();
    const { store } = opened;
    const first = { line: ownerCreated(), guards: [{ kind: "noOwner" }] } as const;

    const outcomes = await Promise.allSettled([store.commit(first), store.commit(first)]);

    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected"]);
  });

  test("a line that makes or loses money is refused before it is taken", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated(1_000_000));
    const line = runAccepted("r1");

    const unbalanced = store.commit({
      line: {
        ...line,
        led: [
          ["ws:w1:bal", branded<MicroDollars>(-1)],
          ["ws:w1:held", branded<MicroDollars>(2)],
        ],
      },
    });
    const fractional = store.commit({
      line: {
        ...line,
        led: [
          ["ws:w1:bal", branded<MicroDollars>(-0.5)],
          ["ws:w1:held", branded<MicroDollars>(0.5)],
        ],
      },
    });
    const unsafe = store.commit({
      line: {
        ...line,
        led: [
          ["a", branded<MicroDollars>(2 ** 53)],
          ["b", branded<MicroDollars>(-(2 ** 53))],
        ],
      },
    });

    await expect(unbalanced).rejects.toMatchObject({ name: "LineRefused" });
    await expect(fractional).rejects.toMatchObject({ name: "LineRefused" });
    await expect(unsafe).rejects.toMatchObject({ name: "LineRefused" });
    expect(await store.readAccounts([balanceAccount("w1")])).toEqual([1_000_000]);
  });
}

function describeRuns(open: () => Promise<StoreUnderTest>): void {
  test("a run of another workspace is not found", async () => {
    await using opened = await open();
    const { store } = opened;

    await commitAll(store, ownerCreated(), runAccepted("r1"), runDone("r1"), runAccepted("r2"));
    const found = await Promise.all([
      store.findRun("w2", "r1"),
      store.findRun("w2", "r2"),
      store.listRuns("w2", {}, { limit: 10 }),
    ]);

    expect(found).toEqual([undefined, undefined, { items: [] }]);
  });

  test("a finished run replaces the one under way", async () => {
    await using opened = await open();
    const { store } = opened;
    const done = runDone("r1", { output: { text: "ö \u2028 \ud83d\ude80" }, resultCount: 3 });

    await commitAll(store, ownerCreated(), runAccepted("r1"), done);
    const run = await store.findRun("w1", "r1");

    expect(run).toEqual(done.rec);
    expect(await store.listOpenRuns()).toEqual([]);
    const { input: _input, output: _output, ...summary } = done.rec;
    expect(await store.listRuns("w1", {}, { limit: 10 })).toEqual({ items: [summary] });
  });

  test("a run under way moves as its lines say", async () => {
    await using opened = await open();
    const { store } = opened;
    const { startedAt: _unset, ...waiting } = makeRun({ runId: "r1", status: "READY", mode: "async" });
    const job = {
      kind: "job",
      externalId: "x1",
      state: { page: "2" },
      pollAfterMs: 500,
      polls: 0,
      attempts: [],
    } as const;
    const line = { ...runAccepted("r1"), rec: waiting };

    await commitAll(
      store,
      ownerCreated(),
      line,
      runMoved("run.go", "r1"),
      { t: "run.job", v: 1, at: AT, ws: "w1", run: "r1", job: { ...job, attempts: [] } },
      runMoved("run.stop", "r1"),
    );
    const [run] = await store.listOpenRuns();

    expect(run).toEqual({
      ...waiting,
      status: "STOPPING",
      startedAt: "2026-11-21T10:00:01.000Z",
      stopRequestedAt: "2026-11-21T10:00:01.000Z",
      job,
    });
    expect((await store.listRuns("w1", { statuses: ["STOPPING"] }, { limit: 10 })).items).toMatchObject([
      { runId: "r1", status: "STOPPING" },
    ]);
  });

  test("what a reader does to a record is its own affair", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated(), runAccepted("r1"), runAccepted("r2"), runDone("r2"));

    for (const runId of ["r1", "r2"]) (await store.findRun("w1", runId))?.notes.push("scribble");
    const again = await Promise.all(["r1", "r2"].map((runId) => store.findRun("w1", runId)));

    expect(again.map((run) => run?.notes)).toEqual([[], []]);
  });

  test("a run that is refused outright is finished in its only line", async () => {
    await using opened = await open();
    const { store } = opened;
    const line = { ...runDone("r1", { status: "BLOCKED", heldMicroDollars: 0 }), led: [] };

    await commitAll(store, ownerCreated(), line);
    const run = await store.findRun("w1", "r1");

    expect(run?.status).toBe("BLOCKED");
  });

  test("a run is finished once, and nothing happens to it afterwards", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated(), runAccepted("r1"));

    const first = store.commit({ line: runDone("r1") });
    const second = store.commit({ line: runDone("r1") });
    const accepted = store.commit({ line: runAccepted("r1") });
    const moved = store.commit({ line: runMoved("run.stop", "r1") });
    const refused = await Promise.allSettled([second, accepted, moved]);
    await first;
    const late = store.commit({ line: runDone("r1") });

    expect(refused.map((outcome) => outcome.status === "rejected" && outcome.reason.name)).toEqual(
      Array(3).fill("LineRefused"),
    );
    await expect(late).rejects.toMatchObject({ name: "LineRefused" });
    expect(await store.readAccounts([heldAccount("w1")])).toEqual([0]);
  });

  test("runs are listed newest first in the order of acceptance, page by page", async () => {
    await using opened = await open();
    const { store } = opened;
    const ids = ["r1", "r2", "r3", "r4", "r5"];
    // A clock that runs backwards must not change the order.
    const times = ids.map((_, index) => `2026-11-21T10:0${9 - index}:00.000Z`);
    await commitAll(store, ownerCreated());
    for (const [index, id] of ids.entries())
      await store.commit({ line: runAccepted(id, { createdAt: times[index] ?? AT }) });
    await commitAll(store, runDone("r4"), runDone("r2"));

    const first = await store.listRuns("w1", {}, { limit: 2 });
    const second = await store.listRuns(
      "w1",
      {},
      { limit: 2, ...(first.next !== undefined && { before: first.next }) },
    );
    await commitAll(store, runAccepted("r6"));
    const third = await store.listRuns(
      "w1",
      {},
      { limit: 2, ...(second.next !== undefined && { before: second.next }) },
    );

    expect([first, second, third].map((page) => page.items.map((run) => run.runId))).toEqual([
      ["r5", "r4"],
      ["r3", "r2"],
      ["r1"],
    ]);
    expect(third.next).toBeUndefined();
  });

  test("a page that takes the rest has no next one", async () => {
    await using opened = await open();
    const { store } = opened;

    await commitAll(store, ownerCreated(), runAccepted("r1"), runAccepted("r2"));
    const page = await store.listRuns("w1", {}, { limit: 2 });

    expect(page.items).toHaveLength(2);
    expect(page.next).toBeUndefined();
  });

  const filters = [
    ["one status", { statuses: ["COMPLETED"] }, ["r2"]],
    ["several statuses", { statuses: ["COMPLETED", "RUNNING"] }, ["r4", "r3", "r2", "r1"]],
    ["a provider", { provider: "maps" }, ["r3"]],
    ["an endpoint", { endpoint: "/later" }, ["r2"]],
    ["a tag", { tag: { key: "team", value: "red" } }, ["r4", "r1"]],
    ["a tag of another value", { tag: { key: "team", value: "blue" } }, []],
    ["a tag named like a built-in", { tag: { key: "toString", value: "red" } }, []],
    ["a key", { keyLabel: "ci" }, ["r4"]],
    ["since, inclusive", { since: "2026-11-21T10:03:00.000Z" }, ["r4", "r3"]],
    ["until, exclusive", { until: "2026-11-21T10:03:00.000Z" }, ["r2", "r1"]],
    ["a time with an offset", { since: "2026-11-21T12:04:00+02:00" }, ["r4"]],
    ["two filters at once", { provider: "weather", tag: { key: "team", value: "red" } }, ["r4", "r1"]],
  ] as const;
  test.each(filters)("runs can be listed by %s", async (_what, filter, expected) => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(
      store,
      ownerCreated(),
      runAccepted("r1", { createdAt: "2026-11-21T10:01:00.000Z", tags: { team: "red" } }),
      runAccepted("r2", { createdAt: "2026-11-21T10:02:00.000Z", endpoint: "/later" }),
      runAccepted("r3", { createdAt: "2026-11-21T10:03:00.000Z", provider: "maps" }),
      runAccepted("r4", { createdAt: "2026-11-21T10:04:00.000Z", tags: { team: "red" }, keyLabel: "ci" }),
      runDone("r2", { endpoint: "/later" }),
    );

    const page = await store.listRuns("w1", filter, { limit: 10 });

    expect(page.items.map((run) => run.runId)).toEqual(expected);
  });
}

function describeHistory(open: () => Promise<StoreUnderTest>): void {
  const CREATED = ["10:00", "10:01", "10:02"].map((time) => `2026-11-21T${time}:00.000Z`);

  /** 30 runs of two providers, every third one blocked; the first two end last. */
  async function writeHistory(store: Store): Promise<void> {
    const facts = (run: number): Partial<Plain<RunRecord>> => ({
      provider: run % 2 === 0 ? "weather" : "maps",
      keyId: "k1",
      createdAt: CREATED[run % 3] ?? AT,
      ...(run % 5 === 0 && { idempotency: { key: `key ${run}`, request: `request ${run}`, waitSeconds: 0 } }),
    });
    const late: Line[] = [];
    await commitAll(store, ownerCreated(10_000_000));
    for (let run = 0; run < 30; run += 1) {
      const runId = `r${run}`;
      if (run % 3 === 2) {
        const blocked = { ...facts(run), status: "BLOCKED" as const, heldMicroDollars: 0 };
        await commitAll(store, { ...runDone(runId, blocked), led: [] });
        continue;
      }
      const billing = { calculated: run, actual: run + 1, reported: run };
      const done = runDone(runId, { ...facts(run), billing, overrunMicroDollars: 2 });
      await commitAll(store, runAccepted(runId, facts(run)));
      if (run < 2) late.push(done);
      else await commitAll(store, done);
    }
    await commitAll(store, ...late, runAccepted("open", facts(30)));
  }

  test("runs come page by page in the order of acceptance, also those that ended long after others", async () => {
    await using opened = await open();
    const { store } = opened;
    await writeHistory(store);

    const pages: string[][] = [];
    let next: number | undefined;
    do {
      const page = await store.listRuns("w1", {}, next === undefined ? { limit: 8 } : { limit: 8, before: next });
      pages.push(page.items.map(({ runId }) => runId));
      next = page.next;
    } while (next !== undefined);

    expect(pages.map(({ length }) => length)).toEqual([8, 8, 8, 7]);
    expect(pages.flat()).toEqual(["open", ...Array.from({ length: 30 }, (_, run) => `r${29 - run}`)]);
  });

  test("a filter finds runs in all of it, with pages", async () => {
    await using opened = await open();
    const { store } = opened;
    await writeHistory(store);
    const filter = { statuses: ["BLOCKED"], provider: "maps" } as const;

    const first = await store.listRuns("w1", filter, { limit: 3 });
    const second = await store.listRuns("w1", filter, { limit: 3, before: first.next ?? 0 });
    const late = await store.listRuns("w1", { since: "2026-11-21T10:02:00.000Z" }, { limit: 50 });

    expect(first.items.map(({ runId }) => runId)).toEqual(["r29", "r23", "r17"]);
    expect(second.items.map(({ runId }) => runId)).toEqual(["r11", "r5"]);
    expect(second.next).toBeUndefined();
    expect(late.items).toHaveLength(10);
  });

  test("runs belong to their key, whatever it is called now", async () => {
    await using opened = await open();
    const { store } = opened;
    await writeHistory(store);
    const ids = async (keyLabel: string) =>
      (await store.listRuns("w1", { keyLabel }, { limit: 100 })).items.map(({ runId }) => runId);
    const before = await ids("owner");
    await commitAll(store, { t: "key.renamed", v: 1, at: AT, keyId: "k1", label: "boss" });

    const renamed = await ids("boss");
    const facts = [];
    for await (const fact of store.scanRuns("w1", { keyLabel: "boss" })) facts.push(fact);

    expect(before.length).toBeGreaterThan(10);
    expect([renamed, await ids("owner")]).toEqual([before, []]);
    expect(facts.map(({ runId }) => runId)).toEqual(before);
    expect(new Set(facts.map(({ keyLabel }) => keyLabel))).toEqual(new Set(["boss"]));
    expect((await store.findRun("w1", before[0] ?? ""))?.keyLabel).toBe("boss");
  });

  test("a scan gives the facts that sums are made of", async () => {
    await using opened = await open();
    const { store } = opened;
    await writeHistory(store);

    const facts = [];
    for await (const fact of store.scanRuns("w1", { provider: "weather", statuses: ["COMPLETED"] })) facts.push(fact);

    const runs = [28, 24, 22, 18, 16, 12, 10, 6, 4, 0];
    expect(facts.map(({ runId }) => runId)).toEqual(runs.map((run) => `r${run}`));
    expect(facts.map(({ charged }) => charged)).toEqual(runs);
    expect(facts[0]).toMatchObject({ endpoint: "/now", cost: 29, overrun: 2, keyLabel: "owner", provider: "weather" });
    expect(facts[0]?.createdAtMs).toBe(Date.parse(CREATED[28 % 3] ?? AT));
  });

  test("every line that moved money of a workspace is a movement, newest first, page by page", async () => {
    await using opened = await open();
    const { store } = opened;
    await writeHistory(store);

    const first = await store.listMovements("w1", { limit: 25 });
    const second = await store.listMovements("w1", { limit: 25, before: first.next ?? 0 });
    const elsewhere = await store.listMovements("w2", { limit: 25 });

    expect(first.items[0]).toMatchObject({ line: { t: "run.accepted", run: "open" } });
    expect([first.items.length, second.items.length, second.next]).toEqual([25, 17, undefined]);
    expect(second.items.at(-1)).toMatchObject({ line: { t: "owner.created" } });
    const numbers = [...first.items, ...second.items].map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
    expect(elsewhere).toEqual({ items: [] });
  });

  test("the run that was asked for with a key is found by it, under way, finished or blocked", async () => {
    await using opened = await open();
    const { store } = opened;
    await writeHistory(store);

    const found = await Promise.all(["key 0", "key 5", "key 30", "key 1"].map((key) => store.findIdempotency(key)));

    const run = (number: number, { runId = `r${number}`, neverReached = false } = {}) => ({
      kind: "run",
      request: `request ${number}`,
      workspaceId: "w1",
      runId,
      neverReached,
    });
    expect(found).toEqual([run(0), run(5, { neverReached: true }), run(30, { runId: "open" }), undefined]);
  });
}

function describeSmallState(open: () => Promise<StoreUnderTest>): void {
  const control: ControlRecord = {
    kind: "runCap",
    controlId: "c1",
    workspaceId: "w1",
    limitMicroDollars: microDollars(5),
    status: "ACTIVE",
    createdAt: AT,
    updatedAt: AT,
  };
  const resource = makeResource();

  test("controls are listed in the order of creation, as they are now", async () => {
    await using opened = await open();
    const { store } = opened;
    const line = { v: 1, at: AT, ws: "w1", by: "API_KEY#k1" } as const;

    await commitAll(
      store,
      ownerCreated(),
      ...["c1", "c2", "c3"].map((controlId): Line => ({
        t: "control.created",
        ...line,
        control: { ...control, controlId },
      })),
      { t: "control.changed", ...line, control: { ...control, status: "PAUSED" } },
      { t: "control.deleted", ...line, controlId: "c2" },
    );

    expect((await store.listControls("w1")).map(({ controlId, status }) => [controlId, status])).toEqual([
      ["c1", "PAUSED"],
      ["c3", "ACTIVE"],
    ]);
    expect(await store.listControls("w2")).toEqual([]);
  });

  test("a schedule is as its lines and its runs make it, and a due time is used once", async () => {
    await using opened = await open();
    const { store } = opened;
    const [first, second] = ["2026-11-22T07:00:00.000Z", "2026-11-23T07:00:00.000Z"];
    const run = (runId: string, dueAt: string) => runAccepted(runId, { schedule: { scheduleId: "s1", dueAt } });
    const use = async (line: Line, unused: string) =>
      await store.commit({ line, guards: [{ kind: "schedule", scheduleId: "s1", is: "active", unused }] });
    await commitAll(store, ownerCreated(), scheduleCreated("s1"), scheduleCreated("s2"));

    const both = await Promise.allSettled([use(run("r1", first), first), use(run("r2", first), first)]);
    await commitAll(store, runDone("r1", { schedule: { scheduleId: "s1", dueAt: first }, heldMicroDollars: 10_000 }));
    await use(scheduleSkipped("s1", second), second);
    const late = use(run("r3", second), second);
    await expect(late).rejects.toBeInstanceOf(GuardFailed);
    await commitAll(store, schedulePaused("s1"), {
      t: "schedule.deleted",
      v: 1,
      at: AT,
      ws: "w1",
      schedule: "s2",
      by: "API_KEY#k1",
    });

    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await store.findSchedule("w1", "s1")).toMatchObject({
      pause: { reason: "ASKED" },
      openRuns: [],
      occurrences: [
        { dueAt: first, outcome: "RUN", runId: "r1", runStatus: "COMPLETED" },
        { dueAt: second, outcome: "OVERLAP" },
      ],
    });
    expect(await store.findSchedule("w2", "s1")).toBeUndefined();
    expect((await store.listSchedules("w1")).map(({ schedule }) => schedule.scheduleId)).toEqual(["s1"]);
    expect(await store.listAllSchedules()).toHaveLength(1);
  });

  test("a delivery waits from the line of its event until an attempt ends it, and a listener hears of it", async () => {
    await using opened = await open();
    const { store } = opened;
    const heard: string[] = [];
    store.watchDeliveries((made) => heard.push(...made.map(({ id }) => id)));
    const told = { events: [{ type: "run.completed", to: [["h1", "msg_1"] as [string, string]] }] };
    const attempt = { webhook: "h1", id: "msg_1", at: AT, ms: 5, status: 204, delivered: true as const };

    await commitAll(store, ownerCreated(), webhookCreated("h1"), runAccepted("r1"), { ...runDone("r1"), ...told });
    const waiting = await store.listWaitingDeliveries();
    await commitAll(store, { t: "webhook.tried", v: 1, at: AT, each: [attempt] });

    expect(heard).toEqual(["msg_1"]);
    expect(waiting).toMatchObject([{ webhookId: "h1", id: "msg_1" }]);
    expect(await store.listWaitingDeliveries()).toEqual([]);
    expect(await store.listDeliveries("h1")).toMatchObject([{ id: "msg_1", runId: "r1", state: "DELIVERED" }]);
    expect((await store.listWebhooks("w1")).map(({ webhookId }) => webhookId)).toEqual(["h1"]);
    expect(await store.listWebhooks("w2")).toEqual([]);
  });

  test("resources are found in their workspace; those that are released do not live", async () => {
    await using opened = await open();
    const { store } = opened;
    const changed = (members: Partial<ResourceRecord>): Line => {
      return { t: "resource.changed", v: 1, at: AT, ws: "w1", resource: { ...resource, ...members }, led: [] };
    };

    await commitAll(
      store,
      ownerCreated(),
      runAccepted("r1"),
      { ...runDone("r1"), res: [resource] },
      changed({ resourceId: "x2" }),
      changed({ state: "RELEASED" }),
    );

    expect(await store.findResource("w1", "x1")).toMatchObject({ state: "RELEASED" });
    expect(await store.findResource("w2", "x1")).toBeUndefined();
    expect(await idsIn(store, {})).toEqual(["x2", "x1"]);
    expect((await store.listLiveResourcesOf("w1")).map(({ resourceId }) => resourceId)).toEqual(["x2"]);
    expect(await store.listLiveResourcesOf("w2")).toEqual([]);
    expect((await store.listLiveResources()).map(({ resourceId }) => resourceId)).toEqual(["x2"]);
  });

  test("pages of live and ended resources have each once, the newest first, whatever is asked for", async () => {
    await using opened = await open();
    const { store } = opened;
    const made = Array.from({ length: 60 }, (_, number) => ({
      resourceId: `01${String(number).padStart(3, "0")}`,
      workspaceId: number % 5 === 4 ? "w2" : "w1",
      provider: number % 2 === 0 ? "phones" : "mail",
      provisionedBy: number % 3 === 0 ? "API_KEY#a" : "API_KEY#b",
      externalId: String(number),
      isEnded: number % 4 !== 0,
    }));
    const lines = made.map((one) => resourceChanged({ ...resource, ...one }));
    const ends = made.filter(({ isEnded }) => isEnded).map((one) => resourceReleased({ ...resource, ...one }));
    await commitAll(store, ownerCreated(), workspaceCreated("w2"));
    await Promise.all(lines.map((line) => store.commit({ line })));
    // In another order than that of their making.
    await Promise.all(ends.toReversed().map((line) => store.commit({ line })));
    const idsOf = (isMeant: (one: (typeof made)[number]) => boolean, workspaceId = "w1") =>
      made
        .filter((one) => one.workspaceId === workspaceId && isMeant(one))
        .map(({ resourceId }) => resourceId)
        .reverse();

    expect(await idsIn(store, {})).toEqual(idsOf(() => true));
    expect(await idsIn(store, {}, "w2")).toEqual(idsOf(() => true, "w2"));
    expect(await idsIn(store, { provider: "mail" })).toEqual(idsOf((one) => one.provider === "mail"));
    expect(await idsIn(store, { state: "ACTIVE" })).toEqual(idsOf((one) => !one.isEnded));
    expect(await idsIn(store, { state: "RELEASED", provisionedBy: "API_KEY#a" })).toEqual(
      idsOf((one) => one.isEnded && one.provisionedBy === "API_KEY#a"),
    );
    expect(await idsIn(store, { resourceType: "email_domain" })).toEqual([]);
    expect((await store.listResources("w1", {}, { limit: 3, after: "01020x" })).items).toMatchObject([
      { resourceId: "01020", state: "ACTIVE" },
      { resourceId: "01018", state: "RELEASED" },
      { resourceId: "01017", state: "RELEASED" },
    ]);
    for (const { resourceId, workspaceId, isEnded } of made) {
      const found = await store.findResource(workspaceId, resourceId);
      expect(found).toMatchObject({ resourceId, state: isEnded ? "RELEASED" : "ACTIVE" });
      expect(await store.findResource(workspaceId === "w1" ? "w2" : "w1", resourceId)).toBeUndefined();
    }
  });

  test("a resource that ends while pages of a list are read is in one of them, once", async () => {
    await using opened = await open();
    const { store } = opened;
    const all = Array.from({ length: 40 }, (_, number) => ({
      ...resource,
      resourceId: `01${String(number).padStart(3, "0")}`,
      externalId: String(number),
    }));
    await commitAll(store, ownerCreated());
    await Promise.all(all.map((one) => store.commit({ line: resourceChanged(one) })));

    const ids: string[] = [];
    let after: string | undefined;
    const ending: Promise<void>[] = [];
    do {
      ending.push(...all.splice(-4).map((one) => store.commit({ line: resourceReleased(one) })));
      const page = await store.listResources("w1", {}, { limit: 7, after });
      ids.push(...page.items.map(({ resourceId }) => resourceId));
      after = page.next;
    } while (after !== undefined);
    await Promise.all(ending);

    expect(ids).toEqual(Array.from({ length: 40 }, (_, place) => `01${String(39 - place).padStart(3, "0")}`));
  });

  test("resources that may have paid rent since a time are told of: the live, and those that ended later", async () => {
    await using opened = await open();
    const { store } = opened;
    const renewal = {
      amountMicroDollars: microDollars(5),
      period: { unit: "DAY" as const, count: 1 },
      startedAt: AT,
      currentPeriodStart: AT,
      currentPeriodEnd: AT,
      renewAttemptAt: AT,
      cycle: 3,
    };
    const rented = (resourceId: string, members: Partial<ResourceRecord> = {}) =>
      makeResource({ resourceId, externalId: resourceId, renewal, ...members });
    const ended = [
      rented("01B", { updatedAt: "2026-11-22T00:00:00.000Z" }),
      rented("01C", { updatedAt: "2026-11-24T00:00:00.000Z" }),
      rented("01D", { updatedAt: "2026-11-25T00:00:00.000Z", renewal: { ...renewal, cycle: 1 } }),
      // The clock was set back between its rent and its end.
      rented("01E", {
        updatedAt: "2026-11-22T00:00:00.000Z",
        events: [
          { eventId: "e1", type: "RENEWED", at: "2026-11-24T00:00:00.000Z" },
          { eventId: "e2", type: "RELEASED", at: "2026-11-22T00:00:00.000Z" },
        ],
      }),
    ];
    await commitAll(
      store,
      ownerCreated(),
      resourceChanged(rented("01A")),
      ...ended.map((one) => resourceReleased(one)),
    );
    const idsSince = async (since?: string) => {
      const ids: string[] = [];
      for await (const { resourceId } of store.scanRentedResources("w1", since)) ids.push(resourceId);
      return ids.sort();
    };

    expect(await idsSince()).toEqual(["01A", "01B", "01C", "01E"]);
    expect(await idsSince("2026-11-23T00:00:00.000Z")).toEqual(["01A", "01C", "01E"]);
    expect(await idsSince("2026-11-26T00:00:00.000Z")).toEqual(["01A"]);
  });

  test("a change of a resource that has ended is refused, and its id at the provider is free", async () => {
    await using opened = await open();
    const { store } = opened;
    const guards = [{ kind: "resourceRevision", resourceId: "x1", revision: resource.revision + 1 }] as const;
    await commitAll(store, ownerCreated(), resourceChanged(resource), resourceReleased(resource));

    const late = store.commit({ line: resourceChanged({ ...resource, revision: 3 }), guards });

    await expect(late).rejects.toBeInstanceOf(GuardFailed);
    expect(await store.findHolder(resource)).toBeUndefined();
    expect(await store.findResource("w1", "x1")).toMatchObject({ state: "RELEASED" });
  });

  test("an id at a provider has the live resource that was made first, whosever it is; guards see what is taken", async () => {
    await using opened = await open();
    const { store } = opened;
    const changed = (members: Partial<ResourceRecord>): Line => {
      const after = { ...resource, ...members };
      return { t: "resource.changed", v: 1, at: AT, ws: after.workspaceId, resource: after, led: [] };
    };
    const holder = async (id: Partial<ResourceRecord> = {}) =>
      (await store.findHolder({ ...resource, ...id }))?.resourceId;
    const taking = async (resourceId: string, expected: string | undefined) =>
      await store.commit({
        line: changed({ resourceId }),
        guards: [{ kind: "holderOfId", id: resource, resourceId: expected }],
      });
    await commitAll(store, ownerCreated());
    expect(await holder()).toBeUndefined();

    const both = await Promise.allSettled([taking("x1", undefined), taking("x2", undefined)]);

    expect(both).toMatchObject([{ status: "fulfilled" }, { reason: { guard: { kind: "holderOfId" } } }]);
    expect(await holder()).toBe("x1");
    expect(await holder({ workspaceId: "w2" })).toBe("x1");
    for (const other of [{ provider: "other" }, { resource: "other" }, { externalId: "other" }]) {
      expect(await holder(other)).toBeUndefined();
    }
    await commitAll(store, changed({ resourceId: "x3", workspaceId: "w2" }), changed({ state: "EXPIRING" }));
    expect(await holder()).toBe("x1");
    await commitAll(store, changed({ state: "RELEASED" }));
    expect(await holder()).toBe("x3");
    await commitAll(store, changed({ resourceId: "x3", workspaceId: "w2", state: "RELEASED" }));
    expect(await holder()).toBeUndefined();
    await taking("x4", undefined);
    expect(await holder()).toBe("x4");
  });

  test("what a spender may spend follows from balance, holds, controls and the windows of its key", async () => {
    await using opened = await open();
    const { store } = opened;
    const metered = { meteredAt: AT, keyId: "k1", billing: { calculated: 4_000, actual: 1, reported: 4_000 } };

    await commitAll(
      store,
      ownerCreated(100_000),
      { t: "control.created", v: 1, at: AT, ws: "w1", by: "x", control },
      runAccepted("r1", metered),
      runAccepted("r2", metered),
      runDone("r1", metered),
    );
    const money = await store.readMoney({ workspaceId: "w1", keyId: "k1" });

    expect([money.balance, money.held, money.key?.keyId]).toEqual([80_000, 10_000, "k1"]);
    expect(money.controls).toEqual([control]);
    for (const of of ["workspace", { keyId: "k1" }] as const) {
      expect(money.spending(of, "DAY", AT)).toMatchObject({ spent: 4_000, held: 10_000 });
    }
    expect(money.meteredAt("2026-11-21T09:00:00.000Z")).toBe(AT);
  });

  test("a line may follow from the money at the moment it is taken, and what it throws refuses it", async () => {
    await using opened = await open();
    const { store } = opened;
    await commitAll(store, ownerCreated(25_000));
    const spend = (runId: string) =>
      store.commit({
        of: { workspaceId: "w1" },
        write({ balance }) {
          if (balance < 10_000) throw new RangeError(`only ${balance} are left`);
          return runAccepted(runId);
        },
      });

    const outcomes = await Promise.allSettled(["r1", "r2", "r3"].map(spend));

    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(outcomes[2]).toMatchObject({ reason: { message: "only 5000 are left" } });
  });

  test("the answer to a request with a key is found by it for a day, and longer among few", async () => {
    await using opened = await open();
    const { store } = opened;
    const idem = { key: "key", request: "request", status: 201, body: { workspaceId: "w2" } };
    const later = "2026-11-22T12:00:00.000Z";

    await commitAll(store, ownerCreated(), { ...workspaceCreated("w2"), idem });
    const found = await store.findIdempotency("key");
    const others = Array.from({ length: 100 }, (_, number) => ({
      ...workspaceCreated(`other-${number}`),
      at: later,
      idem: { ...idem, key: `other ${number}` },
    }));
    await Promise.all(others.slice(1).map((line) => store.commit({ line })));
    const amongFew = await store.findIdempotency("key");
    await commitAll(store, ...others.slice(0, 1));

    expect(found).toEqual({ kind: "answer", answer: idem });
    expect(amongFew).toEqual(found);
    expect(await store.findIdempotency("key")).toBeUndefined();
    expect(await store.findIdempotency("other 99")).toMatchObject({ kind: "answer" });
  });
}

function describeIdentity(open: () => Promise<StoreUnderTest>): void {
  test("the first line makes user, workspace, key and credit", async () => {
    await using opened = await open();
    const { store } = opened;
    const line = ownerCreated(5);

    await commitAll(store, line);
    const found = await Promise.all([
      store.findUser("u1"),
      store.findWorkspace("w1"),
      store.findKeyByHash(line.key.hash),
      store.listWorkspacesOf("u1"),
      store.readAccounts([balanceAccount("w1")]),
    ]);

    expect(found).toEqual([line.user, line.workspace, line.key, [line.workspace], [5]]);
  });

  test("a user sees the workspaces that the user is in, the operator all", async () => {
    await using opened = await open();
    const { store } = opened;
    const user = { userId: "u2", username: "bob", createdAt: AT, updatedAt: AT };

    await commitAll(store, ownerCreated(), workspaceCreated("w2"), {
      t: "user.created",
      v: 1,
      at: AT,
      user,
      workspaceId: "w2",
    });
    const ids = await Promise.all([
      store.listWorkspacesOf("u1"),
      store.listWorkspacesOf("u2"),
      store.listWorkspaces(),
      store.listWorkspacesOf("u3"),
    ]);

    expect(ids.map((list) => list.map((workspace) => workspace.workspaceId))).toEqual([
      ["w1", "w2"],
      ["w2"],
      ["w1", "w2"],
      [],
    ]);
  });

  test("a user may be in no workspace, and is once it was added to one; ids are not taken twice", async () => {
    await using opened = await open();
    const { store } = opened;
    const user = { userId: "u2", username: "bob", createdAt: AT, updatedAt: AT };
    const created = { t: "user.created", v: 1, at: AT, user } as const;
    await commitAll(store, ownerCreated(), created);
    const before = await store.listWorkspacesOf("u2");

    await commitAll(store, { t: "member.added", v: 1, at: AT, userId: "u2", workspaceId: "w1" });
    const again = ["u2", "w1"].map((id) => store.commit({ line: created, guards: [{ kind: "idFree", id }] }));

    expect(before).toEqual([]);
    expect((await store.listWorkspacesOf("u2")).map(({ workspaceId }) => workspaceId)).toEqual(["w1"]);
    expect((await store.listMembersOf("w1")).map(({ userId }) => userId)).toEqual(["u1", "u2"]);
    expect(await store.listMembersOf("w2")).toEqual([]);
    expect((await Promise.allSettled(again)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  test("what a key spends counts for the keys that limit it", async () => {
    await using opened = await open();
    const { store } = opened;
    const metered = { meteredAt: AT, keyId: "k2", billing: { calculated: 4_000, actual: 1, reported: 4_000 } };

    await commitAll(
      store,
      ownerCreated(100_000),
      keyCreated("k2", { limitedBy: ["k1"] }),
      runAccepted("r1", metered),
      runAccepted("r2", metered),
      runDone("r1", metered),
    );
    const money = await store.readMoney({ workspaceId: "w1", keyId: "k2" });

    expect(money.limitedBy.map(({ keyId }) => keyId)).toEqual(["k1"]);
    for (const keyId of ["k1", "k2"]) {
      expect(money.spending({ keyId }, "DAY", AT)).toMatchObject({ spent: 4_000, held: 10_000 });
    }
  });

  test("keys are listed in the order of creation, with new names and revocations", async () => {
    await using opened = await open();
    const { store } = opened;

    await commitAll(
      store,
      ownerCreated(),
      keyCreated("k2"),
      keyCreated("k3"),
      { t: "key.renamed", v: 1, at: AT, keyId: "k2", label: "renamed" },
      keyRevoked("k3"),
    );
    const keys = await store.listKeys("w1");

    expect(keys.map((key) => [key.keyId, key.label, key.revokedBy])).toEqual([
      ["k1", "owner", undefined],
      ["k2", "renamed", undefined],
      ["k3", "k3", "API_KEY#k1"],
    ]);
    expect(await store.findKeyByHash("hash of k3")).toEqual(keys[2]);
    expect(await store.findKeyByHash("unknown")).toBeUndefined();
  });

  test("a key that replaces others revokes them in the same line", async () => {
    await using opened = await open();
    const { store } = opened;

    await commitAll(
      store,
      ownerCreated(),
      keyCreated("k2"),
      keyCreated("k9", { createdBy: "SYSTEM#reset" }, ["k1", "k2"]),
    );
    const keys = await store.listKeys("w1");

    expect(keys.map((key) => [key.keyId, key.revokedBy])).toEqual([
      ["k1", "SYSTEM#reset"],
      ["k2", "SYSTEM#reset"],
      ["k9", undefined],
    ]);
  });
}
