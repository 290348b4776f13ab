import { describe, expect, test } from "vitest";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { hasPostgres, NEEDS_POSTGRES, startServer } from "../../support/postgres.ts";
import { ownerCreated, runAccepted, runDone } from "../lines.ts";
import { openStores } from "./open-stores.ts";

describe.skipIf(!hasPostgres)(`a database that fails over to another host (${NEEDS_POSTGRES})`, () => {
  test("nothing acknowledged is lost, and what waited is written there, once", async () => {
    await using primary = await startServer();
    await using opened = await openStores(1, {}, primary);
    const [direct] = opened.stores as [PostgresStore];
    await direct.commit({ line: ownerCreated() });
    await using standby = await startServer({
      prepare: (dataDir, run) =>
        run("pg_basebackup", [
          "-h",
          "127.0.0.1",
          "-p",
          String(primary.port),
          "-U",
          "mkt",
          "-D",
          dataDir,
          "-R",
          "-c",
          "fast",
        ]),
    });
    // The primary acknowledges only what the standby has too.
    await opened.database.query("alter system set synchronous_standby_names = '*'");
    await opened.database.query("select pg_reload_conf()");
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
    const url = opened.database.url.replace(/@[^/]+/, `@${hosts}`);
    const store = await opened.open({ url: `${url}?target_session_attrs=read-write` });
    await store.commit({ line: runAccepted("r1") });
    await direct.close();

    await primary.stop("immediate");
    const ended = store.commit({ line: runDone("r1") });
    const refused = store.commit({ line: runAccepted("r2") });
    await expect(refused).rejects.toMatchObject({ name: "StorageAway" });
    await standby.promote();
    await ended;
    await store.commit({ line: runAccepted("r3") });

    const lines = await standby.query(opened.database.name, "select body::json->>'t' as t from lines order by n");
    expect(lines.map(({ t }) => t)).toEqual(["owner.created", "run.accepted", "run.done", "run.accepted"]);
    expect(opened.fatal).toEqual([]);
    await store.close();
    // So that its database can be dropped, without a standby that has to agree.
    await primary.start();
    await opened.database.query("alter system reset synchronous_standby_names");
    await opened.database.query("select pg_reload_conf()");
  });
});
