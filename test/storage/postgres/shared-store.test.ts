import { describe, expect, test } from "vitest";
import { microDollars } from "../../../shared/micro-dollars.ts";
import { balanceAccount, credit, heldAccount } from "../../../daemon/ledger/money/postings.ts";
import type { Line } from "../../../daemon/ledger/transaction/transaction.ts";
import { LOCK_HEAD } from "../../../daemon/storage/postgres/append.ts";
import { linesChannel } from "../../../daemon/storage/postgres/line-news.ts";
import { migrations } from "../../../daemon/storage/postgres/migrations/all.ts";
import { schemaOf } from "../../../daemon/storage/postgres/migrations/migration.ts";
import { openPostgresStore, type PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { effort } from "../../support/effort.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { AT, keyCreated, keyRevoked, ownerCreated, runAccepted, runDone, workspaceCreated } from "../lines.ts";
import { openStores } from "./open-stores.ts";

function credited(ws: string, amount: number): Line {
  const led = credit(ws, microDollars(amount));
  return { t: "wallet.credited", v: 1, at: AT, ws, amount: microDollars(amount), reason: "test", by: "test", led };
}

const ROUNDS = effort(5, 100);

describe.skipIf(!hasPostgres)(`stores that share a database (${NEEDS_POSTGRES})`, () => {
  test("what one acknowledged, each of the others sees after a refresh", async () => {
    await using opened = await openStores(3);
    const [first, second, third] = opened.stores as [PostgresStore, PostgresStore, PostgresStore];

    await first.commit({ line: ownerCreated(50_000) });
    await second.commit({ line: runAccepted("r1") });
    await third.commit({ line: keyRevoked("k1") });
    await Promise.all(opened.stores.map((store) => store.refresh()));

    for (const store of opened.stores) {
      expect((await store.listOpenRuns()).map(({ runId }) => runId)).toEqual(["r1"]);
      expect(await store.readAccounts([balanceAccount("w1"), heldAccount("w1")])).toEqual([40_000, 10_000]);
      expect((await store.listKeys("w1"))[0]?.revokedBy).toBe("API_KEY#k1");
    }
  });

  test("what one acknowledged, the others hear of without asking", async () => {
    await using opened = await openStores(2);
    const [first, second] = opened.stores as [PostgresStore, PostgresStore];
    const heard = new Promise<[Line, boolean]>((resolve) => second.watchLines((line, isOwn) => resolve([line, isOwn])));

    await first.commit({ line: ownerCreated() });

    expect(await heard).toEqual([ownerCreated(), false]);
  });

  test("of a burst, the newest line is told, however few words the lines share", async () => {
    await using opened = await openStores(3);
    const [first, second, third] = opened.stores as [PostgresStore, PostgresStore, PostgresStore];
    const told: number[] = [];
    third.listen(await linesChannel(third.database), (n) => void told.push(Number(n)));
    await first.commit({ line: ownerCreated() });

    const began = performance.now();
    for (let turn = 0; turn < 40; turn += 1) {
      const store = turn % 3 === 0 ? second : first;
      await store.commit({ line: keyCreated(`burst-${turn}`) });
    }

    await expect.poll(() => told, { timeout: 15_000 }).toContain(41);
    // A word is told by each of two writers once in 25 ms at most: on a fast machine far fewer than a word a line.
    const turns = (performance.now() - began) / 25;
    expect(told.length).toBeLessThanOrEqual(Math.min(41, 2 * (turns + 2)));
  });

  test("markets in one database, each with a schema of its own, do not hear of each other's lines", async () => {
    await using opened = await openStores(0);
    const openIn = async (schema: string) => {
      const options = encodeURIComponent(`-c search_path=${schema}`);
      return await opened.open({ url: `${opened.database.url}?options=${options}` });
    };
    await opened.database.query("create schema one; create schema other");
    const [writer, reader, stranger] = [await openIn("one"), await openIn("one"), await openIn("other")];
    await stranger.commit({ line: ownerCreated() });
    for (let n = 0; n < 20; n += 1) await stranger.commit({ line: keyCreated(`k-${n}`) });
    const told: number[] = [];
    reader.listen(await linesChannel(reader.database), (n) => void told.push(Number(n)));
    await reader.refresh();

    await stranger.commit({ line: keyCreated("late") });
    await writer.commit({ line: ownerCreated() });

    await expect.poll(() => told, { timeout: 15_000 }).toEqual([1]);
    expect(await linesChannel(stranger.database)).not.toBe(await linesChannel(reader.database));
  });

  test("a line is watched in its order, by whomever it is, before the next one is decided", async () => {
    await using opened = await openStores(2);
    const [first, second] = opened.stores as [PostgresStore, PostgresStore];
    const watched: string[] = [];
    first.watchLines((line, isOwn) => watched.push(`${line.t} ${isOwn ? "own" : "other"}`));
    await first.commit({ line: ownerCreated() });
    await second.commit({ line: keyCreated("k2") });
    let known: readonly string[] = [];

    await first.commit({
      of: { workspaceId: "w1" },
      write() {
        known = [...watched];
        return keyCreated("k3");
      },
    });

    expect(known).toEqual(["owner.created own", "key.created other"]);
    expect(watched).toEqual([...known, "key.created own"]);
  });

  test("a finished run and its output are read at every store, and it is finished once", async () => {
    await using opened = await openStores(2);
    const [first, second] = opened.stores as [PostgresStore, PostgresStore];
    const output = { text: "ü\u0000\uD800 𝄞".repeat(200_000) };
    await first.commit({ line: ownerCreated() });
    await first.commit({ line: runAccepted("r1") });
    await first.commit({ line: runDone("r1", { output }) });

    const again = second.commit({ line: runDone("r1") });

    await expect(again).rejects.toThrow("finished already");
    expect((await second.findRun("w1", "r1"))?.output).toEqual(output);
    expect(await second.listOpenRuns()).toEqual([]);
  });

  test(`of 200 runs at four stores at once, a balance for ten takes exactly ten, ${ROUNDS} times`, async () => {
    await using opened = await openStores(4);
    const [first] = opened.stores as [PostgresStore];
    await first.commit({ line: ownerCreated() });
    for (let round = 0; round < ROUNDS; round += 1) {
      const workspaceId = `round-${round}`;
      await first.commit({ line: workspaceCreated(workspaceId) });
      await first.commit({ line: credited(workspaceId, 100_000) });
      const begin = (store: PostgresStore, runId: string) =>
        store.commit({
          of: { workspaceId },
          write({ balance }) {
            if (balance < 10_000) throw new RangeError("too little");
            return runAccepted(runId, { workspaceId });
          },
        });

      const runs = Array.from({ length: 200 }, (_, number) => ({ number, store: opened.stores[number % 4] ?? first }));
      const outcomes = await Promise.allSettled(
        runs.map(({ number, store }) => begin(store, `run-${round}-${number}`)),
      );

      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
      await Promise.all(opened.stores.map((store) => store.refresh()));
      for (const store of opened.stores) {
        expect(await store.readAccounts([balanceAccount(workspaceId), heldAccount(workspaceId)])).toEqual([0, 100_000]);
      }
    }
    expect(opened.fatal).toEqual([]);
  });

  test("numbers have no gap, and the balances of the database are those of every store", async () => {
    await using opened = await openStores(4, { snapshotEvery: 50 });
    const [first] = opened.stores as [PostgresStore];
    await first.commit({ line: ownerCreated(5_000_000) });
    await Promise.all(
      opened.stores.flatMap((store, at) =>
        Array.from({ length: 40 }, async (_, number) => {
          await store.commit({ line: runAccepted(`r-${at}-${number}`) });
          if (number % 2 === 0) await store.commit({ line: runDone(`r-${at}-${number}`) });
        }),
      ),
    );
    const later = await opened.open();

    const [numbers] = await opened.database.query("select count(*)::int as count, max(n)::int as newest from lines");
    const kept = await opened.database.query("select account, micro::int as micro from accounts order by account");
    expect(numbers).toEqual({ count: 241, newest: 241 });
    expect(await later.readAccounts(kept.map(({ account }) => String(account)))).toEqual(
      kept.map(({ micro }) => micro),
    );
    expect(await later.listOpenRuns()).toHaveLength(80);
    expect((await opened.database.query("select from snapshots")).length).toBeGreaterThan(0);
  });

  test("ten that are opened at once on an empty database make its tables once", async () => {
    await using database = await emptyDatabase();
    const onFatal = () => undefined;

    const stores = await Promise.all(
      Array.from({ length: 10 }, () => openPostgresStore({ url: database.url, onFatal })),
    );
    await Promise.all(stores.map((store, number) => store.commit({ line: workspaceCreated(`w${number}`) })));
    await Promise.all(stores.map((store) => store.close()));

    expect(await database.query("select number from migrations order by number")).toEqual(
      migrations.map(({ number }) => ({ number })),
    );
    expect(await database.query("select count(*)::int as lines from lines")).toEqual([{ lines: 10 }]);
  });

  test("a database that is one release ahead is served, with all its changes; one of two releases ahead is refused", async () => {
    await using opened = await openStores(1);
    const ahead = (number: number) =>
      opened.database.query("insert into migrations (number, title) values ($1, 'of a later version')", [number]);
    const own = Math.max(...migrations.map(({ number }) => schemaOf(number)));
    const next = (own + 1) * 100;
    const afterNext = (own + 2) * 100;

    for (const number of [next, next + 1, next + 99]) await ahead(number);
    const served = await opened.open();
    await served.commit({ line: ownerCreated() });
    await ahead(afterNext);

    await expect(opened.open()).rejects.toThrow(new RegExp(`newer version of mkt.*${afterNext}.*Run the version`, "s"));
    // Those that run end soon after, before they write what the tables no longer mean.
    await expect.poll(() => opened.fatal.length, { timeout: 20_000 }).toBe(2);
    await expect(served.commit({ line: workspaceCreated("w2") })).rejects.toThrow("has failed");
  });

  test("a daemon makes no change of its own in tables that a newer one has changed", async () => {
    await using opened = await openStores(1);
    const own = Math.max(...migrations.map(({ number }) => schemaOf(number)));
    await opened.database.query("insert into migrations (number, title) values ($1, 'of a later version')", [
      (own + 1) * 100,
    ]);
    const unapplied = { number: own * 100 + 99, title: "of another branch", sql: "create table made_too_late ()" };

    await expect(opened.open({ migrations: [...migrations, unapplied] })).rejects.toThrow("newer version of mkt");

    expect(await opened.database.query("select to_regclass('made_too_late') as made")).toEqual([{ made: null }]);
  });

  test("a daemon that stands still while it holds the head of the lines stops no other one for long", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    const paused = await store.database.connect();
    await paused.query("begin");
    await paused.query(LOCK_HEAD);

    await store.commit({ line: ownerCreated() });

    await expect(paused.query("commit")).rejects.toMatchObject({ name: "StorageAway" });
    paused.close();
  });

  test("two requests with one key at two stores: the second one's line is refused", async () => {
    await using opened = await openStores(2);
    const [first, second] = opened.stores as [PostgresStore, PostgresStore];
    await first.commit({ line: ownerCreated() });
    const idempotency = { key: "one key", request: "request", waitSeconds: 0 };

    const outcomes = await Promise.allSettled([
      first.commit({ line: runAccepted("r1", { idempotency }) }),
      second.commit({ line: runAccepted("r2", { idempotency }) }),
    ]);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("a daemon that may not change tables refuses older ones, and leaves them as they are", async () => {
    await using database = await emptyDatabase();
    const onFatal = () => undefined;

    const opening = openPostgresStore({ url: database.url, onFatal, mayChangeSchema: false });

    await expect(opening).rejects.toThrow(/older version of mkt.*as the owner of the schema/s);
    expect(await database.query("select to_regclass('lines') as lines")).toEqual([{ lines: null }]);
  });

  test("a change that fails leaves the tables as they were", async () => {
    await using opened = await openStores(1);
    const broken = { number: 8_000, title: "broken", sql: "create table half (a integer); select nothing_like_it" };

    const opening = opened.open({ migrations: [...migrations, broken] });

    await expect(opening).rejects.toThrow("nothing_like_it");
    expect(await opened.database.query("select to_regclass('half') as half")).toEqual([{ half: null }]);
  });

  test("a database that lost a line that was read is noticed before anything is written", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    await opened.database.query("delete from lines; update head set n = 0");

    await expect(store.commit({ line: workspaceCreated("w2") })).rejects.toThrow("has lost what it acknowledged");

    expect(opened.fatal).toHaveLength(1);
    expect(await opened.database.query("select from lines")).toEqual([]);
  });

  test("a check of the database that refuses one line of many refuses that one alone", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated() });
    await opened.database.query("alter table lines add check (body not like '%forbidden%')");

    const names = ["w2", "w3", "forbidden", "w4"];
    const outcomes = await Promise.allSettled(names.map((name) => store.commit({ line: workspaceCreated(name) })));

    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect((await store.listWorkspaces()).map(({ workspaceId }) => workspaceId)).toEqual(["w1", "w2", "w3", "w4"]);
  });
});
