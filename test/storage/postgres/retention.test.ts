import { describe, expect, test } from "vitest";
import type { Connection } from "../../../daemon/storage/postgres/connection.ts";
import { Months, NEXT_MONTH } from "../../../daemon/storage/postgres/months.ts";
import { Outputs } from "../../../daemon/storage/postgres/outputs.ts";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { ownerCreated, runAccepted, runDone } from "../lines.ts";
import { type OpenStores, openStores } from "./open-stores.ts";

const [OLD, LIMIT, NEW] = ["2026-08-01T00:00:00.000Z", "2026-09-01T00:00:00.000Z", "2026-09-01T00:00:00.001Z"];
const AT = "2026-12-01T00:00:00.000Z";

/** Tables that have a part for the month. */
async function partsOf({ database }: OpenStores, month: number): Promise<string[]> {
  const found = await database.query("select relname from pg_class where relkind = 'r' and relname ~ $1", [
    `^(lines|runs|movements|outputs)_${month}$`,
  ]);
  return found.map(({ relname }) => String(relname).replace(/_\d+$/, "")).sort();
}

/** An old output in a month that is over, and a session that writes a young one there. No daemon does so. */
async function writeLate({ database, stores }: OpenStores): Promise<{ month: number; writing: Connection }> {
  const [store] = stores as [PostgresStore];
  await store.commit({ line: ownerCreated() });
  await store.commit({ line: runAccepted("old") });
  await store.commit({ line: runDone("old", { completedAt: OLD }) });
  const [{ month } = { month: 0 }] = await store.database.query<{ month: number }>(
    "select max(month) as month from months",
  );
  await database.query("insert into months (month) values (299901)");
  await database.query("create table outputs_299901 partition of outputs for values in (299901)");
  await database.query("update head set month = 299901");
  const writing = await store.database.connect();
  await writing.query("begin");
  await writing.query(
    `insert into outputs (month, n, piece, ended_at, body) values (${month}, 99, 0, '${NEW}', '"new"')`,
  );
  return { month, writing };
}

