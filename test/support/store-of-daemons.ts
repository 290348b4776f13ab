import { Months } from "../../daemon/storage/postgres/months.ts";
import { openPostgresStore } from "../../daemon/storage/postgres/postgres-store.ts";
import type { MktHome } from "./mkt-home.ts";
import { type EmptyDatabase, emptyDatabase } from "./postgres.ts";

/** Silence after which a daemon that a test left behind is taken for dead. */
const LEASE_SECONDS = "2";

let databases: DatabasePerHome | undefined;

/** From now on daemons of this process keep their data in databases; undefined: in the files of their homes. */
export function keepIn(kept: DatabasePerHome | undefined): void {
  databases = kept;
}

/** What a daemon in this home is told about where its data are. */
export async function storeSettings(home: MktHome): Promise<Readonly<Record<string, string>>> {
  if (databases === undefined) return {};
  return { MKT_DATABASE_URL: await databases.urlOf(home), MKT_LEASE_SECONDS: LEASE_SECONDS };
}

/** A database for each home that a daemon was started in, so that the next daemon there finds what it left. */
export class DatabasePerHome implements AsyncDisposable {
  readonly #byHome = new Map<MktHome, Promise<EmptyDatabase>>();

  async urlOf(home: MktHome): Promise<string> {
    const database = this.#byHome.get(home) ?? emptyDatabase({ prepare: makeTables });
    this.#byHome.set(home, database);
    return (await database).url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const database of this.#byHome.values()) await (await database)[Symbol.asyncDispose]();
    this.#byHome.clear();
  }
}

/** Done once for each run of tests; every database is a copy. */
export async function makeTables(url: string): Promise<void> {
  await using store = await openPostgresStore({ url, onFatal: () => {} });
  const now = new Date();
  await new Months(store.database).add(now.getUTCFullYear() * 100 + now.getUTCMonth() + 1);
}
