import { describe, expect, test } from "vitest";
import type { Connection } from "../../../daemon/storage/postgres/connection.ts";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { StatementList } from "../../../daemon/storage/postgres/statement-list.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { openStores } from "./open-stores.ts";

const KEEP = "insert into kept (id, text) select * from unnest($1::int[], $2::text[])";

/** Keeps these rows and commits, in one list. */
async function keep(connection: Connection, ids: readonly number[], texts: readonly (string | null)[]): Promise<void> {
  const statements = new StatementList();
  statements.queryNamed("begin", "begin");
  statements.queryNamed("keep", KEEP, [ids, texts]);
  statements.queryNamed("commit", "commit");
  await connection.askTogether(statements);
}

describe.skipIf(!hasPostgres)(`statements that are sent together (${NEEDS_POSTGRES})`, () => {
  test("after a list that failed on a fresh session nothing of it stands, and the same list can be sent again", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await opened.database.query("create table kept (id int primary key, text text)");
    const connection = await store.database.connect({ isPipelined: true });
    try {
      await expect(keep(connection, [1, 1], ["one", "again"])).rejects.toThrow(/duplicate key/);
      await connection.query("rollback");
      await keep(connection, [1], ["one"]);
      await expect(keep(connection, [1], ["again"])).rejects.toThrow(/duplicate key/);
      await connection.query("rollback");
      await keep(connection, [2], ["two"]);
    } finally {
      connection.close();
    }
    expect(await opened.database.query("select id, text from kept order by id")).toEqual([
      { id: 1, text: "one" },
      { id: 2, text: "two" },
    ]);
  });

  test("texts of a list arrive as they are", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await opened.database.query("create table kept (id int primary key, text text)");
    const texts = ["", "NULL", null, '"quoted"', "back\\slash", "{a,b}", " blank ", "line\nbreak", "ü 日本 🎈"];
    const connection = await store.database.connect({ isPipelined: true });
    try {
      await keep(
        connection,
        texts.map((_, nth) => nth),
        texts,
      );
    } finally {
      connection.close();
    }
    const found = await opened.database.query("select text from kept order by id");
    expect(found.map(({ text }) => text as unknown)).toEqual(texts);
  });
});
