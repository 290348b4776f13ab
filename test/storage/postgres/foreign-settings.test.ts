import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { StorageAway } from "../../../daemon/ledger/transaction/commit-errors.ts";
import { openPostgresStore, type PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { effort } from "../../support/effort.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { ownerCreated, runAccepted, runDone, workspaceCreated } from "../lines.ts";
import { openStores } from "./open-stores.ts";

function withSearchPath(url: string, schema: string): string {
  return `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

describe.skipIf(!hasPostgres)(`a database that others administer (${NEEDS_POSTGRES})`, () => {
  test.each([
    "default_transaction_isolation = 'serializable'",
    "default_transaction_isolation = 'repeatable read'",
    "lock_timeout = '5ms'",
    "statement_timeout = '20ms'",
    "standard_conforming_strings = off",
    "synchronous_commit = off",
  ])("four stores at once write as usual where a database has %s", async (setting) => {
    await using opened = await openStores(1);
    const [first] = opened.stores as [PostgresStore];
    await first.commit({ line: ownerCreated(5_000_000) });
    await opened.database.query(`alter database ${opened.database.name} set ${setting}`);
    const stores = await Promise.all([1, 2, 3, 4].map(() => opened.open()));

    await Promise.all(
      stores.flatMap((store, at) =>
        Array.from({ length: 20 }, async (_, number) => {
          await store.commit({ line: runAccepted(`r-${at}-${number}`) });
          await store.commit({ line: runDone(`r-${at}-${number}`) });
        }),
      ),
    );

    expect(opened.fatal).toEqual([]);
    await first.refresh();
    expect(await first.listOpenRuns()).toEqual([]);
    expect((await first.listRuns("w1", {}, { limit: 100 })).items).toHaveLength(80);
  });

  test("statements that an administrator cancels are done again, once", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    const others = "datname = current_database() and pid <> pg_backend_pid() and state = 'active'";
    let cancelled = 0;
    const cancel = async () => {
      const rows = await opened.database.query(`select pg_cancel_backend(pid) from pg_stat_activity where ${others}`);
      return rows.length;
    };

    let number = 0;
    for (; number < 5_000 && cancelled < 3; number += 1) {
      const cancelling = cancel();
      // What may wait is refused when it is cancelled twice.
      await store.commit({ line: runAccepted(`r${number}`, { heldMicroDollars: 1 }) }).catch(async (error: unknown) => {
        expect(error).toBeInstanceOf(StorageAway);
        await store.commit({ line: runAccepted(`r${number}`, { heldMicroDollars: 1 }) });
      });
      await store.commit({ line: runDone(`r${number}`, { heldMicroDollars: 1 }) });
      cancelled += await cancelling;
    }

    expect(opened.fatal).toEqual([]);
    expect(cancelled).toBeGreaterThanOrEqual(3);
    expect(await store.listOpenRuns()).toEqual([]);
  });

  test("a commit that the database gives up in a deadlock is done again", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    const foreign = opened.database.query(`
      begin;
      lock table lines in access exclusive mode;
      select pg_sleep(0.5);
      select n from head for update;
      commit`);
    const locks = "select 1 from pg_locks where relation = 'lines'::regclass and mode = 'AccessExclusiveLock'";
    await expect.poll(async () => await opened.database.query(locks)).toHaveLength(1);

    await store.commit({ line: workspaceCreated("w2") });
    await foreign.catch(() => undefined);
    await store.commit({ line: workspaceCreated("w3") });

    expect(opened.fatal).toEqual([]);
    expect(await store.listWorkspaces()).toHaveLength(3);
  });

  test("the end of a run waits while the role may not log in", async () => {
    await using opened = await openStores(1);
    const role = `role_${opened.database.name}`;
    await opened.database.query(`create role ${role} login superuser`);
    const address = new URL(opened.database.url);
    address.username = role;
    const store = await opened.open({ url: address.href });
    await store.commit({ line: ownerCreated() });
    await store.commit({ line: runAccepted("r1") });
    await opened.database.query(`alter role ${role} nologin`);
    await opened.database.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);

    const ending = store.commit({ line: runDone("r1") });
    const refused = store.commit({ line: workspaceCreated("w2") });
    await expect(refused).rejects.toThrow("does not let mkt in any more");
    await opened.database.query(`alter role ${role} login`);
    await ending;

    expect(opened.fatal).toEqual([]);
    expect((await store.findRun("w1", "r1"))?.status).toBe("COMPLETED");
    await store.close();
    await opened.database.query(`alter role ${role} nologin`);
  });

  test("installations in two schemas of one database share nothing", async () => {
    await using opened = await openStores(0);
    const { url } = opened.database;
    await opened.database.query("create schema a; create schema b");
    const one = await opened.open({ url: withSearchPath(url, "a") });
    const other = await opened.open({ url: withSearchPath(url, "b") });

    await Promise.all([one, other].map((store) => store.commit({ line: ownerCreated() })));
    await one.commit({ line: workspaceCreated("w2") });
    await other.refresh();

    expect(await one.listWorkspaces()).toHaveLength(2);
    expect(await other.listWorkspaces()).toHaveLength(1);
    expect(opened.fatal).toEqual([]);
  });

  test("where the tables cannot be made, the refusal says what to do", async () => {
    await using opened = await openStores(0);
    const { database } = opened;
    await database.query(`create role guest_${database.name} login`);
    await database.query("create schema theirs; create table theirs.migrations (name text)");
    const guest = new URL(database.url);
    guest.username = `guest_${database.name}`;

    for (const url of [guest.href, withSearchPath(database.url, "theirs"), withSearchPath(database.url, "nowhere")]) {
      const refused = opened.open({ url });
      await expect(refused).rejects.toMatchObject({ name: "SchemaUnknown" });
      await expect(refused).rejects.toThrow("create schema mkt authorization");
    }
  });

  test("a database whose encoding cannot hold every text is refused", async () => {
    await using database = await emptyDatabase();
    const latin = `latin_${database.name}`;
    await database.query(`create database ${latin} encoding 'LATIN1' locale 'C' template template0`);
    const address = new URL(database.url);
    address.pathname = `/${latin}`;

    await expect(openPostgresStore({ url: address.href, onFatal: () => undefined })).rejects.toThrow("encoding 'UTF8'");

    await database.query(`drop database ${latin} with (force)`);
  });
});

describe.skipIf(!hasPostgres)(`rows that are hard to write (${NEEDS_POSTGRES})`, () => {
  test("a run is found by a word that is longer than an index can hold", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    const long = `/${randomBytes(4_000).toString("hex")}`;
    const endpoints = [`${long}/one`, `${long}/other`];
    for (const [at, endpoint] of endpoints.entries()) {
      await store.commit({ line: runAccepted(`r${at}`, { endpoint }) });
      await store.commit({ line: runDone(`r${at}`, { endpoint }) });
    }

    for (const [at, endpoint] of endpoints.entries()) {
      const { items } = await store.listRuns("w1", { endpoint }, { limit: 5 });
      expect(items.map(({ runId }) => runId)).toEqual([`r${at}`]);
    }
    expect(opened.fatal).toEqual([]);
  });

  test("a line that the database cannot have is refused alone, and the store goes on", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    const kept = { key: randomBytes(9_000).toString("hex"), maxAgeSeconds: 60 };
    for (const runId of ["r1", "r2"]) await store.commit({ line: runAccepted(runId) });

    const [bad, good] = await Promise.allSettled([
      store.commit({ line: runDone("r1", { reuse: kept }) }),
      store.commit({ line: runDone("r2") }),
    ]);

    expect(bad).toMatchObject({ status: "rejected", reason: { name: "LineRefused" } });
    expect(good.status).toBe("fulfilled");
    expect(opened.fatal).toEqual([]);
    expect((await store.listOpenRuns()).map(({ runId }) => runId)).toEqual(["r1"]);
  });

  test("a large output full of quotation marks is written, and read at another store", async () => {
    await using opened = await openStores(2);
    const [first, second] = opened.stores as [PostgresStore, PostgresStore];
    await first.commit({ line: ownerCreated() });
    await first.commit({ line: runAccepted("r1") });
    const output = Array.from({ length: effort(4, 32) }, () => `"\\"\u0000ü\n`.repeat(200_000));

    await first.commit({ line: runDone("r1", { output }) });

    await second.refresh();
    expect(JSON.stringify((await second.findRun("w1", "r1"))?.output) === JSON.stringify(output)).toBe(true);
    expect(opened.fatal).toEqual([]);
  });

  test("a snapshot that cannot be written is not tried again at every line", async () => {
    const problems: unknown[] = [];
    await using opened = await openStores(1, { snapshotEvery: 5, onProblem: (error) => void problems.push(error) });
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    await opened.database.query("alter table snapshots add check (n < 0)");

    for (let number = 0; number < 20; number += 1) {
      await store.commit({ line: workspaceCreated(`w-${number}`) });
      await delay(20);
    }

    expect(problems.length).toBeGreaterThanOrEqual(1);
    expect(problems.length).toBeLessThanOrEqual(4);
  });
});
