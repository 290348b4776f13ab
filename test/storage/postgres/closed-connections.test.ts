import { describe, expect, test } from "vitest";
import { StorageAway } from "../../../daemon/ledger/transaction/commit-errors.ts";
import { Database } from "../../../daemon/storage/postgres/database.ts";
import { Listener } from "../../../daemon/storage/postgres/listener.ts";
import { startCutProxy } from "../../support/cut-proxy.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { holdingSockets } from "../../support/holding-sockets.ts";

describe.skipIf(!hasPostgres)(`connections that were closed (${NEEDS_POSTGRES})`, () => {
  test("do not hold the process, though the server says nothing any more", async () => {
    await using empty = await emptyDatabase();
    const address = new URL(empty.url);
    await using proxy = await startCutProxy(Number(address.port));
    address.port = String(proxy.port);
    await using database = new Database({ url: address.href });
    const connection = await database.connect();
    proxy.goSilent();
    const before = holdingSockets();

    connection.close();

    expect(holdingSockets()).toBe(before - 1);
  });

  test("what a silent server was asked is given up when the connections are closed", async () => {
    await using empty = await emptyDatabase();
    const address = new URL(empty.url);
    await using proxy = await startCutProxy(Number(address.port));
    address.port = String(proxy.port);
    const database = new Database({ url: address.href });
    await database.query("select 1");
    proxy.goSilent();
    const asked = database.query("select 2").catch((error: unknown) => error);

    await database[Symbol.asyncDispose]();

    expect(await asked).toBeInstanceOf(StorageAway);
  });

  test("what a server answers within a moment is still heard when the connections are closed", async () => {
    await using empty = await emptyDatabase();
    const database = new Database({ url: empty.url });
    await database.query("select 1");
    const asked = database.query("select 2 as answer from pg_sleep(0.2)");
    await Promise.resolve();

    await database[Symbol.asyncDispose]();

    expect(await asked).toEqual([{ answer: 2 }]);
  });

  test.each<[string, (database: Database) => { begun: Promise<unknown>; close: () => Promise<void> }]>([
    [
      "a listener",
      (database) => {
        const listener = new Listener(database);
        return { begun: listener.start(), close: () => listener[Symbol.asyncDispose]() };
      },
    ],
    ["a caller", (database) => ({ begun: database.connect(), close: () => database[Symbol.asyncDispose]() })],
  ])("%s that was still connecting keeps none", async (_, beginWith) => {
    await using empty = await emptyDatabase();
    await using database = new Database({ url: empty.url });
    const { begun, close } = beginWith(database);

    await close();
    await begun.catch(() => undefined);

    const sessions = async () =>
      (
        await empty.query("select pid from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()", [
          empty.name,
        ])
      ).length;
    await expect.poll(sessions, { timeout: 30_000 }).toBe(0);
  });
});
