import { describe, expect, test } from "vitest";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { startFakeProvider } from "../../support/fake-provider.ts";
import { hasPostgres, NEEDS_POSTGRES, type PostgresServer, startServer, urlOf } from "../../support/postgres.ts";
import { spawnDaemon } from "../../support/spawn-mkt.ts";
import { scriptReport, weatherManifest } from "../../support/weather-manifest.ts";
import { ownerCreated, runAccepted, runDone } from "../lines.ts";
import { openStores } from "./open-stores.ts";

const HANG_MS = 180_000;
const SOON = { timeout: 60_000 };

/** Follows the primary, and takes no writes until it is promoted. */
async function standbyOf({ port }: PostgresServer): Promise<PostgresServer> {
  const words = ["-h", "127.0.0.1", "-p", String(port), "-U", "mkt", "-R", "-c", "fast"];
  return await startServer({ prepare: (dataDir, run) => run("pg_basebackup", [...words, "-D", dataDir]) });
}

describe.skipIf(!hasPostgres)(`a database that fails over to another host (${NEEDS_POSTGRES})`, () => {
  test("nothing acknowledged is lost, and what waited is written there, once", async () => {
    await using primary = await startServer();
    await using opened = await openStores(1, {}, primary);
    const [direct] = opened.stores as [PostgresStore];
    await direct.commit({ line: ownerCreated() });
    await using standby = await standbyOf(primary);
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

  test(
    "a daemon's process goes on there: what ran ends and is charged once, and it serves",
    { timeout: HANG_MS },
    async () => {
      await using provider = await startFakeProvider();
      scriptReport(provider, { polls: 1_000_000 });
      await using primary = await startServer();
      await using standby = await standbyOf(primary);
      await primary.query("postgres", "alter system set synchronous_standby_names = '*'");
      await primary.query("postgres", "select pg_reload_conf()");
      const url = urlOf(primary.port, "postgres").replace(
        /@[^/]+/,
        `@127.0.0.1:${standby.port},127.0.0.1:${primary.port}`,
      );
      await using daemon = await spawnDaemon({
        manifests: { nimbus: weatherManifest(provider.url) },
        environment: { MKT_DATABASE_URL: `${url}?target_session_attrs=read-write`, MKT_DATABASE_KEY: "ab".repeat(32) },
      });
      const { body: before } = await daemon.request("GET", "/v1/wallet/balance");
      const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };
      const { body: run } = await daemon.request("POST", "/v1/run", report);
      await expect.poll(() => provider.count("POST /reports"), SOON).toBe(1);

      await primary.stop("immediate");
      await expect.poll(async () => (await fetch(`${daemon.url}/ready`)).status, SOON).toBe(503);
      expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
      scriptReport(provider, { polls: 0, result: { items: [1] } });
      await standby.promote();
      await expect.poll(async () => (await fetch(`${daemon.url}/ready`)).status, SOON).toBe(200);

      const ended = async () => (await daemon.request("GET", `/v1/runs/${run.runId}?wait=20`)).body;
      await expect.poll(async () => (await ended()).status, SOON).toBe("COMPLETED");
      const { cost } = await ended();
      const after = (await daemon.request("GET", "/v1/wallet/balance")).body;
      expect(before.balance.value - after.balance.value).toBeCloseTo(cost.value, 6);
      expect(cost.value).toBeGreaterThan(0);
      expect(provider.count("POST /reports")).toBe(1);
      const done = await standby.query("postgres", "select n from lines where body::json->>'t' = 'run.done'");
      expect(done).toHaveLength(1);
      expect((await daemon.kill("SIGTERM")).code).toBe(0);
    },
  );
});