describe.skipIf(!hasPostgres)(`retention in a database (${NEEDS_POSTGRES})`, () => {
  test("outputs of old runs are gone at every store, and their runs say since when; all else stays", async () => {
    await using opened = await openStores(2);
    const [first, second] = opened.stores as [PostgresStore, PostgresStore];
    const moved = async (store: PostgresStore) =>
      (await store.listMovements("w1", { limit: 9 })).items.map(({ seq }) => seq);
    await first.commit({ line: ownerCreated() });
    const kept = { key: "answer", maxAgeSeconds: 60 };
    for (const [runId, completedAt] of [
      ["old", OLD],
      ["new", NEW],
    ] as const) {
      await first.commit({ line: runAccepted(runId) });
      await first.commit({ line: runDone(runId, { completedAt, output: "x".repeat(700_000), reuse: kept }) });
    }
    const movements = await moved(second);

    const removed = await first.removeOutputs({ before: LIMIT, at: AT });
    const again = await first.removeOutputs({ before: LIMIT, at: NEW });

    expect([removed.runs, again.runs]).toEqual([1, 0]);
    // As a daemon does before it answers a request.
    await second.refresh();
    for (const store of [first, second, await opened.open()]) {
      expect(await store.findRun("w1", "old")).toMatchObject({ output: null, outputRemovedAt: AT });
      const young = await store.findRun("w1", "new");
      expect([young?.output, young?.outputRemovedAt]).toEqual(["x".repeat(700_000), undefined]);
      expect(await moved(store)).toEqual(movements);
    }
    const query = { workspaceId: "w1", key: "answer", from: OLD, until: AT };
    expect((await second.findKeptRun(query))?.runId).toBe("new");
    expect(await opened.database.query("select n::int as n from outputs group by n")).toEqual([{ n: 5 }]);
  });

  test("the part of a month that has only old outputs is dropped as a whole, and the lines of the month stay", async () => {
    await using opened = await openStores(2);
    const [store, other] = opened.stores as [PostgresStore, PostgresStore];
    await store.commit({ line: ownerCreated() });
    for (const runId of ["a", "b"]) {
      await store.commit({ line: runAccepted(runId) });
      await store.commit({ line: runDone(runId, { completedAt: OLD }) });
    }
    const [{ month } = { month: 0 }] = await other.database.query<{ month: number }>("select month from head");
    // The month is that of the database's clock: a later one follows by the head.
    await opened.database.query("update head set month = 299901");
    await store.commit({ line: runAccepted("c") });
    await store.commit({ line: runDone("c", { completedAt: OLD }) });

    const removed = await store.removeOutputs({ before: LIMIT, at: AT });

    expect(removed).toEqual({ runs: 1, months: [month] });
    expect(await opened.database.query("select from outputs")).toEqual([]);
    // Lines are the ledger: what they moved is counted from the first one on.
    expect(await partsOf(opened, month)).toEqual(["lines", "movements", "runs"]);
    expect(await partsOf(opened, 299_901)).toEqual(["lines", "movements", "outputs", "runs"]);
    await other.commit({ line: runAccepted("d") });
    await other.commit({ line: runDone("d", { completedAt: NEW, output: "young" }) });
    expect(await store.removeOutputs({ before: LIMIT, at: NEW })).toEqual({ runs: 0, months: [] });
    await store.refresh();
    expect((await store.findRun("w1", "d"))?.output).toBe("young");
    expect(await other.findRun("w1", "a")).toMatchObject({ output: null, outputRemovedAt: AT });
    expect((await opened.database.query("select month from months order by month")).at(-1)).toEqual({ month: 299_901 });
    const { items } = await store.listRuns("w1", {}, { limit: 5 });
    expect(items.map(({ runId, outputRemovedAt }) => [runId, outputRemovedAt])).toEqual([
      ["d", undefined],
      ["c", AT],
      ["b", AT],
      ["a", AT],
    ]);
  });

  test("the next month has its parts before it begins", async () => {
    await using opened = await openStores(2);
    await Promise.all(opened.stores.map((store) => new Months(store.database).addNext()));
    await Promise.all(opened.stores.map((store) => new Months(store.database).addNext()));

    const [{ month } = { month: 0 }] = await opened.database.query(NEXT_MONTH);
    expect(await opened.database.query("select month from months")).toEqual([{ month }]);
    expect(await partsOf(opened, Number(month))).toEqual(["lines", "movements", "outputs", "runs"]);
  });

  test("an output that is being written into a month that is over stays", async () => {
    await using opened = await openStores(1);
    const { month, writing } = await writeLate(opened);
    const [store] = opened.stores as [PostgresStore];
    const isWaitedFor = async () =>
      (await opened.database.query("select from pg_locks where not granted and mode = 'AccessExclusiveLock'")).length >
      0;

    const removing = new Outputs(store.database, { lockMs: 60_000 }).remove({ before: LIMIT, at: AT });
    await expect.poll(isWaitedFor, { timeout: 15_000 }).toBe(true);
    await writing.query("commit");

    expect(await removing).toEqual({ runs: 1, months: [] });
    expect(await opened.database.query("select body from outputs")).toEqual([{ body: '"new"' }]);
    expect(await partsOf(opened, month)).toContain("outputs");
    writing.close();
  });

  test("of a part that is held for long, the old outputs are removed one by one, and other parts go on", async () => {
    await using opened = await openStores(1);
    const { month, writing } = await writeLate(opened);
    const [store] = opened.stores as [PostgresStore];
    const outputs = new Outputs(store.database, { lockMs: 1 });

    const removed = await outputs.remove({ before: LIMIT, at: AT });
    await writing.query("rollback");
    writing.close();
    const again = await outputs.remove({ before: LIMIT, at: AT });

    expect(removed).toEqual({ runs: 1, months: [] });
    expect(again).toEqual({ runs: 0, months: [month] });
  });

  test("a part that cannot be cleaned keeps no later one from it", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    for (const [runId, later] of [
      ["a", 299_901],
      ["b", 299_902],
      ["c", 299_903],
    ] as const) {
      await store.commit({ line: runAccepted(runId) });
      await store.commit({ line: runDone(runId, { completedAt: OLD }) });
      await opened.database.query(`update head set month = ${later}`);
    }
    // Something of the operator's own stands on the part, so it cannot be dropped.
    await opened.database.query("create view mine as select * from outputs_299901");

    const removing = store.removeOutputs({ before: LIMIT, at: AT });

    await expect(removing).rejects.toThrow(/mine|depend/);
    expect(await partsOf(opened, 299_901)).toContain("outputs");
    expect(await partsOf(opened, 299_902)).not.toContain("outputs");
  });

  test("an output that was changed in the database is not given for the one that was written", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    await store.commit({ line: runAccepted("r1") });
    await store.commit({ line: runDone("r1", { output: "true answer" }) });

    await opened.database.query(`update outputs set body = '"false answer"'`);

    await expect(store.findRun("w1", "r1")).rejects.toMatchObject({ name: "DamagedOnDisk" });
  });
});
