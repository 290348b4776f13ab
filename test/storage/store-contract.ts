import { describe, expect, test } from "vitest";
import { balanceAccount, heldAccount, OPERATOR_FUNDS } from "../../daemon/billing/postings.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { GuardFailed, StorageFailed } from "../../daemon/commit-errors.ts";
import type { Line } from "../../daemon/transaction.ts";
import { makeRun } from "../support/make-run.ts";
import { AT, keyCreated, keyRevoked, ownerCreated, runAccepted, runDone, runMoved, workspaceCreated } from "./lines.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
}

/** What every store promises; each back end runs all of it. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    describeReaders(open);
    describeGuards(open);
    describeRuns(open);
    describeIdentity(open);
  });
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
    const early = await store.findRun("w1", "r1");
    const [earlyHeld] = await store.readAccounts([heldAccount("w1")]);
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
    const account = balanceAccount("w1");

    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        store.commit({
          line: runAccepted(`r${index}`),
          guards: [{ kind: "balance", account, atLeast: 10_000 }],
        }),
      ),
    );

    const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refusals).toHaveLength(40);
    expect(refusals.every((reason) => reason instanceof GuardFailed && reason.guard.kind === "balance")).toBe(true);
    expect(await store.readAccounts([account, heldAccount("w1")])).toEqual([0, 100_000]);
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
          ["ws:w1:bal", -1],
          ["ws:w1:held", 2],
        ],
      },
    });
    const fractional = store.commit({
      line: {
        ...line,
        led: [
          ["ws:w1:bal", -0.5],
          ["ws:w1:held", 0.5],
        ],
      },
    });
    const unsafe = store.commit({
      line: {
        ...line,
        led: [
          ["a", 2 ** 53],
          ["b", -(2 ** 53)],
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
