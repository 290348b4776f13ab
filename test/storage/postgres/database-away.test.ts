import { describe, expect, test } from "vitest";
import { StorageAway } from "../../../daemon/ledger/transaction/commit-errors.ts";
import { openPostgresStore, type PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { type Cut, type CutProxy, startCutProxy } from "../../support/cut-proxy.ts";
import { hasPostgres, NEEDS_POSTGRES, PASSWORD, startServer, urlOf } from "../../support/postgres.ts";
import { ownerCreated, runAccepted, runDone, workspaceCreated } from "../lines.ts";
import { type OpenStores, openStores } from "./open-stores.ts";

interface Proxied extends AsyncDisposable {
  readonly opened: OpenStores;
  readonly proxy: CutProxy;
  /** Its connections go through the proxy. */
  readonly store: PostgresStore;
  /** Its connections do not. */
  readonly other: PostgresStore;
}

async function openProxied(): Promise<Proxied> {
  const opened = await openStores(1);
  const [other] = opened.stores as [PostgresStore];
  await other.commit({ line: ownerCreated() });
  const address = new URL(opened.database.url);
  const proxy = await startCutProxy(Number(address.port));
  address.port = String(proxy.port);
  const store = await opened.open({ url: address.href });
  return {
    opened,
    proxy,
    store,
    other,
    async [Symbol.asyncDispose]() {
      proxy.setAway(false);
      await opened[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

async function countOf(opened: OpenStores, text: string): Promise<number> {
  const [row] = await opened.database.query("select count(*)::int as count from lines where body like $1", [
    `%${text}%`,
  ]);
  return Number(row?.["count"]);
}

describe.skipIf(!hasPostgres)(`a database that goes away (${NEEDS_POSTGRES})`, () => {
  test.each<[string, Cut]>([
    ["the commit never came to the database", "before"],
    ["the commit was done and its answer was lost", "after"],
  ])("a line is written once when %s", async (_, where) => {
    await using proxied = await openProxied();
    const { opened, proxy, store, other } = proxied;
    for (let round = 0; round < 5; round += 1) {
      const cut = proxy.cutAt("commit\0", where, "COMMIT");
      const lines = [1, 2, 3].map((number) => workspaceCreated(`w-${round}-${number}`));

      const committed = Promise.all(lines.map((line) => store.commit({ line })));
      await cut;
      // Another daemon goes on meanwhile, and takes the numbers of what was not done.
      await other.commit({ line: workspaceCreated(`other-${round}`) });
      await committed;
    }

    expect(await countOf(opened, "workspace.created")).toBe(20);
    const [numbers] = await opened.database.query("select count(*)::int as count, max(n)::int as newest from lines");
    expect(numbers).toEqual({ count: 21, newest: 21 });
    for (const one of [store, other]) {
      await one.refresh();
      expect(await one.listWorkspaces()).toHaveLength(21);
    }
    expect(opened.fatal).toEqual([]);
  });

  test("a connection that is lost before a batch is written loses nothing and repeats nothing", async () => {
    await using proxied = await openProxied();
    const { opened, proxy, store } = proxied;
    for (const [at, where] of [
      ["execute lock_head", "before"],
      ["\0append\0", "before"],
      ["\0append\0", "after"],
    ] as const) {
      const name = `w-${at.replaceAll(/\W/g, "-")}-${where}`;
      const cut = proxy.cutAt(at, where);
      const committed = store.commit({ line: workspaceCreated(name) });
      await cut;
      await committed;
      expect(await countOf(opened, `"workspaceId":"${name}"`)).toBe(1);
    }
  });

  test("while it is away new work is refused, the end of a run waits, and both are right when it is back", async () => {
    await using proxied = await openProxied();
    const { opened, proxy, store, other } = proxied;
    await store.commit({ line: runAccepted("r1") });
    proxy.setAway(true);

    const ended = store.commit({ line: runDone("r1") });
    const refused = store.commit({ line: runAccepted("r2") });
    const decided = store.commit({ of: { workspaceId: "w1" }, write: () => runAccepted("r3") });
    const reading = store.refresh();

    const refusals = await Promise.allSettled([refused, decided, reading]);

    for (const refusal of refusals)
      expect(refusal).toMatchObject({ reason: { name: "StorageAway", retryAfterSeconds: 5 } });
    expect(Date.parse(store.awaySince() ?? "")).toBeGreaterThan(0);
    expect(await countOf(opened, "run.done")).toBe(0);
    proxy.setAway(false);
    await ended;
    await other.refresh();

    expect(await countOf(opened, "run.done")).toBe(1);
    expect(await countOf(opened, "run.accepted")).toBe(1);
    expect(await other.findRun("w1", "r1")).toMatchObject({ status: "COMPLETED" });
    await store.refresh();
    expect(store.awaySince()).toBeUndefined();
    expect(opened.fatal).toEqual([]);
  });

  test("what still waits when the process ends is refused, and the close does not hang", async () => {
    await using proxied = await openProxied();
    const { proxy, store } = proxied;
    await store.commit({ line: runAccepted("r1") });
    proxy.setAway(true);
    const ended = store.commit({ line: runDone("r1") });
    const refusal = expect(ended).rejects.toBeInstanceOf(StorageAway);

    store.endWaits();

    await refusal;
    await store.close();
  });

  test("a server that is killed and started again has everything that was acknowledged", async () => {
    await using server = await startServer({ settings: ["fsync = on"] });
    await using opened = await openStores(2, {}, server);
    const [first, second] = opened.stores as [PostgresStore, PostgresStore];
    await first.commit({ line: ownerCreated() });
    const acknowledged: string[] = [];
    const over = new AbortController();
    const write = async (store: PostgresStore, name: string) => {
      for (let number = 0; !over.signal.aborted; number += 1) {
        const workspaceId = `${name}-${number}`;
        await store.commit({ line: workspaceCreated(workspaceId) }).then(
          () => void acknowledged.push(workspaceId),
          (error: unknown) => expect(error).toBeInstanceOf(StorageAway),
        );
      }
    };
    const writing = [write(first, "a"), write(second, "b")];

    for (let restarts = 0; restarts < 2; restarts += 1) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(before + 20);
      await server.stop("immediate");
      await server.start();
    }
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(before + 20);
    over.abort();
    await Promise.all(writing);

    const kept = await opened.database.query("select body::json->'workspace'->>'workspaceId' as id from lines");
    const ids = kept.map(({ id }) => String(id));
    expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(opened.fatal).toEqual([]);
  });

  test("no error names the user or the password of the address", async () => {
    await using opened = await openStores(1);
    const address = new URL(opened.database.url);
    address.port = "1";
    const errors: unknown[] = [];
    for (const url of [
      address.href,
      `${address.href}?sslmode=${PASSWORD}`,
      `${address.href}?${PASSWORD}=1`,
      `${address.href}%zz`,
    ]) {
      errors.push(await opened.open({ url }).catch((error: unknown) => error));
    }

    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      const { message, stack, cause } = error as Error;
      expect(`${message} ${stack} ${String(cause)} ${JSON.stringify(error)}`).not.toMatch(PASSWORD);
    }
  });

  test("where the server has no connection left, a read waits for one that this daemon has", async () => {
    await using server = await startServer({
      settings: ["max_connections = 8", "superuser_reserved_connections = 0", "max_wal_senders = 0"],
    });
    await using store = await openPostgresStore({
      url: urlOf(server.port, "postgres"),
      connections: 30,
      onFatal: (error) => expect.unreachable(String(error)),
    });
    await store.commit({ line: ownerCreated() });

    const reads = Array.from({ length: 30 }, () => store.database.query("select pg_sleep(0.02)"));

    expect(await Promise.all(reads)).toHaveLength(30);
    expect(store.database.pool.open).toBeLessThanOrEqual(6);
  });
});
