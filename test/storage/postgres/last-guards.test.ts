import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { IdempotencyKeyUsed } from "../../../daemon/ledger/transaction/commit-errors.ts";
import type { ResourceRecord } from "../../../daemon/ledger/records/resource-record.ts";
import type { Line } from "../../../daemon/ledger/transaction/transaction.ts";
import { provisioned } from "../../../daemon/resources/resource-lifecycle.ts";
import { addAppend, LOCK_HEAD } from "../../../daemon/storage/postgres/append.ts";
import { inTransaction } from "../../../daemon/storage/postgres/database.ts";
import { prepareLine } from "../../../daemon/storage/postgres/line-rows.ts";
import { sweepKeys } from "../../../daemon/storage/postgres/last-guards.ts";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { StatementList } from "../../../daemon/storage/postgres/statement-list.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { AT, ownerCreated, runAccepted, runDone } from "../lines.ts";
import { type OpenStores, openStores } from "./open-stores.ts";

const DAEMON = "d1";
const DAY_MS = 86_400_000;
const STAMP = { key: "k", request: "r", waitSeconds: 0, client: "api" } as const;

/** A daemon's store, in which a line was written; and that of a tool or a daemon of the version before, which guards nothing. */
async function open(): Promise<{ opened: OpenStores; store: PostgresStore; unguarded: PostgresStore }> {
  const opened = await openStores(1);
  const [unguarded] = opened.stores as [PostgresStore];
  await opened.database.query(
    `insert into daemons (id, lease_until) values ('${DAEMON}', clock_timestamp() + interval '1 day')`,
  );
  const store = await opened.open({ daemonId: DAEMON });
  await store.commit({ line: ownerCreated() });
  return { opened, store, unguarded };
}

/** As a daemon whose rules let everything through. */
async function writeAround(store: PostgresStore, line: Line): Promise<void> {
  const connection = await store.database.connect({ isPipelined: true });
  try {
    await inTransaction(connection, async (queries) => {
      const [head] = await queries.query<{ n: number; month: number }>(LOCK_HEAD);
      const { n: after, month } = head ?? { n: 0, month: 0 };
      const lines = [prepareLine(line)];
      const statements = new StatementList();
      addAppend(statements, {
        id: randomUUID(),
        after,
        month,
        lines,
        accepted: [after + 1],
        owner: DAEMON,
        toldOn: undefined,
      });
      await connection.askTogether(statements);
    });
  } finally {
    connection.close();
  }
}

const keyed = (runId: string, members: { retryOf?: string; createdAt?: string } = {}) => {
  const { createdAt, ...retry } = members;
  const idempotency = { ...STAMP, ...retry };
  return runAccepted(runId, { idempotency, ...(createdAt !== undefined && { createdAt }) });
};

const plan = { resource: "lock", resourceType: "machine", displayName: "Lock" } as const;
const run = { runId: "r0", workspaceId: "w1", caller: "c", owner: "o", provider: "p", providerName: "P" };
const made = (resourceId: string, externalId = "box1") =>
  provisioned({ ...plan, resourceId }, { externalId, identifier: externalId, data: {} }, run, AT);
const changed = (resource: ResourceRecord): Line => ({
  t: "resource.changed",
  v: 1,
  at: AT,
  ws: "w1",
  resource,
  led: [],
});
const released = (resource: ResourceRecord) =>
  changed({ ...resource, revision: resource.revision + 1, state: "RELEASED" });
const heldIn = async ({ database }: OpenStores) =>
  (await database.query("select resource_id from held_ids")).map((row) => row["resource_id"]);

