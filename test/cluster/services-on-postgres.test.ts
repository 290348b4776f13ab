import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { GuardFailed, StorageAway, StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import { openPostgresCluster, type PostgresCluster } from "../../daemon/storage/postgres/cluster/postgres-cluster.ts";
import { openPostgresStore, type PostgresStore } from "../../daemon/storage/postgres/postgres-store.ts";
import { startCutProxy } from "../support/cut-proxy.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES, type EmptyDatabase } from "../support/postgres.ts";
import type { LogDaemon } from "../support/shared-log.ts";
import { keyRevoked, ownerCreated } from "../storage/lines.ts";
import { clusterContract, type OpenLog } from "./cluster-contract.ts";

const LEASE_MS = 2_000;

interface Joined {
  readonly store: PostgresStore;
  readonly cluster: PostgresCluster;
  /** Why it must end; undefined while it may go on. */
  readonly failure: () => StorageFailed | undefined;
}

async function join(url: string, daemonId: string, leaseMs = LEASE_MS): Promise<Joined> {
  let failure: StorageFailed | undefined;
  const onFatal = (error: StorageFailed) => void (failure ??= error);
  const onProblem = (error: unknown) => expect.unreachable(String(error));
  const store = await openPostgresStore({ url, daemonId, onFatal, onProblem });
  const cluster = await openPostgresCluster({ store, leaseMs, onFatal, onProblem });
  return { store, cluster, failure: () => failure };
}

async function openLog(): Promise<OpenLog> {
  const database = await emptyDatabase();
  const joined: Joined[] = [];
  return {
    async open(daemonId) {
      const one = await join(database.url, daemonId);
      joined.push(one);
      const daemon: LogDaemon = {
        ...one,
        // As a survivor does with one that is silent. Its process may go on for a while: what it writes is refused.
        dieAndLeaveTo: async () => void (await fence(database, daemonId)),
        takeOver: async () => {},
        carryOut: async () => ({ kind: "unfit" }),
      };
      return daemon;
    },
    settle: async () => await delay(300),
    async close() {
      for (const { cluster, store } of joined) {
        await cluster.close();
        await store.close();
      }
      await database[Symbol.asyncDispose]();
    },
  };
}

async function fence(database: EmptyDatabase, daemonId: string): Promise<void> {
  await database.query(`update daemons set fenced = true where id = '${daemonId}'`);
}

describe.skipIf(!hasPostgres)(`on PostgreSQL (${NEEDS_POSTGRES})`, () => {
  clusterContract(openLog);

  test("a daemon that was fenced writes nothing more, and learns that it must end", async () => {
    await using database = await emptyDatabase();
    const { store, failure, cluster } = await join(database.url, "a");
    await store.commit({ line: ownerCreated() });
    await fence(database, "a");

    await expect(store.commit({ line: keyRevoked("k1") })).rejects.toThrow(StorageFailed);

    expect(failure()).toBeInstanceOf(StorageFailed);
    expect(failure()).not.toBeInstanceOf(GuardFailed);
    expect(await database.query("select 1 from lines")).toHaveLength(1);
    await cluster.close();
    await store.close();
  });

  test("one daemon leads, and the next one when it leaves", async () => {
    await using database = await emptyDatabase();
    const told: string[] = [];
    const [a, b] = [await join(database.url, "a"), await join(database.url, "b")];
    for (const [name, { cluster }] of Object.entries({ a, b })) {
      cluster.whenLeading(async () => void told.push(name));
      await cluster.takeOver(async () => {});
    }
    await expect.poll(() => told).toHaveLength(1);
    await delay(500);
    expect(told).toHaveLength(1);
    const [leader, other] = told[0] === "a" ? [a, b] : [b, a];

    await leader.cluster.close();
    await expect.poll(() => told, { timeout: 10_000 }).toHaveLength(2);

    expect(new Set(told).size).toBe(2);
    await leader.store.close();
    await other.cluster.close();
    await other.store.close();
  });

  test("one that the database has made the leader leads, though it never heard the answer", async () => {
    await using database = await emptyDatabase();
    const { cluster, store } = await join(database.url, "a", 60_000);
    await database.query("update chores set leader = 'a'");
    const told: string[] = [];
    cluster.whenLeading(async () => void told.push("a"));

    await cluster.takeOver(async () => {});

    await expect.poll(() => told, { timeout: 10_000 }).toEqual(["a"]);
    await cluster.close();
    await store.close();
  });

  test("what only the leader does begins also where the database goes away as it becomes the leader", async () => {
    await using database = await emptyDatabase();
    const onProblem = (error: unknown) => expect.unreachable(String(error));
    const store = await openPostgresStore({ url: database.url, daemonId: "a", onFatal: onProblem, onProblem });
    let refreshes = 0;
    const interrupted = {
      ...store,
      async refresh() {
        refreshes += 1;
        if (refreshes === 1) throw new StorageAway("the database is away");
        await store.refresh();
      },
    };
    const cluster = await openPostgresCluster({ store: interrupted, leaseMs: 60_000, onFatal: onProblem, onProblem });
    const told: string[] = [];
    cluster.whenLeading(async () => void told.push("a"));

    await cluster.takeOver(async () => {});
    expect([refreshes, told]).toEqual([1, []]);

    await expect.poll(() => told, { timeout: 10_000 }).toEqual(["a"]);
    await cluster.close();
    await store.close();
  });

  test("a silent daemon is fenced when its lease is over, not before", async () => {
    await using database = await emptyDatabase();
    const silent = await join(database.url, "silent", 4_000);
    const watcher = await join(database.url, "watcher", 1_000);
    await watcher.cluster.takeOver(async () => {});
    // Its timer is gone, and its row is not: as by SIGSTOP.
    await silent.cluster.close();
    await database.query(
      "insert into daemons (id, lease_until) values ('silent', clock_timestamp() + interval '3 seconds')",
    );
    const seen: { readonly fenced?: boolean; readonly over?: boolean }[] = [];
    const look = async () => {
      const [row] = await database.query(
        "select fenced, lease_until <= clock_timestamp() as over from daemons where id = 'silent'",
      );
      seen.push(row ?? {});
      return row;
    };

    await expect.poll(look).toEqual({ fenced: true, over: true });

    expect(seen.filter(({ fenced, over }) => fenced && !over)).toEqual([]);
    expect(seen).toContainEqual({ fenced: false, over: false });

    await silent.store.close();
    await watcher.cluster.close();
    await watcher.store.close();
  });

  test("one that has just started fences a silent one as soon as its lease is over, and has its runs", async () => {
    await using database = await emptyDatabase();
    const old = await join(database.url, "old", 60_000);
    // As of a daemon that was killed: its row is there, and its lease is over.
    await database.query("insert into daemons (id, lease_until) values ('killed', clock_timestamp())");
    await database.query("insert into run_owners (run_id, owner) values ('r1', 'killed')");
    await database.query("update reached set since = clock_timestamp() - interval '1 hour'");

    const fresh = await join(database.url, "fresh", 60_000);
    const taken: string[] = [];
    await fresh.cluster.takeOver(async (runIds) => void taken.push(...runIds));

    expect(taken).toEqual(["r1"]);
    for (const { cluster, store } of [old, fresh]) {
      await cluster.close();
      await store.close();
    }
  });

  test("when no daemon was heard of for half a lease, nobody is fenced for a whole one", async () => {
    await using database = await emptyDatabase();
    const since = async () => (await database.query("select since from reached"))[0];
    const first = await join(database.url, "first", 60_000);
    await first.cluster.close();
    await first.store.close();
    await database.query(
      "update reached set since = clock_timestamp() - interval '1 hour', last = clock_timestamp() - interval '31 seconds'",
    );
    await database.query("insert into daemons (id, lease_until) values ('cut off', clock_timestamp())");
    const before = await since();

    const fresh = await join(database.url, "fresh", 60_000);
    await fresh.cluster.takeOver(async () => {});

    expect((await since())?.["since"]).not.toEqual(before?.["since"]);
    expect(await database.query("select fenced from daemons where id = 'cut off'")).toEqual([{ fenced: false }]);
    await fresh.cluster.close();
    await fresh.store.close();
  });

  test("runs whose takeover was cut off in the middle are taken up at the next look", async () => {
    await using database = await emptyDatabase();
    const { cluster, store } = await join(database.url, "a", 60_000);
    await database.query("insert into run_owners (run_id, owner) values ('r1', 'gone')");
    const asked: (readonly string[])[] = [];

    await cluster.takeOver(async (runIds) => {
      asked.push(runIds);
      if (asked.length === 1) throw new StorageAway("the database is away");
    });

    await expect.poll(() => asked, { timeout: 10_000 }).toEqual([["r1"], ["r1"]]);
    await cluster.close();
    await store.close();
  });

  test("runs are taken up only when all that the dead daemon wrote was read", async () => {
    await using database = await emptyDatabase();
    const onProblem = (error: unknown) => expect.unreachable(String(error));
    const store = await openPostgresStore({ url: database.url, daemonId: "a", onFatal: onProblem, onProblem });
    const done: string[] = [];
    const interrupted = {
      ...store,
      async refresh() {
        done.push("read");
        if (done.length === 1) throw new StorageAway("the database is away");
        await store.refresh();
      },
    };
    const cluster = await openPostgresCluster({ store: interrupted, leaseMs: 60_000, onFatal: onProblem, onProblem });
    await database.query("insert into run_owners (run_id, owner) values ('r1', 'gone')");

    await cluster.takeOver(async (runIds) => void done.push(...runIds));

    await expect.poll(() => done, { timeout: 10_000 }).toContain("r1");
    expect(done.slice(0, done.indexOf("r1"))).toEqual(["read", "read"]);
    await cluster.close();
    await store.close();
  });

  test("a daemon leaves a database that fell silent, and does not wait for its answers", async () => {
    await using database = await emptyDatabase();
    const address = new URL(database.url);
    await using proxy = await startCutProxy(Number(address.port));
    address.port = String(proxy.port);
    const { cluster, store } = await join(address.href, "a", 60_000);
    await store.commit({ line: ownerCreated() });
    proxy.goSilent();
    // A look for what others left is under way, and gets no answer.
    await delay(600);

    await cluster.close();
    await store.close();

    expect(await database.query("select id from daemons")).toEqual([{ id: "a" }]);
  });
});
