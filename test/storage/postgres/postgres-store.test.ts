import { describe } from "vitest";
import { openPostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { describeStore, type StoreUnderTest } from "../store-contract.ts";

async function open(): Promise<StoreUnderTest> {
  const database = await emptyDatabase();
  const store = await openPostgresStore({
    url: database.url,
    onFatal(error) {
      throw error;
    },
  });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(!hasPostgres)(`on PostgreSQL (${NEEDS_POSTGRES})`, () => {
  describeStore("the PostgreSQL store", open);
});