describe.skipIf(!hasPostgres)(`the last guards of the database (${NEEDS_POSTGRES})`, () => {
  test("refuse a second run with an Idempotency-Key, although the rules let it through", async () => {
    const { opened, store } = await open();
    await using _ = opened;
    await store.commit({ line: keyed("r1") });

    const second = writeAround(store, keyed("r2"));

    await expect(second).rejects.toMatchObject({ code: "23505", constraint: "used_keys_pkey" });
    await store.refresh();
    expect(store.findOpenRun("r2" as never)).toBeUndefined();
  });

  test("refuse a second resource with the id that a live one has at its provider", async () => {
    const { opened, store } = await open();
    await using _ = opened;
    await store.commit({ line: changed(made("01A")) });
    await store.commit({ line: changed(made("01B", "box2")) });

    const second = writeAround(store, changed(made("01C")));

    await expect(second).rejects.toMatchObject({ code: "23505", constraint: "held_ids_pkey" });
    expect((await store.listLiveResourcesOf("w1")).map(({ resourceId }) => resourceId).sort()).toEqual(["01A", "01B"]);
  });

  test("refuse a balance held below zero", async () => {
    const { opened, store } = await open();
    await using _ = opened;

    const unpaid = writeAround(store, runDone("r1"));

    await expect(unpaid).rejects.toMatchObject({ code: "23514" });
  });

  test("say of a used key what the rules say, and what was written with it is written", async () => {
    const { opened, store } = await open();
    await using _ = opened;
    await opened.database.query("insert into used_keys (key, used_ms) values ('run:k', $1)", [
      Date.parse(keyed("r1").rec.createdAt),
    ]);

    const both = await Promise.allSettled([
      store.commit({ line: keyed("r1") }),
      store.commit({ line: runAccepted("r2") }),
    ]);

    expect(both).toMatchObject([
      { status: "rejected", reason: expect.any(IdempotencyKeyUsed) },
      { status: "fulfilled" },
    ]);
    expect(opened.fatal).toEqual([]);
  });

  test("let a key be used again by a run that repeats an earlier one, and after its time", async () => {
    const { opened, store } = await open();
    await using _ = opened;
    const first = keyed("r1");
    await store.commit({ line: first });
    await store.commit({ line: runDone("r1", { idempotency: STAMP }) });

    await store.commit({ line: keyed("r2", { retryOf: "r1" }) });
    const later = new Date(Date.parse(first.rec.createdAt) + DAY_MS).toISOString();
    await store.commit({ line: keyed("r3", { createdAt: later }) });

    expect(await opened.database.query("select key, used_ms::float8 as ms, run_id from used_keys")).toEqual([
      { key: "run:k", ms: Date.parse(later), run_id: "r3" },
    ]);
  });

  test("refuse a run that repeats another run than the one that has the key", async () => {
    const { opened, store } = await open();
    await using _ = opened;
    await store.commit({ line: keyed("r1") });

    const second = writeAround(store, keyed("r2", { retryOf: "r0" }));

    await expect(second).rejects.toMatchObject({ code: "23505", constraint: "used_keys_pkey" });
  });

  test("let a run be repeated that a daemon which guards nothing has begun", async () => {
    const { opened, store, unguarded } = await open();
    await using _ = opened;
    await store.commit({ line: keyed("r1") });
    await store.commit({ line: runDone("r1", { idempotency: STAMP }) });
    await unguarded.commit({ line: keyed("r2", { retryOf: "r1" }) });
    await unguarded.commit({ line: runDone("r2", { idempotency: { ...STAMP, retryOf: "r1" } }) });

    await store.commit({ line: keyed("r3", { retryOf: "r2" }) });

    expect(await opened.database.query("select run_id from used_keys")).toEqual([{ run_id: "r3" }]);
    expect(opened.fatal).toEqual([]);
  });

  test("forget keys after two days, however many there are", async () => {
    const { opened, store } = await open();
    await using _ = opened;
    await opened.database.query(`
      insert into used_keys (key, used_ms, at)
      select 'k' || i, 0, clock_timestamp() - interval '3 days' from generate_series(1, 25) as i;
      insert into used_keys (key, used_ms) values ('young', 0)`);

    await sweepKeys(store.database, { atOnce: 10 });

    expect(await opened.database.query("select key from used_keys")).toEqual([{ key: "young" }]);
  });

  test("hold an id for a resource that this daemon does not know", async () => {
    const { opened, store } = await open();
    await using _ = opened;
    await store.commit({ line: changed(made("01A")) });
    await opened.database.query("update held_ids set resource_id = 'unknown'");
    await store.commit({ line: released(made("01A")) });

    const second = store.commit({ line: changed(made("01C")) });

    await expect(second).rejects.toMatchObject({ name: "LineRefused" });
    expect(await heldIn(opened)).toEqual(["unknown"]);
  });

  test("let an id be used again when its resource has ended, also by a daemon that guards nothing", async () => {
    const { opened, store, unguarded } = await open();
    await using _ = opened;
    await store.commit({ line: changed(made("01A")) });
    await store.commit({ line: released(made("01A")) });
    expect(await heldIn(opened)).toEqual([]);
    await store.commit({ line: changed(made("01B")) });
    await unguarded.commit({ line: released(made("01B")) });
    expect(await heldIn(opened)).toEqual(["01B"]);

    await store.commit({ line: changed(made("01C")) });

    expect(await heldIn(opened)).toEqual(["01C"]);
    expect(opened.fatal).toEqual([]);
  });

  test("come into a filled database, and hold what is there already", async () => {
    const { opened, store, unguarded } = await open();
    await using _ = opened;
    await unguarded.commit({ line: changed(made("01A")) });
    await store.close();
    await opened.database.query("drop table used_keys, held_ids");
    await opened.database.query("delete from migrations where number = 60");
    await (await opened.open({ daemonId: DAEMON })).close();
    await unguarded.commit({ line: changed(made("01D", "box4")) });

    const next = await opened.open({ daemonId: DAEMON });

    expect((await heldIn(opened)).sort()).toEqual(["01A", "01D"]);
    await expect(writeAround(next, changed(made("01B")))).rejects.toMatchObject({ constraint: "held_ids_pkey" });
  });
});
