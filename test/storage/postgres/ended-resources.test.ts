import pg from "pg";
import { describe, expect, test } from "vitest";
import type { ResourceRecord } from "../../../daemon/ledger/records/resource-record.ts";
import type { Line } from "../../../daemon/ledger/transaction/transaction.ts";
import { lineBody } from "../../../daemon/storage/journal/segments/line-codec.ts";
import { migrations } from "../../../daemon/storage/postgres/migrations/all.ts";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { type EmptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { makeResource, ownerCreated, resourceChanged, resourceReleased, runAccepted, runDone } from "../lines.ts";
import { type OpenStores, openStores } from "./open-stores.ts";

/** The tables as the version before has them. */
const BEFORE = { migrations: migrations.filter(({ number }) => number < 70) };

const named = (resourceId: string, members: Partial<ResourceRecord> = {}) =>
  makeResource({ resourceId, externalId: resourceId, ...members });

/** As any program writes a line that knows nothing of the table. */
async function insertRaw(
  { database }: { readonly database: Pick<EmptyDatabase, "query"> },
  body: string,
): Promise<void> {
  await database.query(
    `with next as (update head set n = n + 1 returning n, month)
     insert into lines (n, month, batch, body) select n, month, gen_random_uuid(), $1 from next`,
    [body],
  );
}

const WAITING = "select from pg_locks where relation = 'lines'::regclass and not granted";

interface OpenTransaction extends Pick<EmptyDatabase, "query"> {
  end(how: "commit" | "rollback"): Promise<void>;
}

async function openTransaction({ database }: OpenStores, first: string): Promise<OpenTransaction> {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(`begin; ${first}`);
  return {
    query: async (text, values) => (await client.query(text, values)).rows,
    async end(how) {
      await client.query(how);
      await client.end();
    },
  };
}

const bodyOf = (line: Line) => lineBody(line).json;

async function idsOf(store: PostgresStore): Promise<readonly string[]> {
  const { items } = await store.listResources("w1", {}, { limit: 100 });
  return items.map(({ resourceId, state }) => `${resourceId} ${state}`);
}

describe.skipIf(!hasPostgres)(`ended resources in a database (${NEEDS_POSTGRES})`, () => {
  test("lines of a daemon of the version before, and of tools, have rows: the database makes them", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    const odd = named("01B", { displayName: 'a\u0000b "\ud83d" \\u0000 ü', data: { text: '"state":"RELEASED"' } });
    await store.commit({ line: resourceChanged(odd) });
    await store.commit({ line: resourceChanged(named("01C")) });
    await store.commit({ line: runAccepted("r1") });

    await insertRaw(opened, bodyOf(resourceReleased(odd)));
    const failed = named("01D", { state: "PROVISION_FAILED" });
    await insertRaw(opened, bodyOf({ ...runDone("r1"), res: [named("01E"), failed] }));
    await store.refresh();

    expect(await idsOf(store)).toEqual(["01E ACTIVE", "01D PROVISION_FAILED", "01C ACTIVE", "01B RELEASED"]);
    expect(await store.findResource("w1", "01B")).toEqual(resourceReleased(odd).resource);
    expect(await store.findResource("w1", "01D")).toEqual(failed);
    expect(opened.fatal).toEqual([]);
  });

  test.each([
    ["is no JSON", '"state":"RELEASED"'],
    ["is another line", '{"t":"x","resource":{"state":"RELEASED"}}'],
    ["has no id", '{"t":"resource.changed","resource":{"state":"RELEASED"}}'],
    ["has no list", '{"t":"run.done","res":{"state":"RELEASED"}}'],
    [
      "has a number for an object",
      '{"t":"run.done","res":[1,{"state":"RELEASED","resourceId":"x","renewal":{"cycle":"?"}}]}',
    ],
    [
      "has an id that no index can have",
      JSON.stringify({
        t: "resource.changed",
        resource: { state: "RELEASED", resourceId: "x".repeat(9_000), workspaceId: "w1" },
      }),
    ],
  ])("a line that %s is written, and has none", async (_what, body) => {
    await using opened = await openStores(1);
    await (opened.stores as [PostgresStore])[0].commit({ line: ownerCreated() });

    await insertRaw(opened, body);

    expect(await opened.database.query("select * from ended_resources")).toEqual([]);
    expect(await opened.database.query("select count(*)::int as lines from lines")).toEqual([{ lines: 2 }]);
  });

  test("a migration gives rows to the lines that are there, and a daemon of the version before goes on beside it", async () => {
    await using opened = await openStores(1, BEFORE);
    const [older] = opened.stores as [PostgresStore];
    await older.commit({ line: ownerCreated() });
    for (const id of ["01A", "01B", "01C"]) await older.commit({ line: resourceChanged(named(id)) });
    await older.commit({ line: resourceReleased(named("01B")) });

    const store = await opened.open({ migrations });
    await older.commit({ line: resourceReleased(named("01A")) });
    await store.refresh();

    expect(await idsOf(store)).toEqual(["01C ACTIVE", "01B RELEASED", "01A RELEASED"]);
    expect(opened.fatal).toEqual([]);
  });

  test("a line that a writer commits while the table is migrated has a row, and other daemons commit meanwhile", async () => {
    await using opened = await openStores(1, BEFORE);
    const [older] = opened.stores as [PostgresStore];
    await older.commit({ line: ownerCreated() });
    for (const id of ["01A", "01B", "01C"]) await older.commit({ line: resourceChanged(named(id)) });
    const inserted = await openTransaction(opened, "update head set n = n");
    const idle = await openTransaction(opened, "lock table lines in row exclusive mode");

    const migrating = opened.open({ migrations });
    await expect.poll(() => opened.database.query(WAITING), { timeout: 15_000 }).not.toEqual([]);
    await insertRaw({ database: inserted }, bodyOf(resourceReleased(named("01B"))));
    await inserted.end("commit");
    const begun = performance.now();
    await older.commit({ line: resourceReleased(named("01A")) });
    const waitedMs = performance.now() - begun;
    const isMigrated = await opened.database.query("select from pg_tables where tablename = 'ended_resources'");
    await idle.end("rollback");
    const store = await migrating;
    await store.refresh();

    // It was not behind a lock that only the idle one could end.
    expect(waitedMs).toBeLessThan(10_000);
    expect(isMigrated).toEqual([]);
    expect(await idsOf(store)).toEqual(["01C ACTIVE", "01B RELEASED", "01A RELEASED"]);
    expect(opened.fatal).toEqual([]);
  });

  test("a daemon of the version before, under a role of its own, goes on when the owner has migrated", async () => {
    await using opened = await openStores(1, BEFORE);
    const [owner] = opened.stores as [PostgresStore];
    await owner.commit({ line: ownerCreated() });
    for (const id of ["01A", "01B"]) await owner.commit({ line: resourceChanged(named(id)) });
    const role = `role_${opened.database.name}`;
    await opened.database.query(`create role ${role} login`);
    await opened.database.query(`grant select, insert, update, delete on all tables in schema public to ${role}`);
    const address = new URL(opened.database.url);
    address.username = role;
    const lesser = await opened.open({ ...BEFORE, url: address.href });

    const store = await opened.open({ migrations });
    await lesser.commit({ line: resourceReleased(named("01A")) });
    // As pg_restore does.
    await opened.database.query(
      `set search_path = '';
       update public.head set n = n + 1;
       insert into public.lines (n, month, batch, body)
         select n, month, gen_random_uuid(), $line$${bodyOf(resourceReleased(named("01B")))}$line$ from public.head`,
    );
    await store.refresh();

    expect(await idsOf(store)).toEqual(["01B RELEASED", "01A RELEASED"]);
    expect(opened.fatal).toEqual([]);
    await lesser.close();
    await opened.database.query(`drop owned by ${role}; drop role ${role}`);
  });

  test("resources that one run ended are read together", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    await store.commit({ line: runAccepted("r1") });
    const res = ["01A", "01B", "01C"].map((id) => resourceReleased(named(id)).resource);
    await store.commit({ line: { ...runDone("r1"), res } });
    const { database } = store;
    const asked: string[] = [];
    const queryNamed = database.queryNamed.bind(database);
    database.queryNamed = (name, ...rest) => {
      asked.push(name);
      return queryNamed(name, ...rest);
    };

    expect(await idsOf(store)).toEqual(["01C RELEASED", "01B RELEASED", "01A RELEASED"]);
    expect(asked.filter((name) => name.startsWith("read-"))).toEqual(["read-lines"]);
  });

  test("a daemon that has not heard yet of the end of a resource tells of it once", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    for (const id of ["01A", "01B", "01C"]) await store.commit({ line: resourceChanged(named(id)) });
    const listed = async (state?: "ACTIVE" | "RELEASED") =>
      (await store.listResources("w1", { state }, { limit: 10 })).items.map(({ resourceId }) => resourceId);

    await insertRaw(opened, bodyOf(resourceReleased(named("01B"))));

    expect(await listed()).toEqual(["01C", "01B", "01A"]);
    expect(await listed("RELEASED")).toEqual(["01B"]);
    await store.refresh();
    expect(await listed("ACTIVE")).toEqual(["01C", "01A"]);
    expect(await idsOf(store)).toEqual(["01C ACTIVE", "01B RELEASED", "01A ACTIVE"]);
  });

  test("a start takes a snapshot of the version before, and what had ended is found as before", async () => {
    await using opened = await openStores(1, { snapshotEvery: 3 });
    const [first] = opened.stores as [PostgresStore];
    await first.commit({ line: ownerCreated() });
    for (const id of ["01A", "01B"]) await first.commit({ line: resourceChanged(named(id)) });
    await first.commit({ line: resourceReleased(named("01B")) });
    await first.commit({ line: resourceChanged(named("01C")) });
    await expect.poll(() => opened.database.query("select n::int as n from snapshots")).not.toEqual([]);
    const [{ n = 0, body = "" } = {}] = (await opened.database.query(
      "select n::int as n, body from snapshots order by n desc limit 1",
    )) as { n: number; body: string }[];
    const content = JSON.parse(body) as { book: { resources: { resources: [string, ResourceRecord][] } } };
    const ended = resourceReleased(named("01B")).resource;
    content.book.resources.resources.push([ended.resourceId, ended]);
    await opened.database.query("delete from snapshots");
    await opened.database.query("insert into snapshots (n, version, body) values ($1, 2, $2)", [
      n,
      JSON.stringify(content),
    ]);

    const store = await opened.open();

    expect(await idsOf(store)).toEqual(["01C ACTIVE", "01B RELEASED", "01A ACTIVE"]);
    expect((await store.listLiveResources()).map(({ resourceId }) => resourceId).sort()).toEqual(["01A", "01C"]);
    // The snapshot was read: without it, the daemon would begin at the first line.
    expect(await opened.database.query("select version, n::int as n from snapshots")).toEqual([{ version: 2, n }]);
  });
});
