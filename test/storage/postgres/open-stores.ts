import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from "../../../daemon/storage/postgres/postgres-store.ts";
import { type EmptyDatabase, emptyDatabase, type PostgresServer } from "../../support/postgres.ts";

export interface OpenStores extends AsyncDisposable {
  readonly database: EmptyDatabase;
  readonly stores: readonly PostgresStore[];
  /** One more on the same database, closed with the others. */
  open(options?: Partial<PostgresStoreOptions>): Promise<PostgresStore>;
  /** What any of them said to be final. */
  readonly fatal: readonly Error[];
}

/** Stores as of so many daemons, on one empty database. */
export async function openStores(
  count: number,
  options: Partial<PostgresStoreOptions> = {},
  server?: PostgresServer,
): Promise<OpenStores> {
  const database = await emptyDatabase({ server });
  const stores: PostgresStore[] = [];
  const fatal: Error[] = [];
  const open = async (own: Partial<PostgresStoreOptions> = {}) => {
    const store = await openPostgresStore({
      url: database.url,
      onFatal: (error) => void fatal.push(error),
      ...options,
      ...own,
    });
    stores.push(store);
    return store;
  };
  for (let number = 0; number < count; number += 1) await open();
  return {
    database,
    stores,
    open,
    fatal,
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store.close()));
      await database[Symbol.asyncDispose]();
    },
  };
}
