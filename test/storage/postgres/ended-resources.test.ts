import { describe, expect, test } from "vitest";
import type { ResourceRecord } from "../../../daemon/ledger/records/resource-record.ts";
import type { Line } from "../../../daemon/ledger/transaction/transaction.ts";
import { lineBody } from "../../../daemon/storage/journal/segments/line-codec.ts";
import { migrations } from "../../../daemon/storage/postgres/migrations/all.ts";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { makeResource, ownerCreated, resourceChanged, resourceReleased, runAccepted, runDone } from "../lines.ts";
import { type OpenStores, openStores } from "./open-stores.ts";

/** The tables as the version before has them. */
const BEFORE = { migrations: migrations.filter(({ number }) => number < 70) };

const named = (resourceId: string, members: Partial<ResourceRecord> = {}) =>
  makeResource({ resourceId, externalId: resourceId, ...members });

/** As any program writes a line that knows nothing of the table. */
async function insertRaw({ database }: OpenStores, body: string): Promise<void> {
  await database.query(
    `with next as (update head set n = n + 1 returning n, month)
     insert into lines (n, month, batch, body) select n, month, gen_random_uuid(), $1 from next`,
    [body],
  );
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
