import { expect, test } from "vitest";
import { analyze, LINE_TABLES } from "../../../daemon/storage/postgres/analyze.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { openStores } from "./open-stores.ts";

test.skipIf(!hasPostgres)(
  `a table that cannot be analyzed is told, and the others are (${NEEDS_POSTGRES})`,
  async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores;
    if (store === undefined) throw new Error("no store was opened");
    await opened.database.query("drop table movements; insert into accounts (account, micro) values ('a', 1)");

    const left = await analyze(store.database, LINE_TABLES);

    expect(left.map(({ table, error }) => [table, String(error)])).toEqual([
      ["movements", expect.stringContaining("movements")],
    ]);
    expect(
      await opened.database.query(
        "select distinct tablename::text as table from pg_stats where tablename = 'accounts'",
      ),
    ).toEqual([{ table: "accounts" }]);
  },
);
