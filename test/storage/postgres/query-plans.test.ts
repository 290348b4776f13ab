import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCOUNTS, ENDED, OWNERS } from "../../../daemon/doctor/database/check-other-rows.ts";
import { SUMS } from "../../../daemon/doctor/database/check-output-rows.ts";
import { RUN_ROWS } from "../../../daemon/doctor/database/run-rows.ts";
import { APPEND } from "../../../daemon/storage/postgres/append.ts";
import { ASK, FORGET, READ, TAKE, TAKE_BACK, TELL } from "../../../daemon/storage/postgres/cluster/orders.ts";
import { OWNED, TAKE_LEFT } from "../../../daemon/storage/postgres/cluster/postgres-cluster.ts";
import {
  BY_KEY,
  FIND_ENDED,
  FIND_RUN,
  LIST_ENDED,
  LIST_RENTED,
  MOVEMENTS,
  READ_LINE,
  READ_LINES,
  runsQuery,
} from "../../../daemon/storage/postgres/database-part.ts";
import { FREE_ENDED, FREE_REPEATED, HOLD, MAKE_ROOM, SWEEP } from "../../../daemon/storage/postgres/last-guards.ts";
import { UNSEEN, UNSEEN_OF_BOTH } from "../../../daemon/storage/postgres/log-reader.ts";
import { agesIn, READ_OUTPUT, removeFrom } from "../../../daemon/storage/postgres/outputs.ts";
import { NEXT_MONTH } from "../../../daemon/storage/postgres/months.ts";
import type { PostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { ownerCreated, runAccepted, runDone } from "../lines.ts";
import { askedQueries } from "./asked-queries.ts";
import { type OpenStores, openStores } from "./open-stores.ts";

const ROWS = 10_000_000;
/** After the month of the clock; each has its part of every large table. */
const LATER_MONTH = 299_901;
/** Tables that grow with runs, documents or versions of provider files. */
const GROWING =
  /^(?:lines|runs|movements|outputs)_|^(?:accounts|run_owners|run_orders|documents|provider_files|used_keys|held_ids|ended_resources)$/;

type Statement = readonly [text: string, values: readonly unknown[]];
/** What is asked of the query's own text, with these values; or other texts, where it is not written in place; or why nothing is. */
type Checked = { readonly values: readonly unknown[] } | { readonly each: readonly Statement[] } | string;

const FEW = "a table with a row, or with one for each daemon, month, change or removal";
const NO_ROWS = "asks for no rows of a table that grows";
const ALL = "reads all on purpose, for a person who waits: a move or the doctor";
const PASSED_ON = "is given its text by others";
const EMPTIED = "reads or drops a whole month on purpose, when all of it is old";

const BEFORE = "2026-01-01T00:00:00.000Z";
const id = "00000000-0000-0000-0000-000000000000";
const none = Array.from({ length: 16 }, () => []);

const listOf = (month: number): Readonly<Record<string, Readonly<Record<string, Checked>>>> => {
  const part = `outputs_${month}`;
  const before = BEFORE;
  const append = [601, month, id, ...none, ["ws:w1:bal"], [0], null, null, 602, ["r301"], "d1", ["r7"], "mkt_lines_x"];
  return {
    "daemon/doctor/database/check-document-rows.ts": {
      "select name from documents where body is not null order by name": ALL,
      "select name, body, changed from documents where name = $1": { values: ["d7"] },
      "select (select n from document_head) as head, (select max(changed) from documents) as newest": { values: [] },
      "select hash from provider_files order by hash": ALL,
      "select body from provider_files where hash = $1": { values: ["h7"] },
    },
    "daemon/doctor/database/check-line-rows.ts": {
      "select n, month, batch, body from lines where n > $1 order by n limit $2": { values: [600, 1_000] },
      RUN_ROWS: { each: [[RUN_ROWS, [600, 1_600]]] },
    },
    "daemon/doctor/database/check-other-rows.ts": {
      "select n, month from head": FEW,
      "select month, created_from, created_to from months": FEW,
      "select min(workspace_id) as workspace_id from movements where workspace_id > $1": { values: ["w0"] },
      "select n from movements where workspace_id = $1 and n > $2 order by n limit $3": { values: ["w1", 600, 100] },
      text: {
        each: [
          [ACCOUNTS, ["a", 10_000]],
          [OWNERS, ["r7", 10_000]],
          [ENDED, ["r7", 10_000]],
        ],
      },
    },
    "daemon/doctor/database/check-output-rows.ts": {
      "select max(before) as before from removals": FEW,
      SUMS: { each: [[SUMS, [600, 1_600]]] },
    },
    "daemon/doctor/database/examine-database.ts": { ONE_STATE: NO_ROWS },
    "daemon/offline/migrate/move-documents.ts": {
      "insert into provider_files (hash, file, body) values ($1, $2, $3) on conflict do nothing": {
        values: ["h7", "f", "b"],
      },
      "select hash, file, body from provider_files": ALL,
    },
    "daemon/offline/migrate/sole-user.ts": {
      "select 1 from daemons where id <> $1 and not fenced and lease_until > clock_timestamp()": FEW,
      "insert into run_owners (run_id, owner) select unnest($1::text[]), $2 on conflict (run_id) do nothing": {
        values: [["r7"], "d1"],
      },
    },
    "daemon/offline/migrate/whole-lines.ts": {
      "`select n, month, body from lines where n > $1 order by n limit ${PAGE}`": {
        each: [["select n, month, body from lines where n > $1 order by n limit 500", [600]]],
      },
    },
    "daemon/storage/documents/database/database-documents.ts": {
      "insert into provider_files (hash, file, body) values ($1, $2, $3) on conflict do nothing": {
        values: ["h7", "f", "b"],
      },
      "select file, body from provider_files where hash = $1": { values: ["h7"] },
    },
    "daemon/storage/documents/database/shared-documents.ts": {
      "select n from document_head for update": FEW,
      "select body from documents where name = $1": { values: ["d7"] },
      "insert into documents (name, body, changed) values ($1, $2, $3) on conflict (name) do update set body = $2, changed = $3":
        { values: ["d7", "{}", 1_000] },
      "update document_head set n = $1": FEW,
      "select pg_notify($1, $2)": NO_ROWS,
      "select name, body, changed from documents where changed > $1 order by changed": { values: [299] },
    },
    "daemon/storage/postgres/analyze.ts": { "`analyze ${table}`": NO_ROWS },
    "daemon/storage/postgres/append.ts": {
      APPEND: { each: [[APPEND, append]] },
    },
    "daemon/storage/postgres/batch-writer.ts": {
      rollback: NO_ROWS,
      commit: NO_ROWS,
      PREPARE: { each: [[UNSEEN, [600, month]]] },
      LOCK_HEAD: FEW,
      '`begin; execute lock_head; ${unseenAfter(asked.n, asked.month)}${daemonId === undefined ? "" : `; ${aliveOf(daemonId)}`}`':
        "executes what was prepared",
      "unseenAfter(n, month)": "executes what was prepared",
      "`begin; ${LOCK_HEAD}; select batch from lines where month = ${month} and n = ${first}; commit`": {
        each: [[`select batch from lines where month = ${month} and n = 7`, []]],
      },
    },
    "daemon/storage/postgres/cluster/lease.ts": {
      BEGIN: FEW,
      "`select id from daemons where ${IS_SILENT}`": FEW,
      LOCK_HEAD: FEW,
      "`update daemons set fenced = true where ${IS_SILENT} returning id`": FEW,
      FORGET_FENCED: {
        each: [
          ["delete from daemons where fenced and not exists (select from run_owners where owner = daemons.id)", []],
        ],
      },
      "delete from daemons where id = $1": FEW,
      RENEW: FEW,
    },
    "daemon/storage/postgres/cluster/orders.ts": {
      ASK: { each: [[ASK, [id, "r7", "{}"]]] },
      FORGET: { each: [[FORGET, [id]]] },
      TAKE: { each: [[TAKE, ["d1", [id]]]] },
      TELL: { each: [[TELL, [id, "{}"]]] },
      READ: { each: [[READ, [[id]]]] },
      TAKE_BACK: { each: [[TAKE_BACK, [id]]] },
    },
    "daemon/storage/postgres/cluster/postgres-cluster.ts": {
      "update daemons set facts = facts || $2::jsonb where id = $1": FEW,
      OTHERS: FEW,
      TAKE_LEFT: { each: [[TAKE_LEFT, ["d1", 200]]] },
      OWNED: { each: [[OWNED, ["d1"]]] },
      LEAD: FEW,
    },
    "daemon/storage/postgres/connection.ts": {
      SETTINGS: NO_ROWS,
      text: PASSED_ON,
      "{ name, text, values: [...values] }": PASSED_ON,
      query: "sends the statements of a list, each with an entry where it is added",
    },
    "daemon/storage/postgres/database-part.ts": {
      READ_LINE: { each: [[READ_LINE, [month, 7]]] },
      FIND_RUN: { each: [[FIND_RUN, ["r7"]]] },
      text: {
        each: [
          [runsQuery(0), ["w1", 600, 0, 9e15, 64]],
          [runsQuery(1), ["w1", 600, 0, 9e15, 64, ["t:team:t7"]]],
          [runsQuery(2), ["w1", 600, 0, 9e15, 64, ["s:FAILED", "s:BLOCKED"], ["p:nobody"]]],
          [LIST_ENDED, ["w7", "e9", null, null, null, null, 64]],
          [LIST_ENDED, ["w7", "e9", "nobody", null, "RELEASED", null, 64]],
          [LIST_RENTED, ["w7", "e9", before, 64]],
        ],
      },
      READ_LINES: { each: [[READ_LINES, [month, [7, 9]]]] },
      MOVEMENTS: { each: [[MOVEMENTS, ["w1", 600, 64]]] },
      BY_KEY: { each: [[BY_KEY, ["key"]]] },
      FIND_ENDED: { each: [[FIND_ENDED, ["w7", "e7"]]] },
    },
    "daemon/storage/postgres/database.ts": { text: PASSED_ON, begin: NO_ROWS, rollback: NO_ROWS, commit: NO_ROWS },
    "daemon/storage/postgres/last-guards.ts": {
      MAKE_ROOM: { each: [[MAKE_ROOM, [["k7"], [0], ["r7"], ["r7"]]]] },
      HOLD: { each: [[HOLD, [["k0"], [0], ["r0"], ["n0"], ["r0"]]]] },
      FREE_ENDED: { each: [[FREE_ENDED, [["n7"]]]] },
      FREE_REPEATED: { each: [[FREE_REPEATED, ["k7", "r7"]]] },
      "insert into held_ids (name, resource_id) select unnest($1::text[]), unnest($2::text[]) on conflict do nothing": {
        values: [["n0"], ["r0"]],
      },
      SWEEP: { each: [[SWEEP, [10_000]]] },
    },
    "daemon/storage/postgres/line-news.ts": { TELL: NO_ROWS, SCHEMA: NO_ROWS },
    "daemon/storage/postgres/listener.ts": { '`listen "${channel}"`': NO_ROWS },
    "daemon/storage/postgres/log-reader.ts": { UNSEEN_OF_BOTH: { each: [[UNSEEN_OF_BOTH, [600, month]]] } },
    "daemon/storage/postgres/migrate.ts": {
      "select pg_advisory_xact_lock($1)": NO_ROWS,
      VERSIONS: FEW,
      sql: "changes the tables, once for each version",
      "insert into migrations (number, title) values ($1, $2)": FEW,
      "select current_setting('server_encoding') as encoding": NO_ROWS,
      "select from pg_tables where schemaname = any(current_schemas(false)) and tablename = 'migrations'": FEW,
      "select number from migrations order by number": FEW,
    },
    "daemon/storage/postgres/months.ts": {
      "select pg_advisory_xact_lock($1)": NO_ROWS,
      "select from months where month = $1": FEW,
      "`create table ${part} (like ${table} including constraints including indexes)`": NO_ROWS,
      "`alter table ${table} attach partition ${part} for values in (${month})`": NO_ROWS,
      "insert into months (month) values ($1)": FEW,
      NEXT_MONTH: NO_ROWS,
    },
    "daemon/storage/postgres/move-mark.ts": {
      "select state, place, at from move": FEW,
      "insert into move (state, place) values ($1, $2) on conflict (is_one) do update set state = $1, place = $2, at = clock_timestamp()":
        FEW,
      "delete from move": FEW,
    },
    "daemon/storage/postgres/outputs.ts": {
      "select before, at from removals order by before": FEW,
      READ_OUTPUT: { each: [[READ_OUTPUT, [month, 7]]] },
      "insert into removals (before, at) values ($1, $2) on conflict do nothing": FEW,
      PARTS: FEW,
      "agesIn(part)": { each: [[agesIn(part), [before]]] },
      "`set local lock_timeout = ${this.#lockMs}`": NO_ROWS,
      "`lock table ${part} in access exclusive mode`": EMPTIED,
      "lock table only outputs in access exclusive mode": EMPTIED,
      "`drop table ${part}`": EMPTIED,
      "removeFrom(part)": { each: [[removeFrom(part), [before]]] },
    },
    "daemon/storage/postgres/postgres-store.ts": {
      "select body from lines where month = $1 and n = $2": { values: [month, 7] },
    },
    "daemon/storage/postgres/snapshots.ts": {
      "select body from snapshots where version = any($1) order by n desc limit 1 offset $2": FEW,
      "select n from snapshots where version = any($1) order by n": FEW,
      "select body from snapshots where n = $1": FEW,
      "select max(n) as n from snapshots where version = any($1)": FEW,
      "insert into snapshots (n, version, body) values ($1, $2, $3) on conflict do nothing": FEW,
      "delete from snapshots where version <= $1 and n < (select min(n) from (select n from snapshots where version = $1 order by n desc limit $2) as newest)":
        FEW,
    },
  };
};

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

/** Some rows of every kind, runs of three months among them, and what the planner would know of tables with ten million, without their making. */
async function fill({ database, stores }: OpenStores): Promise<void> {
  const [store] = stores as [PostgresStore];
  await store.commit({ line: ownerCreated(10_000_000) });
  // The store makes the parts of the next month in the background, and empty ones would rightly be read whole.
  const [next] = await database.query(NEXT_MONTH);
  for (const [nth, month] of [undefined, Number(next?.["month"]), LATER_MONTH].entries()) {
    if (month !== undefined) await database.query(`update head set month = ${month}`);
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const number = nth * 100 + index;
        const facts = { provider: `p${number % 7}`, tags: { team: `t${number % 50}` } };
        await store.commit({ line: runAccepted(`r${number}`, facts) });
        await store.commit({ line: runDone(`r${number}`, facts) });
      }),
    );
  }
  const many = "from generate_series(1, 1000) as i";
  await database.query(`
    insert into daemons (id, lease_until, fenced) select 'd' || i, clock_timestamp(), i > 3 from generate_series(1, 10) as i;
    insert into run_owners select 'r' || i, 'd' || i % 100 ${many};
    insert into run_orders (id, run_id, body, outcome) select gen_random_uuid(), 'r' || i, '{}', case when i > 10 then '{}'::json end ${many};
    insert into documents select 'd' || i, '{}', i ${many};
    insert into used_keys (key, used_ms) select 'k' || i, i ${many};
    insert into held_ids select 'n' || i, 'r' || i ${many};
    insert into ended_resources select 'e' || i, 'w' || i % 10, 202611, i, 'p', 't', 'RELEASED', 'k', 2, '${BEFORE}' ${many};
    insert into provider_files select 'h' || i, 'file', 'body' ${many}`);
  // It would count the rows of a table again that has just been said to have ten million.
  await database.query(`
    do $$ declare one regclass; begin
      for one in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s set (autovacuum_enabled = false)', one);
      end loop;
    end $$`);
  await database.query("analyze");
  await database.query(
    `update pg_class set reltuples = ${ROWS} where relkind = 'r' and (relname ~ '^(lines|runs|movements|outputs)_'
     or relname in ('accounts', 'run_owners', 'run_orders', 'documents', 'provider_files', 'used_keys', 'held_ids', 'ended_resources'))`,
  );
}

