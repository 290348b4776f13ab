import { describe, expect, test } from "vitest";
import { APPEND } from "../../../daemon/storage/postgres/append.ts";
import { BY_KEY, FIND_RUN, MOVEMENTS, READ_LINE, runsQuery } from "../../../daemon/storage/postgres/database-part.ts";
import { UNSEEN } from "../../../daemon/storage/postgres/log-reader.ts";
import { agesIn, READ_OUTPUT, removeFrom } from "../../../daemon/storage/postgres/outputs.ts";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { ownerCreated, runAccepted, runDone } from "../lines.ts";
import { openStores } from "./open-stores.ts";

const ROWS = 10_000_000;
/** Tables that grow; the others have a few rows however many runs there were. */
const GROWING = /^(?:lines|runs|movements|outputs)_|^accounts$/;

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly Plan[];
}

function scannedWhole(plan: Plan): string[] {
  const table = plan["Relation Name"] ?? "";
  const own = plan["Node Type"] === "Seq Scan" && GROWING.test(table) ? [table] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scannedWhole)];
}

function tables(plan: Plan): string[] {
  return [plan["Relation Name"] ?? "", ...(plan.Plans ?? []).flatMap(tables)].filter((table) => table !== "");
}

describe.skipIf(!hasPostgres)(`queries of ten million rows (${NEEDS_POSTGRES})`, () => {
  test("each finds its rows by an index", async () => {
    await using opened = await openStores(1);
    const [store] = opened.stores as [PostgresStore];
    await store.commit({ line: ownerCreated(10_000_000) });
    await Promise.all(
      Array.from({ length: 300 }, async (_, number) => {
        const facts = { provider: `p${number % 7}`, tags: { team: `t${number % 50}` } };
        await store.commit({ line: runAccepted(`r${number}`, facts) });
        await store.commit({ line: runDone(`r${number}`, facts) });
      }),
    );
    const [month] = (await opened.database.query("select month from head")).map((row) => Number(row["month"]));
    // What the planner would know of tables that large, without their making.
    await opened.database.query("analyze");
    await opened.database.query(
      `update pg_class set reltuples = ${ROWS} where relname ~ '^(lines|runs|movements|outputs)_' or relname like 'accounts%'`,
    );
    const none = Array.from({ length: 21 }, () => []);
    const each: readonly [text: string, values: readonly unknown[]][] = [
      [UNSEEN, [600, month]],
      [FIND_RUN, ["r7"]],
      [READ_LINE, [month, 7]],
      [READ_OUTPUT, [month, 7]],
      [BY_KEY, ["key"]],
      [MOVEMENTS, ["w1", 600, 64]],
      [runsQuery(0), ["w1", 600, 0, 9e15, 64]],
      [runsQuery(1), ["w1", 600, 0, 9e15, 64, ["t:team:t7"]]],
      [runsQuery(2), ["w1", 600, 0, 9e15, 64, ["s:FAILED", "s:BLOCKED"], ["p:nobody"]]],
      [agesIn(`outputs_${month}`), ["2026-01-01T00:00:00.000Z"]],
      [removeFrom(`outputs_${month}`), ["2026-01-01T00:00:00.000Z"]],
      [
        APPEND,
        [601, month, "00000000-0000-0000-0000-000000000000", ...none.slice(3, 19), ["ws:w1:bal"], [0], null, null, 602],
      ],
    ];

    for (const [text, values] of each) {
      const [row = {}] = await opened.database.query(`explain (format json) ${text}`, [...values]);
      const [{ Plan: plan }] = row["QUERY PLAN"] as [{ Plan: Plan }];
      expect([text, scannedWhole(plan)]).toEqual([text, []]);
      expect(tables(plan).length).toBeGreaterThan(0);
    }
  });
});
