import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { ownerCreated, runAccepted, runDone } from "../lines.ts";
import { openStores } from "./open-stores.ts";

const [OLD, LIMIT, NEW] = ["2026-08-01T00:00:00.000Z", "2026-09-01T00:00:00.000Z", "2026-09-01T00:00:00.001Z"];
const AT = "2026-12-01T00:00:00.000Z";

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

  test("the part of a month that has only old outputs is emptied as a whole", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    for (const runId of ["a", "b"]) {
      await store.commit({ line: runAccepted(runId) });
      await store.commit({ line: runDone(runId, { completedAt: OLD }) });
    }
    // The month is that of the database's clock: a later one follows by the head.
    await opened.database.query("update head set month = 299901");
    await store.commit({ line: runAccepted("c") });
    await store.commit({ line: runDone("c", { completedAt: OLD }) });

    const removed = await store.removeOutputs({ before: LIMIT, at: AT });

    expect(removed.runs).toBe(3);
    expect(await opened.database.query("select from outputs")).toEqual([]);
    expect((await opened.database.query("select month from months order by month")).at(-1)).toEqual({ month: 299_901 });
    const { items } = await store.listRuns("w1", {}, { limit: 5 });
    expect(items.map(({ runId, outputRemovedAt }) => [runId, outputRemovedAt])).toEqual([
      ["c", AT],
      ["b", AT],
      ["a", AT],
    ]);
  });

  test("an output that is being written into a month that is over stays", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    await store.commit({ line: runAccepted("old") });
    await store.commit({ line: runDone("old", { completedAt: OLD }) });
    const [{ month } = { month: 0 }] = await opened.database.query("select max(month) as month from months");
    await opened.database.query("insert into months (month) values (299901)");
    await opened.database.query("create table outputs_299901 partition of outputs for values in (299901)");
    // A commit that began before the end of the month, and has not ended.
    const writing = opened.database.query(`
      begin;
      insert into outputs (month, n, piece, ended_at, body) values (${String(month)}, 99, 0, '${NEW}', '"new"');
      select pg_sleep(1);
      commit`);
    await delay(300);

    const removed = await store.removeOutputs({ before: LIMIT, at: AT });
    await writing;

    expect(removed.runs).toBe(1);
    expect(await opened.database.query("select body from outputs")).toEqual([{ body: '"new"' }]);
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