test("every query in the daemon's code is in the list, and nothing else", () => {
  const listed = Object.entries(listOf(202_611)).flatMap(([file, names]) =>
    Object.keys(names).map((name) => `${file}: ${name}`),
  );
  const asked = new Set(askedQueries().map(({ file, name }) => `${file}: ${name}`));

  // A new one says in the list how it finds its rows among ten million.
  expect([...asked].filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed.filter((name) => !asked.has(name))).toEqual([]);
});

describe.skipIf(!hasPostgres)(`queries of ten million rows (${NEEDS_POSTGRES})`, () => {
  let opened: OpenStores;
  let month: number;
  beforeAll(async () => {
    opened = await openStores(1);
    await fill(opened);
    [month = 0] = (await opened.database.query("select month from head")).map((row) => Number(row["month"]));
  });
  afterAll(async () => await opened[Symbol.asyncDispose]());

  test("each finds its rows by an index", async () => {
    const statements = Object.values(listOf(month)).flatMap((names) =>
      Object.entries(names).flatMap(([name, checked]): readonly Statement[] => {
        if (typeof checked === "string") return [];
        return "each" in checked ? checked.each : [[name, checked.values]];
      }),
    );
    expect(statements.length).toBeGreaterThan(35);
    const months = await opened.database.query("select month from runs group by month having count(*) > 50");
    expect(months).toHaveLength(3);

    const whole: unknown[] = [];
    for (const [text, values] of statements) {
      const [row = {}] = await opened.database.query(`explain (format json) ${text}`, [...values]);
      const [{ Plan: plan }] = row["QUERY PLAN"] as [{ Plan: Plan }];
      const scanned = scannedWhole(plan);
      if (scanned.length > 0) whole.push([text, scanned]);
      expect([text, tables(plan)]).not.toEqual([text, []]);
    }
    expect(whole).toEqual([]);
  });
});
