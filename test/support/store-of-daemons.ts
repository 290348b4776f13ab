import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { databaseOfCommand } from "../../daemon/config/database-settings.ts";
import { examineDatabase } from "../../daemon/doctor/database/examine-database.ts";
import type { DoctorReport } from "../../daemon/doctor/doctor.ts";
import { Months } from "../../daemon/storage/postgres/months.ts";
import { openPostgresStore } from "../../daemon/storage/postgres/postgres-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import type { MktHome } from "./mkt-home.ts";
import { type EmptyDatabase, emptyDatabase } from "./postgres.ts";
import type { SuiteStores } from "./suite-store.ts";

/** Silence after which a daemon that a test left behind is taken for dead. */
const LEASE_SECONDS = "2";
/** Of the configuration folder: what opens the sealed documents of the database. */
const SEALING_KEY = "database-key";

/** A database for each home that a daemon was started in, so that the next daemon there finds what it left. */
export class DatabasePerHome implements SuiteStores, AsyncDisposable {
  readonly #byHome = new Map<MktHome, Promise<EmptyDatabase>>();

  async settingsOf(home: MktHome): Promise<Readonly<Record<string, string>>> {
    return { MKT_DATABASE_URL: (await this.#databaseOf(home)).url, MKT_LEASE_SECONDS: LEASE_SECONDS };
  }

  async openStore(): Promise<Store> {
    const database = await emptyDatabase({ prepare: makeTables });
    const store = await openPostgresStore({
      url: database.url,
      onFatal(error) {
        throw error;
      },
    });
    onTestFinished(async () => {
      await store.close();
      await database[Symbol.asyncDispose]();
    });
    return store;
  }

  async examine(home: MktHome): Promise<DoctorReport> {
    const { MKT_DATABASE_URL } = await this.settingsOf(home);
    return await examineDatabase({ configDir: home.configDir, settings: databaseOfCommand({ MKT_DATABASE_URL }) });
  }

  async handOver(home: MktHome, next: MktHome): Promise<void> {
    const database = this.#databaseOf(home);
    this.#byHome.set(next, database);
    await (await database).query("begin; select n from head for update; update daemons set fenced = true; commit");
    const key = join(home.configDir, SEALING_KEY);
    if (!existsSync(key)) return;
    mkdirSync(next.configDir, { recursive: true, mode: 0o700 });
    copyFileSync(key, join(next.configDir, SEALING_KEY));
  }

  #databaseOf(home: MktHome): Promise<EmptyDatabase> {
    const database = this.#byHome.get(home) ?? emptyDatabase({ prepare: makeTables });
    this.#byHome.set(home, database);
    return database;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const database of new Set(this.#byHome.values())) await (await database)[Symbol.asyncDispose]();
    this.#byHome.clear();
  }
}

/** Done once for each run of tests; every database is a copy. */
export async function makeTables(url: string): Promise<void> {
  await using store = await openPostgresStore({ url, onFatal: () => {} });
  const now = new Date();
  await new Months(store.database).add(now.getUTCFullYear() * 100 + now.getUTCMonth() + 1);
}
