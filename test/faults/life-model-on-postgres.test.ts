import { setTimeout as pause } from "node:timers/promises";
import { describe } from "vitest";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { openPostgresCluster, type PostgresCluster } from "../../daemon/storage/postgres/cluster/postgres-cluster.ts";
import { openPostgresStore, type PostgresStore } from "../../daemon/storage/postgres/postgres-store.ts";
import { effort } from "../support/effort.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { makeTables } from "../support/store-of-daemons.ts";
import { type LifeHost, lifeSuite } from "./life-suite.ts";

const SEQUENCES = effort(6, 200);
const newId = createIdSource();

/** A database on which each start is another daemon: it takes over what the one before has left. */
async function inDatabase(): Promise<LifeHost> {
  const database = await emptyDatabase({ prepare: makeTables });
  let daemonId = "";
  let store: PostgresStore | undefined;
  let cluster: PostgresCluster | undefined;
  return {
    async open() {
      daemonId = newId();
      // A daemon that was killed is told so too.
      const onFatal = () => {};
      store = await openPostgresStore({ url: database.url, daemonId, onFatal });
      cluster = await openPostgresCluster({ store, onFatal, onProblem: () => {} });
      return { store, cluster };
    },
    async close() {
      await cluster?.close();
      await store?.close();
    },
    /** As a survivor sees it: the daemon is fenced before its next line. With the power its sessions are gone as well. */
    async kill(powerSeed) {
      if (powerSeed !== undefined) {
        const sessions = "datname = current_database() and pid <> pg_backend_pid()";
        await database.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${sessions}`);
      }
      await database.query(
        `begin; select n from head for update; update daemons set fenced = true where id = '${daemonId}'; commit`,
      );
    },
    async afterKill() {
      store?.endWaits();
      await cluster?.close();
      await store?.close();
    },
    turn: () => pause(1),
    end: async () => await database[Symbol.asyncDispose](),
  };
}

describe.skipIf(!hasPostgres)(`on PostgreSQL (${NEEDS_POSTGRES})`, () => {
  lifeSuite({ where: "in PostgreSQL", sequences: SEQUENCES, host: inDatabase, hangMs: 240_000 + SEQUENCES * 20_000 });
});
