import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import type { ConnectionRecord, ConnectionStore } from "../../daemon/connections/connection-record.ts";
import { openConnectionFiles } from "../../daemon/storage/documents/connection-files.ts";
import { openDatabaseDocuments } from "../../daemon/storage/documents/database/database-documents.ts";
import { openStores } from "../storage/postgres/open-stores.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { tempDir } from "../support/temp-dir.ts";

/** What is written of a connection after an answer of its provider, while it may have become another one. */

const logger = pino({ level: "silent" });
const first: ConnectionRecord = {
  format: 1,
  connectionId: "first",
  workspaceId: "w1",
  provider: "accounts",
  connectedAt: "2026-11-23T08:00:00.000Z",
  connectedBy: "u1",
  binding: { clientId: "c", loginOrigins: [], apiOrigins: [] },
  obtainedAt: "2026-11-23T08:00:00.000Z",
  accessToken: "a1",
  refreshToken: "r1",
};
const renewed: ConnectionRecord = { ...first, accessToken: "a2", refreshToken: "r2" };
const second: ConnectionRecord = { ...first, connectionId: "second", accessToken: "b1", refreshToken: "s1" };
const lastFailure = { at: "2026-11-23T09:00:00.000Z", message: "refused" };
const stored = (store: ConnectionStore) => store.find("w1", "accounts");

test("in files a mark is written only while the connection and its token are the same", async () => {
  using folder = tempDir();
  const store = await openConnectionFiles(folder.path, { logger, learn: () => {} });
  await store.put(first);

  const isMarked = await store.mark(first, lastFailure);
  const marked = stored(store);
  await store.put(second);
  const ofFormer = [
    await store.mark(first, undefined),
    await store.mark({ ...second, accessToken: "b0" }, lastFailure),
  ];
  const isKept = await store.keep(renewed);
  const again = await openConnectionFiles(folder.path, { logger, learn: () => {} });

  expect([isMarked, marked]).toEqual([true, { ...first, lastFailure }]);
  expect([...ofFormer, isKept]).toEqual([false, false, false]);
  expect([stored(store), stored(again)]).toEqual([second, second]);
});

describe.skipIf(!hasPostgres)(`a daemon that has not heard of the newest changes (${NEEDS_POSTGRES})`, () => {
  async function open() {
    const opened = await openStores(2);
    const hex = randomBytes(32).toString("hex");
    const daemons = [];
    for (const { database } of opened.stores) {
      const parts = { tables: database, listen: () => {}, configDir: "", sealingKey: { hex }, shown: "", logger };
      const documents = await openDatabaseDocuments(parts);
      daemons.push({ documents, store: await documents.openConnections(() => {}) });
    }
    const [here, there] = daemons;
    if (here === undefined || there === undefined) throw new Error("two daemons were asked for");
    await here.store.put(first);
    await there.documents.refresh(undefined);
    expect(stored(there.store)).toEqual(first);
    const seen = async () => {
      await there.documents.refresh(undefined);
      return stored(there.store);
    };
    return { here: here.store, there: there.store, seen, [Symbol.asyncDispose]: opened[Symbol.asyncDispose] };
  }

  test("marks neither tokens that were renewed, nor a later login, nor a connection that was removed", async () => {
    await using daemons = await open();
    const { here, there, seen } = daemons;

    await here.put(renewed);
    const ofRenewed = [await there.mark(first, lastFailure), await seen()];
    await here.put(second);
    const ofLater = [await there.mark(renewed, lastFailure), await there.keep(renewed), await seen()];
    await here.remove(second);
    const ofRemoved = [await there.mark(second, lastFailure), await there.keep(second), await seen()];

    expect(ofRenewed).toEqual([false, renewed]);
    expect(ofLater).toEqual([false, false, second]);
    expect(ofRemoved).toEqual([false, false, undefined]);
  });

  test("leaves a renewal marked that another one has begun", async () => {
    await using daemons = await open();
    const { here, there, seen } = daemons;
    const since = new Date().toISOString();
    expect(await here.markRenewing(first, since)).toBeUndefined();

    expect(await there.mark(first, lastFailure)).toBe(true);
    await seen();
    const other = there.markRenewing({ ...first, lastFailure }, since);
    await here.keep(renewed);

    expect(await other).toEqual(renewed);
  });

  test("renews no connection that was removed", async () => {
    await using daemons = await open();
    await daemons.here.remove(first);

    await expect(daemons.there.markRenewing(first, new Date().toISOString())).rejects.toThrow("was removed");
  });
});
